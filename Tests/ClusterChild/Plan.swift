import Foundation
import TidemarkCluster

/// The reports of a node.
enum Mode: String, CaseIterable {
  /// Its transactions, as they were.
  case honest

  /// A planted fault: writes are reported as committed before they begin.
  case early

  /// A planted fault: the first read of a session is reported instead of its later ones.
  case stale
}

/// The arguments of the program.
struct Plan: Sendable {
  var mode: Mode
  var folder: URL
  var node: String
  var firstSession: Int
  var seed: UInt64
  var endpoints: [URL]

  init?(_ words: [String]) {
    guard words.count >= 6, let mode = Mode(rawValue: words[0]), let firstSession = Int(words[3]),
      let seed = UInt64(words[4])
    else {
      return nil
    }
    (self.mode, node, self.firstSession, self.seed) = (mode, words[2], firstSession, seed)
    folder = URL(filePath: words[1])
    endpoints = words[5...].compactMap { URL(string: $0) }
    if endpoints.isEmpty { return nil }
  }

  /// The largest number of sessions of a process.
  static let sessionLimit = 40

  /// The file of the node.
  var path: String { folder.appending(path: "\(node).sqlite").path() }

  /// The log of the transactions of this process.
  var transactions: String { folder.appending(path: "transactions-\(firstSession)").path() }

  var configuration: ClusterConfiguration {
    var configuration = ClusterConfiguration(node: node)
    // Small numbers: nodes that were away for a moment require a snapshot.
    configuration.snapshots = DirectorySnapshotStore(folder.appending(path: "snapshots"))
    configuration.snapshotInterval = 100
    configuration.keptEntryCount = 50
    configuration.heartbeatInterval = .milliseconds(200)
    configuration.requestTimeLimit = .seconds(1)
    return configuration
  }

  var log: EtcdLog {
    var configuration = EtcdConfiguration(endpoints: endpoints)
    configuration.requestTimeout = .milliseconds(700)
    return EtcdLog(configuration)
  }
}
