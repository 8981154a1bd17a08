import Foundation
import StressSupport
import TestSupport
import Tidemark

/// Three servers, and three nodes that are processes, while they and their network fail.
final class ClusterProcessRun {
  let run: Run
  private let mode: String
  private let folder: TestFolder
  private let network: ClusterNetwork?
  private let servers: EtcdServers
  private var nodes: [Child] = []
  private var numbers: RandomNumbers
  private var firstSessions: [Int] = []
  private let history = TransactionRecorder()

  /// - Parameter mode: The reports of the nodes: see `Tests/ClusterChild`.
  init(_ run: Run, mode: String = "honest") async throws {
    (self.run, self.mode) = (run, mode)
    folder = try TestFolder()
    network = try ClusterNetwork(memberCount: 6)
    if network == nil {
      print("stress: \(run.scenario): no split of the network, which requires root, `ip`, `unshare` and `nsenter`")
    }
    servers = try await EtcdServers(in: network)
    numbers = RandomNumbers(seed: run.seed)
    for node in 0..<3 { nodes.append(try startedNode(node)) }
  }

  deinit {
    for node in nodes { _ = node.killReceivingRest() }
    servers.stop()
    network?.stop()
  }

  // MARK: - Nodes

  /// The sessions of each process have numbers of their own.
  private func startedNode(_ node: Int) throws -> Child {
    let firstSession = 1 + firstSessions.count * 40
    firstSessions.append(firstSession)
    return try Child(
      program: "ClusterChild",
      arguments: [mode, folder.path(""), "n\(node)", "\(firstSession)", "\(run.seed)"]
        + servers.endpoints(from: node).map(\.absoluteString),
      launcher: network?.launcher(of: 3 + node) ?? [])
  }

  private func kill(_ node: Int) {
    let complaint = nodes[node].killReceivingRest().complaint
    if !complaint.isEmpty { run.problem(complaint) }
    run.count("kills")
  }

  private struct NodeHasEnded: Error {
    var complaint: String
  }

  private func request(_ order: Int64, _ node: Int) throws -> Int64 {
    nodes[node].send(order)
    guard let reply = nodes[node].receive() else {
      throw NodeHasEnded(complaint: nodes[node].killReceivingRest().complaint)
    }
    return reply
  }

  /// Waits until each node has committed a transaction.
  private func waitForCommits() throws {
    let before = try (0..<3).map { try request(0, $0) }
    for node in 0..<3 {
      try Wait.until("a commit of node \(node)") {
        Thread.sleep(forTimeInterval: 0.02)
        return try request(0, node) > before[node]
      }
    }
  }

  // MARK: - Faults

  /// Random faults, with splits of the network if they are possible.
  func randomFaults(count: Int) -> [ClusterFault] {
    (0..<count).map { _ in ClusterFault.random(&numbers, withSplits: network != nil) }
  }

  /// Lets one thing after the other fail, for a moment, while the nodes execute transactions.
  func perform(_ faults: [ClusterFault]) async throws {
    try waitForCommits()
    for fault in faults {
      run.count("faults")
      try await perform(fault, for: .milliseconds(50 + numbers.below(2_000)))
      try waitForCommits()
    }
  }

  private func perform(_ fault: ClusterFault, for duration: Duration) async throws {
    switch fault {
    case .killedNode(let node):
      kill(node)
      try await Task.sleep(for: duration)
      nodes[node] = try startedNode(node)
    case .stoppedNode(let node):
      try nodes[node].stop()
      try await Task.sleep(for: duration)
      nodes[node].resume()
    case .killedServer(let server): try await restart([servers.servers[server]], after: duration)
    case .stoppedServer(let server): try await stop(servers.servers[server], for: duration)
    case .killedLeader: try await restart([servers.leader()], after: duration)
    case .stoppedLeader: try await stop(servers.leader(), for: duration)
    case .restartOfAllServers: try await restart(servers.servers, after: duration)
    case .restartOfAll:
      for node in 0..<3 { kill(node) }
      try await restart(servers.servers, after: duration)
      for node in 0..<3 { nodes[node] = try startedNode(node) }
    case .split(let members):
      try network?.split(members)
      try await Task.sleep(for: duration)
      try network?.heal()
      run.count("splits")
    }
  }

  private func restart(_ stopped: [EtcdServer], after duration: Duration) async throws {
    for server in stopped { server.kill() }
    try await Task.sleep(for: duration)
    for server in stopped { try server.start() }
  }

  private func stop(_ server: EtcdServer, for duration: Duration) async throws {
    server.suspend()
    try await Task.sleep(for: duration)
    server.resume()
  }

  // MARK: - Checks

  /// Ends the sessions, and checks what they have seen.
  func check() throws {
    for node in 0..<3 { _ = try request(1, node) }
    var contents: [Int64: Set<Int64>] = [:]
    for node in 0..<3 {
      let position = try request(2, node)
      guard let digest = nodes[node].receive() else { throw NodeHasEnded(complaint: "no digest") }
      contents[position, default: []].insert(digest)
    }
    // Without writes, all nodes reach the last position.
    if contents.count != 1 || contents.values.contains(where: { $0.count != 1 }) {
      run.problem("the nodes have different contents: \(contents)")
    }
    for node in 0..<3 { kill(node) }
    for first in firstSessions {
      try TransactionLog.read(path: folder.path("transactions-\(first)"), processEnd: .max, history.ends)
    }
    try readFiles()
    let verdict = SerializabilityChecker.verdict(on: history.recorded)
    for anomaly in verdict.anomalies { run.problem("\(anomaly)") }
    run.count("histories")
    run.count("transactions", history.recorded.transactionCount)
    run.count("unknown", verdict.seenUnknownCount)
    run.count("dependencies", verdict.dependencyCount)
  }

  /// The files of the nodes are equal, and the end of the history.
  private func readFiles() throws {
    var digests: Set<Int64> = []
    for node in 0..<3 {
      let file = try DatabaseQueue(path: folder.path("n\(node).sqlite"))
      digests.insert(try file.read { try HistoryTables.digest($0) })
      if try file.read({ try String.fetchOne($0, sql: "PRAGMA integrity_check") }) != "ok" {
        run.problem("the file of node \(node) is corrupt")
      }
      try HistoryTables.readAll(keyCount: history.recorded.keyCount, in: file, session: 1_900 + node, history)
      try file.close()
    }
    if digests.count != 1 { run.problem("the files of the nodes have different contents") }
  }
}
