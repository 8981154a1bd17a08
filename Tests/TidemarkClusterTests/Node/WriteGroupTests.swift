import Testing
import Tidemark

@testable import TidemarkCluster

/// Writes that share a transaction, when one of them fails, or does not wait as long as the others.
@Suite(.closesClusters) struct WriteGroupTests {
  /// Opens a node with a table, whose groups wait for all of their writes.
  private func open(
    _ cluster: TestCluster, on log: GatedLog, _ setUp: (inout ClusterConfiguration) -> Void = { _ in }
  ) async throws -> ClusterDatabase {
    let node = try await cluster.open("a", on: log) { configuration in
      configuration.turnLength = .seconds(60)
      configuration.requestTimeLimit = .seconds(3_600)
      setUp(&configuration)
    }
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    return node
  }

  private func insert(_ id: Int) -> @Sendable (Database) throws -> Void {
    { try $0.execute(sql: "INSERT INTO item VALUES (?, 0)", arguments: [id]) }
  }

  private func ids(_ node: ClusterDatabase) async throws -> [Int] {
    try await node.read { try Int.fetchAll($0, sql: "SELECT id FROM item ORDER BY id") }
  }

  @Test func `a write that rolls back the transaction fails alone, and the others are executed again`() async throws {
    let cluster = try TestCluster()
    let node = try await open(cluster, on: GatedLog(cluster.log.client()))
    try await node.execute("INSERT INTO item VALUES (1, 0)")
    let group = WriteGroup(
      on: node,
      [
        (.seconds(60), insert(2)),
        (.seconds(60), { try $0.execute(sql: "INSERT OR ROLLBACK INTO item VALUES (1, 1)") }),
        (.seconds(60), insert(3)),
      ])
    await #expect(throws: DatabaseError.self) { try await group.result(1) }
    _ = try await (group.result(0), group.result(2))
    #expect(try await ids(node) == [1, 2, 3])
  }

  /// SQLite rolls back the transaction of a statement that fills the disk.
  @Test func `a write that fills the disk fails alone, and the node continues`() async throws {
    let cluster = try TestCluster()
    let node = try await open(cluster, on: GatedLog(cluster.log.client())) { configuration in
      configuration.database.prepareDatabase { try $0.execute(sql: "PRAGMA max_page_count = 100") }
    }
    let group = WriteGroup(
      on: node,
      [
        (.seconds(60), insert(1)),
        (.seconds(60), { try $0.execute(sql: "INSERT INTO item VALUES (2, zeroblob(1000000))") }),
        (.seconds(60), insert(3)),
      ])
    let error = await #expect(throws: DatabaseError.self) { try await group.result(1) }
    #expect(error?.resultCode == .SQLITE_FULL)
    _ = try await (group.result(0), group.result(2))
    #expect(try await ids(node) == [1, 3])
    try await node.execute("INSERT INTO item VALUES (4, zeroblob(10000))")
    #expect(try await ids(node) == [1, 3, 4])
  }

  @Test func `a write whose time is over before anything was appended fails alone`() async throws {
    let cluster = try TestCluster()
    let log = GatedLog(cluster.log.client())
    let node = try await open(cluster, on: log)
    log.mode = .unreachable
    let group = WriteGroup(on: node, [(.milliseconds(100), insert(1)), (.seconds(3_600), insert(2))])
    let error = await #expect(throws: ClusterError.self) { try await group.result(0) }
    #expect(error?.isUnavailable == true, "\(String(describing: error))")
    log.mode = .connected
    _ = try await group.result(1)
    #expect(try await ids(node) == [2])
  }

  @Test func `a caller whose time is over does not wait for the end of a request`() async throws {
    let cluster = try TestCluster()
    let log = GatedLog(cluster.log.client())
    let node = try await open(cluster, on: log)
    log.mode = .returnsAtDeadline
    let group = WriteGroup(on: node, [(.milliseconds(100), insert(1)), (.seconds(3_600), insert(2))])
    var error = await #expect(throws: ClusterError.self) { try await group.result(0) }
    #expect(error?.unknownTransaction != nil, "\(String(describing: error))")
    try node.close()
    error = await #expect(throws: ClusterError.self) { try await group.result(1) }
    #expect(error?.unknownTransaction != nil, "\(String(describing: error))")
  }

  @Test func `closing a node ends a write that was not appended, and says so`() async throws {
    let cluster = try TestCluster()
    let log = GatedLog(cluster.log.client())
    let node = try await open(cluster, on: log)
    log.mode = .unreachable
    let (executions, execution) = AsyncStream.makeStream(of: Void.self)
    // It changes nothing, so the node waits for the confirmation of the state that was read.
    let group = WriteGroup(on: node, [(.seconds(3_600), { _ in execution.yield() })])
    for await _ in executions { break }
    try node.close()
    await #expect(throws: ClusterError.closed) { try await group.result(0) }
  }

  @Test func `observers of a write that throws are notified of a rollback, and those of the others of a commit`()
    async throws
  {
    struct Failure: Error {}
    let cluster = try TestCluster()
    let node = try await open(cluster, on: GatedLog(cluster.log.client()))
    let ends = ProtectedValue<[String]>([])
    let observe: @Sendable (Database, String) -> Void = { db, name in
      db.afterNextTransaction(
        onCommit: { _ in ends.withLock { $0.append("commit \(name)") } },
        onRollback: { _ in ends.withLock { $0.append("rollback \(name)") } })
    }
    let insert = insert(1)
    let group = WriteGroup(
      on: node,
      [
        (.seconds(60), insert),
        (
          .seconds(60),
          { db in
            observe(db, "thrown")
            throw Failure()
          }
        ),
        (.seconds(60), { observe($0, "last") }),
      ])
    await #expect(throws: Failure.self) { try await group.result(1) }
    _ = try await (group.result(0), group.result(2))
    #expect(ends.withLock(\.self) == ["rollback thrown", "commit last"])
    #expect(try await ids(node) == [1])
  }

  @Test func `a group has at least one write`() async throws {
    let cluster = try TestCluster()
    let node = try await cluster.open("a") { $0.groupSizeMax = 0 }
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    #expect(try await ids(node) == [])
  }
}
