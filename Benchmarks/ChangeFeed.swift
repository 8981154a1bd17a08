import CFeed
import Foundation
import Tidemark

// The cost of the durable change feed for the writer, compared with a feed in C (`Programs/CFeed`), and the speed of a
// consumer that catches up.
//
//     Benchmarks feed
//     Benchmarks --side library|bare feed [one|none|large|replay]
//
// With a side, only that side is run, for profilers: `none` is `one` without the feed.
//
// The program in C captures, encodes and writes the same entries. The series of all cases alternate; the result is the
// median of the ratios of a round.

func measureChangeFeed(_ folder: BenchmarkFolder, rounds: Int, _ report: Report) throws {
  let (library, libraryAlone) = (try FeedBenchmark(folder, hasFeed: true), try FeedBenchmark(folder, hasFeed: false))
  let (bare, bareAlone) = (try BareFeed(folder, hasFeed: true), try BareFeed(folder, hasFeed: false))
  func add(
    _ name: String, _ value: Double, _ unit: Figure.Unit, target: Double? = nil, bare: Double? = nil,
    library: Double? = nil
  ) {
    report.add(
      Figure(group: "change feed", name: name, value: value, unit: unit, target: target, bare: bare, library: library))
  }
  for (name, count) in [("a transaction of one row", 1), ("a transaction of 100,000 rows, per row", 100_000)] {
    var times: [[Double]] = []
    for round in 0..<(count == 1 ? 6 * rounds : rounds) {
      let works: [() throws -> Double] =
        count == 1
        ? [
          { try library.timeOfWrites(round) }, { try bare.timeOfWrites(round) },
          { try libraryAlone.timeOfWrites(round) },
          { try bareAlone.timeOfWrites(round) },
        ]
        : [
          { try library.timeOfLargeWrite() }, { try bare.timeOfLargeWrite() }, { try libraryAlone.timeOfLargeWrite() },
          { try bareAlone.timeOfLargeWrite() },
        ]
      times.append(try works.map { try $0() })
    }
    func median(_ value: ([Double]) -> Double) -> Double { times.map(value).sorted()[times.count / 2] }
    add(
      "\(name), with the feed", median { $0[0] / $0[1] }, .ratio, target: 1.3, bare: median { $0[1] },
      library: median { $0[0] })
    add("\(name): the feed alone", median { ($0[0] - $0[2]) / ($0[1] - $0[3]) }, .ratio)
    add(
      "\(name), without the feed", median { $0[2] / $0[3] }, .ratio, bare: median { $0[3] }, library: median { $0[2] })
  }
  let (rowTime, entryTime) = (try library.timeOfReplay(rowsPerEntry: 100), try library.timeOfReplay(rowsPerEntry: 1))
  add("time of a row in a replay of entries with 100 rows", rowTime, .nanoseconds, target: 1_000)
  add("time of a row in a replay of entries with 1 row", entryTime, .nanoseconds, target: 1_000)
  add(
    "time of a row when a changeset is applied", try libraryAlone.timeOfAppliedRow(), .nanoseconds, target: 10_000)
}

/// Runs one side without a comparison.
func runChangeFeed(_ folder: BenchmarkFolder, rounds: Int, side: String, name: String?) throws {
  let hasFeed = name != "none"
  let (bare, library) = (try BareFeed(folder, hasFeed: hasFeed), try FeedBenchmark(folder, hasFeed: hasFeed))
  for round in 0..<rounds {
    switch (name ?? "one", side) {
    case ("one", "bare"), ("none", "bare"): for series in 0..<20 { _ = try bare.timeOfWrites(20 * round + series) }
    case ("one", _), ("none", _): for series in 0..<20 { _ = try library.timeOfWrites(20 * round + series) }
    case ("large", "bare"): _ = try bare.timeOfLargeWrite()
    case ("large", _): _ = try library.timeOfLargeWrite()
    default: _ = try library.timeOfReplay(rowsPerEntry: 100)
    }
  }
}

private let writeCount = 2_000

private struct BareFeed {
  private let feed: OpaquePointer

  init(_ folder: BenchmarkFolder, hasFeed: Bool) throws {
    guard let feed = feed_open(folder.path("bare-feed-\(hasFeed).sqlite"), hasFeed ? 1 : 0) else {
      throw DatabaseError(message: "could not open a database")
    }
    self.feed = feed
  }

  private func check(_ code: CInt) throws {
    if code != 0 { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  func timeOfWrites(_ round: Int) throws -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try check(feed_update_series(feed, CInt(round), CInt(writeCount)))
    return Double(DispatchTime.now().uptimeNanoseconds - start) / Double(writeCount)
  }

  func timeOfLargeWrite() throws -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try check(feed_update_all(feed, 10))
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 100_000
  }
}

private final class FeedBenchmark {
  private let pool: DatabasePool

  init(_ folder: BenchmarkFolder, hasFeed: Bool) throws {
    let path = folder.path("feed-\(hasFeed)")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    var configuration = Configuration()
    if hasFeed { configuration.changeFeed = ChangeFeedConfiguration(keptByteCount: 4_000_000_000) }
    pool = try DatabasePool(path: path + "/db.sqlite", configuration: configuration)
    try pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE item (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c INTEGER, d REAL, e INTEGER);
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 10000)
          INSERT INTO item SELECT n, 'name of ' || n, 'a longer text of ' || n, n, n * 0.5, 0 FROM number;
          """)
    }
  }

  func timeOfWrites(_ round: Int) throws -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    for number in 0..<writeCount {
      let id = 1 + (round * writeCount + number) * 7919 % 10_000
      try pool.write { db in
        try db.execute(
          sql: "UPDATE item SET b = ?, c = c + 1, e = ? WHERE id = ?", arguments: ["changed \(number)", number, id])
      }
    }
    return Double(DispatchTime.now().uptimeNanoseconds - start) / Double(writeCount)
  }

  func timeOfLargeWrite() throws -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try pool.write { db in
      for _ in 0..<10 { try db.execute(sql: "UPDATE item SET c = c + 1, e = e + 1") }
    }
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 100_000
  }

  /// The time of each updated row when changes are applied.
  func timeOfAppliedRow() throws -> Double {
    let inverse = try pool.write { db in
      try db.recordingChanges { try db.execute(sql: "UPDATE item SET c = c + 1, e = e + 1") }.inverted()
    }
    let start = DispatchTime.now().uptimeNanoseconds
    try pool.write { _ = try $0.apply(inverse) }
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 10_000
  }

  /// The time of each row for a consumer that reads stored entries.
  func timeOfReplay(rowsPerEntry: Int) throws -> Double {
    let rowCount = 200_000
    let token = try pool.read { try $0.changeToken() }
    for number in 0..<(rowCount / rowsPerEntry) {
      let first = 1 + number * rowsPerEntry % 9_000
      try pool.write { db in
        try db.execute(
          sql: "UPDATE item SET c = c + 1 WHERE id BETWEEN ? AND ?", arguments: [first, first + rowsPerEntry - 1])
      }
    }
    let (time, isEnded) = (Counter(), DispatchSemaphore(value: 0))
    Task { [pool] in
      let start = DispatchTime.now().uptimeNanoseconds
      var count = 0
      for try await entry in try await pool.changes(after: token) {
        count += entry.changes.elements.count
        if count >= rowCount { break }
      }
      let duration = Int(DispatchTime.now().uptimeNanoseconds - start) / rowCount
      for _ in 0..<duration { time.add() }
      isEnded.signal()
    }
    isEnded.wait()
    return Double(time.value)
  }
}
