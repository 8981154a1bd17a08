/// A backup of a database into another one that is made step by step, in accesses to both.
///
/// The destination changes at the end, completely or not at all.
package final class DatabaseBackup {
  private let handle: BackupHandle
  private let destination: Database

  /// Whether the backup is complete.
  package private(set) var isCompleted = false

  /// Begins a backup. C: `sqlite3_backup_init`.
  ///
  /// - Parameter sourceName: The name of the database of the source: `main`, `temp`, or an attached one.
  /// - Parameter destinationName: The name of the database of the destination.
  package init(from source: Database, _ sourceName: String, to destination: Database, _ destinationName: String) throws
  {
    handle = try BackupHandle(from: source.openHandle(), sourceName, to: destination.openHandle(), destinationName)
    self.destination = destination
  }

  /// Copies some pages, or all if the number is negative. Does nothing when the backup is complete.
  package func step(pageCount: CInt) throws {
    if isCompleted { return }
    isCompleted = try destination.interpretingCopyFailure { try handle.step(pageCount: pageCount) }
    if isCompleted { destination.changeCapture.databaseWasReplaced() }
  }

  /// The number of pages still to be copied, after the last step.
  package var remainingPageCount: Int { handle.remainingPageCount }

  /// The total number of pages, after the last step.
  package var totalPageCount: Int { handle.totalPageCount }
}

/// The progress of a backup.
public struct DatabaseBackupProgress: Sendable {
  /// The number of pages that are still to be copied.
  public let remainingPageCount: Int

  /// The number of pages of the source.
  public let totalPageCount: Int

  /// The number of pages that were copied.
  public var completedPageCount: Int { totalPageCount - remainingPageCount }

  /// Whether the backup is complete.
  public let isCompleted: Bool
}
