import Testing
import Tidemark

@testable import TidemarkCluster

/// Reads and writes without changes on a node that has not received the last entries.
@Suite(.closesClusters) struct ClusterReadTests {
  /// Two nodes with an empty table. The second one does not receive entries until its log is connected again.
  private func open(_ cluster: TestCluster) async throws -> (
    current: ClusterDatabase, late: ClusterDatabase, log: GatedLog
  ) {
    let log = GatedLog(cluster.log.client())
    let current = try await cluster.open("a")
    try await current.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    let late = try await cluster.open("b", on: log)
    try await late.catchUp()
    log.mode = .delaysEntries
    try await current.execute("INSERT INTO item VALUES (1, 0)")
    return (current, late, log)
  }

  @Test func `a read of the latest state waits for the entries that were stored before`() async throws {
    let (current, late, log) = try await open(TestCluster())
    let error = await #expect(throws: ClusterError.self) {
      try await late.readLatest(timeLimit: .milliseconds(100)) {
        try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item")
      }
    }
    #expect(error?.isUnavailable == true, "\(String(describing: error))")
    log.mode = .connected
    #expect(try await late.readLatest { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item") } == 1)
    #expect(late.position == current.position)
  }

  @Test func `a closure that throws in an old state is executed again`() async throws {
    struct IsEmpty: Error {}
    let (_, late, log) = try await open(TestCluster())
    let (executions, execution) = AsyncStream.makeStream(of: Void.self)
    let counting = Task {
      defer { execution.finish() }
      return try await late.write { db in
        execution.yield()
        let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM item") ?? 0
        if count == 0 { throw IsEmpty() }
        return count
      }
    }
    // Two executions, or the end of the write.
    var iterator = executions.makeAsyncIterator()
    for _ in 1...2 { await iterator.next() }
    log.mode = .connected
    #expect(try await counting.value == 1)
  }

  @Test func `a position of another history is not read`() async throws {
    let cluster = try TestCluster()
    let node = try await cluster.open(["a"])[0]
    let foreign = LogPosition(number: node.position.number, digest: .zero)
    await #expect(throws: ClusterError.historyDiverged("expected \(foreign), found \(node.position)")) {
      try await node.read(after: foreign) { try Int.fetchOne($0, sql: "SELECT 1") }
    }
  }

  @Test func `a write that rolls back the transaction in an old state is executed again`() async throws {
    let (_, late, log) = try await open(TestCluster())
    let (executions, execution) = AsyncStream.makeStream(of: Void.self)
    let writing = Task {
      defer { execution.finish() }
      try await late.write { db in
        execution.yield()
        try db.execute(sql: "INSERT INTO item VALUES (2, 0)")
        // It fails in the state without the other row.
        try db.execute(
          sql: "INSERT OR ROLLBACK INTO item SELECT 2, 0 WHERE NOT EXISTS (SELECT 1 FROM item WHERE id = 1)")
      }
    }
    // Two executions, or the end of the write.
    var iterator = executions.makeAsyncIterator()
    for _ in 1...2 { await iterator.next() }
    log.mode = .connected
    try await writing.value
    #expect(try await late.read { try Int.fetchAll($0, sql: "SELECT id FROM item") } == [1, 2])
  }

  @Test func `a change stream contains the rows of all nodes in their order`() async throws {
    let cluster = try TestCluster()
    let nodes = try await cluster.open(["a", "b"])
    let changes = try await nodes[1].changes(in: Table("item"))
    let position = try await nodes[0].writeReturningPosition { try $0.execute(sql: "INSERT INTO item VALUES (1, 10)") }
      .position
    try await nodes[1].catchUp()
    #expect(nodes[1].position == position)
    try await nodes[1].execute("INSERT INTO item VALUES (2, 20)")
    var iterator = changes.makeAsyncIterator()
    var rows: [String] = []
    for _ in 1...2 { rows += try #require(try await iterator.next()).rows.map { "\($0)" } }
    #expect(rows == ["INSERT item [1]: id 1, value 10", "INSERT item [2]: id 2, value 20"])
  }
}
