import CSQLite
import Synchronization

/// The state of a database in WAL mode, as the head of its wal-index tells it: equal heads stand for the same content,
/// whoever wrote it.
///
/// The layout is SQLite's, documented with its file format. The head stands there twice: a writer writes the second
/// copy, then the first one, and who reads them in the other order and finds them equal has read one state.
struct WALIndexHeader: Equatable, Sendable {
  private let version: UInt32
  private let unused: UInt32

  /// How many commits there were: each one adds one. Who recovers a log begins at zero.
  let commitCount: UInt32

  private let pageSizeAndKind: UInt32

  /// How many frames of the log are committed.
  let frameCount: UInt32

  private let pageCount: UInt32
  private let frameSum: UInt64
  private let salt: UInt64
  private let sum: UInt64

  /// The only version of the layout that there is.
  private static let version: UInt32 = 3_007_000

  /// - parameter memory: The wal-index.
  fileprivate init?(_ memory: UnsafeRawPointer) {
    // Others may be writing. What was torn is not equal to the other copy.
    let first = memory.load(as: WALIndexHeader.self)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let second = memory.load(fromByteOffset: MemoryLayout<WALIndexHeader>.size, as: WALIndexHeader.self)
    guard first == second, first.version == Self.version else { return nil }
    self = first
  }
}

/// Where a connection has the wal-index of its main database in memory.
///
/// It stays there as long as the connection is in a transaction, or leaves one: who asks for the head before and after
/// a commit has to look for it once.
struct WALIndexMemory: Sendable {
  private let start: UInt
  private static let mappedSize: CInt = 32_768

  /// Nil when it cannot be told now.
  ///
  /// To be called once the connection has read in WAL mode: before, SQLite has no wal-index, and would make one. No
  /// file is opened: closing one would let go of all locks that the process has on the database.
  init?(_ connection: SQLiteConnection) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    // No name stands for the main database, and is not looked for.
    guard sqlite3_file_control(connection, nil, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
      let map = methods.pointee.xShmMap
    else { return nil }
    var memory: UnsafeMutableRawPointer?
    guard map(file, 0, Self.mappedSize, 0, &memory) == SQLITE_OK, let memory else { return nil }
    start = UInt(bitPattern: memory)
  }

  /// The head; nil when it cannot be told now.
  var header: WALIndexHeader? { UnsafeRawPointer(bitPattern: start).flatMap { WALIndexHeader($0) } }
}

extension WALIndexHeader {
  /// Whether the content is that of another head: it is the same state, or the log was begun anew since, by a
  /// checkpoint that has moved all of it.
  func hasSameContent(as older: WALIndexHeader) -> Bool {
    if self == older { return true }
    return frameCount == 0 && commitCount == older.commitCount && pageCount == older.pageCount
      && pageSizeAndKind == older.pageSizeAndKind
  }

  /// Whether the log was shorter then, or has begun anew since.
  func isOlder(than other: WALIndexHeader) -> Bool {
    // The first salt counts how often it has begun.
    let distance = Int32(bitPattern: other.logNumber &- logNumber)
    return distance > 0 || distance == 0 && frameCount < other.frameCount
  }

  private var logNumber: UInt32 { withUnsafeBytes(of: salt) { UInt32(bigEndian: $0.load(as: UInt32.self)) } }

  /// Whether it is the state that one commit has made of another one.
  func isNext(to older: WALIndexHeader) -> Bool { commitCount == older.commitCount &+ 1 }
}

extension ConnectionHandle {
  /// The state of the main database as its last commit has left it; nil where there is no log that others see, or when
  /// it cannot be told now.
  ///
  /// To be called once the connection has read, and not while it `holdsFilesExclusively`.
  var walIndexHeader: WALIndexHeader? {
    // Asked for an index of a log that there is not, SQLite makes one, and never lets go of it.
    fileHead?.usesLog == true ? walIndexHeaderOfLog : nil
  }

  /// The same, without a look into the file, where there is a log for certain: who has read in WAL mode stays in it
  /// until it leaves it itself. C: `SQLITE_FCNTL_FILE_POINTER`, and the `xShmMap` of the file.
  var walIndexHeaderOfLog: WALIndexHeader? { WALIndexMemory(pointer)?.header }
}
