public import Tidemark

/// How a node of a replicated database behaves.
public struct ClusterConfiguration: Sendable {
  /// The name of the node. Each node of a cluster has its own, and keeps it.
  public var node: String

  /// The configuration of the node's connections. Functions and collations that the schema uses are the same on all
  /// nodes. It must not be read-only.
  public var database = Configuration()

  /// Where snapshots are stored; nil for none. Without snapshots, the log must keep all entries.
  public var snapshots: (any SnapshotStore)?

  /// A snapshot is saved after this number of entries, by the node that has written the last one.
  public var snapshotInterval = 10_000

  /// The number of entries before the newest snapshot that are kept in the log, for nodes that lag behind.
  public var keptEntryCount = 10_000

  /// How long a write waits for the log, unless its call says otherwise.
  public var writeTimeLimit = Duration.seconds(30)

  /// How often the node compares its position with the log while nothing is written.
  public var heartbeatInterval = Duration.seconds(1)

  /// How long one append, or another request, may take before it is repeated.
  public var requestTimeLimit = Duration.seconds(2)

  /// How long the turn of a node to write excludes the next one: see ``ClusterDatabase``. It should be longer than an
  /// append.
  public var turnLength = Duration.milliseconds(10)

  /// The largest number of transactions that are appended as one entry.
  public var groupSizeMax = 256

  /// Whether a file is accepted of which it is unknown whether another program has written into it while the node was
  /// closed: because its write-ahead log was removed, for instance.
  public var trustsFile = false

  /// Called by tests at each step of the node. If it throws, the node stops as if its process was killed.
  var didReach: (@Sendable (NodeEvent) throws -> Void)?

  /// Creates the configuration of a node.
  ///
  /// - Parameter node: The name of the node.
  public init(node: String) { self.node = node }
}

/// The steps of a node at which tests stop it.
enum NodeEvent: Hashable, Sendable, CaseIterable {
  /// The closures were executed, and nothing was appended.
  case willAppend

  /// The log has stored the entry, and nothing is committed in the file.
  case didAppend

  /// Entries of others were applied in an open transaction.
  case willCommitApplied

  /// A snapshot was copied, and is not stored.
  case didCopySnapshot

  /// A snapshot was fetched, and is not installed.
  case willInstallSnapshot
}
