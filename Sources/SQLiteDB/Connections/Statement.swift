import Tidemark

// A statement consists of SQL, its arguments, and at most one run. The compiled statement is shared with the iterators
// of this statement. If it is running for one of them, another run compiles the SQL again.
//
// All stored properties are used inside accesses of the connection only.

/// A prepared statement.
///
/// ```swift
/// let statement = try db.prepare("INSERT INTO users (email) VALUES (?)")
/// for email in ["alice@mac.com", "betty@mac.com"] {
///   try statement.run(email)
/// }
/// ```
///
/// A statement can be shared by threads. An operation (`run`, `scalar`, one iteration of a loop) is atomic, and each
/// loop over a statement has its own rows.
public final class Statement: Sendable {
  let connection: Connection

  /// The compiled statement; nil after the connection was closed.
  nonisolated(unsafe) var kept: Tidemark.Statement?
  /// The SQL, after the connection was closed.
  private nonisolated(unsafe) var closedText = ""
  private nonisolated(unsafe) var values: [DatabaseValue]
  /// The error of arguments that do not match the parameters. It is thrown when the statement runs.
  private nonisolated(unsafe) var bindingError: DatabaseError?
  /// The run that `step()` began.
  private nonisolated(unsafe) var run: UInt?
  /// The current iteration over the rows.
  nonisolated(unsafe) var loop: StatementLoop?
  /// The layout of the rows of the current run; nil before its first row is read.
  nonisolated(unsafe) var layout: ResultRowLayout?

  /// Must be called inside an access.
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
    bindingError = other.bindingError
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

  /// Ends all runs and releases the compiled statement, before the connection is closed. Must be called inside an
  /// access.
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

  // MARK: Properties

  /// The number of columns in its rows.
  public var columnCount: Int { connection.access { _ in kept?.columnCount ?? 0 } }

  /// The names of the columns in its rows.
  public var columnNames: [String] { connection.access { _ in kept?.columnNames ?? [] } }

  /// The current row, after a call of ``step()`` that returned true.
  public var row: Cursor { Cursor(statement: self) }

  func currentValue(at index: Int) -> DatabaseValue {
    connection.access { _ in
      if let row = loop?.current { return row.indices.contains(index) ? row[index] : .null }
      guard run != nil, index >= 0 else { return .null }
      do {
        return try prepared.value(at: index)
      } catch {
        fatalError("Could not read the value of column \(index): \(error)")
      }
    }
  }

  /// Returns a value of the current row, converted to another type by SQLite. The value must not be NULL.
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

  /// Binds arguments to the parameters, by position.
  ///
  /// If the number of arguments does not match, the next run throws an error.
  ///
  /// ```swift
  /// let statement = try db.prepare("SELECT * FROM users WHERE id BETWEEN ? AND ?")
  /// for row in statement.bind(1, 10) { print(row) }
  /// ```
  ///
  /// - Parameter values: The arguments, in the order of the parameters.
  /// - Returns: The statement itself.
  @discardableResult
  public func bind(_ values: (any Binding)?...) -> Statement { bind(values) }

  /// Binds arguments to the parameters, by position.
  ///
  /// If the number of arguments does not match, the next run throws an error.
  ///
  /// ```swift
  /// let values: [(any Binding)?] = [1, 10]
  /// try db.prepare("DELETE FROM users WHERE id BETWEEN ? AND ?").bind(values).run()
  /// ```
  ///
  /// - Parameter values: The arguments, in the order of the parameters. An empty array keeps the current arguments.
  /// - Returns: The statement itself.
  @discardableResult
  public func bind(_ values: [(any Binding)?]) -> Statement {
    if values.isEmpty { return self }
    connection.access { _ in
      endRun()
      let count = self.values.count
      if values.count == count {
        self.values = values.map { DatabaseValue($0) }
        bindingError = nil
      } else {
        bindingError = .valueCount(count, given: values.count, sql: kept?.sql)
      }
    }
    return self
  }

  /// Binds arguments to the parameters, by name.
  ///
  /// If the statement does not have a parameter with one of the names, the next run throws an error.
  ///
  /// ```swift
  /// try db.prepare("INSERT INTO users (email) VALUES ($email)").bind(["$email": "alice@mac.com"]).run()
  /// ```
  ///
  /// - Parameter values: The arguments, by the names of the parameters. Parameters without an argument are NULL.
  /// - Returns: The statement itself.
  @discardableResult
  public func bind(_ values: [String: (any Binding)?]) -> Statement {
    connection.access { _ in
      endRun()
      bindingError = nil
      let names = kept?.parameterNames ?? []
      self.values = Array(repeating: .null, count: names.count)
      for (name, value) in values {
        let index = names.firstIndex(of: name) ?? names.firstIndex { $0.map { String($0.dropFirst()) } == name }
        guard let index else {
          bindingError = DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "parameter not found: \(name)", sql: kept?.sql)
          continue
        }
        self.values[index] = DatabaseValue(value)
      }
    }
    return self
  }

  // MARK: Running

  /// Runs the statement to its end.
  ///
  /// ```swift
  /// let statement = try db.prepare("INSERT INTO users (email) VALUES (?)")
  /// try statement.run("alice@mac.com")
  /// ```
  ///
  /// - Parameter bindings: The arguments, in the order of the parameters. Without any, the current arguments are used.
  /// - Returns: The statement itself.
  /// - Throws: A ``Result`` if the statement fails, or if the arguments do not match its parameters.
  @discardableResult
  public func run(_ bindings: (any Binding)?...) throws -> Statement { try run(bindings) }

  /// Runs the statement to its end.
  ///
  /// ```swift
  /// let statement = try db.prepare("INSERT INTO users (email, name) VALUES (?, ?)")
  /// let bindings: [(any Binding)?] = ["alice@mac.com", nil]
  /// try statement.run(bindings)
  /// ```
  ///
  /// - Parameter bindings: The arguments, in the order of the parameters. If it is empty, the current arguments are
  ///   used.
  /// - Returns: The statement itself.
  /// - Throws: A ``Result`` if the statement fails, or if the arguments do not match its parameters.
  @discardableResult
  public func run(_ bindings: [(any Binding)?]) throws -> Statement { try whole { try bind(bindings).runToEnd() } }

  /// Runs the statement to its end.
  ///
  /// ```swift
  /// let statement = try db.prepare("INSERT INTO users (email) VALUES ($email)")
  /// try statement.run(["$email": "alice@mac.com"])
  /// ```
  ///
  /// - Parameter bindings: The arguments, by the names of the parameters. Parameters without an argument are NULL.
  /// - Returns: The statement itself.
  /// - Throws: A ``Result`` if the statement fails, or if the arguments do not match its parameters.
  @discardableResult
  public func run(_ bindings: [String: (any Binding)?]) throws -> Statement {
    try whole { try bind(bindings).runToEnd() }
  }

  /// Returns the first value of the first row; nil for NULL, and for an empty result.
  ///
  /// ```swift
  /// let count = try db.prepare("SELECT count(*) FROM users WHERE id > ?").scalar(10) as? Int64
  /// ```
  ///
  /// - Parameter bindings: The arguments, in the order of the parameters. Without any, the current arguments are used.
  /// - Returns: An `Int64`, a `Double`, a `String` or a ``Blob``; nil for NULL.
  /// - Throws: A ``Result`` if the statement fails, or if the arguments do not match its parameters.
  public func scalar(_ bindings: (any Binding)?...) throws -> (any Binding)? { try scalar(bindings) }

  /// Returns the first value of the first row; nil for NULL, and for an empty result.
  ///
  /// ```swift
  /// let bindings: [(any Binding)?] = ["alice@mac.com"]
  /// let id = try db.prepare("SELECT id FROM users WHERE email = ?").scalar(bindings) as? Int64
  /// ```
  ///
  /// - Parameter bindings: The arguments, in the order of the parameters. If it is empty, the current arguments are
  ///   used.
  /// - Returns: An `Int64`, a `Double`, a `String` or a ``Blob``; nil for NULL.
  /// - Throws: A ``Result`` if the statement fails, or if the arguments do not match its parameters.
  public func scalar(_ bindings: [(any Binding)?]) throws -> (any Binding)? {
    try whole { try bind(bindings).firstValue() }
  }

  /// Returns the first value of the first row; nil for NULL, and for an empty result.
  ///
  /// ```swift
  /// let name = try db.prepare("SELECT name FROM users WHERE id = $id").scalar(["$id": 1]) as? String
  /// ```
  ///
  /// - Parameter bindings: The arguments, by the names of the parameters. Parameters without an argument are NULL.
  /// - Returns: An `Int64`, a `Double`, a `String` or a ``Blob``; nil for NULL.
  /// - Throws: A ``Result`` if the statement fails, or if the arguments do not match its parameters.
  public func scalar(_ bindings: [String: (any Binding)?]) throws -> (any Binding)? {
    try whole { try bind(bindings).firstValue() }
  }

  /// Moves to the next row, which ``row`` then reads.
  ///
  /// Until it returns false, the statement is running, and its table is in use. ``reset()`` ends the run early.
  ///
  /// ```swift
  /// let statement = try db.prepare("SELECT id, email FROM users")
  /// while try statement.step() { print(statement.row[1] ?? "") }
  /// ```
  ///
  /// - Returns: Whether there is another row.
  /// - Throws: A ``Result`` if the statement fails.
  public func step() throws -> Bool { try whole { try loop == nil ? advance() : nextRow() != nil } }

  /// Ends the current run, and sets all arguments to NULL.
  ///
  /// ```swift
  /// if try statement.step() { print(statement.row[0] ?? "") }
  /// statement.reset()
  /// ```
  public func reset() {
    connection.access { _ in
      endRun()
      values = Array(repeating: .null, count: values.count)
      bindingError = nil
    }
  }

  /// Runs an operation atomically, with respect to other users of the connection.
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

  /// Moves to the next row. Must be called inside an access.
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

  /// Begins a run. If the compiled statement is already running, the SQL is compiled again. Must be called inside an
  /// access.
  func begin() throws -> Tidemark.Statement {
    if let bindingError { throw bindingError }
    var prepared = try prepared
    if prepared.isBusy {
      prepared = try prepared.makeCopy()
      kept = prepared
    }
    layout = nil
    try prepared.begin(values)
    return prepared
  }

  /// Ends the current run or iteration, if there is one. Must be called inside an access.
  func endRun() {
    if let run { kept?.endRun(run) }
    run = nil
    endLoop()
  }

  /// Returns the next row of the run that `step()` began; nil if `step()` began none.
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
