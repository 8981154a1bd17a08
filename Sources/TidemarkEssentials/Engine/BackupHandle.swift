import CSQLite

/// The door to `sqlite3_backup *`: the copy of a whole database into another connection, some pages at a time.
///
/// Both connections belong to the caller until the end of it.
final class BackupHandle {
  private let pointer: OpaquePointer
  private let destination: ConnectionHandle

  /// C: `sqlite3_backup_init`.
  init(
    from source: ConnectionHandle, _ sourceName: String = "main",
    to destination: ConnectionHandle, _ destinationName: String = "main"
  ) throws {
    guard let pointer = sqlite3_backup_init(destination.pointer, destinationName, source.pointer, sourceName) else {
      throw DatabaseError(code: sqlite3_extended_errcode(destination.pointer), connection: destination.pointer)
    }
    self.pointer = pointer
    self.destination = destination
  }

  // The failure of a step, if there was one, was thrown then. What was copied so far is undone.
  deinit { sqlite3_backup_finish(pointer) }

  /// Copies some pages, all of them when the number is negative.
  ///
  /// - returns: Whether that was the end of it: the copy is complete, and committed. C: `sqlite3_backup_step`.
  func step(pageCount: CInt) throws -> Bool {
    let code = sqlite3_backup_step(pointer, pageCount)
    switch code {
    case SQLITE_DONE: return true
    case SQLITE_OK: return false
    // The connections do not know of the failure before the end: their message is an older one.
    default: throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
  }

  /// C: `sqlite3_backup_remaining`.
  var remainingPageCount: Int { Int(sqlite3_backup_remaining(pointer)) }

  /// C: `sqlite3_backup_pagecount`.
  var totalPageCount: Int { Int(sqlite3_backup_pagecount(pointer)) }
}
