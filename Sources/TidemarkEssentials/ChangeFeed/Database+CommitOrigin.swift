// The origin of commits to a file with a write-ahead log, for other targets of the package: whether another program has
// written into it, also while it was closed here.

extension Database {
  /// The known facts about the commit that the open transaction will make, in their stored form, to be stored with it.
  /// To be called in a transaction that holds the write lock.
  package func originOfNextCommit() throws -> [UInt8] {
    guard let state = try openHandle().commitState(usesLog: true) else {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: "could not determine the state of the file")
    }
    return [UInt8](unsafeUninitializedCapacity: CommitOrigin.byteCount) { buffer, count in
      buffer.initialize(repeating: 0)
      state.origin.store(in: UnsafeMutableRawBufferPointer(buffer))
      count = CommitOrigin.byteCount
    }
  }

  /// Whether nothing was committed after the commit with an origin. False if this is unknown. To be called in a
  /// transaction that holds the write lock.
  ///
  /// - Parameters:
  ///   - origin: The result of ``originOfNextCommit()`` before that commit.
  ///   - isRecent: Whether the commit was made while this connection was open.
  package func isLastCommit(withOrigin origin: [UInt8], isRecent: Bool) throws -> Bool {
    let handle = try openHandle()
    guard let state = handle.commitState(usesLog: true), let origin = origin.withUnsafeBytes(CommitOrigin.init) else {
      return false
    }
    return handle.isLastCommit(origin, in: state, isRecent: isRecent)
  }

  /// Whether the commit with an origin has begun the write-ahead log again. Its origin then proves nothing after the
  /// connection was closed, and another commit should follow.
  package func hasRestartedLog(since origin: [UInt8]) throws -> Bool {
    guard case .log(let header)? = try openHandle().commitState(usesLog: true),
      case .log(_, let salt, _)? = origin.withUnsafeBytes(CommitOrigin.init)
    else { return false }
    return header.logSalt != salt
  }

  /// Executes a closure without the checkpoints after its commits. They follow with the next statement, or at the end
  /// of the access.
  package func deferringCheckpoints(_ body: () throws -> Void) rethrows {
    let former = transactionWork.isDeferred
    transactionWork.isDeferred = true
    defer { transactionWork.isDeferred = former }
    try body()
  }

  /// Keeps the write-ahead log when the last connection is closed, so that the origin of the last commit can be checked
  /// afterwards.
  package func keepLogOnClose() throws { try openHandle().keepLogOnClose() }
}
