import CSQLite

extension ConnectionHandle {
  /// Resets the running statements.
  ///
  /// A running statement holds its snapshot of the database, and keeps SQLite in the interrupted state. C:
  /// `sqlite3_next_stmt`, `sqlite3_stmt_busy`, `sqlite3_reset`.
  ///
  /// - Parameter keepsBlobs: Whether open BLOBs stay usable. FTS5 and R*Tree open BLOBs during a transaction: if their
  ///   statements, which have no SQL, are reset, they cannot be used after a statement such as `PRAGMA query_only`.
  func resetRunningStatements(keepsBlobs: Bool = false) {
    var next = sqlite3_next_stmt(pointer, nil)
    while let statement = next {
      // The result code repeats the failure of the last step, which was thrown by the step.
      if sqlite3_stmt_busy(statement) != 0, !keepsBlobs || sqlite3_sql(statement) != nil { sqlite3_reset(statement) }
      next = sqlite3_next_stmt(pointer, statement)
    }
  }

  /// The texts of the statements that are not finalized. C: `sqlite3_next_stmt`, `sqlite3_sql`.
  var statementTexts: [String] {
    var texts: [String] = []
    var next = sqlite3_next_stmt(pointer, nil)
    while let statement = next {
      if let sql = sqlite3_sql(statement) { texts.append(String(cString: sql)) }
      next = sqlite3_next_stmt(pointer, statement)
    }
    return texts
  }
}
