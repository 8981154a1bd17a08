import Tidemark

// A statement is a text, its values, and at most one run. The compiled statement behind it is shared with those that
// iterate it: who finds it running for somebody else has it compiled once more.
//
// Everything that is stored here is touched inside accesses of the connection only.

/// A prepared statement.
///
/// ```swift
/// let statement = try db.prepare("INSERT INTO users (email) VALUES (?)")
/// for email in ["alice@mac.com", "betty@mac.com"] {
///   try statement.run(email)
/// }
/// ```
///
/// It may be shared by threads. An operation (`run`, `scalar`, one turn of a loop) is done whole before the next one;
/// each loop over a statement has rows of its own.
public final class Statement: Sendable {
  let connection: Connection

  /// Nil once the connection was closed.
  private nonisolated(unsafe) var kept: Tidemark.Statement?
  /// The SQL, once the connection was closed.
  private nonisolated(unsafe) var closedText = ""
  private nonisolated(unsafe) var values: [DatabaseValue]
  /// Why the values do not fit; thrown when the statement is run.
  private nonisolated(unsafe) var misfit: DatabaseError?
  private nonisolated(unsafe) var run: UInt?
  /// How the columns of the run are found, once its first row was asked for.
  private nonisolated(unsafe) var layout: RowLayout?

  /// To be called inside an access.
  init(_ connection: Connection, _ prepared: Tidemark.Statement, values: [DatabaseValue]? = nil) {
    self.connection = connection
    kept = prepared
    self.values = values ?? Array(repeating: .null, count: prepared.parameterTotal)
    connection.statements.add(self)
  }

  private init(iterating other: Statement) {
    connection = other.connection
    kept = other.kept
    closedText = other.closedText
    values = other.values
    misfit = other.misfit
    connection.statements.add(self)
  }

  deinit {
    connection.statements.remove(self)
    guard let run, let statement = kept else { return }
    connection.access { _ in statement.endRun(run) }
  }

  /// Ends, for good: the connection is about to be closed. To be called inside an access.
  func letGo() {
    endRun()
    if let kept { closedText = kept.sql }
    kept = nil
  }

  private var prepared: Tidemark.Statement {
    get throws {
      guard let kept else { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "Connection is closed") }
      return kept
    }
  }

  // MARK: What it is

  /// The number of columns of its rows.
  public var columnCount: Int { connection.access { _ in kept?.columnCount ?? 0 } }

  /// The names of the columns of its rows.
  public var columnNames: [String] { connection.access { _ in kept?.columnNames ?? [] } }

  /// The current row, after a `step()` that has found one.
  public var row: Cursor { Cursor(statement: self) }

  func currentValue(at index: Int) -> DatabaseValue {
    connection.access { _ in
      guard run != nil, index >= 0 else { return .null }
      do {
        return try prepared.value(at: index)
      } catch {
        fatalError("The value in column \(index) cannot be read: \(error)")
      }
    }
  }

  /// The value of a column of the current row, which is not NULL, as SQLite makes another type of it.
  func currentValue<B: Binding>(at index: Int, as type: B.Type) -> DatabaseValue {
    connection.access { _ in
      guard run != nil, let kept else { return .null }
      return B._converted(kept.sqliteStatement, CInt(index))?._databaseValue ?? .null
    }
  }

  // MARK: Values

  /// Gives values to the parameters, in their order.
  ///
  /// Values that do not fit are an error of the next run.
  @discardableResult
  public func bind(_ values: (any Binding)?...) -> Statement { bind(values) }

  /// Gives values to the parameters, in their order. Without any, they stay what they are.
  @discardableResult
  public func bind(_ values: [(any Binding)?]) -> Statement {
    if values.isEmpty { return self }
    connection.access { _ in
      endRun()
      let count = self.values.count
      if values.count == count {
        self.values = values.map { DatabaseValue($0) }
        misfit = nil
      } else {
        misfit = mismatch("\(count) values expected, \(values.count) passed")
      }
    }
    return self
  }

  /// Gives values to the parameters, by their names: `["$email": "alice@mac.com"]`. Those that are not named are NULL.
  @discardableResult
  public func bind(_ values: [String: (any Binding)?]) -> Statement {
    connection.access { _ in
      endRun()
      misfit = nil
      let names = kept?.parameterNames ?? []
      self.values = Array(repeating: .null, count: names.count)
      for (name, value) in values {
        let index = names.firstIndex(of: name) ?? names.firstIndex { $0.map { String($0.dropFirst()) } == name }
        guard let index else {
          misfit = mismatch("parameter not found: \(name)")
          continue
        }
        self.values[index] = DatabaseValue(value)
      }
    }
    return self
  }

  private func mismatch(_ message: String) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_MISUSE, message: message, sql: kept?.sql)
  }

  // MARK: Running

  /// Runs the statement to its end, with these values or those that it has.
  @discardableResult
  public func run(_ bindings: (any Binding)?...) throws -> Statement { try run(bindings) }

  /// Runs the statement to its end, with these values or those that it has.
  @discardableResult
  public func run(_ bindings: [(any Binding)?]) throws -> Statement { try whole { try bind(bindings).runToEnd() } }

  /// Runs the statement to its end, with these values.
  @discardableResult
  public func run(_ bindings: [String: (any Binding)?]) throws -> Statement {
    try whole { try bind(bindings).runToEnd() }
  }

  /// The first value of the first row, with these values of parameters or those that it has; nil where there is none.
  public func scalar(_ bindings: (any Binding)?...) throws -> (any Binding)? { try scalar(bindings) }

  /// The first value of the first row, with these values of parameters or those that it has; nil where there is none.
  public func scalar(_ bindings: [(any Binding)?]) throws -> (any Binding)? {
    try whole { try bind(bindings).firstValue() }
  }

  /// The first value of the first row, with these values of parameters; nil where there is none.
  public func scalar(_ bindings: [String: (any Binding)?]) throws -> (any Binding)? {
    try whole { try bind(bindings).firstValue() }
  }

  /// Whether there is one more row, which `row` then shows.
  ///
  /// As long as there is one, the table is in use: `reset()` says that no more are wanted.
  public func step() throws -> Bool { try whole { try advance() } }

  /// Ends a run before its last row, and lets go of the values.
  public func reset() {
    connection.access { _ in
      endRun()
      values = Array(repeating: .null, count: values.count)
      misfit = nil
    }
  }

  /// An operation that others see as a whole.
  private func whole<T>(_ body: () throws -> T) throws -> T {
    try connection.translating(self) { try connection.access { _ in try body() } }
  }

  private func runToEnd() throws -> Statement {
    endRun()
    while try advance() {}
    return self
  }

  private func firstValue() throws -> (any Binding)? {
    endRun()
    defer { endRun() }
    return try advance() ? prepared.value(at: 0).binding : nil
  }

  /// The next row. To be called inside an access.
  private func advance() throws -> Bool {
    var prepared = try prepared
    if run == nil || prepared.runNumber != run {
      if let misfit { throw misfit }
      if prepared.isBusy {
        prepared = try prepared.twin()
        kept = prepared
      }
      layout = nil
      try prepared.begin(values)
      run = prepared.runNumber
    }
    do {
      if try prepared.advance() { return true }
    } catch {
      run = nil
      throw error
    }
    prepared.endRun()
    run = nil
    return false
  }

  private func endRun() {
    if let run { kept?.endRun(run) }
    run = nil
  }

  // MARK: Rows

  /// The next row, as one of a typed query.
  func nextRow(of clauses: QueryClauses?) throws -> Row? {
    try connection.translating(self) {
      try connection.access { db in
        guard try advance() else { return nil }
        let layout = try layout ?? makeLayout(clauses, db)
        self.layout = layout
        return Row(layout: layout, values: try prepared.values(count: layout.names.count))
      }
    }
  }
}

extension Statement {
  private func makeLayout(_ clauses: QueryClauses?, _ db: Database) throws -> RowLayout {
    guard let clauses else { return RowLayout(of: try prepared) }
    return try RowLayout.layout(of: clauses, prepared, db)
  }
}

// MARK: - Loops

extension Statement: Sequence, FailableIterator {
  /// The values of a row: of type `Int64`, `Double`, `String`, `Blob`, nil for NULL.
  public typealias Element = [(any Binding)?]

  /// A loop over the rows, from the first one, with the values that the statement has now.
  public func makeIterator() -> Statement {
    connection.access { _ in
      endRun()
      return Statement(iterating: self)
    }
  }

  /// The next row, or nil at the end.
  public func failableNext() throws -> [(any Binding)?]? {
    try whole {
      guard try advance() else { return nil }
      return try prepared.values(count: prepared.columnCount).map(\.binding)
    }
  }
}

extension Statement: CustomStringConvertible {
  /// The SQL.
  public var description: String { connection.access { _ in kept?.sql ?? closedText } }
}
