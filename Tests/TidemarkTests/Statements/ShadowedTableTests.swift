import Testing

import Tidemark
@testable import TidemarkEssentials

/// A name that stands for a table of an attached database stands for another table as soon as one is made that comes
/// before it.
@Suite struct ShadowedTableTests {
  enum Maker: String, CaseIterable {
    case sameConnection, otherConnection, temporary
  }

  @Test(arguments: Maker.allCases)
  func statementsThatAreKeptReadTheTableThatTheirNameStandsFor(maker: Maker) throws {
    let folder = try TemporaryFolder()
    let dbQueue = try DatabaseQueue(path: folder.path("main"))
    let sql = "SELECT v FROM t"
    try dbQueue.inDatabase { db in
      try db.execute(sql: "ATTACH '\(folder.path("aux"))' AS aux; CREATE TABLE aux.t (v); INSERT INTO t VALUES ('aux')")
      let kept = try db.makeStatement(sql: sql)
      for _ in 0..<2 {
        #expect(try String.fetchAll(db, sql: sql) == ["aux"])
        #expect(try String.fetchAll(db.cachedStatement(sql: sql)) == ["aux"])
        #expect(try String.fetchAll(kept) == ["aux"])
        #expect(kept.databaseRegion.description == "aux.t(v)")
        #expect(try Table("t").fetchCount(db) == 1)
      }
      try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["more"])
      switch maker {
      case .sameConnection: try db.execute(sql: "CREATE TABLE main.t (v)")
      case .temporary: try db.execute(sql: "CREATE TEMP TABLE t (v)")
      case .otherConnection:
        try DatabaseQueue(path: folder.path("main")).inDatabase { try $0.execute(sql: "CREATE TABLE t (v)") }
      }
      try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["new"])
      #expect(try String.fetchAll(db, sql: sql) == ["new"])
      #expect(try String.fetchAll(db.cachedStatement(sql: sql)) == ["new"])
      #expect(try String.fetchAll(kept) == ["new"])
      #expect(kept.databaseRegion.description == (maker == .temporary ? "temp.t(v)" : "t(v)"))
      #expect(try Table("t").fetchCount(db) == 1)
      #expect(try String.fetchAll(db, sql: "SELECT v FROM aux.t") == ["aux", "more"])
    }
  }

  @Test func cursorsContinueInTheirTable() throws {
    try inMemory { db in
      try db.execute(sql: "ATTACH ':memory:' AS aux; CREATE TABLE aux.t (v); INSERT INTO t VALUES (1), (2)")
      let cursor = try Int.fetchCursor(db, sql: "SELECT v FROM t")
      #expect(try cursor.next() == 1)
      try db.execute(sql: "CREATE TABLE main.t (v)")
      #expect(try Int.fetchAll(db, sql: "SELECT v FROM t") == [])
      #expect(try cursor.next() == 2)
      #expect(try cursor.next() == nil)
    }
  }
}
