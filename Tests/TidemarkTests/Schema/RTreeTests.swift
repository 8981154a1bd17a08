import Testing
import Tidemark

/// The library's R*Tree module: `SchemaChangeSQLTests` has a module of its own with the same name.
@Suite struct RTreeTests {
  private func sql(_ module: Tidemark.RTree, _ define: @escaping (RTreeTableDefinition) -> Void) throws -> [String] {
    try statements { db in try db.create(virtualTable: "area", using: module, define) }.filter { !$0.hasPrefix("--") }
  }

  @Test func `definitions become SQL`() throws {
    let lines = try sql(RTree()) { t in
      t.id("key")
      t.auxiliaryColumn("name", .text)
      t.dimension("minX", "maxX")
      t.auxiliaryColumn("any thing")
      t.dimension("minY", "maxY")
    }
    #expect(
      lines == [
        "BEGIN IMMEDIATE TRANSACTION",
        #"CREATE VIRTUAL TABLE "area" USING rtree("key", "minX", "maxX", "minY", "maxY", +"name" TEXT, +"any thing")"#,
        "COMMIT TRANSACTION",
      ])
    let integers = try sql(RTree(.int32)) { t in t.dimension("a", "b") }
    #expect(integers[1] == #"CREATE VIRTUAL TABLE "area" USING rtree_i32("id", "a", "b")"#)
  }

  @Test func `boxes are found by their coordinates`() throws {
    try inMemory { db in
      try db.create(virtualTable: "area", using: RTree()) { t in
        t.dimension("minX", "maxX")
        t.dimension("minY", "maxY")
        t.auxiliaryColumn("name", .text)
      }
      try db.execute(
        sql: "INSERT INTO area VALUES (1, 0, 10, 0, 5, 'park'), (2, 20, 30, 0, 5, 'lake'), (3, 9, 21, 4, 6, 'path')")
      let request = Table("area").filter(Column("minX") <= 9.5 && Column("maxX") >= 9.5).order(Column("id"))
      try #expect(String.fetchAll(db, request.select(Column("name"))) == ["park", "path"])
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO area VALUES (4, 2, 1, 0, 5, '')") }
      try #expect(db.columns(in: "area").map(\.name) == ["id", "minX", "maxX", "minY", "maxY", "name"])
    }
  }

  @Test(arguments: Observed.allCases)
  func `changes of boxes are observed`(observed: Observed) throws {
    try observed.withDatabase { writer in
      try writer.write { db in
        try db.create(virtualTable: "area", using: RTree()) { t in t.dimension("minX", "maxX") }
      }
      let observation = ValueObservation.tracking { db in
        try Int.fetchAll(db, sql: "SELECT id FROM area WHERE minX <= 5 AND maxX >= 5 ORDER BY id")
      }
      let (deliveries, cancellable) = observation.collect(in: writer)
      try deliveries.wait(forLast: [])
      try writer.write { db in try db.execute(sql: "INSERT INTO area VALUES (1, 0, 10), (2, 20, 30)") }
      try deliveries.wait(forLast: [1])
      try writer.write { db in try db.execute(sql: "UPDATE area SET minX = 4 WHERE id = 2") }
      try deliveries.wait(forLast: [1, 2])
      cancellable.cancel()
    }
  }

  @Test func `a table without dimensions traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try inMemory { db in try db.create(virtualTable: "area", using: Tidemark.RTree()) }
    }
    #expect(result.words.contains("An R*Tree has 1 to 5 dimensions, not 0"))
  }
}
