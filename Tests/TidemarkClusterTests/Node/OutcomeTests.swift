import Foundation
import Testing
import Tidemark

@testable import TidemarkCluster

/// The outcomes of transactions that are appended in parts, and of entries that a read does not find yet.
@Suite(.closesClusters) struct OutcomeTests {
  /// Executes a write of several entries, whose outcome remains unknown.
  private func unknownWrite(_ node: ClusterDatabase) async throws -> ClusterTransactionID {
    try await node.lostWrite { db in
      for id in 1...20 {
        try db.execute(sql: "INSERT INTO item VALUES (?, ?)", arguments: [id, String(repeating: "x", count: 500)])
      }
    }
  }

  @Test func `a transaction in parts is committed with its last entry`() async throws {
    let cluster = try TestCluster(limits: LogLimits(payloadBytes: 2_000))
    let log = GatedLog(cluster.log.client())
    let node = try await cluster.open("a", on: log)
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    let start = node.position.number
    log.mode = .losesResults
    let transaction = try await unknownWrite(node)
    #expect(transaction.entryNumber > start + 2)
    log.mode = .connected
    guard case .committed(let position) = try await node.outcome(of: transaction) else {
      Issue.record("the transaction is not committed")
      return
    }
    #expect(position.number == transaction.entryNumber)
    let count = try await node.read(after: position) { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item") }
    #expect(count == 20)
  }

  @Test func `a transaction whose parts are lost is not committed, and another node decides this`() async throws {
    let cluster = try TestCluster(limits: LogLimits(payloadBytes: 2_000))
    let log = GatedLog(cluster.log.client())
    let node = try await cluster.open("a", on: log)
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    let start = node.position.number
    log.mode = .losesRequests
    let transaction = try await unknownWrite(node)
    try node.close()
    #expect(transaction.entryNumber > start + 2)
    let other = try await cluster.open("b")
    #expect(try await other.outcome(of: transaction) == .notCommitted)
    #expect(other.position.number >= transaction.entryNumber)
  }

  @Test func `a read that does not find the entry decides nothing`() async throws {
    let cluster = try TestCluster()
    let node = try await cluster.open("a")
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    let entry = try #require(try await cluster.log.client().entry(at: 1))
    guard case .transactions(let transactions) = try ClusterPayload(decoding: entry.payload).content else {
      Issue.record("the entry contains no transactions")
      return
    }
    let transaction = ClusterTransactionID(id: try #require(transactions.first).id, entryNumber: 1)
    var faults = InProcessLogFaults()
    (faults.staleReads, faults.staleEntries) = (1, 1)
    let other = try await cluster.open("b", on: cluster.log.client(faults: faults))
    let error = await #expect(throws: ClusterError.self) {
      try await other.outcome(of: transaction, timeLimit: .milliseconds(100))
    }
    #expect(error?.isUnavailable == true, "\(String(describing: error))")
    // Each read of this client misses the last entry, which is another one now.
    try await node.execute("INSERT INTO item VALUES (1, 0)")
    #expect(try await other.outcome(of: transaction) == .committed(entry.position))
  }

  @Test func `an end of more parts than there are entries is an error`() async throws {
    let cluster = try TestCluster()
    let node = try await cluster.open("a")
    let author = ClusterPayload.Author(node: "b", incarnation: 1, id: UUID())
    let end = ClusterPayload(author: author, content: .end(group: UUID(), partCount: 1, digest: LogDigest(of: [])))
    let entry = LogEntry(id: UUID(), after: LogPosition.start, payload: end.encoded)
    await #expect(throws: ClusterError.historyDiverged("entry 1 is the end of 1 parts")) {
      try await node.node.contains(entry, UUID())
    }
  }
}
