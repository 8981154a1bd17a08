import Foundation
import Testing
import Tidemark
import TidemarkCluster

/// The examples of `Documentation/Cluster.md`.
@Suite struct ClusterGuideTests {
  private struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var score: Int
  }

  private func withDatabase(_ body: (ClusterDatabase) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let (path, snapshotFolder) = (folder.appendingPathComponent("a.sqlite").path, folder.appendingPathComponent("s"))
    let log = InProcessLog().client()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      try db.create(table: "player") { t in
        t.primaryKey("id", .integer)
        t.column("name", .text)
        t.column("score", .integer)
      }
    }

    var configuration = ClusterConfiguration(node: "berlin")
    configuration.snapshots = DirectorySnapshotStore(snapshotFolder)
    let database = try await ClusterDatabase.open(path, log: log, configuration)
    try await database.migrate(migrator)

    try await body(database)
    try database.close()
  }

  @Test func `a client of etcd is created without a connection`() {
    let servers = [
      "https://etcd1.example.com:2379", "https://etcd2.example.com:2379", "https://etcd3.example.com:2379",
    ]
    let log = EtcdLog(EtcdConfiguration(endpoints: servers.compactMap { URL(string: $0) }))

    #expect(log.limits.payloadBytes == 512 << 10)
  }

  @Test func `a node writes and observes`() async throws {
    try await withDatabase { database in
      try await database.write { db in
        try Player(id: 1, name: "Arthur", score: 10).insert(db)
      }
      let observation = ValueObservation.tracking { try Player.fetchCount($0) }
      for try await count in observation.values(in: database) {
        print(count)
        if count > 0 { break }
      }
      #expect(database.position.number == 2)
    }
  }

  @Test func `a node reads the write of another one`() async throws {
    try await withDatabase { berlin in
      let paris = berlin

      let (_, position) = try await berlin.writeReturningPosition { db in
        try Player(id: 1, name: "Arthur", score: 10).insert(db)
      }
      let player = try await paris.read(after: position) { try Player.fetchOne($0, key: 1) }

      #expect(player?.name == "Arthur")
    }
  }

  @Test func `an unknown outcome is decided`() async throws {
    try await withDatabase { database in
      do {
        try await database.write { try $0.execute(sql: "UPDATE player SET score = score + 1") }
      } catch ClusterError.outcomeUnknown(let transaction) {
        switch try await database.outcome(of: transaction) {
        case .committed: print("It was committed")
        case .notCommitted: print("It can be repeated")
        }
      }
    }
  }

  @Test func `a cluster begins with a database`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let snapshotFolder = folder.appendingPathComponent("snapshots")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let existingPath = folder.appendingPathComponent("existing.sqlite").path
    try await DatabaseQueue(path: existingPath).write {
      try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY)")
    }
    let log = InProcessLog().client()

    let store = DirectorySnapshotStore(snapshotFolder)
    try await ClusterDatabase.bootstrap(log, from: existingPath, snapshots: store)

    #expect(try await log.barrier(until: .now + .seconds(10)).number == 1)
  }
}
