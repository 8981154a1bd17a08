extension Configuration {
  /// Whether live queries are notified of external commits: commits by other connections, queues and pools of the
  /// program, by other processes, and by the `sqlite3` shell.
  ///
  /// ```swift
  /// var config = Configuration()
  /// config.externalCommitDetection = .polling(every: .seconds(2))
  /// ```
  public enum ExternalCommitDetection: Sendable, Hashable {
    /// External commits are not detected: live queries see only the commits of their own queue or pool.
    case disabled

    /// The system reports changes of the files. The database is also checked several times per second, in case an event
    /// is lost or the system reports none.
    case immediate

    /// The database is checked at the given interval only.
    case polling(every: Duration)
  }
}

/// The result of a check.
enum CommitCheckResult: Equatable {
  /// No external commit was made since the last check.
  case unchanged

  /// There was an external commit.
  case externalCommit

  /// A commit is in progress, or the connection is in use: check again.
  case inconclusive

  /// The file was moved or removed.
  case fileMoved
}

/// Checks a database for external commits. One thread uses it at a time.
protocol ExternalCommitDetector: AnyObject, Sendable {
  /// Performs a check. The first one has nothing to compare with, and finds nothing.
  ///
  /// - Parameter waitsForOwnCommit: Whether to wait for an own commit that has not ended.
  func check(_ waitsForOwnCommit: Bool) -> CommitCheckResult

  /// Reports that a connection is about to read for live queries, or has begun to.
  ///
  /// - Returns: Whether external commits after its snapshot will be detected.
  func begin(with db: Database) -> Bool

  /// Releases its resources. It can be used again.
  func releaseResources()

  /// Ends its use.
  func end()
}
