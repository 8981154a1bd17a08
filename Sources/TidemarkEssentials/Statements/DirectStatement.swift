import CSQLite

/// A statement of the library that runs beside the statements of the program: it is not traced as one of them, not
/// captured, and not checked. It is compiled once.
///
/// It is used inside an access, while no step of another statement runs. Each run ends with `reset`.
struct DirectStatement {
  private let statement: Statement
  private var pointer: SQLiteStatement { statement.sqliteStatement }

  init(_ sql: String, on db: Database) throws {
    statement = try db.untraced { try db.compile(sql, isInternal: true, isPersistent: true) }
  }

  func bind(_ number: Int64, at index: CInt) throws { try check(sqlite3_bind_int64(pointer, index, number)) }

  /// Binds bytes that stay in memory until the run has ended.
  func bind(_ bytes: UnsafeRawBufferPointer, at index: CInt) throws {
    if bytes.isEmpty { return try check(sqlite3_bind_zeroblob(pointer, index, 0)) }
    try check(sqlite3_bind_blob64(pointer, index, bytes.baseAddress, sqlite3_uint64(bytes.count), nil))
  }

  /// Returns whether there is a row.
  func step() throws -> Bool {
    let db = statement.database
    db.compilation.counts.runningSteps += 1
    let code = db.untraced { sqlite3_step(pointer) }
    db.compilation.counts.runningSteps -= 1
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    let error = db.error(code, of: statement)
    if error.mayBeCausedByInterruption, let interruption = db.interruption { throw interruption }
    throw error
  }

  /// Ends the run. The code of the last step was thrown by the step.
  func reset() { sqlite3_reset(pointer) }

  func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(pointer, column) }

  /// The bytes of a column, until the next step.
  func bytes(_ column: CInt) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: sqlite3_column_blob(pointer, column), count: Int(sqlite3_column_bytes(pointer, column)))
  }

  private func check(_ code: CInt) throws {
    if code != SQLITE_OK { throw statement.database.error(code, of: statement) }
  }
}
