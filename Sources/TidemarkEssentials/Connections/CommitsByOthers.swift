extension Configuration {
  /// Whether live queries notice what is committed by others: other connections, queues and pools of the program, other
  /// processes, the `sqlite3` shell.
  ///
  /// ```swift
  /// var config = Configuration()
  /// config.noticesCommitsByOthers = .every(.seconds(2))
  /// ```
  public enum CommitsByOthers: Sendable, Hashable {
    /// External commits are not detected: live queries see only the commits of their own queue or pool.
    case never

    /// The system reports changes of the files. Where it does not, and in case an event is lost, the database is
    /// also checked several times per second.
    case atOnce

    /// The database is checked at the given interval only.
    case every(Duration)
  }
}

/// The result of a check.
enum CommitFinding: Equatable {
  /// No external commit was made since the last check.
  case nothing

  /// There was an external commit.
  case others

  /// A commit is in progress, or the connection is in use: check again.
  case unclear

  /// The file was moved or removed.
  case moved
}

/// Checks a database for external commits. One thread uses it at a time.
protocol CommitGauge: AnyObject, Sendable {
  /// Performs a check. The first one has nothing to compare with, and finds nothing.
  ///
  /// - parameter patience: Whether to wait for an own commit that has not ended.
  func look(_ patience: Bool) -> CommitFinding

  /// Reports that a connection is about to read for live queries, or has begun to.
  ///
  /// - returns: Whether external commits after its snapshot will be detected.
  func begin(with db: Database) -> Bool

  /// Releases its resources. It can be used again.
  func rest()

  /// Ends its use.
  func end()
}
