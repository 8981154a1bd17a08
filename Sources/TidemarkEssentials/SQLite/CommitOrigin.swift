import CSQLite

/// The state of the main database in which a transaction begins to commit, as found under the write lock.
enum CommitState {
  /// The database is in memory. Another connection of this process may share it.
  case memory

  /// The connection keeps its locks: no other one can write.
  case exclusive

  /// The database has a write-ahead log.
  case log(WALIndexHeader)

  /// Commits are written to the file, and counted there.
  case file(changeCounter: UInt32)

  /// The state after the commit that begins now, as far as it is known before; to be stored with the commit.
  var origin: CommitOrigin {
    switch self {
    case .memory, .exclusive: .exclusive
    case .log(let header):
      .log(commitCount: header.commitCount &+ 1, salt: header.logSalt, frameCount: header.frameCount)
    case .file(let counter): .file(changeCounter: counter &+ 1)
    }
  }

  /// Whether a single commit, which began in another state, has left this state.
  func isNext(to older: CommitState) -> Bool {
    switch (self, older) {
    case (.exclusive, .exclusive), (.memory, .memory): true
    case (.log(let header), .log(let before)): header.isNext(to: before)
    case (.file(let counter), .file(let before)): counter == before &+ 1
    default: false
    }
  }

  /// Whether nothing was committed since another state, which this connection has seen.
  func hasSameContent(as older: CommitState) -> Bool {
    switch (self, older) {
    case (.exclusive, .exclusive): true
    case (.log(let header), .log(let before)): header.hasSameContent(as: before)
    case (.file(let counter), .file(let before)): counter == before
    default: false
    }
  }

  /// Whether the database can be in the state that a commit has left. A quick check without locks, which may
  /// overlook commits by others if the log was recovered in between.
  func mayFollow(_ origin: CommitOrigin) -> Bool {
    switch (self, origin) {
    case (.exclusive, .exclusive), (.memory, .exclusive): true
    case (.log(let header), .log(let commitCount, _, _)): header.commitCount == commitCount
    case (.file(let counter), .file(let expected)): counter == expected
    default: false
    }
  }
}

/// The facts about the state after a commit that are known before it is made. They are stored with the commit, so that
/// another process finds out whether there were other commits since.
enum CommitOrigin: Hashable {
  case exclusive

  /// The number of commits in the WAL-index afterwards, and the end of the log before.
  case log(commitCount: UInt32, salt: UInt64, frameCount: UInt32)

  /// The number of commits into the file afterwards.
  case file(changeCounter: UInt32)

  /// The stored form.
  static let byteCount = 17

  func store(in bytes: UnsafeMutableRawBufferPointer) {
    let (kind, first, second, third): (UInt8, UInt32, UInt64, UInt32) =
      switch self {
      case .exclusive: (0, 0, 0, 0)
      case .log(let commitCount, let salt, let frameCount): (1, commitCount, salt, frameCount)
      case .file(let counter): (2, counter, 0, 0)
      }
    bytes.storeBytes(of: kind, as: UInt8.self)
    bytes.storeBytes(of: first.littleEndian, toByteOffset: 1, as: UInt32.self)
    bytes.storeBytes(of: second.littleEndian, toByteOffset: 5, as: UInt64.self)
    bytes.storeBytes(of: third.littleEndian, toByteOffset: 13, as: UInt32.self)
  }

  /// Nil if the bytes are not the stored form.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.byteCount else { return nil }
    func number<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type) -> Number {
      Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
    let (first, second, third) = (number(1, UInt32.self), number(5, UInt64.self), number(13, UInt32.self))
    switch bytes[0] {
    case 0 where first == 0 && second == 0 && third == 0: self = .exclusive
    case 1: self = .log(commitCount: first, salt: second, frameCount: third)
    case 2 where second == 0 && third == 0: self = .file(changeCounter: first)
    default: return nil
    }
  }
}

extension ConnectionHandle {
  /// The state of the main database, for a connection that holds the write lock, or reads.
  ///
  /// - Parameter usesLog: Whether it has a write-ahead log that other connections can use, if this is known.
  func commitState(usesLog: Bool?) -> CommitState? {
    if usesLog == true { return walIndexHeaderOfLog.map { .log($0) } }
    if filePath(of: "main") == nil { return .memory }
    if holdsFilesExclusively { return .exclusive }
    if isFileEmpty { return .file(changeCounter: 0) }
    guard let head = fileHead else { return nil }
    if head.usesLog { return walIndexHeaderOfLog.map { .log($0) } }
    return .file(changeCounter: head.changeCounter)
  }

  /// Whether nothing was committed after the commit with an origin. To be called under the write lock.
  ///
  /// A log of the same generation is read: its frames show how many commits it contains. If it was restarted since, the
  /// number of commits in the WAL-index decides. The first commit after another connection has truncated the log gives
  /// it a random salt: then this commit must be the only one in it, too. In doubt, the result is false.
  ///
  /// - Parameter isRecent: Whether the commit was made while this connection was open. The number of commits starts
  ///   again at zero when all connections are closed.
  func isLastCommit(_ origin: CommitOrigin, in state: CommitState, isRecent: Bool) -> Bool {
    switch (state, origin) {
    case (.memory, .exclusive): return true
    case (.file(let counter), .file(let expected)): return counter == expected
    case (.log(let header), .log(let commitCount, let salt, let frameCount)):
      if header.logSalt == salt {
        return hasOneCommit(after: frameCount, header)
      }
      guard isRecent, header.commitCount == commitCount else { return false }
      if header.restartCount(since: salt) != nil { return true }
      return frameCount == 0 && hasOneCommit(after: 0, header)
    default: return false
    }
  }

  /// Whether the frames after a number of frames belong to one commit. False if they cannot be read.
  private func hasOneCommit(after frameCount: UInt32, _ header: WALIndexHeader) -> Bool {
    guard let pages = StoredPages(self, header) else { return false }
    var count = 0
    do {
      try pages.forEachFrame(after: frameCount) { frame in
        if frame.endsCommit { count += 1 }
        return count <= 1
      }
    } catch {
      return false
    }
    return count == 1
  }

  /// Keeps the write-ahead log when the last connection is closed: it shows the next one whether there were other
  /// commits in between. C: `SQLITE_FCNTL_PERSIST_WAL`.
  func keepLogOnClose() throws {
    try set(.noCheckpointOnClose, true)
    var isOn: CInt = 1
    try check(sqlite3_file_control(pointer, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn))
  }
}
