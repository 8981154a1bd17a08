import CSQLite
import Synchronization

/// The state of a database in WAL mode, as the head of its wal-index tells it: equal heads stand for the same content,
/// whoever wrote it.
///
/// The layout is SQLite's, documented with its file format. The head stands there twice: a writer writes the second
/// copy, then the first one, and who reads them in the other order and finds them equal has read one state.
struct WALIndexHeader: Equatable, Sendable {
  /// The only version of the layout that there is.
  private static let version: UInt32 = 3_007_000
  private static let wordCount = 12
  private static let pageSize: CInt = 32_768

  fileprivate let words: SIMD16<UInt32>

  /// - parameter memory: The wal-index.
  fileprivate init?(_ memory: UnsafeRawPointer) {
    let first = Self.copy(memory)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let second = Self.copy(memory + Self.wordCount * MemoryLayout<UInt32>.size)
    guard first == second, first[0] == Self.version else { return nil }
    words = first
  }

  // Others may be writing. What was torn is not equal to the other copy.
  @inline(never)
  private static func copy(_ memory: UnsafeRawPointer) -> SIMD16<UInt32> {
    var words = SIMD16<UInt32>(repeating: 0)
    for index in 0..<wordCount { words[index] = memory.load(fromByteOffset: 4 * index, as: UInt32.self) }
    return words
  }

  /// The head of the wal-index of the main database; nil when it cannot be told now.
  ///
  /// To be called once the connection has read in WAL mode: before, SQLite has no wal-index, and would make one. No
  /// file is opened: closing one would let go of all locks that the process has on the database.
  static func current(_ connection: SQLiteConnection) -> WALIndexHeader? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
      let map = methods.pointee.xShmMap
    else { return nil }
    var memory: UnsafeMutableRawPointer?
    guard map(file, 0, pageSize, 0, &memory) == SQLITE_OK, let memory else { return nil }
    return WALIndexHeader(memory)
  }
}

extension WALIndexHeader {
  /// How many commits there were: each one adds one. Who recovers a log begins at zero.
  var commitCount: UInt32 { words[2] }

  /// How many frames of the log are committed.
  var frameCount: UInt32 { words[4] }

  private var pageSizeAndKind: UInt32 { words[3] }
  private var pageCount: UInt32 { words[5] }

  /// Whether the content is that of another head: it is the same state, or the log was begun anew since, by a
  /// checkpoint that has moved all of it.
  func hasSameContent(as older: WALIndexHeader) -> Bool {
    if self == older { return true }
    return frameCount == 0 && commitCount == older.commitCount && pageCount == older.pageCount
      && pageSizeAndKind == older.pageSizeAndKind
  }

  /// Whether it is the state that one commit has made of another one.
  func isNext(to older: WALIndexHeader) -> Bool { commitCount == older.commitCount &+ 1 }
}

extension ConnectionHandle {
  /// The state of the main database as others have left it, in WAL mode; nil when it cannot be told now. C:
  /// `SQLITE_FCNTL_FILE_POINTER`, and the `xShmMap` of the file.
  ///
  /// To be called once the connection has read in WAL mode.
  var walIndexHeader: WALIndexHeader? { WALIndexHeader.current(pointer) }
}
