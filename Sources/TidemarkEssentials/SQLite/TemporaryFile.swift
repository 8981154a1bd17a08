import CSQLite
import Synchronization

/// A temporary file without a name, in the folder that SQLite uses for such files. It is deleted when it is released.
///
/// It is opened, written and read by SQLite's VFS, which follows SQLite's rules for the folder (`SQLITE_TMPDIR`).
final class TemporaryFile: Sendable {
  /// The file, as an address. Only one thread at a time may read or write it.
  private let file: Mutex<UInt>

  /// C: `sqlite3_vfs_find`, and the `xOpen` of the VFS.
  ///
  /// - Parameter name: The name of the VFS; nil for the default one.
  init(vfs name: String? = nil) throws {
    guard let vfs = sqlite3_vfs_find(name), let open = vfs.pointee.xOpen else {
      throw DatabaseError(resultCode: .SQLITE_ERROR, message: "no such vfs: \(name ?? "default")")
    }
    let size = Int(vfs.pointee.szOsFile)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    let file = memory.assumingMemoryBound(to: sqlite3_file.self)
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE | SQLITE_OPEN_DELETEONCLOSE
      | SQLITE_OPEN_TEMP_JOURNAL
    let code = open(vfs, nil, file, flags, nil)
    guard code == SQLITE_OK else {
      _ = file.pointee.pMethods?.pointee.xClose?(file)
      memory.deallocate()
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: "could not create a temporary file")
    }
    self.file = Mutex(UInt(bitPattern: memory))
  }

  deinit {
    let address = file.withLock { $0 }
    guard let memory = UnsafeMutableRawPointer(bitPattern: address) else { return }
    let file = memory.assumingMemoryBound(to: sqlite3_file.self)
    _ = file.pointee.pMethods?.pointee.xClose?(file)
    memory.deallocate()
  }

  private func withFile(
    _ message: String, _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> CInt?
  ) throws {
    let code = file.withLock { address -> CInt? in
      guard let file = UnsafeMutablePointer<sqlite3_file>(bitPattern: address), let methods = file.pointee.pMethods
      else { return nil }
      return body(file, methods.pointee)
    }
    guard let code, code == SQLITE_OK else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code ?? SQLITE_IOERR), message: message)
    }
  }

  /// SQLite's VFS transfers less than 128 KiB at a time.
  private static let transferByteCount = 65_536

  /// C: `xWrite`.
  func write(_ bytes: [UInt8], at offset: Int64) throws {
    try bytes.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: Self.transferByteCount) {
        let count = min(Self.transferByteCount, bytes.count - start)
        try withFile("could not write a temporary file") { file, methods in
          methods.xWrite?(file, bytes.baseAddress.map { $0 + start }, CInt(count), offset + Int64(start))
        }
      }
    }
  }

  /// C: `xRead`.
  func read(_ count: Int, at offset: Int64) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { bytes, initializedCount in
      for start in stride(from: 0, to: count, by: Self.transferByteCount) {
        let part = min(Self.transferByteCount, count - start)
        try withFile("could not read a temporary file") { file, methods in
          methods.xRead?(file, bytes.baseAddress.map { $0 + start }, CInt(part), offset + Int64(start))
        }
      }
      initializedCount = count
    }
  }
}
