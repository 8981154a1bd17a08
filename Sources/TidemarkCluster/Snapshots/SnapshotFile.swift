import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open file. Its errors are ``SnapshotError/failed(_:)``, with the reason of the system and what to do.
struct SnapshotFile: ~Copyable {
  let path: String
  private let descriptor: CInt

  /// Opens a file for reading.
  ///
  /// - Returns: The file; nil if there is none.
  static func open(_ path: String) throws -> SnapshotFile? {
    let descriptor = retrying { openFile(path, O_RDONLY | O_CLOEXEC) }
    if descriptor < 0, errno == ENOENT { return nil }
    return SnapshotFile(path: path, descriptor: try check(descriptor, "open", path))
  }

  /// Creates a file that does not exist.
  static func create(_ path: String) throws -> SnapshotFile {
    let descriptor = retrying { openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644) }
    return SnapshotFile(path: path, descriptor: try check(descriptor, "create", path))
  }

  private init(path: String, descriptor: CInt) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { closeFile(descriptor) }

  /// The number of bytes, and when they were last changed, in seconds.
  func status() throws -> (byteCount: Int, changed: Int) {
    var status = stat()
    _ = try Self.check(fstat(descriptor, &status), "read", path)
    return (Int(status.st_size), status.changed)
  }

  /// Reads bytes into a buffer.
  ///
  /// - Returns: Their number; 0 at the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try Self.check(Self.retrying { readFile(descriptor, buffer) }, "read", path)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      written += try Self.check(Self.retrying { writeFile(descriptor, rest) }, "write", path)
    }
  }

  /// Waits until the contents are on the disk.
  func synchronize() throws { _ = try Self.check(Self.retrying { fsync(descriptor) }, "write", path) }

  // MARK: - Folders

  /// Creates a folder and those above it, durably, unless it exists.
  static func createFolder(_ folder: URL) throws {
    if mkdir(folder.path, 0o777) < 0 {
      switch errno {
      case EEXIST: return
      case ENOENT where folder.path != "/":
        try createFolder(folder.deletingLastPathComponent())
        // Another node may have created it in the meantime.
        if mkdir(folder.path, 0o777) < 0, errno != EEXIST { throw failure("create", folder.path, errno) }
      case let code: throw failure("create", folder.path, code)
      }
    }
    try synchronizeFolder(of: folder.path)
  }

  /// Gives a file another name in the same folder. It replaces a file with this name.
  static func rename(_ path: String, to newPath: String) throws {
    _ = try check(renameFile(path, newPath), "rename", path)
  }

  /// Waits until the name of a file is on the disk.
  static func synchronizeFolder(of path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let descriptor = try check(retrying { openFile(folder, O_RDONLY | O_CLOEXEC) }, "open", folder)
    defer { closeFile(descriptor) }
    // Some file systems cannot synchronize folders.
    if retrying({ fsync(descriptor) }) < 0, errno != EINVAL { throw failure("write", folder, errno) }
  }

  /// Removes a file, if it exists.
  static func remove(_ path: String) throws {
    if unlink(path) < 0, errno != ENOENT { throw failure("remove", path, errno) }
  }

  /// When a file was last changed, in seconds; nil if it does not exist any more.
  static func changeTime(of path: String) -> Int? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.changed : nil
  }

  /// The names in a folder; none if it does not exist.
  static func names(in folder: String) throws -> [String] {
    // The errors of `FileManager` do not contain the reason of the system.
    guard let directory = opendir(folder) else {
      if errno == ENOENT { return [] }
      throw failure("read", folder, errno)
    }
    closedir(directory)
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw SnapshotError.failed("cannot read \(folder): \(error)")
    }
  }

  // MARK: - Errors

  /// Throws the last error of the system if a result is negative.
  private static func check<Result: SignedInteger>(
    _ result: Result, _ operation: String, _ path: String
  ) throws(SnapshotError) -> Result {
    if result < 0 { throw failure(operation, path, errno) }
    return result
  }

  /// The error of an operation.
  static func failure(_ operation: String, _ path: String, _ code: CInt) -> SnapshotError {
    let advice =
      switch code {
      case ENOSPC, EDQUOT: "Free space on the disk, for example by removing old snapshots"
      case EFBIG: "Allow larger files, or use another file system"
      case EACCES, EPERM: "Give the user of this process permission for it"
      case EROFS: "Mount the file system for writing, or use another folder"
      case ENOENT, ENOTDIR: "Check the path, and that the file system is mounted"
      case EEXIST: "Remove the file, or use another path"
      case ESTALE: "Try again: another node has replaced or removed the file"
      case EIO: "Check the disk or the file server"
      default: "Try again after the cause is removed"
      }
    return .failed("cannot \(operation) \(path): \(String(cString: strerror(code))). \(advice)")
  }

  private static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }
}

// Methods of `SnapshotFile` hide the functions of C with the same names.
private func openFile(_ path: String, _ flags: CInt, _ mode: mode_t = 0) -> CInt { open(path, flags, mode) }

private func closeFile(_ descriptor: CInt) { close(descriptor) }

private func readFile(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, buffer.baseAddress, buffer.count)
}

private func writeFile(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}

private func renameFile(_ path: String, _ newPath: String) -> CInt { rename(path, newPath) }

extension stat {
  /// When the contents were last changed, in seconds.
  fileprivate var changed: Int {
    #if canImport(Darwin)
      st_mtimespec.tv_sec
    #else
      st_mtim.tv_sec
    #endif
  }
}
