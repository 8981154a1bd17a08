import CSQLite
import Synchronization

/// The pages of a database with a write-ahead log, read through SQLite's own file objects: closing a descriptor of our
/// own would drop the locks of the process.
///
/// A page in a snapshot is in the last frame of the log that contains it, or in the file. While the connection holds
/// the snapshot, no page of the file that has no such frame is overwritten. The log may be restarted meanwhile if the
/// file contains all of it. So the content of pages is only valid after `checkLog`.
///
/// C: `SQLITE_FCNTL_FILE_POINTER`, `SQLITE_FCNTL_JOURNAL_POINTER`, and the `xRead` of the files.
struct StoredPages {
  /// The header of the snapshot.
  let header: WALIndexHeader

  private let connection: SQLiteConnection
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let log: UnsafeMutablePointer<sqlite3_file>

  /// Part of a file that is not there, or not in this generation of the log.
  struct Unavailable: Error {}

  /// A frame, without its page.
  struct Frame {
    /// The position in the log; the first frame is 0.
    var index: UInt32
    var page: UInt32

    /// Whether it is the last one of a commit.
    var endsCommit: Bool
  }

  private static let logHeaderSize = 32
  private static let frameHeaderSize = 24

  /// - Parameter header: The header of the snapshot that the connection reads.
  init?(_ connection: ConnectionHandle, _ header: WALIndexHeader) {
    func object(_ operation: CInt) -> UnsafeMutablePointer<sqlite3_file>? {
      var file: UnsafeMutablePointer<sqlite3_file>?
      let code = sqlite3_file_control(connection.pointer, "main", operation, &file)
      return code == SQLITE_OK && file?.pointee.pMethods != nil ? file : nil
    }
    guard let file = object(SQLITE_FCNTL_FILE_POINTER), let log = object(SQLITE_FCNTL_JOURNAL_POINTER) else {
      return nil
    }
    (self.header, self.connection, self.file, self.log) = (header, connection.pointer, file, log)
  }

  /// Checks that no frame was overwritten since the snapshot. A writer that restarts the log publishes its new salt
  /// before it writes the first frame.
  func checkLog() throws {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    guard let header = WALIndexMemory(connection)?.header, header.logSalt == self.header.logSalt else {
      throw Unavailable()
    }
  }

  /// Calls a closure with the frames of the log after the first ones, up to the last one of the snapshot, or until it
  /// returns false.
  func forEachFrame(after count: UInt32, _ body: (Frame) throws -> Bool) throws {
    try withUnsafeTemporaryAllocation(byteCount: Self.frameHeaderSize, alignment: 8) { bytes in
      for index in count..<max(count, header.frameCount) {
        try read(log, bytes, at: offset(ofFrame: index))
        guard bytes.load(fromByteOffset: 8, as: UInt64.self) == header.logSalt else { throw Unavailable() }
        let frame = Frame(
          index: index, page: UInt32(bigEndian: bytes.load(as: UInt32.self)),
          endsCommit: bytes.load(fromByteOffset: 4, as: UInt32.self) != 0)
        if try !body(frame) { return }
      }
    }
  }

  /// Reads a page.
  ///
  /// - Parameter frame: The frame that contains it; nil to read the file.
  func read(_ page: UInt32, in frame: UInt32?, into bytes: UnsafeMutableRawBufferPointer) throws {
    if let frame {
      try read(log, bytes, at: offset(ofFrame: frame) + sqlite3_int64(Self.frameHeaderSize))
    } else {
      try read(file, bytes, at: sqlite3_int64(page - 1) * sqlite3_int64(header.pageSize))
    }
  }

  private func offset(ofFrame index: UInt32) -> sqlite3_int64 {
    sqlite3_int64(Self.logHeaderSize) + sqlite3_int64(index) * sqlite3_int64(Self.frameHeaderSize + header.pageSize)
  }

  private func read(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeMutableRawBufferPointer, at offset: sqlite3_int64
  ) throws {
    // A short read fails, too.
    guard let read = file.pointee.pMethods?.pointee.xRead,
      read(file, bytes.baseAddress, CInt(bytes.count), offset) == SQLITE_OK
    else { throw Unavailable() }
  }
}
