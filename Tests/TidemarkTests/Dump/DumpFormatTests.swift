import Testing
import Tidemark

/// Formats of the program.
@Suite struct DumpFormatTests {
  /// A format that counts its calls.
  private struct Numbered: DumpFormat {
    var count = 0

    mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {
      count += 1
      let value = DatabaseValue(sqliteStatement: statement.sqliteStatement, index: 0)
      if value == "stop".databaseValue { throw Planned(number: count) }
      stream.write("\(count): \(value)\n")
    }

    mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
      stream.write("\(count) rows of \(statement.sql)\n")
    }
  }

  @Test func `each statement starts with a fresh format`() throws {
    try inMemory { db in
      try #expect(
        db.dumpedSQL("SELECT 'a' UNION SELECT 'b'; CREATE TABLE t (id); SELECT id FROM t; SELECT 3", Numbered())
          == """
          1: "a"
          2: "b"
          2 rows of SELECT 'a' UNION SELECT 'b'
          0 rows of CREATE TABLE t (id)
          0 rows of SELECT id FROM t
          1: 3
          1 rows of SELECT 3

          """)
    }
  }

  @Test func `an error of a format ends the dump`() throws {
    try inMemory { db in
      let stream = DumpedText()
      #expect(throws: Planned(number: 2)) {
        try db.dumpSQL("SELECT 'a' UNION ALL SELECT 'stop' UNION ALL SELECT 'b'", format: Numbered(), to: stream)
      }
      #expect(stream.text == "1: \"a\"\n")
      // The statement was reset: the table can be changed.
      try db.execute(sql: "CREATE TABLE t (id)")
    }
  }

  @Test func `a format can query the database`() throws {
    struct Nested: DumpFormat {
      mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {
        try stream.write("\(Int.fetchOne(db, sql: "SELECT count(*) FROM shelf") ?? 0)\n")
        let text = DumpedText()
        try db.dumpSQL("SELECT id FROM shelf", to: text)
        stream.write(text.text)
      }
      mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {}
    }
    try inDumpedShelves { db in
      try #expect(db.dumpedSQL("SELECT id FROM shelf", Nested()) == "2\n1\n2\n2\n1\n2\n")
    }
  }

  @Test func `properties of formats can be changed`() throws {
    var debug = DebugDumpFormat()
    (debug.header, debug.separator, debug.nullValue) = (true, ",", "NULL")
    var list = ListDumpFormat()
    (list.header, list.separator, list.nullValue) = (true, ";", "nil")
    var quote = QuoteDumpFormat()
    (quote.header, quote.separator) = (true, " ")
    var line = LineDumpFormat()
    line.nullValue = "-"
    try inMemory { db in
      let sql: SQL = "SELECT 1 AS a, NULL AS b"
      try #expect(db.dumpedSQL(sql, debug) == "a,b\n1,NULL\n")
      try #expect(db.dumpedSQL(sql, list) == "a;b\n1;nil\n")
      try #expect(db.dumpedSQL(sql, quote) == "'a' 'b'\n1 NULL\n")
      try #expect(db.dumpedSQL(sql, line) == "a = 1\nb = -\n")
    }
  }
}
