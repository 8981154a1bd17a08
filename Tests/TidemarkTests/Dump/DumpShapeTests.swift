import Foundation
import Testing

@testable import TidemarkEssentials
import Tidemark

/// Headers, empty results, several statements.
@Suite struct DumpShapeTests {
  @Test func `headers precede the first row`() throws {
    try inDumpedShelves { db in
      let sql: SQL = "SELECT id, note AS \"it's\" FROM item WHERE id > 2"
      try #expect(db.dumpedSQL(sql, .debug(header: true)) == "id|it's\n3|x\n")
      try #expect(db.dumpedSQL(sql, .list(header: true, separator: ", ")) == "id, it's\n3, x\n")
      try #expect(db.dumpedSQL(sql, .quote(header: true)) == "'id','it''s'\n3,'x'\n")
    }
  }

  @Test func `without rows, only JSON is written`() throws {
    try inDumpedShelves { db in
      let sql: SQL = "SELECT * FROM item WHERE 0"
      try #expect(db.dumpedSQL(sql, .debug(header: true)) == "")
      try #expect(db.dumpedSQL(sql, .list(header: true)) == "")
      try #expect(db.dumpedSQL(sql, .quote(header: true)) == "")
      try #expect(db.dumpedSQL(sql, .line()) == "")
      try #expect(db.dumpedSQL(sql, .json()) == "[]\n")
    }
  }

  @Test func `statements without columns write nothing`() throws {
    try inDumpedShelves { db in
      try #expect(db.dumpedSQL("INSERT INTO shelf VALUES (3, 'c')", .json()) == "")
      try #expect(db.dumpedSQL("INSERT INTO shelf VALUES (4, 'd') RETURNING id", .json()) == "[{\"id\":4}]\n")
      try #expect(db.dumpedSQL("SELECT count(*) FROM shelf") == "4\n")
      try #expect(db.dumpedSQL("-- nothing") == "")
    }
  }

  @Test func `columns of the library are not written, but named in headers`() throws {
    try inMemory { db in
      let sql: SQL = "SELECT 1 AS grdb_x, 2 AS a"
      try #expect(db.dumpedSQL(sql, .debug(header: true)) == "grdb_x|a\n2\n")
      try #expect(db.dumpedSQL(sql, .list(header: true)) == "grdb_x|a\n2\n")
      try #expect(db.dumpedSQL(sql, .quote(header: true)) == "'grdb_x','a'\n2\n")
      try #expect(db.dumpedSQL(sql, .line()) == "a = 2\n")
      try #expect(db.dumpedSQL(sql, .json()) == "[{\"a\":2}]\n")
      let only: SQL = "SELECT 1 AS grdb_x"
      try #expect(db.dumpedSQL(only, .debug()) == "\n")
      try #expect(db.dumpedSQL(only, .list()) == "\n")
      try #expect(db.dumpedSQL(only, .quote()) == "\n")
      try #expect(db.dumpedSQL(only, .line()) == "")
      try #expect(db.dumpedSQL(only, .json()) == "[{}]\n")
    }
  }

  @Test func `line aligns names by characters`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (id, longerName, x)")
      try db.execute(sql: "INSERT INTO t VALUES (1, 'two\nlines', NULL), (2, 'it''s', NULL)")
      try #expect(
        db.dumpedSQL("SELECT * FROM t", .line()) == """
                  id = 1
          longerName = two
          lines
                   x = 

                  id = 2
          longerName = it's
                   x = 

          """)
      try #expect(db.dumpedSQL("SELECT NULL AS a, 2 AS bbb", .line(nullValue: "nil")) == "  a = nil\nbbb = 2\n")
      try #expect(
        db.dumpedSQL("SELECT 1 AS é, 2 AS \"👨‍👩‍👧\", 3 AS ab", .line()) == " é = 1\n 👨‍👩‍👧 = 2\nab = 3\n")
    }
  }

  @Test func `JSON keeps the order of columns, and duplicates`() throws {
    try inMemory { db in
      try #expect(db.dumpedSQL("SELECT 1 AS b, 2 AS a, 3 AS a", .json()) == "[{\"b\":1,\"a\":2,\"a\":3}]\n")
    }
  }

  @Test func `pretty-printed JSON has a line for each value`() throws {
    let encoder = JSONDumpFormat.defaultEncoder
    encoder.outputFormatting.insert(.prettyPrinted)
    try inDumpedShelves { db in
      try #expect(
        db.dumpedSQL("SELECT id, label FROM shelf", .json(encoder)) == """
          [
            {
              "id":1,
              "label":"two\\nlines"
            },
            {
              "id":2,
              "label":"it's"
            }
          ]

          """)
      try #expect(db.dumpedSQL("SELECT 1 WHERE 0", .json(encoder)) == "[]\n")
    }
  }

  @Test func `several statements follow each other`() throws {
    try inMemory { db in
      let two: SQL = "SELECT 1 AS a; SELECT 2 AS b, 3 AS c"
      try #expect(db.dumpedSQL(two, .debug(header: true)) == "a\n1\nb|c\n2|3\n")
      try #expect(db.dumpedSQL(two, .json()) == "[{\"a\":1}]\n[{\"b\":2,\"c\":3}]\n")
      try #expect(db.dumpedSQL(two, .line()) == "a = 1\n\nb = 2\nc = 3\n")
      let second: SQL = "SELECT 1 AS a WHERE 0; SELECT 2 AS b;"
      try #expect(db.dumpedSQL(second, .debug(header: true)) == "b\n2\n")
      try #expect(db.dumpedSQL(second, .json()) == "[]\n[{\"b\":2}]\n")
      try #expect(db.dumpedSQL(second, .line()) == "b = 2\n")
    }
  }

  @Test func `values of literals are bound`() throws {
    try inDumpedShelves { db in
      let label = "it's"
      try #expect(db.dumpedSQL("SELECT id FROM shelf WHERE label = \(label); SELECT \(1)") == "2\n1\n")
    }
  }

  @Test func `what precedes an error is written`() throws {
    try inMemory { db in
      let stream = DumpedText()
      let text = message { try db.dumpSQL("SELECT 1; SELECT nope", to: stream) }
      #expect(text == "SQLite error 1: no such column: nope - while executing `SELECT nope`")
      #expect(stream.text == "1\n")
    }
  }

  @Test func `a margin is an empty line before the next text`() {
    let text = dumped { base in
      var stream = DumpStream(base)
      stream.write("a\n")
      stream.margin()
      stream.margin()
      stream.write("")
      stream.write("b\n")
      stream.margin()
      stream.write("\nc\n")
      stream.write("d\n")
      stream.margin()
    }
    #expect(text == "a\n\nb\n\nc\nd\n")
  }
}
