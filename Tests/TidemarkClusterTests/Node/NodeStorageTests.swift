import Foundation
import Testing
import Tidemark

@testable import TidemarkCluster

/// The tables in the file of a node besides the replicated ones.
@Suite(.closesClusters) struct NodeStorageTests {
  private let author = ClusterPayload.Author(node: "x", incarnation: 1, id: UUID())

  /// Appends payloads as another node, and returns the last position.
  private func append(_ contents: [ClusterPayload.Content], to cluster: TestCluster) async throws -> LogPosition {
    let log = cluster.log.client()
    var position = try await log.barrier(until: .soon)
    for content in contents {
      let entry = LogEntry(after: position, payload: ClusterPayload(author: author, content: content).encoded)
      guard try await log.append(entry, until: .soon) == .appended(entry.position) else { throw UnexpectedResult() }
      position = entry.position
    }
    return position
  }

  private func partCount(_ node: ClusterDatabase) async throws -> Int? {
    try await node.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM tidemark_cluster_part") }
  }

  @Test func `each opening of a file has its own incarnation`() async throws {
    let cluster = try TestCluster()
    for incarnation in 1...3 as ClosedRange<UInt64> {
      try await cluster.withNode("a") { node in
        try await node.catchUp()
        #expect(node.node.update { machine, _ in machine.nextAuthor.incarnation } == incarnation)
      }
    }
  }

  @Test func `the parts of a node that was killed are removed by the next write of any node`() async throws {
    let cluster = try TestCluster()
    let nodes = try await cluster.open(["a", "b"])
    let position = try await append([.part(group: UUID(), index: 0, bytes: [1, 2])], to: cluster)
    for node in nodes { #expect(try await node.read(after: position) { _ in true }) }
    #expect(try await partCount(nodes[0]) == 1)
    try await nodes[0].execute("INSERT INTO item VALUES (1, 0)")
    #expect(try await expectEqualContents(nodes))
    for node in nodes { #expect(try await partCount(node) == 0) }
  }

  @Test func `joined parts with another digest stop the node, and nothing is applied`() async throws {
    let cluster = try TestCluster()
    let node = try await cluster.open(["a"])[0]
    let (bytes, group) = (ClusterPayload.encoded([ClusterPayload.Transaction]()), UUID())
    let position = try await append(
      [
        .part(group: group, index: 0, bytes: bytes),
        .end(group: group, partCount: 1, digest: LogDigest(of: bytes + [0])),
      ], to: cluster)
    await #expect(throws: ClusterError.historyDiverged("the parts of group \(group) are incomplete")) {
      try await node.read(after: position) { _ in true }
    }
    #expect(node.position.number < position.number)
  }
}
