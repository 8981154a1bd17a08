import StressSupport
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Change streams with the rows of several connections that write at once.
///
/// The order is checked by the rows themselves: the old values of a change are those that the changes before it have
/// left. A change that is missing, repeated or in another place contradicts the next change of its row.
@Suite(.serialized, .untilItHangs) struct ExternalStreamStormTests {
  @Test(arguments: Scale.seeds(daily: 6, full: 300))
  func `the rows of all connections are received in the order of their commits`(seed: UInt64) async throws {
    let run = Run("external-stream-storm", seed: seed)
    try await storm(run, seed)
    run.finish()
  }

  @Test func `a transaction that is left out is found`() async throws {
    let run = Run("external-stream-storm-control", seed: Scale.seed)
    try await storm(run, Scale.seed, dropping: 20)
    run.finishControl(planted: "transactions that are left out")
  }

  private func storm(_ run: Run, _ seed: UInt64, dropping period: Int? = nil) async throws {
    var random = RandomNumbers(seed: seed, stream: 0)
    let folder = try TestFolder()
    var configuration = Configuration()
    configuration.changeFeed = ChangeFeedConfiguration()
    configuration.busyMode = .timeout(60)
    configuration.journalMode = .wal
    configuration.groupsWrites = seed.isMultiple(of: 2)
    let own: any DatabaseWriter =
      random.once(in: 3) && period == nil
      ? try DatabaseQueue(path: folder.path("db"), configuration: configuration)
      : try DatabasePool(path: folder.path("db"), configuration: configuration)
    try await own.write { db in
      try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, value INTEGER); CREATE TABLE other (n)")
    }
    let hasStranger = random.once(in: 2) && period == nil
    let others: [any DatabaseWriter] = try [true, true, !hasStranger].map { hasFeed in
      var configuration = configuration
      if !hasFeed { configuration.changeFeed = nil }
      return try DatabasePool(path: folder.path("db"), configuration: configuration)
    }
    let streams = [
      try await own.changes(in: Table("item")), try await own.changes(),
      try await own.changes(
        in: Table("item"), limits: ChangeStream.Limits(rowCount: 3, bufferedByteCount: random.below(20_000))),
    ]
    let writeCount = Scale.of(daily: 150, full: 600)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, stream) in streams.enumerated() {
        group.addTask {
          var audit = RowAudit(run, RandomNumbers(seed: seed, stream: 20 + number), dropping: period)
          try await audit.follow(stream, in: own)
        }
      }
      try await withThrowingTaskGroup(of: Void.self) { writers in
        for (number, writer) in ([own, own] + others).enumerated() {
          writers.addTask {
            var random = RandomNumbers(seed: seed, stream: 10 + number)
            // A stranger commits rarely: each of its commits is unknown.
            let isStranger = hasStranger && number == 4
            for _ in 0..<(isStranger ? 5 : writeCount) {
              try await Self.write(writer, &random)
              if isStranger { try await Task.sleep(for: .milliseconds(random.below(20))) }
            }
          }
        }
        try await writers.waitForAll()
      }
      try await own.write { try $0.execute(sql: "INSERT INTO item VALUES (\(RowAudit.lastID), 0)") }
      try await group.waitForAll()
    }
  }

  private static func write(_ writer: any DatabaseWriter, _ random: inout RandomNumbers) async throws {
    let statements = (0..<(1 + random.below(3))).map { _ in
      let id = random.below(8)
      return switch random.below(6) {
      case 0: "DELETE FROM item WHERE id = \(id)"
      case 1: "INSERT INTO other VALUES (\(id))"
      case 2: "INSERT OR REPLACE INTO item VALUES (\(id), \(random.below(1_000)))"
      case 3: "INSERT OR IGNORE INTO item VALUES (\(id), \(random.below(1_000)))"
      default: "UPDATE item SET value = value + 1 WHERE id = \(id)"
      }
    }
    let (isUndone, hasSavepoint) = (random.once(in: 10), random.once(in: 10))
    do {
      try await writer.write { db in
        for sql in statements { try db.execute(sql: sql) }
        if hasSavepoint { try db.execute(sql: "SAVEPOINT s; UPDATE item SET value = 0; ROLLBACK TO s; RELEASE s") }
        if isUndone { throw Undone() }
      }
    } catch is Undone {}
  }

  private struct Undone: Error {}
}

/// The rows of `item`, as far as a consumer knows them.
private struct RowAudit {
  /// The last row that is inserted.
  static let lastID = 1_000

  private let run: Run
  private var random: RandomNumbers
  private let droppedPeriod: Int?

  /// The values of known rows; nil for a row that does not exist.
  private var values: [Int: Int?] = [:]
  private var count = 0

  init(_ run: Run, _ random: RandomNumbers, dropping period: Int?) {
    (self.run, self.random, droppedPeriod) = (run, random, period)
  }

  mutating func follow(_ stream: ChangeStream, in database: any DatabaseWriter) async throws {
    for try await transaction in stream {
      count += 1
      if let droppedPeriod, count % droppedPeriod == 0, !transaction.rows.isEmpty, !isLast(transaction) { continue }
      if random.once(in: 50) { try await Task.sleep(for: .microseconds(random.below(3_000))) }
      run.count(transaction.isComplete ? "complete" : "incomplete")
      if !transaction.isComplete { values = [:] }
      for row in transaction.rows where row.table.name == "item" { check(row, transaction) }
      if values[Self.lastID] != nil { break }
      if !transaction.isComplete, try await isLastRowInserted(database) { break }
    }
    let stored = try await database.read { db in
      try Row.fetchAll(db, sql: "SELECT id, value FROM item").reduce(into: [Int: Int]()) { $0[$1[0]] = $1[1] }
    }
    for (id, value) in values where stored[id] != value {
      run.problem("row \(id) is \(stored[id].words), and the stream has left \(value.words)")
    }
  }

  private func isLast(_ transaction: TransactionChanges) -> Bool {
    transaction.rows.contains { $0.table.name == "item" && $0.newValues?.first == Self.lastID.databaseValue }
  }

  private func isLastRowInserted(_ database: any DatabaseWriter) async throws -> Bool {
    try await database.read { db in
      try Int.fetchOne(db, sql: "SELECT 1 FROM item WHERE id = ?", arguments: [Self.lastID]) != nil
    }
  }

  private mutating func check(_ row: ChangedRow, _ transaction: TransactionChanges) {
    func content(_ values: [DatabaseValue]?) -> (id: Int, value: Int)? {
      guard let values, let id = Int.fromDatabaseValue(values[0]), let value = Int.fromDatabaseValue(values[1]) else {
        return nil
      }
      return (id, value)
    }
    let (old, new) = (content(row.oldValues), content(row.newValues))
    if let old { expect(old.id, old.value, row, transaction) }
    if let new, new.id != old?.id { expect(new.id, nil, row, transaction) }
    if let old { values[old.id] = .some(nil) }
    if let new { values[new.id] = .some(new.value) }
  }

  private func expect(_ id: Int, _ value: Int?, _ row: ChangedRow, _ transaction: TransactionChanges) {
    guard let known = values[id], known != value else { return }
    run.problem("row \(id) is \(known.words) before \(row), in \(transaction)")
  }
}

extension Int? {
  fileprivate var words: String { map { "\($0)" } ?? "missing" }
}
