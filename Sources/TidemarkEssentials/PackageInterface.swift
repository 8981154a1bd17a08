// The package interface for `SQLiteDB`, which runs statements step by step, over several accesses, and reads rows
// without the value types of this library.

extension Statement {
  /// The number of parameters.
  package var parameterTotal: Int { parameterCount }

  /// Begins a run with values for all parameters.
  package func begin(_ values: [DatabaseValue]) throws { try start(StatementArguments(values: values)) }

  /// Returns whether there is another row. An error ends the run.
  package func advance() throws -> Bool { try step() }

  /// Ends the run.
  package func endRun() { finish() }

  /// Ends a run from any thread, unless it has already ended.
  package func endRun(_ number: UInt) { finish(run: number) }

  /// The number of the current run.
  package var runNumber: UInt { run }

  /// Whether the statement is running.
  package var isBusy: Bool { isRunning }

  /// Returns another statement with the same SQL.
  package func makeCopy() throws -> Statement { try copy() }

  /// An object that identifies the columns of the statement. After a schema change, it is another object. To be read
  /// after the first step. The caller must retain it to compare it later, because its address may be reused.
  package var columnsIdentity: AnyObject {
    _ = columnsAfterRecompilation()
    return columns
  }

  /// The number of columns of the current row: `columnCount`, unless the schema has changed since.
  package var currentColumnCount: Int {
    _ = columnsAfterRecompilation()
    return columnCount
  }

  /// Returns the value of a column of the current row.
  package func value(at index: Int) throws -> DatabaseValue {
    guard let value = DatabaseValue.read(sqliteStatement, CInt(index)) else { throw unreadable }
    return value
  }

  /// Returns the values of the current row.
  package func values(count: Int) throws -> [DatabaseValue] {
    try [DatabaseValue](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      for index in 0..<count {
        guard let value = DatabaseValue.read(sqliteStatement, CInt(truncatingIfNeeded: index)) else { throw unreadable }
        buffer.initializeElement(at: index, to: value)
        initializedCount = index + 1
      }
    }
  }

  /// Returns whether a run of this statement may change rows that another statement has still to return; true when in
  /// doubt.
  package func mayChangeRows(of reader: Statement) -> Bool {
    if effects.contains(.undo) { return true }
    // A statement that writes without naming a table is a VACUUM.
    guard let writes else { return effects.isEmpty && !isReadonly }
    if !writes.schemaChanges.isEmpty || writes.writesSchemaTable || !writes.hold(for: self) { return true }
    if writes.tables.isEmpty { return false }
    let region = reader.databaseRegion
    return writes.tables.contains { $0.eventKinds.contains(where: region.isModified(byEventsOfKind:)) }
  }

  /// Runs a closure whose statements are not traced, and are not interrupted by the end of the current access, the
  /// cancellation of its task, or its deadline.
  package func readingOn<Result>(_ body: () throws -> Result) rethrows -> Result {
    try database.shielded { try database.untraced(body) }
  }

  private var unreadable: DatabaseError {
    outOfMemoryError() ?? DatabaseError(resultCode: .SQLITE_MISMATCH, message: "text is not valid UTF-8", sql: sql)
  }
}

extension Row {
  /// The statement of the row; nil for a copy.
  package var runningStatement: Statement? { statement }
}

extension PreparedRequest {
  /// Creates a request that runs a statement with values for all parameters.
  package init(statement: Statement, values: [DatabaseValue]) {
    self.init(statement: statement, arguments: StatementArguments(values: values), adapter: nil)
  }
}

extension DatabaseWriter {
  /// Whether the current thread uses the writer connection.
  package var isUsedByThread: Bool { _core.writer?.isAccessible == true }
}

extension Database {
  /// Whether a transaction has written.
  package var isWriting: Bool { handle?.isWriting == true }

  /// Returns a cached statement that is not running.
  package func sharedStatement(sql: String) throws -> Statement {
    try retryingAfterSchemaChange { try preparedStatement(sql: sql).availableStatement() }
  }

  /// Returns a statement that no other caller uses.
  package func exclusiveStatement(sql: String) throws -> Statement {
    try retryingAfterSchemaChange { try makeStatement(sql: sql) }
  }

  /// Returns whether an error reports SQL with several statements.
  package static func isSeveralStatements(_ error: DatabaseError) -> Bool { error.message == severalStatementsMessage }

  // SQLite looks up names in the schema that it has loaded. While another connection holds the lock, it cannot detect
  // that this schema is outdated. It waits for the lock, and then reports a missing table, although the lock is the
  // problem to report.
  private func retryingAfterSchemaChange(_ compile: () throws -> Statement) throws -> Statement {
    do {
      return try compile()
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR && !isInsideTransaction {
      try withoutWaiting { _ = try untraced { try Int.fetchOne(self, sql: "PRAGMA schema_version") } }
      return try compile()
    }
  }

  private func withoutWaiting(_ body: () throws -> Void) rethrows {
    let busy = callbacks.busy
    callbacks.busy = { _ in false }
    defer { callbacks.busy = busy }
    try body()
  }

  /// Sets how to wait for locks of other connections.
  package func wait(_ mode: BusyMode) throws { try install(mode) }

  /// The length of the write-ahead log in frames that triggers a checkpoint of the library; zero for no checkpoints.
  package var automaticCheckpointFrameCount: Int {
    callbacks.longLogFrameCount == .max ? 0 : Int(callbacks.longLogFrameCount)
  }

  /// Releases the closures that the program has set on the connection: they may retain an owner of the connection.
  package func releaseClosures() {
    trace(nil)
    callbacks.busy = nil
  }

  /// The file of the main database; empty if there is none.
  package var mainFilePath: String { handle?.filePath(of: "main") ?? "" }

  /// Whether the main database is read-only.
  package var isMainReadonly: Bool { handle?.isReadonly("main") ?? true }

  /// Returns the tokens of SQL: keywords, names, strings and operators, without whitespace and comments.
  package static func tokens(of sql: String) -> [Substring] {
    var tokenizer = SQLTokenizer(sql)
    var tokens: [Substring] = []
    while tokenizer.next() != nil { tokens.append(sql[tokenizer.range]) }
    return tokens
  }

  /// Reports an error that cannot be thrown.
  package static func report(_ error: any Error, _ what: String) { log(error, what) }
}

/// A day of the proleptic Gregorian calendar.
package struct CivilDate: Sendable {
  package let year: Int
  package let month: Int
  package let day: Int

  package init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  package init(daysSince1970 days: Int) {
    let civilDay = CivilDay(daysSince1970: days)
    self.init(year: civilDay.year, month: civilDay.month, day: civilDay.day)
  }

  /// The number of days from 1970-01-01 to this day; nil if there is no such day.
  package var daysSince1970: Int? {
    guard 1...12 ~= month, day >= 1, day <= CivilDay.dayCount(ofMonth: month, year) else { return nil }
    return CivilDay(year: year, month: month, day: day).daysSince1970
  }
}

extension String {
  /// Returns whether SQLite considers another text equal.
  package func isSameText(as other: String) -> Bool { hasSameBytes(as: other) }
}
