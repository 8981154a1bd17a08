import CSQLite

/// A `sqlite3_backup *`: copies a whole database into another connection, some pages at a time.
///
/// Both connections belong to the caller until the copy has ended.
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

  // The failure of a step was thrown by the step. An incomplete copy is rolled back.
  deinit { sqlite3_backup_finish(pointer) }

  /// Copies some pages, or all of them if the number is negative.
  ///
  /// - Returns: Whether the copy is complete and committed. C: `sqlite3_backup_step`.
  func step(pageCount: CInt) throws -> Bool {
    let code = sqlite3_backup_step(pointer, pageCount)
    switch code {
    case SQLITE_DONE: return true
    case SQLITE_OK: return false
    // The connections learn of the failure only at the end: until then they have an older message.
    default: throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
  }

  /// C: `sqlite3_backup_remaining`.
  var remainingPageCount: Int { Int(sqlite3_backup_remaining(pointer)) }

  /// C: `sqlite3_backup_pagecount`.
  var totalPageCount: Int { Int(sqlite3_backup_pagecount(pointer)) }
}
