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
