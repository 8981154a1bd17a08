import Foundation
import Tidemark
import TidemarkCluster

/// How a node of the demo market starts.
struct NodeOptions: Equatable, Sendable {
  var name = ""
  var folder = ""
  var endpoints: [URL] = []
  var writerCount = 2
  var isPlain = false
}

/// The command `Demo node`: the demo market on a node of a cluster.
struct NodeCommand {
  let options: NodeOptions

  init(_ options: NodeOptions) {
    self.options = options
  }

  func run() throws {
    let node = try waitForResult { [options] in try await Self.open(options) }
    let world = World(node, writerCount: options.writerCount)
    defer { world.close() }
    let dashboard = Dashboard(title: "Tidemark · node \(options.name)", panes: WorldPanes.all, world: world.shown)
    let session = try Session(dashboard, node, world: world, interval: .milliseconds(30))
    if Demo.hasScreen, !options.isPlain {
      try session.run()
    } else {
      try Demo.printLine(session.runForOneScreen(commitCount: 30, width: 120, height: 32))
    }
  }

  /// Opens the node, and waits until the market exists.
  private static func open(_ options: NodeOptions) async throws -> ClusterDatabase {
    try FileManager.default.createDirectory(atPath: options.folder, withIntermediateDirectories: true)
    let folder = URL(filePath: options.folder, directoryHint: .isDirectory)
    var configuration = ClusterConfiguration(node: options.name)
    configuration.snapshots = DirectorySnapshotStore(folder.appending(path: "snapshots"))
    configuration.snapshotInterval = 2_000
    configuration.keptEntryCount = 1_000
    let log = EtcdLog(EtcdConfiguration(endpoints: options.endpoints))
    let path = folder.appending(path: "\(options.name).sqlite").path()
    let node = try await ClusterDatabase.open(path, log: log, configuration)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("market") { try Market.create($0) }
    do {
      try await node.migrate(migrator, timeLimit: .seconds(60))
    } catch {
      // The first error is reported.
      try? node.close()
      throw error
    }
    return node
  }
}

/// Runs an asynchronous operation, and waits for it.
private func waitForResult<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
  let result = Locked<Result<Value, any Error>?>(nil)
  let isDone = DispatchSemaphore(value: 0)
  Task.detached {
    let value: Result<Value, any Error>
    do { value = .success(try await body()) } catch { value = .failure(error) }
    result.withLock { $0 = value }
    isDone.signal()
  }
  while true {
    isDone.wait()
    if let value = result.withLock(\.self) { return try value.get() }
  }
}
