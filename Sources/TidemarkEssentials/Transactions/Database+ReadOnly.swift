extension Database {
  /// Runs a closure in which nothing can be written.
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
    if readOnlyDepth == 0, !isQueryOnly {
      // Compiled now, as long as there is memory for it: what is turned on can be turned off.
      _ = try preparedStatement(sql: Self.queryOnlyOff)
      // SQLite does it while it compiles, and may fail after that.
      isQueryOnly = true
      try setQueryOnly("PRAGMA query_only = 1")
    }
    readOnlyDepth += 1
  }

  func endReadOnly() throws {
    if settings.isReadonly { return }
    readOnlyDepth -= 1
    if readOnlyDepth == 0, isQueryOnly {
      try setQueryOnly(Self.queryOnlyOff)
      isQueryOnly = false
    }
  }

  private static let queryOnlyOff = "PRAGMA query_only = 0"

  /// Makes the connection writable again, when that could not be done before.
  func payReadOnly() {
    guard isQueryOnly, readOnlyDepth == 0 else { return }
    do {
      try setQueryOnly(Self.queryOnlyOff)
      isQueryOnly = false
    } catch {
      Self.log(error, "A connection could not be made writable again")
    }
  }

  // The pragma must be executed whatever became of the transaction around it.
  private func setQueryOnly(_ sql: String) throws {
    try outsideOfTransactionLaw {
      try shielded { try preparedStatement(sql: sql).idle().runToEnd(nil) }
    }
  }

  // Called when there is an error already, which is the one to be told.
  private func endReadOnlyAfterError() {
    do {
      try endReadOnly()
    } catch {
      Self.log(error, "A connection could not be made writable again")
    }
  }
}
