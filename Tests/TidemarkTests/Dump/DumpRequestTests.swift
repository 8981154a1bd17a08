import TestSupport
import Testing
import Tidemark

private typealias Shelf = Dumped.Shelf
private typealias Item = Dumped.Item
private typealias Part = Dumped.Part
private let id = Column("id")

/// Dumps of requests, and of prefetched associations.
@Suite(.untilItHangs) struct DumpRequestTests {
  @Test func `all columns are written`() throws {
    try inDumpedShelves { db in
      try #expect(db.dumpedRequest(Item.order(id)) == "1|1|n1\n2|1|\n3|2|x\n")
      try #expect(
        db.dumpedRequest(Item.including(required: Item.shelf).filter(id > 2), .debug(header: true))
          == "id|shelfId|note|id|label\n3|2|x|2|it's\n")
      let adapted = Item.filter(id == 3).adapted { _ in SuffixRowAdapter(fromIndex: 1) }
      try #expect(db.dumpedRequest(adapted) == "3|2|x\n")
      try #expect(db.dumpedRequest(SQLRequest<Row>("SELECT \(1)")) == "1\n")
      try #expect(db.dumpedRequest(AnyFetchRequest(Item.filter(id == 3))) == "3|2|x\n")
      // No limit is added.
      try #expect(trace(db) { _ = try db.dumpedRequest(Item.all()) } == [#"SELECT * FROM "item""#])
    }
  }

  @Test func `prefetched rows follow`() throws {
    try inDumpedShelves { db in
      let request = Shelf.order(id).including(all: Shelf.items.order(id))
      try #expect(db.dumpedRequest(request) == "1|two\nlines\n2|it's\n\nitems\n1|1|n1\n2|1|\n3|2|x\n")
      try #expect(
        db.dumpedRequest(request, .quote(header: true)) == """
          'id','label'
          1,'two
          lines'
          2,'it''s'

          items
          'id','shelfId','note','grdb_shelfId'
          1,1,'n1'
          2,1,NULL
          3,2,'x'

          """)
      try #expect(
        db.dumpedRequest(Shelf.filter(id == 2).including(all: Shelf.items), .json()) == """
          [{"id":2,"label":"it's"}]

          items
          [{"id":3,"shelfId":2,"note":"x"}]

          """)
      try #expect(
        db.dumpedRequest(Shelf.filter(id == 2).including(all: Shelf.items), .line()) == """
             id = 2
          label = it's

          items
               id = 3
          shelfId = 2
             note = x

          """)
    }
  }

  @Test func `prefetched rows are named by their keys`() throws {
    try inDumpedShelves { db in
      let through = Shelf.filter(id == 2).including(all: Shelf.parts.order(id))
      try #expect(db.dumpedRequest(through) == "2|it's\n\nitems.parts\n2|3|p2\n3|3|p3\n")
      let nested = Shelf.filter(id == 2).including(all: Shelf.items.including(all: Item.parts.order(id)))
      try #expect(db.dumpedRequest(nested) == "2|it's\n\nitems\n3|2|x\n\nparts\n2|3|p2\n3|3|p3\n")
      let joined = Item.filter(id == 3).including(required: Item.shelf.including(all: Shelf.items.forKey("others")))
      try #expect(db.dumpedRequest(joined) == "3|2|x|2|it's\n\nshelf.others\n3|2|x\n")
      let two = Item.filter(id == 3).including(all: Item.parts.filter(id == 2).forKey("first"))
        .including(all: Item.parts.filter(id == 3).forKey("last"))
      try #expect(db.dumpedRequest(two) == "3|2|x\n\nfirst\n2|3|p2\n\nlast\n3|3|p3\n")
    }
  }

  @Test func `without rows, nothing is prefetched`() throws {
    try inDumpedShelves { db in
      let request = Shelf.filter(id == 9).including(all: Shelf.items)
      try #expect(db.dumpedRequest(request) == "")
      try #expect(db.dumpedRequest(request, .json()) == "[]\n")
      try #expect(db.dumpedRequest(Item.filter(id == 2).including(all: Item.parts)) == "2|1|\n\nparts\n")
    }
  }

  @Test func `each statement runs once`() throws {
    try inDumpedShelves { db in
      let statements = try trace(db) {
        _ = try db.dumpedRequest(Shelf.order(id).including(all: Shelf.items.order(id).including(all: Item.parts)))
      }
      #expect(
        statements == [
          #"SELECT * FROM "shelf" ORDER BY "id""#,
          #"SELECT *, "shelfId" AS "grdb_shelfId" FROM "item" WHERE "shelfId" IN (1, 2) ORDER BY "id""#,
          #"SELECT *, "itemId" AS "grdb_itemId" FROM "part" WHERE "itemId" IN (1, 2, 3)"#,
        ])
    }
  }

  @Test func `foreign keys of several columns are prefetched`() throws {
    struct Plot: TableRecord { static let trees = hasMany(Tree.self) }
    struct Tree: TableRecord {}
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE plot (x INTEGER, y INTEGER, PRIMARY KEY (x, y));
          CREATE TABLE tree (name TEXT, x INTEGER, y INTEGER, FOREIGN KEY (x, y) REFERENCES plot (x, y));
          INSERT INTO plot VALUES (1, 2), (3, 4);
          INSERT INTO tree VALUES ('oak', 1, 2), ('elm', 3, 4);
          """)
      try #expect(
        db.dumpedRequest(Plot.filter(Column("x") == 3).including(all: Plot.trees), .debug(header: true)) == """
          x|y
          3|4

          trees
          name|x|y|grdb_x|grdb_y
          elm|3|4

          """)
    }
  }

  @Test func `a request without the columns that lead to prefetched rows throws`() throws {
    try inDumpedShelves { db in
      let request = Shelf.select(Column("label")).including(all: Shelf.items)
      #expect(
        message { _ = try db.dumpedRequest(request) } == """
          SQLite error 21: Missing column: id. A request that prefetches associated rows selects the columns that lead \
          to them.
          """)
    }
  }

  @Test func `dumped requests are observed`() async throws {
    let dbQueue = try DatabaseQueue()
    try await dbQueue.write { try $0.execute(sql: Dumped.shelves) }
    let observation = ValueObservation.tracking { db in
      try db.dumpedRequest(Shelf.filter(id == 2).including(all: Shelf.items.select(Column("note"))))
    }
    var values = observation.values(in: dbQueue).makeAsyncIterator()
    #expect(try await values.next() == "2|it's\n\nitems\nx\n")
    try await dbQueue.write { try $0.execute(sql: "UPDATE item SET note = 'y' WHERE id = 3") }
    #expect(try await values.next() == "2|it's\n\nitems\ny\n")
  }
}
