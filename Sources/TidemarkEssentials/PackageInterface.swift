// The doors to what is below the public API, for the dialects in this package: they run statements step by step, over
// several accesses, and read rows without the values of this library.

extension Statement {
  /// The number of parameters.
  package var parameterTotal: Int { parameterCount }

  /// Begins a run with these values, one for each parameter.
  package func begin(_ values: [DatabaseValue]) throws { try start(StatementArguments(values: values)) }

  /// Whether there is one more row. What fails ends the run.
  package func advance() throws -> Bool { try step() }

  /// Ends the run.
  package func endRun() { finish() }

  /// Ends a run, unless it has ended already, on whatever thread.
  package func endRun(_ number: UInt) { finish(run: number) }

  /// Which run it is.
  package var runNumber: UInt { run }

  /// Whether somebody runs it.
  package var isBusy: Bool { isRunning }

  /// Another statement of the same text.
  package func makeCopy() throws -> Statement { try copy() }

  /// What tells the columns apart from those that the statement had before its schema has changed: another object. To
  /// be asked after the first step. Who compares keeps the object, since its place may be given again.
  package var columnsIdentity: AnyObject {
    _ = columnsAfterRecompilation()
    return columns
  }

  /// The number of columns of the current row: that of `columnCount`, unless the schema has changed since.
  package var currentColumnCount: Int {
    _ = columnsAfterRecompilation()
    return columnCount
  }

  /// The value in a column of the current row.
  package func value(at index: Int) throws -> DatabaseValue {
    guard let value = DatabaseValue.read(sqliteStatement, CInt(index)) else { throw unreadable }
    return value
  }

  /// The values of the current row.
  package func values(count: Int) throws -> [DatabaseValue] {
    try [DatabaseValue](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      for index in 0..<count {
        guard let value = DatabaseValue.read(sqliteStatement, CInt(truncatingIfNeeded: index)) else { throw unreadable }
        buffer.initializeElement(at: index, to: value)
        initializedCount = index + 1
      }
    }
  }

  /// Whether a run of this statement may change the rows that another one has still to return. When in doubt, it may.
  package func mayChangeRows(of reader: Statement) -> Bool {
    if effects.contains(.undo) { return true }
    // What writes without naming a table is VACUUM.
    guard let writes else { return effects.isEmpty && !isReadonly }
    if !writes.schemaChanges.isEmpty || writes.writesSchemaTable || !writes.hold(for: self) { return true }
    if writes.tables.isEmpty { return false }
    let region = reader.databaseRegion
    return writes.tables.contains { $0.eventKinds.contains(where: region.isModified(byEventsOfKind:)) }
  }

  /// Runs a closure whose statements end neither with the current access, nor with its task or deadline, and are not
  /// traced.
  package func readingOn<Result>(_ body: () throws -> Result) rethrows -> Result {
    try database.shielded { try database.untraced(body) }
  }

  private var unreadable: DatabaseError {
    outOfMemoryError() ?? DatabaseError(resultCode: .SQLITE_MISMATCH, message: "a text is not UTF-8", sql: sql)
  }
}

extension Row {
  /// The statement behind the row; nil when the row is a copy.
  package var runningStatement: Statement? { statement }
}

extension PreparedRequest {
  /// A request that runs a statement with these values, one for each parameter.
  package init(statement: Statement, values: [DatabaseValue]) {
    self.init(statement: statement, arguments: StatementArguments(values: values), adapter: nil)
  }
}

extension Database {
  /// A statement of the library, kept for its next use, that nobody runs.
  package func sharedStatement(sql: String) throws -> Statement {
    try retryingAfterSchemaChange { try preparedStatement(sql: sql).availableStatement() }
  }

  /// A statement that nobody else has.
  package func exclusiveStatement(sql: String) throws -> Statement {
    try retryingAfterSchemaChange { try makeStatement(sql: sql) }
  }

  /// Whether an error is that of a text that has more than one statement.
  package static func isSeveralStatements(_ error: DatabaseError) -> Bool { error.message == severalStatementsMessage }

  // SQLite looks names up in the schema as it knew it last. While another connection has the lock, it cannot see that
  // this is out of date; it waits for the lock, and then says that there is no such table. The lock is what has to be
  // told.
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

  /// What to do from now on when another connection holds the lock.
  package func wait(_ mode: BusyMode) throws { try install(mode) }

  /// The length of the write-ahead log, in frames, after which the library makes a checkpoint; zero when it makes none.
  package var automaticCheckpointFrameCount: Int {
    callbacks.longLogFrameCount == .max ? 0 : Int(callbacks.longLogFrameCount)
  }

  /// Lets go of the closures that a program has given the connection: they may hold who holds the connection.
  package func releaseClosures() {
    trace(nil)
    callbacks.busy = nil
  }

  /// The file of the main database, empty when there is none.
  package var mainFilePath: String { handle?.filePath(of: "main") ?? "" }

  /// Whether the main database can only be read.
  package var isMainReadonly: Bool { handle?.isReadonly("main") ?? true }

  /// What SQLite reads some SQL as: words, names, texts, signs, without blanks and comments.
  package static func tokens(of sql: String) -> [Substring] {
    var tokenizer = SQLTokenizer(sql)
    var tokens: [Substring] = []
    while tokenizer.next() != nil { tokens.append(sql[tokenizer.range]) }
    return tokens
  }

  /// Reports an error that cannot be thrown.
  package static func report(_ error: any Error, _ what: String) { log(error, what) }
}
