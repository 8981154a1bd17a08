import Tidemark
import TidemarkCluster

/// The database of a market: a file of this process, or the file of a node.
protocol MarketDatabase: DatabaseReader {
  /// Executes a transaction.
  func transact<Value: Sendable>(_ updates: @escaping @Sendable (Database) throws -> Value) async throws -> Value

  /// Whether writers should go on after an error.
  func mayPass(_ error: any Error) -> Bool

  /// The state of the node; nil for other databases.
  var nodeState: NodeState? { get }
}

extension DatabasePool: MarketDatabase {
  func transact<Value: Sendable>(_ updates: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await write(updates)
  }

  func mayPass(_ error: any Error) -> Bool { false }

  var nodeState: NodeState? { nil }
}

extension ClusterDatabase: MarketDatabase {
  func transact<Value: Sendable>(_ updates: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await write(timeLimit: .seconds(5), updates)
  }

  func mayPass(_ error: any Error) -> Bool {
    switch error {
    case ClusterError.unavailable, ClusterError.outcomeUnknown, ClusterError.committedElsewhere: true
    default: false
    }
  }

  var nodeState: NodeState? {
    let metrics = metrics
    return NodeState(
      name: state.shortName, position: metrics.position.number, appended: metrics.appendedEntries,
      refused: metrics.refusedAttempts, applied: metrics.appliedEntries)
  }
}

extension ClusterState {
  /// A name for the title of the screen.
  var shortName: String {
    switch self {
    case .catchingUp: "catching up"
    case .current: "current"
    case .inDoubt: "in doubt"
    case .detached: "detached"
    case .behindLog: "behind the log"
    case .stopped: "stopped"
    case .closed: "closed"
    }
  }
}
