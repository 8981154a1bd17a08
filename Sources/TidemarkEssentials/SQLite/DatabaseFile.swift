import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Information about a database file, by its path. No descriptor is opened on it, because closing it
/// would drop SQLite's locks (hazard F2).
struct DatabaseFile: Sendable {
  /// The identity of a file, independent of its names.
  struct Identity: Hashable, Sendable {
    var device: UInt64
    var number: UInt64
  }

  var identity: Identity
  var nameCount: Int

  /// Nil if the file does not exist, or if its identity is not available.
  init?(atPath path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    identity = Identity(device: UInt64(truncatingIfNeeded: facts.st_dev), number: UInt64(facts.st_ino))
    nameCount = Int(facts.st_nlink)
  }

  /// Whether no file exists at a path.
  static func isMissing(atPath path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) != 0 && (errno == ENOENT || errno == ENOTDIR)
  }

  /// Whether a file is, or may be, on a network file system: locks and shared memory may not work there.
  static func isRemote(atPath path: String) -> Bool {
    remoteFileSystems.contains(tidemark_file_system(path))
  }

  /// Makes a new file in a folder durable. Otherwise, a power failure may remove the file with
  /// everything that was committed to it (hazard F16).
  static func synchronizeFolder(ofFileAtPath path: String) {
    let folder = FilePath.folder(of: path)
    let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_CLOEXEC)
    // Some file systems cannot synchronize folders, and need not.
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  // NFS, SMB, CIFS, SMB2, 9P, AFS (two of them), Coda, Ceph, Lustre, GFS2, OCFS2.
  private static let remoteFileSystems: Set<UInt32> = [
    0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x0102_1997, 0x5346_414F, 0x6B41_4653, 0x7375_7245, 0x00C3_6400,
    0x0BD0_0BD0, 0x0116_1970, 0x7461_636F,
  ]
}
