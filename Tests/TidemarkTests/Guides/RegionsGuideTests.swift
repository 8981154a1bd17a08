import Testing
import Tidemark

/// The code of Documentation/Regions.md.
@Suite struct RegionsGuideTests {
  @Test func regionsExampleWorks() throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, pages INTEGER)")

      let statement = try db.makeStatement(sql: "SELECT title FROM book WHERE pages > ?")
      statement.arguments = [500]
      print(statement.databaseRegion)  // book(pages,title)
      print(statement.databaseRegion.debugDescription)  // book(pages,title) where pages > 500
      #expect(statement.databaseRegion.description == "book(pages,title)")
      #expect(statement.databaseRegion.debugDescription == "book(pages,title) where pages > 500")

      let request = Table("book").filter(keys: [1, 2])
      let region = try request.databaseRegion(db)
      print(region)  // book(id,pages,title)[1,2]

      let isModified = region.isModified(byEventsOfKind: .insert(tableName: "book"))  // true
      #expect(isModified)
      #expect(region.description == "book(id,pages,title)[1,2]")
    }
  }
}
