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
    if readOnlyDepth == 0 { try setQueryOnly("PRAGMA query_only = 1") }
    readOnlyDepth += 1
  }

  func endReadOnly() throws {
    if settings.isReadonly { return }
    if readOnlyDepth == 1 { try setQueryOnly("PRAGMA query_only = 0") }
    readOnlyDepth -= 1
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
