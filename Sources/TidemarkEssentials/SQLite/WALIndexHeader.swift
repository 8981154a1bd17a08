import CSQLite
import Synchronization

/// The state of a database in WAL mode, as described by the header of its WAL-index: equal headers mean equal
/// content, independent of the writer.
///
/// The layout is SQLite's, as documented with its file format. The header is stored twice: a writer writes the second
/// copy, then the first one. A reader that reads them in the other order and finds them equal has a consistent copy.
struct WALIndexHeader: Equatable, Sendable {
  private let version: UInt32
  private let unused: UInt32

  /// The number of commits; recovering a log resets it to zero.
  let commitCount: UInt32

  private let pageSizeAndKind: UInt32

  /// The number of committed frames of the log.
  let frameCount: UInt32

  /// The number of pages of the database.
  let pageCount: UInt32

  private let frameSum: UInt64
  private let salt: UInt64
  private let sum: UInt64

  /// The only existing version of the layout.
  private static let version: UInt32 = 3_007_000

  /// - Parameter memory: The WAL-index.
  fileprivate init?(_ memory: UnsafeRawPointer) {
    // Another process may be writing. A torn copy differs from the other one.
    let first = memory.load(as: WALIndexHeader.self)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let second = memory.load(fromByteOffset: MemoryLayout<WALIndexHeader>.size, as: WALIndexHeader.self)
    guard first == second, first.version == Self.version else { return nil }
    self = first
  }
}

/// The mapped WAL-index of a connection's main database.
///
/// It stays mapped while the connection is in a transaction or leaves one: reading the header before and after
/// a commit requires one lookup.
struct WALIndexMemory: Sendable {
  private let start: UInt
  private static let mappedSize: CInt = 32_768

  /// Nil if it is not available now.
  ///
  /// Call it after the connection has read in WAL mode: before, SQLite has no WAL-index, and would create one. No
  /// file is opened: closing one would drop all locks of the process on the database.
  init?(_ connection: SQLiteConnection) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    // A null name stands for the main database, without a lookup.
    guard sqlite3_file_control(connection, nil, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
      let map = methods.pointee.xShmMap
    else { return nil }
    var memory: UnsafeMutableRawPointer?
    guard map(file, 0, Self.mappedSize, 0, &memory) == SQLITE_OK, let memory else { return nil }
    start = UInt(bitPattern: memory)
  }

  /// The header; nil if it is not available now.
  var header: WALIndexHeader? { UnsafeRawPointer(bitPattern: start).flatMap { WALIndexHeader($0) } }
}

extension WALIndexHeader {
  /// Whether the content equals the content of another header: the state is the same, or a checkpoint that has moved
  /// all of the log has restarted it since.
  func hasSameContent(as older: WALIndexHeader) -> Bool {
    if self == older { return true }
    return frameCount == 0 && commitCount == older.commitCount && pageCount == older.pageCount
      && pageSizeAndKind == older.pageSizeAndKind
  }

  /// Whether the log was shorter then, or has been restarted since.
  func isOlder(than other: WALIndexHeader) -> Bool {
    // The first salt counts the restarts.
    let distance = Int32(bitPattern: other.logNumber &- logNumber)
    return distance > 0 || distance == 0 && frameCount < other.frameCount
  }

  private var logNumber: UInt32 { withUnsafeBytes(of: salt) { UInt32(bigEndian: $0.load(as: UInt32.self)) } }

  /// The number of restarts of the log since another state; nil if the log was created again.
  func restartCount(since other: UInt64) -> UInt32? {
    let distance = logNumber &- UInt32(bigEndian: UInt32(truncatingIfNeeded: other))
    return distance < 1_000 ? distance : nil
  }

  /// The two numbers that identify a generation of the log.
  var logSalt: UInt64 { salt }

  /// The size of a page in bytes.
  var pageSize: Int {
    let stored = Int(pageSizeAndKind >> 16)
    return stored & 0xfe00 + (stored & 1) << 16
  }

  /// Whether one commit leads from another state to this one.
  func isNext(to older: WALIndexHeader) -> Bool { commitCount == older.commitCount &+ 1 }
}

extension ConnectionHandle {
  /// The state of the main database after its last commit; nil without a log that other connections can use, or if it
  /// is not available now.
  ///
  /// Call it after the connection has read, and not while it `holdsFilesExclusively`.
  var walIndexHeader: WALIndexHeader? {
    // SQLite creates a WAL-index on request if none exists, and never removes it.
    fileHead?.usesLog == true ? walIndexHeaderOfLog : nil
  }

  /// The same without a check of the file, if there is certainly a log: a connection that has read in WAL mode stays in
  /// it until it leaves the mode itself. C: `SQLITE_FCNTL_FILE_POINTER`, and the `xShmMap` of the file.
  var walIndexHeaderOfLog: WALIndexHeader? { WALIndexMemory(pointer)?.header }
}
