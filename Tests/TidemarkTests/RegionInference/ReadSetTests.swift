import Testing
import Tidemark
@testable import TidemarkEssentials

/// The region of statements, as a value that is compared quickly.
@Suite struct ReadSetTests {
  private static func books(_ column: String = "pages") throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write { try $0.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, \(column) INTEGER)") }
    return queue
  }

  private static func readSet(_ queue: DatabaseQueue, _ ids: Int..., other: String? = nil) throws -> ReadSet {
    try queue.read { db in
      try db.recordingReads {
        for id in ids { _ = try Row.fetchOne(db, sql: "SELECT * FROM book WHERE id = ?", arguments: [id]) }
        if let other { _ = try Row.fetchAll(db, sql: other) }
      }.readSet
    }
  }

  @Test func equalReadsOfTwoConnectionsAreEqual() throws {
    let (one, other) = (try Self.books(), try Self.books())
    let (first, second) = (try Self.readSet(one, 1, 2), try Self.readSet(other, 1, 2))
    #expect(first == second)
    #expect(first.region.debugDescription == "book(id,pages,title) where id in (1, 2)")
  }

  @Test func registeredRegionsCountAsRead() throws {
    let queue = try Self.books()
    try queue.read { db in
      let readSet = try db.recordingReads { try db.registerAccess(to: Table("book")) }.readSet
      #expect(readSet.region.description == "book(*)")
    }
  }

  @Test func registrationOutsideAnObservationDoesNothing() throws {
    let queue = try Self.books()
    try queue.read { db in
      func region() -> DatabaseRegion {
        Issue.record("Nobody wants to know")
        return DatabaseRegion()
      }
      try db.registerAccess(to: region())
    }
  }

  @Test func `reads after one of the full database add nothing`() throws {
    let queue = try Self.books()
    try queue.read { db in
      let readSet = try db.recordingReads {
        try db.registerAccess(to: DatabaseRegion.fullDatabase)
        _ = try Row.fetchAll(db, sql: "SELECT * FROM book")
      }.readSet
      #expect(readSet == ReadSet(.fullDatabase))
    }
  }

  @Test func differentArgumentsAreDifferentReads() throws {
    let queue = try Self.books()
    let (first, second) = (try Self.readSet(queue, 1), try Self.readSet(queue, 2))
    #expect(first != second)
  }

  @Test func differentStatementsAreDifferentReads() throws {
    let queue = try Self.books()
    let (first, second) = (try Self.readSet(queue, 1), try Self.readSet(queue, 1, other: "SELECT 1"))
    #expect(first != second)
    #expect(first.region == second.region)
  }

  @Test func differentSchemasAreDifferentReads() throws {
    let (one, other) = (try Self.books(), try Self.books("price"))
    let (first, second) = (try Self.readSet(one, 1), try Self.readSet(other, 1))
    #expect(first != second)
  }

  @Test func manyStatementsAreStoredAsARegion() throws {
    let queue = try Self.books()
    let all = try queue.read { db in
      try db.recordingReads {
        for id in 1...100 {
          _ = try Int.fetchOne(db, sql: "SELECT pages FROM book WHERE id = ?", arguments: [id])
        }
      }.readSet
    }
    for id in [1, 50, 100] {
      let one = try Self.readSet(queue, id, other: nil)
      // `SELECT *` reads more columns: here, only the table's presence counts.
      let change = RowChange(
        table: TableKey("book", in: "main"), kind: .delete, old: RowImage(rowID: Int64(id)), new: nil,
        changedColumns: nil)
      #expect(one.region.isModified(by: change))
      #expect(all.region.isModified(by: change))
    }
  }

  @Test func nestedReadsBelongToTheOuterRead() throws {
    let queue = try Self.books()
    try queue.read { db in
      var inner = ReadSet()
      let outer = try db.recordingReads {
        inner = try db.recordingReads { _ = try Int.fetchAll(db, sql: "SELECT pages FROM book") }.readSet
        _ = try Int.fetchAll(db, sql: "SELECT COUNT(*) FROM book")
      }.readSet
      #expect(inner.region.debugDescription == "book(pages)")
      #expect(outer.region == inner.region.union(outer.region))
      #expect(outer != inner)
    }
  }
}

/// The regions of several plans, each once.
@Suite struct RegionPlansTests {
  @Test func connectionsShareAPlan() throws {
    let sql = "SELECT name FROM player WHERE id = ?"
    func plan() throws -> RegionPlan {
      try DatabaseQueue().write { db in
        try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
        return try RegionInference.plan(of: db.makeStatement(sql: sql))
      }
    }
    let (one, other) = (try plan(), try plan())
    #expect(one === other)
  }

  @Test func unusedPlansAreReleased() throws {
    let plans = RegionPlans()
    weak var kept: RegionPlan?
    do {
      let plan = RegionPlan(RegionPlan.Findings())
      kept = plans.shared(plan, of: "SELECT 1")
    }
    #expect(kept == nil)
  }
}
