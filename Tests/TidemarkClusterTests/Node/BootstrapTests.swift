import Foundation
import Testing
import Tidemark

@testable import TidemarkCluster

/// A cluster that begins with the contents of an existing database.
@Suite(.closesClusters) struct BootstrapTests {
  /// A database with a full-text table, triggers and a counter.
  private func makeDatabase(_ cluster: TestCluster) throws -> String {
    let path = cluster.path("existing")
    let queue = try DatabaseQueue(path: path)
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE item (id INTEGER PRIMARY KEY AUTOINCREMENT, value);
          CREATE TABLE log (value);
          CREATE TRIGGER logged AFTER INSERT ON item BEGIN INSERT INTO log VALUES (new.value); END;
          CREATE VIRTUAL TABLE note USING fts5(body);
          INSERT INTO item (value) VALUES ('a'), ('b');
          DELETE FROM item WHERE id = 2;
          INSERT INTO note VALUES ('red green');
          PRAGMA user_version = 7;
          """)
    }
    try queue.close()
    return path
  }

  @Test func allNodesBeginWithTheContentsOfTheDatabase() async throws {
    let cluster = try TestCluster()
    let path = try makeDatabase(cluster)
    try await ClusterDatabase.bootstrap(cluster.log.client(), from: path, snapshots: cluster.snapshots)
    let (a, b) = (try await cluster.open("a"), try await cluster.open("b"))
    try await a.execute("INSERT INTO item (value) VALUES ('c')")
    try await b.execute("INSERT INTO note VALUES ('blue green')")
    #expect(try await expectEqualContents([a, b]))
    let items = try await b.read { try String.fetchAll($0, sql: "SELECT id || value FROM item ORDER BY id") }
    #expect(items == ["1a", "3c"])
    #expect(try await a.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM note WHERE note MATCH 'green'") } == 2)
    #expect(try await b.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == 7)
  }

  @Test(arguments: [1024, 8192])
  func `pages of any size are copied, with their row IDs`(pageSize: Int) async throws {
    let cluster = try TestCluster()
    let queue = try DatabaseQueue(path: cluster.path("existing"))
    try await queue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA page_size = \(pageSize);
          CREATE TABLE item (value);
          INSERT INTO item (rowid, value) VALUES (5, 'a'), (9, 'b');
          """)
    }
    try queue.close()
    try await ClusterDatabase.bootstrap(
      cluster.log.client(), from: cluster.path("existing"), snapshots: cluster.snapshots)
    let (a, b) = (try await cluster.open("a"), try await cluster.open("b"))
    try await a.execute("INSERT INTO item VALUES ('c')")
    #expect(try await expectEqualContents([a, b]))
    let rows = try await b.read { try String.fetchAll($0, sql: "SELECT rowid || value FROM item ORDER BY rowid") }
    #expect(rows == ["5a", "9b", "10c"])
  }

  @Test func `a database that stores text as UTF-16 is refused`() async throws {
    let cluster = try TestCluster()
    let queue = try DatabaseQueue(path: cluster.path("existing"))
    try await queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA encoding = 'UTF-16le'; CREATE TABLE item (value)")
    }
    try queue.close()
    let error = await #expect(throws: ClusterError.self) {
      try await ClusterDatabase.bootstrap(
        cluster.log.client(), from: cluster.path("existing"), snapshots: cluster.snapshots)
    }
    guard case .unsuitableFile = error else {
      Issue.record("expected unsuitableFile, found \(String(describing: error))")
      return
    }
    #expect(try await cluster.log.client().barrier(until: .now + .seconds(10)) == .start)
  }

  @Test func theDatabaseIsNotChanged() async throws {
    let cluster = try TestCluster()
    let path = try makeDatabase(cluster)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    try await ClusterDatabase.bootstrap(cluster.log.client(), from: path, snapshots: cluster.snapshots)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: cluster.folder.path) == ["existing.sqlite"])
  }

  @Test func aNodeThatWasOpenedBeforeReceivesTheContents() async throws {
    let cluster = try TestCluster()
    let path = try makeDatabase(cluster)
    let node = try await cluster.open("a")
    try await node.catchUp()
    let position = try await ClusterDatabase.bootstrap(
      cluster.log.client(), from: path, snapshots: cluster.snapshots)
    #expect(position.number == 1)
    let values = try await node.read(after: position) { try String.fetchAll($0, sql: "SELECT value FROM item") }
    #expect(values == ["a"])
  }

  @Test func aLogWithEntriesIsRefused() async throws {
    let cluster = try TestCluster()
    let path = try makeDatabase(cluster)
    let node = try await cluster.open("a")
    try await node.execute("CREATE TABLE other (id INTEGER PRIMARY KEY)")
    await #expect(throws: ClusterError.logNotEmpty(node.position)) {
      try await ClusterDatabase.bootstrap(cluster.log.client(), from: path, snapshots: cluster.snapshots)
    }
    #expect(try await node.read { try $0.tableExists("item") } == false)
    #expect(await cluster.snapshots.positions.isEmpty)
  }

  @Test func anEntryThatIsAppendedMeanwhileMakesItFail() async throws {
    let cluster = try TestCluster()
    let path = try makeDatabase(cluster)
    let node = try await cluster.open("a")
    let store = InterruptedStore(base: cluster.snapshots) {
      try await node.execute("CREATE TABLE other (id INTEGER PRIMARY KEY)")
    }
    let error = await #expect(throws: ClusterError.self) {
      try await ClusterDatabase.bootstrap(cluster.log.client(), from: path, snapshots: store)
    }
    #expect(error == .logNotEmpty(node.position))
  }

  @Test func anInterruptedBootstrapCanBeRepeated() async throws {
    let cluster = try TestCluster()
    let path = try makeDatabase(cluster)
    let log = GatedLog(cluster.log.client())
    let store = InterruptedStore(base: cluster.snapshots) { log.mode = .losesRequests }
    let error = await #expect(throws: ClusterError.self) {
      try await ClusterDatabase.bootstrap(log, from: path, snapshots: store, timeLimit: .milliseconds(500))
    }
    #expect(error?.unknownTransaction != nil, "\(String(describing: error))")
    let interrupted = await cluster.snapshots.positions
    let position = try await ClusterDatabase.bootstrap(
      cluster.log.client(), from: path, snapshots: cluster.snapshots)
    #expect(await cluster.snapshots.positions.count == 2)
    // Both snapshots have the number 1, and the store may return any of them as the latest one.
    let misleading = InterruptedStore(base: cluster.snapshots, latestPosition: interrupted.first) {}
    let node = try await cluster.open("a") { $0.snapshots = misleading }
    #expect(try await node.catchUp() == position)
    #expect(try await node.read { try String.fetchAll($0, sql: "SELECT value FROM item") } == ["a"])
  }

  @Test func theBackupOfANodeBeginsAnotherCluster() async throws {
    let former = try TestCluster()
    let nodes = try await former.open(["a"])
    try await nodes[0].execute("INSERT INTO item VALUES (1, 'x')")
    try nodes[0].close()
    let cluster = try TestCluster()
    try await ClusterDatabase.bootstrap(cluster.log.client(), from: former.path("a"), snapshots: cluster.snapshots)
    try await cluster.withNode("a") { node in
      try await node.execute("INSERT INTO item VALUES (2, 'y')")
      #expect(try await node.read { try String.fetchAll($0, sql: "SELECT value FROM item") } == ["x", "y"])
      #expect(node.position.number == 2)
    }
  }

  @Test func withoutAStoreOfSnapshotsANodeWaits() async throws {
    let cluster = try TestCluster()
    let path = try makeDatabase(cluster)
    try await ClusterDatabase.bootstrap(cluster.log.client(), from: path, snapshots: cluster.snapshots)
    let node = try await cluster.open("a") { $0.snapshots = nil }
    for await state in node.states() where state == .behindLog { break }
    await #expect(throws: ClusterError.self) {
      try await node.write(timeLimit: .milliseconds(50)) { try $0.execute(sql: "CREATE TABLE other (id)") }
    }
    #expect(try await node.read { try $0.tableExists("other") } == false)
  }
}

/// A store that calls a closure before it saves a snapshot, and may return another one of the latest snapshots.
private struct InterruptedStore: SnapshotStore {
  var base: any SnapshotStore
  var latestPosition: LogPosition?
  var willSave: @Sendable () async throws -> Void

  func save(_ file: URL, at position: LogPosition) async throws {
    try await willSave()
    try await base.save(file, at: position)
  }

  func latest() async throws -> LogPosition? {
    if let latestPosition { return latestPosition }
    return try await base.latest()
  }

  func fetch(_ position: LogPosition, to file: URL) async throws { try await base.fetch(position, to: file) }

  func removeSnapshots(before position: LogPosition) async throws {
    try await base.removeSnapshots(before: position)
  }
}
