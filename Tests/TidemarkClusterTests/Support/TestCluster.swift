import Foundation
import Testing
import Tidemark

@testable import TidemarkCluster

/// Nodes that share a log in this process, with files in a temporary folder.
///
/// Suites with clusters have the trait `closesClusters`, which closes their nodes and removes their folders after each
/// test. A local variable would not do: optimized code releases it after its last use.
final class TestCluster: Sendable {
  let log: InProcessLog
  let folder: URL
  let snapshots = MemorySnapshotStore()
  private let nodes = ProtectedValue<[ClusterDatabase]>([])

  init(limits: LogLimits = LogLimits(payloadBytes: 512 << 10), seed: UInt64 = 0) throws {
    log = InProcessLog(limits: limits, seed: seed)
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("cluster-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // An exit test has no traits; its process ends.
    ClosingClusters.current?.withLock { $0.append(self) }
  }

  /// Closes the nodes, and removes the folder.
  fileprivate func close() {
    // Tests check the errors of closing.
    for node in nodes.withLock(\.self) { try? node.close() }
    try? FileManager.default.removeItem(at: folder)
  }

  func path(_ node: String) -> String { folder.appendingPathComponent("\(node).sqlite").path }

  /// Opens a node.
  func open(
    _ node: String, on log: (any ReplicatedLog)? = nil, _ configure: (inout ClusterConfiguration) -> Void = { _ in }
  ) async throws -> ClusterDatabase {
    var configuration = ClusterConfiguration(node: node)
    configuration.snapshots = snapshots
    configuration.heartbeatInterval = .milliseconds(50)
    configure(&configuration)
    let database = try await ClusterDatabase.open(path(node), log: log ?? self.log.client(), configuration)
    nodes.withLock { $0.append(database) }
    return database
  }

  /// Opens several nodes with a table `item(id, value)`.
  func open(_ nodes: [String], schema: String = "CREATE TABLE item (id INTEGER PRIMARY KEY, value)") async throws
    -> [ClusterDatabase]
  {
    var databases: [ClusterDatabase] = []
    for node in nodes { databases.append(try await open(node)) }
    try await databases[0].write { try $0.execute(sql: schema) }
    for database in databases { try await database.catchUp() }
    return databases
  }

  /// Opens a node, runs a closure with it, and closes it.
  @discardableResult
  func withNode<Result>(_ node: String, _ body: (ClusterDatabase) async throws -> Result) async throws -> Result {
    let database = try await open(node)
    let result = try await body(database)
    try database.close()
    return result
  }
}

/// Closes the clusters of a test when it has ended.
struct ClosingClusters: SuiteTrait, TestTrait, TestScoping {
  @TaskLocal static var current: ProtectedValue<[TestCluster]>?

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    if testCase == nil { return try await function() }
    let clusters = ProtectedValue<[TestCluster]>([])
    defer { for cluster in clusters.withLock(\.self) { cluster.close() } }
    try await Self.$current.withValue(clusters) { try await function() }
  }
}

extension Trait where Self == ClosingClusters {
  static var closesClusters: Self { Self() }
}

extension ClusterDatabase {
  /// Executes an SQL statement in a write.
  func execute(_ sql: String, _ arguments: StatementArguments = StatementArguments()) async throws {
    try await write { try $0.execute(sql: sql, arguments: arguments) }
  }

  /// The schema and all rows, with their row IDs, counters and `user_version`.
  func dump() async throws -> String { try await read { try Self.dump($0) } }

  static func dump(_ db: Database) throws -> String {
    var lines: [String] = []
    let objects = try Row.fetchAll(
      db, sql: "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'tidemark%' ORDER BY type, name")
    for object in objects {
      lines.append(object.description)
      guard object["type"] == "table", !(object["sql"] ?? "").uppercased().hasPrefix("CREATE VIRTUAL") else { continue }
      let name: String = object["name"]
      let hasRowID = !(object["sql"] ?? "").uppercased().contains("WITHOUT ROWID")
      let rows = try Row.fetchAll(
        db, sql: "SELECT \(hasRowID ? "rowid, " : "")* FROM \(name.quotedDatabaseIdentifier) ORDER BY 1, 2")
      lines += rows.map { "\(name): \($0)" }
    }
    let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    return (lines + ["user_version \(version)"]).joined(separator: "\n")
  }
}

/// Checks that all nodes have the same contents when they have caught up.
func expectEqualContents(_ databases: [ClusterDatabase]) async throws -> Bool {
  var dumps: Set<String> = []
  for database in databases {
    try await database.catchUp()
    dumps.insert(try await database.dump())
  }
  return dumps.count == 1
}

/// Snapshots in memory.
actor MemorySnapshotStore: SnapshotStore {
  private var files: [LogPosition: Data] = [:]

  /// The positions of the snapshots, in their order.
  var positions: [LogPosition] { files.keys.sorted { $0.number < $1.number } }

  func save(_ file: URL, at position: LogPosition) async throws { files[position] = try Data(contentsOf: file) }

  func latest() async throws -> LogPosition? { positions.last }

  func fetch(_ position: LogPosition, to file: URL) async throws {
    guard let data = files[position] else { throw SnapshotError.notFound(position) }
    try data.write(to: file)
  }

  func removeSnapshots(before position: LogPosition) async throws {
    for key in files.keys where key.number < position.number { files[key] = nil }
  }
}
