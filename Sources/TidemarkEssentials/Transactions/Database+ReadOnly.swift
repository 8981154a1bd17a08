extension Database {
  /// Runs a closure that cannot write.
  ///
  /// A statement that would write throws an error of code `SQLITE_READONLY`.
  public func readOnly<Result>(_ value: () throws -> Result) throws -> Result {
    try beginReadOnly()
    let result: Result
    do {
      result = try value()
    } catch {
      endReadOnlyAfterError()
      throw error
    }
    try endReadOnly()
    return result
  }

  func beginReadOnly() throws {
    if settings.isReadonly { return }
    if access.readOnlyDepth == 0, !access.isQueryOnly {
      // Compiled in advance, while there is enough memory, so that the mode can be left again.
      _ = try preparedStatement(sql: Self.queryOnlyOff)
      // SQLite changes the mode while it compiles the statement, and may fail afterwards.
      access.isQueryOnly = true
      try setQueryOnly("PRAGMA query_only = 1")
    }
    access.readOnlyDepth += 1
  }

  func endReadOnly() throws {
    if settings.isReadonly { return }
    access.readOnlyDepth -= 1
    if access.readOnlyDepth == 0, access.isQueryOnly {
      try setQueryOnly(Self.queryOnlyOff)
      access.isQueryOnly = false
    }
  }

  private static let queryOnlyOff = "PRAGMA query_only = 0"

  /// Makes the connection writable again, if this has failed before.
  func endPendingReadOnly() {
    guard access.isQueryOnly, access.readOnlyDepth == 0 else { return }
    do {
      try setQueryOnly(Self.queryOnlyOff)
      access.isQueryOnly = false
    } catch {
      Self.log(error, "Could not end the read-only mode of a connection")
    }
  }

  // The pragma must be executed in any state of the surrounding transaction.
  private func setQueryOnly(_ sql: String) throws {
    try withoutTransactionChecks {
      try shielded { try preparedStatement(sql: sql).availableStatement().runToEnd(nil) }
    }
  }

  // Called after an error, which is the one to be thrown.
  private func endReadOnlyAfterError() {
    do {
      try endReadOnly()
    } catch {
      Self.log(error, "Could not end the read-only mode of a connection")
    }
  }
}
