public import Tidemark

/// How a node of a replicated database behaves.
///
/// ```swift
/// var configuration = ClusterConfiguration(node: "berlin")
/// configuration.snapshots = DirectorySnapshotStore(URL(fileURLWithPath: "/mnt/snapshots"))
/// configuration.writeTimeLimit = .seconds(5)
/// configuration.database.prepareDatabase { db in
///   db.add(collation: byLength)
/// }
/// let database = try await ClusterDatabase.open(path, log: log, configuration)
/// ```
///
/// The name of the node is required. Set ``snapshots`` in each real cluster: without them, the log grows without limit.
/// The other values suit most clusters. Nodes may have different ones.
public struct ClusterConfiguration: Sendable {
  /// The name of the node: 1 to 255 bytes. Each node of a cluster has its own, and keeps it.
  ///
  /// If two processes use one name, the node that was opened first stops with ``ClusterError/replaced(node:)``.
  public var node: String

  /// The configuration of the node's connections.
  ///
  /// Functions, collations and tokenizers that the schema uses must be the same on all nodes. The configuration must
  /// not be read-only, and must not have an `accessTimeLimit`: ``ClusterDatabase/open(_:log:_:)`` throws
  /// ``ClusterError/unsuitableConfiguration(_:)`` then.
  public var database = Configuration()

  /// Where snapshots are stored; nil for none. Without snapshots, the log must keep all entries.
  ///
  /// All nodes of a cluster use the same store.
  public var snapshots: (any SnapshotStore)?

  /// The number of entries after which a snapshot is saved, by the node that has written the last one.
  ///
  /// This happens in the background. If it fails, `Database.logError` receives the error, and the next one is attempted
  /// after as many entries.
  public var snapshotInterval = 10_000

  /// The number of entries before the newest snapshot that are kept in the log, for nodes that lag behind.
  public var keptEntryCount = 10_000

  /// How long a write waits for the log, unless its call says otherwise. It also applies to all other methods of
  /// ``ClusterDatabase`` with the parameter `timeLimit`.
  public var writeTimeLimit = Duration.seconds(30)

  /// The pause between two comparisons of the node's position with the end of the log.
  ///
  /// Entries arrive without it: it bounds how long a node remains ``ClusterState/current`` without a connection.
  public var heartbeatInterval = Duration.seconds(1)

  /// How long one append, or another request, may take before the node repeats it.
  public var requestTimeLimit = Duration.seconds(2)

  /// How long the other nodes that write leave the next append to the node whose turn it is.
  ///
  /// It avoids that nodes execute writes that the log refuses; correctness does not depend on it. It should be longer
  /// than an append takes. A node that writes alone, or rarely, does not wait. It also limits how long a node adds
  /// writes to an entry.
  public var turnLength = Duration.milliseconds(10)

  /// The largest number of writes that share an entry of the log.
  public var groupSizeMax = 256

  /// Whether the node accepts a file without proof that no other program has written into it while the node was closed.
  ///
  /// The proof is missing if the write-ahead log of the file was removed, for instance. Without this setting, opening
  /// then throws ``ClusterError/foreignWrite(_:)``. If another program has written nevertheless, the nodes have
  /// different contents, which may remain unnoticed. It is safer to remove the file, so that the node begins with a
  /// snapshot.
  public var trustsFile = false

  /// Called by tests at each step of the node. If it throws, the node stops as if its process was killed.
  var didReach: (@Sendable (NodeEvent) throws -> Void)?

  /// Creates the configuration of a node.
  ///
  /// - Parameter node: The name of the node: 1 to 255 bytes.
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
