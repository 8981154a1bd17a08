// What a failure leaves behind (promise P4): whether to try again, and whether something was committed.

extension DatabaseError {
  /// What became of a commit that failed.
  public enum CommitOutcome: Sendable {
    /// Nothing of the transaction was committed.
    case notCommitted

    /// Nobody knows. The file may hold the transaction, as a whole, or nothing of it: which of the two is found out
    /// when all connections were closed, and the file is opened again. Until then the database refuses all accesses.
    case unknown
  }

  /// Whether the same access may succeed later, without a change of the program: somebody else holds a lock, or room,
  /// memory or descriptors are missing.
  ///
  /// ```swift
  /// do {
  ///   try dbPool.write(importBooks)
  /// } catch let error as DatabaseError where error.isTransient {
  ///   importLater()
  /// }
  /// ```
  ///
  /// It is false when the outcome of a commit is unknown: what was done may be done already.
  public var isTransient: Bool {
    if commitOutcome == .unknown || isDatabaseStopped { return false }
    if lacksResources { return true }
    switch resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_NOMEM, .SQLITE_PROTOCOL: return true
    default: return extendedResultCode == .SQLITE_IOERR_NOMEM
    }
  }
}

extension ResultCode {
  /// Whether a commit that fails so may have reached the disk all the same: it failed after the first byte was
  /// written, and nobody knows what a crash would leave.
  ///
  /// A full disk is not among them: the end of the transaction is what did not fit, and without it there is none.
  var leavesCommitUnknown: Bool {
    switch primaryResultCode {
    case .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_CORRUPT, .SQLITE_CANTOPEN, .SQLITE_PROTOCOL, .SQLITE_INTERNAL,
      .SQLITE_NOTADB:
      true
    default: false
    }
  }
}
