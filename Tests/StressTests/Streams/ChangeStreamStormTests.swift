import StressSupport
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Consumers of change streams, while several tasks write, and another pool writes to the same file.
@Suite(.serialized, .untilItHangs) struct ChangeStreamStormTests {
  /// Each commit is an element, or included in one that says that changes are missing: the versions of the elements
  /// follow each other without a gap.
  @Test(arguments: Scale.seeds(daily: 4, full: 100))
  func `each consumer knows about each version`(seed: UInt64) async throws {
    let run = Run("change-stream-storm", seed: seed)
    let folder = try TestFolder()
    var configuration = Configuration()
    configuration.groupsWrites = seed.isMultiple(of: 2)
    let pool = try DatabasePool(path: folder.path("db"), configuration: configuration)
    try await pool.write { try $0.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, writer INTEGER)") }
    let other = try DatabasePool(path: folder.path("db"))
    let writeCount = Scale.of(daily: 300, full: 2_000)
    let streams = [
      try await pool.changes(),
      try await pool.changes(limits: ChangeStream.Limits(bufferedByteCount: 3_000)),
      try await pool.changes(in: Table("item"), limits: ChangeStream.Limits(rowCount: 2)),
    ]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, stream) in streams.enumerated() {
        group.addTask {
          var audit = VersionAudit(run, RandomNumbers(seed: seed, stream: number), isSlow: number == 1)
          try await audit.follow(stream, in: pool)
        }
      }
      for (number, writer) in [pool, pool, other].enumerated() {
        group.addTask {
          var random = RandomNumbers(seed: seed, stream: 10 + number)
          for _ in 0..<writeCount { try await Self.write(writer, number, &random) }
          try await writer.write { try $0.execute(sql: "INSERT INTO item (writer) VALUES (-1)") }
        }
      }
      try await group.waitForAll()
    }
    run.finish()
  }

  private static func write(_ pool: DatabasePool, _ number: Int, _ random: inout RandomNumbers) async throws {
    let count = 1 + random.below(4)
    let isUndone = random.once(in: 8)
    if random.once(in: 40) { try await Task.sleep(for: .microseconds(random.below(3_000))) }
    do {
      try await pool.write { db in
        for _ in 0..<count { try db.execute(sql: "INSERT INTO item (writer) VALUES (?)", arguments: [number]) }
        if isUndone { throw Undone() }
      }
    } catch is Undone {}
  }

  private struct Undone: Error {}
}

/// The versions of a database that a consumer has received.
private struct VersionAudit {
  private let run: Run
  private var random: RandomNumbers
  private let isSlow: Bool
  private var last: DatabaseVersion?
  private var isLastOwn = false

  init(_ run: Run, _ random: RandomNumbers, isSlow: Bool) {
    (self.run, self.random, self.isSlow) = (run, random, isSlow)
  }

  /// Receives transactions until all writers have ended.
  mutating func follow(_ stream: ChangeStream, in pool: DatabasePool) async throws {
    for try await transaction in stream {
      check(transaction)
      if isSlow, random.once(in: 10) { try await Task.sleep(for: .microseconds(random.below(2_000))) }
      let ended = try await pool.read { db in
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM item WHERE writer = -1")
      }
      if ended == 3, let last, let version = try await pool.databaseVersion(), last >= version { return }
    }
  }

  private mutating func check(_ transaction: TransactionChanges) {
    guard let versions = transaction.versions else {
      return run.problem("an element without a version: \(transaction)")
    }
    run.count(transaction.isComplete ? "complete" : "incomplete")
    if transaction.isComplete, versions.lowerBound != versions.upperBound {
      run.problem("a complete transaction has several versions: \(transaction)")
    }
    // Transactions that were committed together have one version.
    let isOwn = ![.incomplete(.externalCommit), .incomplete(.missed)].contains(transaction.completeness)
    let isTogether = isOwn && isLastOwn && versions.lowerBound == last
    isLastOwn = isOwn
    if let last, versions.lowerBound.number != last.number + 1, !isTogether {
      run.problem("version \(last) is followed by \(versions.lowerBound), \(transaction.completeness)")
    }
    last = versions.upperBound
  }
}
