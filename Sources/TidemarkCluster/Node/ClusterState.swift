/// The state of a node.
///
/// Only in ``current`` and ``catchingUp`` do writes make progress. In all states but ``closed``, reads do.
/// ``ClusterDatabase/states()`` reports changes.
public enum ClusterState: Hashable, Sendable {
  /// The node has been opened, or lags behind the log. Reads return an older state of the database, and writes wait
  /// until the node has applied the entries that it has received.
  case catchingUp

  /// The node has applied all entries that the log contained a moment ago.
  case current

  /// The node has appended an entry, and does not know whether the log has stored it. It repeats the append until this
  /// is decided. Writes wait.
  case inDoubt

  /// The log cannot be reached, or the file cannot be written. Reads go on, and writes wait. The node continues by
  /// itself. The text is the reason.
  case detached(String)

  /// The log does not contain the next entry any more, and no snapshot is new enough, or could be installed. Reads go
  /// on, and writes wait. The node tries again to install one.
  case behindLog

  /// The node has stopped for this reason. Reads go on, and writes fail. Close the database, remove the cause, and open
  /// it again.
  case stopped(ClusterError)

  /// The database is closed.
  case closed
}

/// Counts of the actions of a node since it was opened.
public struct ClusterMetrics: Hashable, Sendable {
  /// The position of the node.
  public var position = LogPosition.start

  /// The number of transactions of this node that were committed.
  public var committedTransactions = 0

  /// The number of entries with transactions of this node that the log has stored.
  public var appendedEntries = 0

  /// The number of attempts that another node's entry has overtaken; their closures were executed again.
  public var refusedAttempts = 0

  /// The number of appends whose result was unknown.
  public var unknownAppends = 0

  /// The number of entries of others that were applied.
  public var appliedEntries = 0

  /// The number of changed rows in these entries.
  public var appliedRows = 0

  /// The number of snapshots that were saved by this node.
  public var savedSnapshots = 0

  /// The number of snapshots that this node has installed.
  public var installedSnapshots = 0

  /// Creates metrics of a node that has done nothing.
  public init() {}
}
