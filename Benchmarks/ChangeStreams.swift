import Foundation
import Tidemark

// The cost of change streams for the writer, and the speed of a consumer.
//
//     Benchmarks streams [CASE…]
//     Benchmarks --side library streams [none|one|ten]
//
// CASE is `one`, `ten`, `idle`, `other` or `large`.
//
// Each case has a pool of its own. Short series of writes to the pools alternate, so that slow phases of the machine
// affect all of them; the result is the median of the ratios to the pool without streams.

func measureChangeStreams(_ folder: BenchmarkFolder, rounds: Int, names: [String], _ report: Report) throws {
  let bare = try StreamBenchmark(folder, "none", consumerCount: 0)
  let all: [(short: String, name: String, target: Double?, make: (String) throws -> StreamBenchmark)] = [
    ("one", "time of a write with one consumer", 1.15, { try StreamBenchmark(folder, $0, consumerCount: 1) }),
    ("ten", "time of a write with ten consumers", nil, { try StreamBenchmark(folder, $0, consumerCount: 10) }),
    (
      "idle", "time of a write with a consumer that never iterates", nil,
      { try StreamBenchmark(folder, $0, consumerCount: 0, idleCount: 1) }
    ),
    (
      "other", "time of a write to another table than the stream's", nil,
      { try StreamBenchmark(folder, $0, consumerCount: 1, table: "other") }
    ),
  ]
  let cases = try all.filter { names.isEmpty || names.contains($0.short) }
    .map { (name: $0.name, benchmark: try $0.make($0.short), target: $0.target) }
  var ratios = cases.map { _ in [Double]() }
  var bareTime: [Double] = []
  for round in 0..<4 * rounds {
    let time = try bare.timeOfWrites(round)
    bareTime.append(time)
    for index in cases.indices { ratios[index].append(try cases[index].benchmark.timeOfWrites(round) / time) }
  }
  func add(_ name: String, _ value: Double, _ unit: Figure.Unit, target: Double? = nil) {
    report.add(Figure(group: "change streams", name: name, value: value, unit: unit, target: target))
  }
  for (index, found) in cases.enumerated() {
    add(found.name, ratios[index].sorted()[ratios[index].count / 2], .ratio, target: found.target)
  }
  if names.isEmpty || names.contains("large") {
    let large = try measureLargeTransaction(folder, rowCount: 1_000_000)
    add("memory of a transaction of 1,000,000 rows", large.bytes, .bytes)
    add("time of such a row, with its delivery in parts", large.time / 1_000_000, .nanoseconds)
  }
  add("time of a write without streams", bareTime.sorted()[bareTime.count / 2] / 2_000, .nanoseconds)
  add("time of a changed row for the consumer", try bare.timeOfRow(), .nanoseconds)
}

/// Runs one case without a comparison, for profilers.
func runChangeStreams(_ folder: BenchmarkFolder, rounds: Int, name: String?) throws {
  let counts = ["none": 0, "one": 1, "ten": 10]
  let benchmark = try StreamBenchmark(folder, "profiled", consumerCount: name.flatMap { counts[$0] } ?? 1)
  for round in 0..<20 * rounds { _ = try benchmark.timeOfWrites(round) }
}

/// The memory that a large transaction and its consumer need in addition, at most, and the time until all rows are
/// received.
private func measureLargeTransaction(
  _ folder: BenchmarkFolder, rowCount: Int
) throws -> (bytes: Double, time: Double) {
  let path = folder.path("stream-large")
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  let pool = try DatabasePool(path: path + "/db.sqlite")
  try pool.write { db in
    try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c INTEGER, d REAL, e INTEGER)")
  }
  let stream = try pool.changes(in: Table("item"), limits: ChangeStream.Limits(rowCount: .max))
  let (received, memory) = (Counter(), ProcessMemory.current)
  ProcessMemory.resetPeak()
  let start = DispatchTime.now().uptimeNanoseconds
  let task = Task {
    for try await part in stream { for _ in part.rows { received.add() } }
  }
  try pool.write { db in
    try db.execute(
      sql: """
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < \(rowCount))
        INSERT INTO item SELECT n, 'name of ' || n, 'a longer text of ' || n, n, n * 0.5, 0 FROM number
        """)
  }
  received.wait(for: rowCount)
  let time = Double(DispatchTime.now().uptimeNanoseconds - start)
  task.cancel()
  return (Double(ProcessMemory.peak - memory), time)
}

/// The resident memory of the process, from `/proc`.
private enum ProcessMemory {
  static var current: Int { value("VmRSS:") }
  static var peak: Int { value("VmHWM:") }

  static func resetPeak() {
    // Without `/proc`, the result is zero.
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
  }

  private static func value(_ name: String) -> Int {
    // Without `/proc`, the result is zero.
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
    return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1024 } ?? 0
  }
}

private final class StreamBenchmark: @unchecked Sendable {
  private let pool: DatabasePool
  private var idle: [ChangeStream] = []
  private var tasks: [Task<Void, any Error>] = []
  private let received = Counter()
  private let consumerCount: Int
  private static let writeCount = 2_000

  init(
    _ folder: BenchmarkFolder, _ name: String, consumerCount: Int, idleCount: Int = 0, table: String = "item"
  ) throws {
    // Writes to other files of the same folder would wake the thread that detects external commits.
    let path = folder.path("stream-\(name)")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    pool = try DatabasePool(path: path + "/db.sqlite")
    self.consumerCount = table == "item" ? consumerCount : 0
    try pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE item (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c INTEGER, d REAL, e INTEGER);
          CREATE TABLE other (id INTEGER PRIMARY KEY);
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 10000)
          INSERT INTO item SELECT n, 'name of ' || n, 'a longer text of ' || n, n, n * 0.5, 0 FROM number;
          """)
    }
    for _ in 0..<idleCount { idle.append(try pool.changes(in: Table(table))) }
    for _ in 0..<consumerCount {
      let stream = try pool.changes(in: Table(table))
      tasks.append(
        Task { [received] in
          for try await transaction in stream { for _ in transaction.rows { received.add() } }
        })
    }
  }

  deinit { for task in tasks { task.cancel() } }

  /// The wall-clock time of a series of transactions that update a row each. The consumers end it afterwards.
  func timeOfWrites(_ round: Int) throws -> Double {
    let count = received.value
    let start = DispatchTime.now().uptimeNanoseconds
    for number in 0..<Self.writeCount {
      try pool.write { db in
        let id = 1 + (round * Self.writeCount + number) * 7919 % 10_000
        try db.execute(
          sql: "UPDATE item SET b = ?, c = c + 1, e = ? WHERE id = ?", arguments: ["changed \(number)", number, id])
      }
    }
    let time = Double(DispatchTime.now().uptimeNanoseconds - start)
    received.wait(for: count + consumerCount * Self.writeCount)
    return time
  }

  /// The time of the consuming thread for each row of a large transaction.
  func timeOfRow() throws -> Double {
    let stream = try pool.changes(in: Table("item"))
    try pool.write { try $0.execute(sql: "UPDATE item SET c = c + 1, e = e + 1") }
    let (time, isEnded) = (Counter(), DispatchSemaphore(value: 0))
    Task {
      var iterator = stream.makeAsyncIterator()
      let start = DispatchTime.now().uptimeNanoseconds
      let rows = try await iterator.next()?.rows ?? []
      let duration = DispatchTime.now().uptimeNanoseconds - start
      for _ in 0..<(rows.isEmpty ? 0 : Int(duration) / rows.count) { time.add() }
      isEnded.signal()
    }
    isEnded.wait()
    return Double(time.value)
  }
}
