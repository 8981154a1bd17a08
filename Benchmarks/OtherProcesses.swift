import CSQLite
import Foundation
import Tidemark

// The latency of live queries after commits of another process, and the cost of detecting them.
//
//     Benchmarks others [COUNT] [NORMAL|FULL] [wal|delete] [disk] [feed] [pages] [queries=COUNT] [quiet-table]
//
// The other process is this program: it commits COUNT times, with pauses of a millisecond on average, then without. It
// uses bare C, and reports when each COMMIT has returned. `disk` uses the folder of temporary files, not one in memory.
// With `feed`, both use the library, and write a change feed. With `pages`, the changed tables are found from the pages
// in the log. `queries` adds live queries that no commit concerns; with `quiet-table`, they read a table that no
// process writes.

func measureOtherProcesses(_ folder: BenchmarkFolder, _ arguments: [String]) throws {
  let count = arguments.lazy.compactMap { Int($0) }.first ?? 10_000
  let synchronous = arguments.filter { ["NORMAL", "FULL"].contains($0) }
  let mode = arguments.contains("delete") ? "delete" : "wal"
  for synchronous in synchronous.isEmpty ? ["NORMAL", "FULL"] : synchronous {
    let home = arguments.contains("disk") ? FileManager.default.temporaryDirectory.path() : folder.path("")
    let path = "\(home)/others-\(getpid())-\(synchronous).sqlite"
    defer {
      for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }
    let queryCount = arguments.lazy.compactMap { $0.hasPrefix("queries=") ? Int($0.dropFirst(8)) : nil }.first ?? 0
    let benchmark = try ExternalCommitBenchmark(path, mode, arguments, queryCount)
    print("another process commits \(count) times, synchronous = \(synchronous), journal_mode = \(mode)")
    try benchmark.measure(count, synchronous, pauseInMicroseconds: 1_000)
    try benchmark.measure(count, synchronous, pauseInMicroseconds: 0)
    benchmark.measureIdleness()
    try benchmark.close()
  }
}

private final class ExternalCommitBenchmark: @unchecked Sendable {
  private let database: any DatabaseWriter
  private let path: String
  private let lock = NSLock()
  private var deliveries: [(value: Int, time: UInt64)] = []
  private var loop: Task<Void, any Error>?
  private var others: [AnyDatabaseCancellable] = []
  private let hasFeed: Bool
  private var base = 0

  /// - Parameter queryCount: The number of live queries that no commit concerns.
  init(_ path: String, _ mode: String, _ arguments: [String], _ queryCount: Int) throws {
    self.path = path
    hasFeed = arguments.contains("feed")
    var configuration = Configuration()
    configuration.findsTablesOfExternalCommits = arguments.contains("pages")
    if hasFeed { configuration.changeFeed = ChangeFeedConfiguration() }
    database =
      try mode == "wal"
      ? DatabasePool(path: path, configuration: configuration)
      : DatabaseQueue(path: path, configuration: configuration)
    try database.write { db in
      try db.execute(sql: "CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO counter VALUES (0, 0)")
      try db.execute(sql: "CREATE TABLE quiet (id INTEGER PRIMARY KEY, n INTEGER)")
    }
    let table = arguments.contains("quiet-table") ? "quiet" : "counter"
    for id in 0..<queryCount {
      let observation = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT n FROM \(table) WHERE id = ?", arguments: [id + 1])
      }
      others.append(
        observation.start(
          in: database, scheduling: .async(onQueue: .global()), onError: { fatalError("\($0)") }, onChange: { _ in }))
    }
    let observation = ValueObservation.tracking { db in
      try Int.fetchOne(db, sql: "SELECT n FROM counter WHERE id = 0") ?? 0
    }
    let values = observation.values(in: database)
    loop = Task.detached { [weak self] in
      for try await value in values { self?.note(value) }
    }
    while last == nil { usleep(1_000) }
  }

  private var last: Int? { lock.withLock { deliveries.last?.value } }

  private func note(_ value: Int) {
    let now = timeOfAllProcesses()
    lock.withLock { deliveries.append((value, now)) }
  }

  func measure(_ count: Int, _ synchronous: String, pauseInMicroseconds pause: Int) throws {
    lock.withLock { deliveries.removeAll(keepingCapacity: true) }
    let (fetches, wakes) = (database.observationMetrics.fetchCount, database.observationMetrics.wakeCount)
    let cpu = cpuTime()
    let child = Process()
    let pipe = Pipe()
    child.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    child.arguments = ["committer", path, "\(count)", synchronous, "\(pause)"] + (hasFeed ? ["feed"] : [])
    child.standardInput = FileHandle.nullDevice
    child.standardOutput = pipe
    try child.run()
    let begin = timeOfAllProcesses()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    child.waitUntilExit()
    let seconds = Double(timeOfAllProcesses() - begin) / 1e9
    base += count
    let limit = timeOfAllProcesses() + 10_000_000_000
    while last != base, timeOfAllProcesses() < limit { usleep(1_000) }
    let usage = (cpuTime() - cpu) / 1e9 / seconds * 100
    let times = bytes.withUnsafeBytes { buffer in
      (0..<(buffer.count / 8)).map { buffer.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self) }
    }
    let metrics = database.observationMetrics
    let counts = (fetches: metrics.fetchCount - fetches, wakes: metrics.wakeCount - wakes)
    report(delays(times), seconds, counts, usage: usage, pause)
  }

  /// The times from the return of each COMMIT to the delivery of its value, or of a later one; nil for a missing value.
  private func delays(_ times: [UInt64]) -> [UInt64?] {
    let delivered = lock.withLock { deliveries }
    var place = 0
    return times.enumerated().map { index, time in
      while place < delivered.count, delivered[place].value < base - times.count + index + 1 { place += 1 }
      guard place < delivered.count else { return nil }
      return delivered[place].time > time ? delivered[place].time - time : 0
    }
  }

  private func report(
    _ delays: [UInt64?], _ seconds: Double, _ counts: (fetches: Int, wakes: Int), usage: Double, _ pause: Int
  ) {
    let known = delays.compactMap { $0 }.sorted()
    func quantile(_ part: Double) -> String {
      known.isEmpty ? "-" : microseconds(Double(known[min(known.count - 1, Int(Double(known.count) * part))]))
    }
    let late = known.count { $0 > 100_000_000 }
    print(
      pause > 0 ? "  a commit each millisecond " : "  one commit after another   ",
      "p50", quantile(0.5), "p99", quantile(0.99), "p99.9", quantile(0.999), "max", quantile(1),
      "missed", delays.count - known.count, "later than 100 ms", late)
    print(
      String(
        format: "    %.1f s, %.0f commits/s, %d wakes, %d fetches, %.1f %% of a processor", seconds,
        Double(delays.count) / seconds, counts.wakes, counts.fetches, usage))
  }

  func measureIdleness() {
    usleep(200_000)
    let (cpu, begin) = (cpuTime(), timeOfAllProcesses())
    sleep(10)
    let share = (cpuTime() - cpu) / Double(timeOfAllProcesses() - begin) * 100
    print(String(format: "  nothing happens             %.4f %% of a processor, target 0.05 %%", share))
  }

  func close() throws {
    loop?.cancel()
    others = []
    try database.close()
  }

  private func microseconds(_ nanoseconds: Double) -> String { String(format: "%.0f µs", nanoseconds / 1000) }
}

/// The other process.
func commitRepeatedly(_ arguments: [String]) throws {
  guard arguments.count >= 4, let count = Int(arguments[1]), let pause = Int(arguments[3]) else {
    print("Benchmarks committer PATH COUNT SYNCHRONOUS PAUSE [feed]")
    exit(2)
  }
  let sql = "UPDATE counter SET n = n + 1 WHERE id = 0"
  var times: [UInt64] = []
  times.reserveCapacity(count)
  func commit(_ body: () throws -> Void) throws {
    for _ in 0..<count {
      try body()
      times.append(timeOfAllProcesses())
      if pause > 0 { usleep(UInt32.random(in: 0...UInt32(2 * pause))) }
    }
  }
  if arguments.contains("feed") {
    var configuration = Configuration()
    configuration.changeFeed = ChangeFeedConfiguration()
    configuration.busyMode = .timeout(60)
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = \(arguments[2])") }
    let dbQueue = try DatabaseQueue(path: arguments[0], configuration: configuration)
    try commit { try dbQueue.write { try $0.execute(sql: sql) } }
  } else {
    let connection = try BareConnection(arguments[0])
    sqlite3_busy_timeout(connection.connection, 60_000)
    try connection.execute("PRAGMA synchronous = \(arguments[2])")
    let statement = try connection.prepare(sql)
    defer { sqlite3_finalize(statement) }
    try commit {
      let code = sqlite3_step(statement)
      sqlite3_reset(statement)
      if code != SQLITE_DONE { throw BareError(code: code) }
    }
  }
  times.withUnsafeBytes { FileHandle.standardOutput.write(Data($0)) }
}

/// A clock that all processes share.
private func timeOfAllProcesses() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
