/// A copy of a database into another one that is made step by step, in accesses to both.
///
/// The destination changes at the end, as a whole, or not at all.
package final class DatabaseBackup {
  private let handle: BackupHandle
  private let destination: Database

  /// Whether the copy is complete.
  package private(set) var isCompleted = false

  /// Begins a copy. C: `sqlite3_backup_init`.
  ///
  /// - parameter sourceName: Which database of the connection: `main`, `temp`, or an attached one.
  /// - parameter destinationName: Which database of the other connection.
  package init(from source: Database, _ sourceName: String, to destination: Database, _ destinationName: String) throws
  {
    handle = try BackupHandle(from: source.openHandle(), sourceName, to: destination.openHandle(), destinationName)
    self.destination = destination
  }

  /// Copies some pages, all of them when the number is negative. When the copy is complete, nothing is done.
  package func step(pageCount: CInt) throws {
    if isCompleted { return }
    isCompleted = try destination.judgingCopy { try handle.step(pageCount: pageCount) }
    if isCompleted { destination.changeCapture.databaseWasReplaced() }
  }

  /// How many pages are to be copied yet, after the last step.
  package var remainingPageCount: Int { handle.remainingPageCount }

  /// How many pages there are, after the last step.
  package var totalPageCount: Int { handle.totalPageCount }
}
