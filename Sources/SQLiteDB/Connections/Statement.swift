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
  nonisolated(unsafe) var kept: Tidemark.Statement?
  /// The SQL, once the connection was closed.
  private nonisolated(unsafe) var closedText = ""
  private nonisolated(unsafe) var values: [DatabaseValue]
  /// Why the values do not fit; thrown when the statement is run.
  private nonisolated(unsafe) var misfit: DatabaseError?
  /// The run that `step()` has begun.
  private nonisolated(unsafe) var run: UInt?
  /// The rows that are iterated, from the first one to the last one.
  nonisolated(unsafe) var loop: StatementLoop?
  /// How the columns of the run are found, once its first row was asked for.
  nonisolated(unsafe) var layout: ResultRowLayout?

  /// To be called inside an access.
  init(_ connection: Connection, _ prepared: Tidemark.Statement, values: [DatabaseValue]? = nil) {
    self.connection = connection
    kept = prepared
    self.values = values ?? Array(repeating: .null, count: prepared.parameterTotal)
    connection.statements.add(self)
  }

  init(iterating other: Statement) {
    connection = other.connection
    kept = other.kept
    closedText = other.closedText
    values = other.values
    misfit = other.misfit
    connection.statements.add(self)
  }

  deinit {
    connection.statements.remove(self)
    guard let run = run ?? loop?.run, let statement = kept else { return }
    connection.access { db in
      db.openLoops?.removeReleased()
      statement.endRun(run)
    }
  }

  /// Ends, for good: the connection is about to be closed. To be called inside an access.
  func releaseStatement() {
    endRun()
    if let kept { closedText = kept.sql }
    kept = nil
  }

  var prepared: Tidemark.Statement {
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
      if let row = loop?.current { return row.indices.contains(index) ? row[index] : .null }
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
    connection.access { db in
      guard let kept else { return .null }
      if run != nil || loop?.showsCurrentRow(of: kept) == true {
        return B._converted(kept.sqliteStatement, CInt(index))?._databaseValue ?? .null
      }
      guard let row = loop?.current, row.indices.contains(index) else { return .null }
      return db.converted(row[index], as: B.self)
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
        misfit = .valueCount(count, given: values.count, sql: kept?.sql)
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
          misfit = DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "parameter not found: \(name)", sql: kept?.sql)
          continue
        }
        self.values[index] = DatabaseValue(value)
      }
    }
    return self
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
  public func step() throws -> Bool { try whole { try loop == nil ? advance() : nextRow() != nil } }

  /// Ends a run before its last row, and lets go of the values.
  public func reset() {
    connection.access { _ in
      endRun()
      values = Array(repeating: .null, count: values.count)
      misfit = nil
    }
  }

  /// An operation that others see as a whole.
  func whole<T>(_ body: () throws -> T) throws -> T {
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
    let prepared = try run != nil && kept?.runNumber == run ? prepared : begin()
    run = prepared.runNumber
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

  /// Begins a run, of the compiled statement or, when that one is running, of another one. To be called inside an
  /// access.
  func begin() throws -> Tidemark.Statement {
    if let misfit { throw misfit }
    var prepared = try prepared
    if prepared.isBusy {
      prepared = try prepared.makeCopy()
      kept = prepared
    }
    layout = nil
    try prepared.begin(values)
    return prepared
  }

  /// Ends whatever run there is. To be called inside an access.
  func endRun() {
    if let run { kept?.endRun(run) }
    run = nil
    endLoop()
  }

  /// The next row of the run that `step()` has begun; nil when there is no such run.
  func steppedRow() throws -> StatementLoop.Step? {
    guard run != nil, kept?.runNumber == run else { return nil }
    guard try advance() else { return .end }
    let prepared = try prepared
    return .row(try prepared.values(count: prepared.currentColumnCount))
  }
}

extension Statement: CustomStringConvertible {
  /// The SQL.
  public var description: String { connection.access { _ in kept?.sql ?? closedText } }
}
