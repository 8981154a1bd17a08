import Testing
import Tidemark

/// Dumps of queues, pools and snapshots.
@Suite struct DumpReaderTests {
  private func expectAll(_ reader: any DatabaseReader, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let request = Dumped.Item.filter(Column("id") == 3)
    try #expect(dumped { try reader.dumpSQL("SELECT \(1)", to: $0) } == "1\n", sourceLocation: sourceLocation)
    try #expect(
      dumped { try reader.dumpRequest(request, format: .quote(), to: $0) } == "3,2,'x'\n",
      sourceLocation: sourceLocation)
    try #expect(
      dumped { try reader.dumpTables(["shelf"], format: .json(), tableHeader: .always, stableOrder: true, to: $0) }
        == #"shelf\#n[{"id":1,"label":"two\nlines"},\#n{"id":2,"label":"it's"}]\#n"#, sourceLocation: sourceLocation)
    try #expect(
      dumped { try reader.dumpSchema(to: $0) }.hasPrefix("sqlite_master\nCREATE TABLE item("),
      sourceLocation: sourceLocation)
    try #expect(
      dumped { try reader.dumpContent(format: .quote(), to: $0) }.hasSuffix("\nshelf\n1,'two\nlines'\n2,'it''s'\n"),
      sourceLocation: sourceLocation)
  }

  @Test func `all readers dump`() throws {
    let folder = try TemporaryFolder()
    let dbPool = try DatabasePool(path: folder.path("a.sqlite"))
    try dbPool.write { try $0.execute(sql: Dumped.shelves) }
    let dbQueue = try DatabaseQueue(path: folder.path("a.sqlite"))
    try expectAll(dbPool)
    try expectAll(dbQueue)
    try expectAll(try dbPool.makeSnapshot())
    try expectAll(try dbPool.makeSnapshotPool())
    try expectAll(AnyDatabaseReader(dbPool))
  }

  @Test func `a queue executes changes, a pool refuses them`() throws {
    let folder = try TemporaryFolder()
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { try $0.execute(sql: Dumped.shelves) }
    try dbQueue.dumpSQL("INSERT INTO shelf VALUES (3, 'c')", to: DumpedText())
    try #expect(dumped { try dbQueue.dumpSQL("SELECT label FROM shelf WHERE id = 3", to: $0) } == "c\n")
    let dbPool = try DatabasePool(path: folder.path("a.sqlite"))
    try dbPool.write { try $0.execute(sql: Dumped.shelves) }
    #expect(
      message { try dbPool.dumpSQL("INSERT INTO shelf VALUES (3, 'c')", to: DumpedText()) }
        == """
        SQLite error 8: attempt to write a readonly database - while executing `INSERT INTO shelf VALUES (3, 'c')`
        """)
  }

  @Test func `dumps inside an access use its connection`() throws {
    let folder = try TemporaryFolder()
    for writer in [try DatabaseQueue(), try DatabasePool(path: folder.path("a.sqlite"))] as [any DatabaseWriter] {
      try writer.write { db in
        try db.execute(sql: Dumped.shelves)
        try expectAll(writer)
      }
      try writer.read { _ in try expectAll(writer) }
    }
  }

  @Test func `a closed database throws`() throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.close()
    #expect(message { try dbQueue.dumpContent(to: DumpedText()) } == closedMessage)
  }

  @Test func `a dump is interrupted by the time limit of its access`() throws {
    let dbQueue = try DatabaseQueue()
    let endless: SQL = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    let text = message {
      try dbQueue.write { db in
        try db.withTimeLimit(.milliseconds(50)) { try db.dumpSQL(endless, format: .quote(), to: DumpedText()) }
      }
    }
    #expect(text.hasPrefix("SQLite error 9: "))
  }
}
