import Foundation
import Tidemark
import TidemarkCluster

// Three nodes in this process, and three etcd servers.
//
//     Benchmarks cluster [disk]
//
// The figures are elapsed time. Without `disk`, all files are in memory. The cost of an append to the log, by one
// client and without a node, is the yardstick.

func measureCluster(_ folder: BenchmarkFolder, names: [String], _ report: Report) throws {
  guard let executable = EtcdProcesses.executable else {
    print("cluster: not measured, because no etcd server is installed: Scripts/etcd.sh installs it")
    return
  }
  let directory: URL
  if names.contains("disk") {
    directory = URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
      .appending(path: ".build/cluster-\(UUID().uuidString)", directoryHint: .isDirectory)
  } else {
    directory = folder.url.appending(path: "cluster", directoryHint: .isDirectory)
  }
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  let servers = try EtcdProcesses(executable, in: directory)
  defer {
    servers.stop()
    // The program is about to end, and cannot report the error.
    try? FileManager.default.removeItem(at: directory)
  }
  let benchmark = ClusterBenchmark(
    endpoints: servers.endpoints, directory: directory,
    group: "three nodes, etcd" + (names.contains("disk") ? ", disk" : ""))
  for figure in try waitForResult({ try await benchmark.figures() }) { report.add(figure) }
}

/// Runs an asynchronous operation, and waits for it.
private func waitForResult<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
  let isDone = DispatchSemaphore(value: 0)
  let box = ResultBox<Value>()
  Task.detached {
    do { box.result = .success(try await body()) } catch { box.result = .failure(error) }
    isDone.signal()
  }
  isDone.wait()
  guard let result = box.result else { fatalError("The operation has not ended") }
  return try result.get()
}

/// The semaphore protects the result.
private final class ResultBox<Value: Sendable>: @unchecked Sendable {
  var result: Result<Value, any Error>?
}

private final class ClusterBenchmark: @unchecked Sendable {
  private let endpoints: [URL]
  private let directory: URL
  private let group: String

  init(endpoints: [URL], directory: URL, group: String) {
    (self.endpoints, self.directory, self.group) = (endpoints, directory, group)
  }

  func figures() async throws -> [Figure] {
    var figures: [Figure] = []
    let append = try await measureAppends(count: 1_000)
    figures.append(
      Figure(group: group, name: "append to the log, p50", value: append.p50 / 1e6, unit: .milliseconds))
    figures.append(Figure(group: group, name: "appends in a second", value: append.rate, unit: .count))

    var nodes: [ClusterDatabase] = []
    for name in ["a", "b", "c"] {
      var configuration = ClusterConfiguration(node: name)
      configuration.writeTimeLimit = .seconds(120)
      nodes.append(
        try await ClusterDatabase.open(
          directory.appending(path: "\(name).sqlite").path(), log: log("nodes/", from: nodes.count), configuration))
    }
    try await nodes[0].write { db in
      try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
    }
    for node in nodes { try await node.catchUp() }

    let single = try await measureWrites(nodes[0], count: 1_000)
    figures.append(
      Figure(
        group: group, name: "write by one task, p50 / append", value: single / append.p50, unit: .ratio, target: 1.5))
    let before = nodes[0].metrics
    let rate = try await measureConcurrentWrites(nodes[0], tasks: 64, count: 20_000)
    let after = nodes[0].metrics
    figures.append(
      Figure(
        group: group, name: "64 tasks: transactions in an entry",
        value: Double(after.committedTransactions - before.committedTransactions)
          / Double(after.appendedEntries - before.appendedEntries), unit: .count))
    figures.append(
      Figure(
        group: group, name: "writes of 64 tasks / appends in a second", value: rate / append.rate * 100, unit: .percent,
        target: 2_000))
    let delivery = try await measureDelivery(from: nodes[0], to: nodes[1], count: 500)
    figures.append(
      Figure(
        group: group, name: "commit → value on another node, p50 / append", value: delivery / append.p50, unit: .ratio,
        target: 2))
    try nodes[2].close()
    let rows = try await measureApplying(from: nodes[0], to: 2)
    figures.append(
      Figure(group: group, name: "applying a changed row", value: 1e9 / rows, unit: .nanoseconds, target: 10_000))
    for node in nodes { try node.close() }
    return figures
  }

  private func log(_ prefix: String, from first: Int) -> EtcdLog {
    var configuration = EtcdConfiguration(endpoints: Array(endpoints[first...] + endpoints[..<first]))
    configuration.keyPrefix = prefix
    configuration.requestTimeout = .seconds(10)
    return EtcdLog(configuration)
  }

  private func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

  private func nanoseconds(since start: ContinuousClock.Instant) -> Double {
    (ContinuousClock.now - start) / .nanoseconds(1)
  }

  /// Appends entries, each as large as the entry of a write.
  private func measureAppends(count: Int) async throws -> (p50: Double, rate: Double) {
    let log = log("appends/", from: 0)
    var position = try await log.barrier(until: .now + .seconds(30))
    var times: [Double] = []
    let begin = ContinuousClock.now
    for _ in 0..<count {
      let entry = LogEntry(after: position, payload: [UInt8](repeating: 7, count: 160))
      let start = ContinuousClock.now
      guard case .appended(let end) = try await log.append(entry, until: .now + .seconds(30)) else {
        fatalError("an append has failed")
      }
      times.append(nanoseconds(since: start))
      position = end
    }
    return (median(times), Double(count) / (nanoseconds(since: begin) / 1e9))
  }

  private static func insert(_ db: Database, _ score: Int) throws {
    try db.execute(sql: "INSERT INTO item (name, score) VALUES ('the name of item', ?)", arguments: [score])
  }

  private func measureWrites(_ node: ClusterDatabase, count: Int) async throws -> Double {
    var times: [Double] = []
    for number in 0..<count {
      let start = ContinuousClock.now
      try await node.write { try Self.insert($0, number) }
      times.append(nanoseconds(since: start))
    }
    return median(times)
  }

  /// The number of writes in a second.
  private func measureConcurrentWrites(_ node: ClusterDatabase, tasks: Int, count: Int) async throws -> Double {
    let start = ContinuousClock.now
    try await withThrowingTaskGroup { group in
      for _ in 0..<tasks {
        group.addTask { for number in 0..<count / tasks { try await node.write { try Self.insert($0, number) } } }
      }
      try await group.waitForAll()
    }
    return Double(count / tasks * tasks) / (nanoseconds(since: start) / 1e9)
  }

  /// From the begin of a write on one node until its value is delivered on another one.
  private func measureDelivery(from writer: ClusterDatabase, to reader: ClusterDatabase, count: Int) async throws
    -> Double
  {
    let (values, continuation) = AsyncStream.makeStream(of: (Int, ContinuousClock.Instant).self)
    let observation = ValueObservation.tracking { db in
      try Int.fetchOne(db, sql: "SELECT score FROM item WHERE id = 1") ?? 0
    }
    let observer = Task {
      for try await value in observation.values(in: reader) { continuation.yield((value, .now)) }
    }
    var iterator = values.makeAsyncIterator()
    _ = await iterator.next()
    var times: [Double] = []
    for number in 1...count {
      let start = ContinuousClock.now
      try await writer.write { db in
        try db.execute(sql: "UPDATE item SET score = ? WHERE id = 1", arguments: [1_000_000 + number])
      }
      while let (value, moment) = await iterator.next() {
        if value != 1_000_000 + number { continue }
        times.append((moment - start) / .nanoseconds(1))
        break
      }
    }
    observer.cancel()
    return median(times)
  }

  /// The number of changed rows that a node applies in a second, after it was closed for a while.
  private func measureApplying(from writer: ClusterDatabase, to number: Int) async throws -> Double {
    let (transactions, rows) = (200, 1_000)
    for _ in 0..<transactions {
      try await writer.write { db in for row in 0..<rows { try Self.insert(db, row) } }
    }
    let start = ContinuousClock.now
    let node = try await ClusterDatabase.open(
      directory.appending(path: "c.sqlite").path(), log: log("nodes/", from: number), ClusterConfiguration(node: "c"))
    try await node.catchUp(timeLimit: .seconds(120))
    let time = nanoseconds(since: start) / 1e9
    precondition(node.metrics.appliedRows >= transactions * rows, "Rows are missing")
    try node.close()
    return Double(node.metrics.appliedRows) / time
  }
}
