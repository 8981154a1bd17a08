// The state after a failure (guarantee P4): whether to try again, and whether a transaction was committed.

extension DatabaseError {
  /// The outcome of a failed commit.
  public enum CommitOutcome: Sendable {
    /// Nothing of the transaction was committed.
    case notCommitted

    /// The outcome is unknown: the file contains the whole transaction, or nothing of it. It is determined when all
    /// connections have been closed, and the file is opened again. Until then the database refuses all accesses.
    case unknown
  }

  /// Whether the same access may succeed later, without a change of the program: another connection holds a lock, or
  /// disk space, memory or file descriptors are missing.
  ///
  /// ```swift
  /// do {
  ///   try dbPool.write(importBooks)
  /// } catch let error as DatabaseError where error.isTransient {
  ///   importLater()
  /// }
  /// ```
  ///
  /// This is false if the outcome of a commit is unknown, because the changes may have been committed.
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
  /// Whether a commit that fails with this error may have reached the disk: it failed after its first byte was
  /// written, and the state after a crash is unknown.
  ///
  /// A full disk is excluded: the end of the transaction did not fit, and without it the transaction is rolled back.
  var leavesCommitUnknown: Bool {
    switch primaryResultCode {
    case .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_CORRUPT, .SQLITE_CANTOPEN, .SQLITE_PROTOCOL, .SQLITE_INTERNAL,
      .SQLITE_NOTADB:
      true
    default: false
    }
  }
}
