import Testing
import Tidemark

@testable import TidemarkEssentials

/// A retained report of a commit never changes, although the memory of reports that are not retained is reused for
/// the next commit.
@Suite struct RetainedChangesTests {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try DatabaseQueue()
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a)") }
  }

  /// The texts of five retained reports, after all commits.
  private func reports(_ keep: @escaping @Sendable (CommittedChanges) -> CommittedChanges?) throws -> [[String]] {
    let all = Mutex<[CommittedChanges]>([])
    let subscription = dbQueue.changeBroker.subscribe(.all) { changes in
      if let kept = keep(changes) { all.withLock { $0.append(kept) } }
    }
    for number in 1...5 {
      try dbQueue.write { db in
        for place in 0..<number {
          try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [10 * number + place, "\(number)"])
        }
      }
    }
    subscription.cancel()
    return all.withLock { $0 }.map { $0.rows.map(\.words) }
  }

  private func words(of number: Int) -> [String] {
    (0..<number).map { #"insert t #\#(10 * number + $0)(a="\#(number)" id=\#(10 * number + $0))"# }
  }

  @Test func explicitlyRetainedChangesPersist() throws {
    #expect(try reports { $0.kept() } == (1...5).map(words))
  }

  @Test func implicitlyRetainedChangesPersist() throws {
    #expect(try reports { $0 } == (1...5).map(words))
  }

  @Test func retainedChangesOutliveLaterCommits() throws {
    #expect(try reports { $0.number % 2 == 0 ? $0.kept() : nil } == [2, 4].map(words))
    try dbQueue.write { try $0.execute(sql: "DELETE FROM t") }
  }

  @Test func retainedTableChangesHaveTheirRows() throws {
    let tables = Mutex<[TableCommit]>([])
    let subscription = dbQueue.changeBroker.subscribe(.all) { changes in
      tables.withLock { $0 += changes.kept().tables }
    }
    try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'one'), (2, 'two')") }
    try dbQueue.write { try $0.execute(sql: "UPDATE t SET a = 'three' WHERE id = 2") }
    subscription.cancel()
    let words = tables.withLock { $0 }.map { table in table.rowIndexes.map { table.log.change(at: $0).words } }
    #expect(
      words == [
        [#"insert t #1(a="one" id=1)"#, #"insert t #2(a="two" id=2)"#],
        [#"update t #2(a="two" id=2) -> #2(a="three" id=2) [a]"#],
      ])
  }

  @Test func smallRetainedChangesAreCopied() throws {
    let capacities = Mutex<[Int]>([])
    let subscription = dbQueue.changeBroker.subscribe(.all) { changes in
      // The first report is released, and its memory is reused for the second one.
      guard changes.number > 1 else { return }
      let kept = changes.kept()
      capacities.withLock { $0.append(kept.log.records.capacity) }
      #expect(kept.log.hasReaders)
      kept.endReading()
      #expect(!kept.log.hasReaders)
    }
    try dbQueue.write { db in
      for number in 0..<500 { try db.execute(sql: "INSERT INTO t VALUES (?, 1)", arguments: [number]) }
    }
    try dbQueue.write { try $0.execute(sql: "DELETE FROM t WHERE id = 1") }
    subscription.cancel()
    let largest = try #require(capacities.withLock { $0.max() })
    #expect(largest < 100)
  }

  /// The logs of the commits that a closure handles. They are retained, so that each address belongs to one of them.
  private func logs(_ handle: @escaping @Sendable (CommittedChanges) -> Void) throws -> [ObjectIdentifier] {
    let logs = Mutex<[ObjectIdentifier]>([])
    let subscription = dbQueue.changeBroker.subscribe(.all) { changes in
      logs.withLock { $0.append(ObjectIdentifier(changes.log)) }
      handle(changes)
    }
    for number in 1...4 {
      try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (?, 'a')", arguments: [number]) }
    }
    subscription.cancel()
    return logs.withLock { $0 }
  }

  @Test func memoryServesAgainWhenReadingHasEnded() throws {
    let kept = Mutex<[CommittedChanges]>([])
    let logs = try logs { changes in
      // A consumer reads each commit shortly after it, before the next one.
      kept.withLock { kept in
        kept.first?.endReading()
        kept = [changes.kept()]
      }
    }
    #expect(Set(logs).count < 4)
    #expect(kept.withLock { $0 }.flatMap(\.rows).map(\.words) == [#"insert t #4(a="a" id=4)"#])
  }

  @Test func memoryServesAgainOnlyWhenAllReadersHaveEnded() throws {
    let kept = Mutex<[CommittedChanges]>([])
    let logs = try logs { changes in
      let own = changes.kept()
      own.beginReading()
      own.endReading()
      kept.withLock { $0.append(own) }
    }
    #expect(Set(logs).count == 4)
    #expect(kept.withLock { $0.map(\.rows.count) } == [1, 1, 1, 1])
    kept.withLock { $0.first?.endReading() }
    #expect(kept.withLock { $0.first?.log.hasReaders } == false)
    #expect(kept.withLock { $0.last?.log.hasReaders } == true)
  }

  @Test func aReportThatIsRetainedWithoutReadersIsNotUsedAgain() throws {
    let retained = Mutex<[CommittedChanges]>([])
    let logs = try logs { changes in
      let own = changes.kept()
      own.endReading()
      retained.withLock { $0.append(own) }
    }
    #expect(Set(logs).count == 4)
    #expect(retained.withLock { $0.flatMap(\.rows).compactMap { $0.new?.rowID } } == [1, 2, 3, 4])
  }

  @Test func memoryOfFormerReportsIsReleasedOnDemand() throws {
    let kept = Mutex<[CommittedChanges]>([])
    let subscription = dbQueue.changeBroker.subscribe(.all) { changes in kept.withLock { $0.append(changes.kept()) } }
    try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'a')") }
    weak let log = kept.withLock { $0.first?.log }
    kept.withLock { $0 = [] }
    #expect(log != nil)
    dbQueue.releaseMemory()
    #expect(log == nil)
    subscription.cancel()
  }
}
