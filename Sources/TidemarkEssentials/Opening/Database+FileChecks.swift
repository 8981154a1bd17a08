#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// Checks of the database file when a connection opens.

extension Database {
  /// Rejects a file that differs from the open file of existing connections (hazard
  /// F5), or one with several names, which may have several logs (hazard F4).
  func checkIdentity(ofFileAtPath path: String) throws {
    guard let file = DatabaseFile(atPath: path) else { throw Self.movedError(path: path) }
    if settings.health.firstIdentity(file.identity) != file.identity {
      let error = Self.movedError(path: path)
      stop(because: error)
      throw error
    }
    if file.nameCount > 1, !settings.isReadonly {
      throw DatabaseError(
        resultCode: .SQLITE_WARNING,
        message: """
          the database file has \(file.nameCount) names (hard links), and each name would have its own log: \
          remove the other names, or open the file read-only
          """)
    }
  }
}

extension DatabaseError {
  /// The error for a file that could not be opened, with a remedy where one is known.
  func explained(forFileAtPath path: String) -> DatabaseError {
    let words = message ?? resultCode.description
    switch extendedResultCode {
    case .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMMAP:
      // Hazard D2.
      return withMessage(
        "\(words): connections in WAL mode, including readers, need disk space for the file \(path)-shm")
    case _ where resultCode == .SQLITE_CANTOPEN && !lacksResources && sql != nil:
      // Hazard F14: the file itself was opened, but its log could not be opened.
      let folder = FilePath.folder(of: path)
      guard access(folder, W_OK) != 0 else { return self }
      return withMessage(
        """
        \(words): the database is in WAL mode, which needs files next to it, but its folder is read-only. Make the \
        folder writable, use another journal mode, or, if the file never changes, open it with \
        DatabaseQueue(uri: "file:…?immutable=1")
        """)
    default:
      return self
    }
  }
}
