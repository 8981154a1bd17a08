extension Configuration {
  /// Whether live queries notice what is committed by others: other connections, queues and pools of the program, other
  /// processes, the `sqlite3` shell.
  ///
  /// ```swift
  /// var config = Configuration()
  /// config.noticesCommitsByOthers = .every(.seconds(2))
  /// ```
  public enum CommitsByOthers: Sendable, Hashable {
    /// Nobody looks: live queries see the commits of their own queue or pool.
    case never

    /// The system tells when the files change; where it does not, and in case that it has missed something, one looks
    /// several times a second.
    case atOnce

    /// One looks now and then, and never in between.
    case every(Duration)
  }
}

/// What a look at a database shows.
enum CommitFinding: Equatable {
  /// Nobody else has committed since the last look.
  case nothing

  /// Somebody else has committed.
  case others

  /// Somebody is committing, or the connection is in use: one has to look again.
  case unclear

  /// The file is not any more where it was.
  case moved
}

/// Looks whether others have committed into a database. One thread uses it at a time.
protocol CommitGauge: AnyObject, Sendable {
  /// Looks. The first look has nothing to compare with, and finds nothing.
  ///
  /// - parameter patience: Whether to wait for a commit of our own that has not ended.
  func look(_ patience: Bool) -> CommitFinding

  /// A connection is about to read for live queries, or has begun to.
  ///
  /// - returns: Whether what others commit after the state that it reads will be noticed.
  func begin(with db: Database) -> Bool

  /// Lets go of what it holds. It may be used again.
  func rest()

  /// It is not used any more.
  func end()
}
