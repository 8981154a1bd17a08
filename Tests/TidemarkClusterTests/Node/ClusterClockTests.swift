import Foundation
import Testing
import Tidemark

@testable import TidemarkCluster

/// Nodes whose clocks are wrong, or jump. The time of a transaction is a note that nothing depends on.
@Suite(.closesClusters) struct ClusterClockTests {
  /// Copies the entries of a log, with another time of their transactions.
  private func copy(_ entries: Range<UInt64>, of log: any ReplicatedLog, to copy: any ReplicatedLog, time: Int64)
    async throws
  {
    var position = LogPosition.start
    for number in entries {
      var payload = try ClusterPayload(decoding: #require(try await log.entry(at: number)).payload)
      guard case .transactions(var transactions) = payload.content else { throw UnexpectedResult() }
      for index in transactions.indices { transactions[index].changes.microsecondsSince1970 = time }
      payload.content = .transactions(transactions)
      let result = try await copy.append(
        LogEntry(after: position, payload: payload.encoded), until: .now + .seconds(10))
      guard case .appended(let end) = result else { throw UnexpectedResult() }
      position = end
    }
  }

  @Test(arguments: [Int64.min, -1, 0, 4_000_000_000_000_000, .max])
  func entriesOfAnyTimeAreApplied(time: Int64) async throws {
    let original = try TestCluster()
    let node = try await original.open(["a"])[0]
    for id in 1...3 { try await node.execute("INSERT INTO item VALUES (?, 'x')", [id]) }
    let cluster = try TestCluster()
    try await copy(
      1..<node.position.number + 1, of: original.log.client(), to: cluster.log.client(), time: time)

    let other = try await cluster.open("b")
    try await other.execute("INSERT INTO item VALUES (4, 'y')")
    let values = try await other.read { try String.fetchAll($0, sql: "SELECT value FROM item ORDER BY id") }
    #expect(values == ["x", "x", "x", "y"])
    #expect(other.state == .current)
  }
}
