import Testing

import Tidemark
@testable import TidemarkEssentials

/// The region that a closure reads.
@Suite struct RecordedRegionTests {
  private func recorded(_ db: Database, _ body: () throws -> Void) rethrows -> String {
    try db.recordingReads(body).readSet.region.debugDescription
  }

  @Test func fetchesAreRecordedWithTheirArguments() throws {
    try inLibrary { db throws in
      let region = try recorded(db) {
        _ = try Row.fetchAll(db, sql: "SELECT title FROM book WHERE id = ?", arguments: [1])
        _ = try Row.fetchAll(db, sql: "SELECT title FROM book WHERE id = ?", arguments: [3])
        _ = try Table("author").filter(Column("name") == "Frank").fetchCount(db)
        try db.execute(sql: "INSERT INTO author (name) VALUES ('Stanisław')")
        _ = try db.tableExists("book")
      }
      #expect(region == "author(name) where name = \"Frank\",book(id,title) where id in (1, 3)")
      #expect(recorded(db) {} == "empty")
    }
  }

  @Test func programStatementsAreRecordedAtEachRun() throws {
    try inLibrary { db throws in
      let statement = try db.makeStatement(sql: "SELECT name FROM author WHERE id > ?")
      let region = try recorded(db) {
        _ = try Row.fetchAll(statement, arguments: [5])
      }
      #expect(region == "author(id,name) where id > 5")
    }
  }

  @Test func recordingsNest() throws {
    try inLibrary { db throws in
      var inner = ""
      let outer = try recorded(db) {
        _ = try Row.fetchAll(db, sql: "SELECT name FROM author")
        inner = try recorded(db) { _ = try Row.fetchAll(db, sql: "SELECT title FROM book") }
      }
      #expect(inner == "book(title)")
      #expect(outer == "author(name),book(title)")
    }
  }

  @Test func failedReadsBelongToTheOuterClosure() throws {
    try inLibrary { db throws in
      let region = recorded(db) {
        #expect(throws: DatabaseError.self) {
          try db.recordingReads {
            _ = try Row.fetchAll(db, sql: "SELECT name FROM author")
            _ = try Row.fetchAll(db, sql: "SELECT nothing FROM author")
          }
        }
      }
      #expect(region == "author(name)")
    }
  }

  @Test func cursorRegionsDependOnTheirArguments() throws {
    try inLibrary { db throws in
      let request: SQLRequest<Int> = "SELECT id FROM book WHERE id > \(1)"
      let cursor = try request.fetchCursor(db)
      _ = try cursor.next()
      let other: SQLRequest<Int> = "SELECT id FROM book WHERE id > \(2)"
      #expect(try other.databaseRegion(db).debugDescription == "book(id) where id > 2")
      #expect(cursor.databaseRegion.debugDescription == "book(id) where id > 1")
      #expect(try cursor.next() == 3)
    }
  }

  // swift-format-ignore
  @Test func requestsWithKeysSelectTheirRows() throws {
    struct Book: TableRecord {}
    let id = Column("id")
    try inLibrary { db throws in
      try db.execute(sql: "CREATE TABLE code (k TEXT PRIMARY KEY, v)")
      func expect(_ request: some DatabaseRegionConvertible, _ region: String, line: Int = #line) throws {
        #expect(try request.databaseRegion(db).description == region, "line \(line)")
      }
      try expect(Book.filter(key: 1), "book(authorId,id,title)[1]")
      try expect(Book.filter(id == 1 && Column("title") == "x"), "book(authorId,id,title)[1]")
      try expect(Book.filter(keys: [3, 1, 2]), "book(authorId,id,title)[1,2,3]")
      try expect(Book.filter(id == 1 || id == 2), "book(authorId,id,title)[1,2]")
      try expect(Book.filter([4, 2].contains(id)), "book(authorId,id,title)[2,4]")
      try expect(Book.filter(keys: [] as [Int]), "empty")
      try expect(Book.filter(id == 1).filter(id == 2), "empty")
      try expect(Book.filter(id == nil as Int?), "empty")
      try expect(Book.none(), "empty")
      try expect(Book.select(Column("title")), "book(title)")
      try expect(Book.select(Column("title")).filter(key: 4), "book(id,title)[4]")
      try expect(Book.filter(Column.rowID == 7), "book(authorId,id,title)[7]")
      try expect(Book.filter(id > 3), "book(authorId,id,title)")
      try expect(Book.filter(id != 1), "book(authorId,id,title)")
      try expect(Book.filter(key: 1).limit(1), "book(authorId,id,title)")
      try expect(Table("code").filter(key: "a"), "code(k,v)")
      let union = try Book.filter(key: 1).databaseRegion(db).union(Book.filter(key: 2).databaseRegion(db))
      try expect(union, "book(authorId,id,title)[1,2]")
      try expect(union.union(Book.select(Column("title")).databaseRegion(db)), "book(authorId,id,title)")
    }
  }

  @Test func observedRegionsAreTables() throws {
    try inLibrary { db throws in
      try db.execute(sql: "CREATE VIEW v AS SELECT title FROM book")
      var region = try SQLRequest<Row>(sql: "SELECT * FROM v, sqlite_master").databaseRegion(db)
      region.formUnion(DatabaseRegion(tables: [TableKey("AUTHOR"): .all, TableKey("nothing"): .all]))
      let expected = "author(*),book(title),sqlite_master(name,rootpage,sql,tbl_name,type)"
      #expect(try region.observable(db).description == expected)
      #expect(try DatabaseRegion.fullDatabase.observable(db).isFullDatabase)
    }
  }
}
