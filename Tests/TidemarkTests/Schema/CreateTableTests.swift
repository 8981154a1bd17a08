import Foundation
import Testing
import Tidemark

/// The exact SQL of `create(table:)`.
@Suite struct CreateTableTests {
  @Test func columnsHaveTypes() throws {
    let lines = try table { t in
      t.column("none")
      t.column("a", .text)
      t.column("b", .integer)
      t.column("c", .double)
      t.column("d", .real)
      t.column("e", .numeric)
      t.column("f", .boolean)
      t.column("g", .blob)
      t.column("h", .date)
      t.column("i", .datetime)
      t.column("j", .any)
      t.column("k", .jsonText)
      t.column("l", Database.ColumnType(rawValue: "VARCHAR(10)"))
    }
    #expect(
      lines == [
        #"("none", "a" TEXT, "b" INTEGER, "c" DOUBLE, "d" REAL, "e" NUMERIC, "f" BOOLEAN, "g" BLOB, "h" DATE, "#
          + #""i" DATETIME, "j" ANY, "k" TEXT, "l" VARCHAR(10))"#
      ])
  }

  @Test func columnsHaveConstraints() throws {
    let lines = try table { t in
      t.column("a", .text).notNull().unique().defaults(to: "it's").collate(.nocase)
      t.column("b", .integer).notNull(onConflict: .ignore).unique(onConflict: .replace)
      t.column("c", .integer).check { "\($0) > \(0)" as SQL }.check(sql: "c < 10")
      t.column("d", .datetime).defaults(sql: "CURRENT_TIMESTAMP")
      t.column("g", .blob).defaults(to: Data([1]))
      t.column("i", .text).defaults(to: nil as String?)
    }
    #expect(
      lines == [
        #"("a" TEXT NOT NULL UNIQUE DEFAULT 'it''s' COLLATE NOCASE, "#
          + #""b" INTEGER NOT NULL ON CONFLICT IGNORE UNIQUE ON CONFLICT REPLACE, "#
          + #""c" INTEGER CHECK ("c" > 0) CHECK (c < 10), "d" DATETIME DEFAULT CURRENT_TIMESTAMP, "#
          + #""g" BLOB DEFAULT X'01', "i" TEXT DEFAULT NULL)"#
      ])
  }

  @Test func callOrderDoesNotMatter() throws {
    let lines = try table { t in
      t.column("a", .text).references("reader").collate(.rtrim).defaults(to: 1.5).unique().notNull().primaryKey()
    }
    #expect(
      lines == [
        #"("a" TEXT PRIMARY KEY NOT NULL UNIQUE DEFAULT 1.5 COLLATE RTRIM REFERENCES "reader"("id"))"#
      ])
  }

  @Test func generatedColumnsBuildSQL() throws {
    let lines = try table { t in
      t.column("a", .integer)
      t.column("g1", .integer).generatedAs("\(Column("a")) + \(1)" as SQL)
      t.column("g2").generatedAs(sql: "a * 2", .stored)
      t.column("g3", .text).notNull().generatedAs(SQL("LENGTH(\(Column("a")))"), .virtual)
    }
    #expect(
      lines == [
        #"("a" INTEGER, "g1" INTEGER GENERATED ALWAYS AS ("a" + 1) VIRTUAL, "#
          + #""g2" GENERATED ALWAYS AS (a * 2) STORED, "#
          + #""g3" TEXT NOT NULL GENERATED ALWAYS AS (LENGTH("a")) VIRTUAL)"#
      ])
  }

  @Test func tablesHaveConstraints() throws {
    let lines = try table { t in
      t.column("a")
      t.column("b")
      t.primaryKey(["a", "b"], onConflict: .replace)
      t.uniqueKey(["b", "a"])
      t.uniqueKey(["b"], onConflict: .ignore)
      t.check("\(Column("a")) > \(Column("b"))" as SQL)
      t.check(sql: "a <> 3")
      t.constraint(sql: "CHECK (b > 1)")
      t.constraint(literal: "CHECK (b > \("it's"))")
      t.column(sql: "z INTEGER NOT NULL")
      t.column(literal: "y INTEGER DEFAULT \(7)")
    }
    #expect(
      lines == [
        #"("a", "b", z INTEGER NOT NULL, y INTEGER DEFAULT 7, PRIMARY KEY ("a", "b") ON CONFLICT REPLACE, "#
          + #"UNIQUE ("b", "a"), UNIQUE ("b") ON CONFLICT IGNORE, CHECK ("a" > "b"), CHECK (a <> 3), "#
          + #"CHECK (b > 1), CHECK (b > 'it''s'))"#
      ])
  }

  @Test func theDefaultConflictPolicyIsNotWritten() throws {
    let lines = try table { t in
      t.primaryKey("id", .integer, onConflict: .abort).notNull(onConflict: .abort)
      t.column("a", .text).unique(onConflict: .abort)
      t.uniqueKey(["id", "a"], onConflict: .abort)
    }
    #expect(
      lines == [#"("id" INTEGER PRIMARY KEY NOT NULL, "a" TEXT UNIQUE, UNIQUE ("id", "a"))"#])
  }

  @Test func primaryKeysBuildSQL() throws {
    #expect(try table { $0.autoIncrementedPrimaryKey("id") } == [#"("id" INTEGER PRIMARY KEY AUTOINCREMENT)"#])
    #expect(
      try table { $0.autoIncrementedPrimaryKey("id", onConflict: .fail) } == [
        #"("id" INTEGER PRIMARY KEY ON CONFLICT FAIL AUTOINCREMENT)"#
      ])
    #expect(try table { $0.primaryKey("k", .text) } == [#"("k" TEXT PRIMARY KEY NOT NULL)"#])
    #expect(try table { $0.primaryKey("k", .integer) } == [#"("k" INTEGER PRIMARY KEY)"#])
    #expect(
      try table { $0.primaryKey("k", .text, onConflict: .replace) } == [
        #"("k" TEXT PRIMARY KEY ON CONFLICT REPLACE NOT NULL)"#
      ])
  }

  @Test func compositePrimaryKeysBuildSQL() throws {
    let lines = try table { t in
      t.primaryKey(onConflict: .fail) {
        t.column("a", .text)
        t.belongsTo("book", onDelete: .cascade)
        t.belongsTo("reading")
      }
      t.column("b")
    }
    #expect(
      lines == [
        #"("a" TEXT NOT NULL, "bookId" INTEGER NOT NULL REFERENCES "book"("id") ON DELETE CASCADE, "#
          + #""readingBookId" INTEGER NOT NULL, "readingReaderId" TEXT NOT NULL, "b", "#
          + #"PRIMARY KEY ("a", "bookId", "readingBookId", "readingReaderId") ON CONFLICT FAIL, "#
          + #"FOREIGN KEY ("readingBookId", "readingReaderId") REFERENCES "reading"("bookId", "readerId"))"#
      ])
  }

  @Test func tableOptionsBuildSQL() throws {
    let lines = try statements { db in
      try db.create(table: "t", options: [.temporary, .ifNotExists, .withoutRowID, .strict]) { t in
        t.primaryKey("a", .text)
        t.column("b", .any).indexed()
      }
    }
    #expect(
      lines == [
        #"CREATE TEMPORARY TABLE IF NOT EXISTS "t" ("a" TEXT PRIMARY KEY NOT NULL, "b" ANY) STRICT, WITHOUT ROWID"#,
        #"CREATE INDEX IF NOT EXISTS "t_on_b" ON "t"("b")"#,
      ])
  }

  @Test func deprecatedFormHasTheSameOptions() throws {
    let lines = try statements { db in
      try db.create(table: "t", temporary: true, ifNotExists: true, withoutRowID: true) { $0.primaryKey("a", .text) }
    }
    #expect(lines == [#"CREATE TEMPORARY TABLE IF NOT EXISTS "t" ("a" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID"#])
  }

  @Test func columnsAreIndexed() throws {
    let lines = try table { t in
      t.column("b", .text).indexed()
      t.column("a", .text).unique().indexed()
    }
    #expect(
      lines == [
        #"("b" TEXT, "a" TEXT UNIQUE)"#, #"CREATE INDEX "t_on_b" ON "t"("b")"#, #"CREATE INDEX "t_on_a" ON "t"("a")"#,
      ])
  }

  @Test func defaultValuesAreWritten() throws {
    let lines = try table { t in
      t.column("a").defaults(to: true)
      t.column("b").defaults(to: Int64.min)
      t.column("c").defaults(to: 0.1)
      t.column("d").defaults(to: Double.infinity)
      t.column("e").defaults(to: -Double.infinity)
      t.column("f").defaults(to: Date(timeIntervalSince1970: 0))
    }
    #expect(
      lines == [
        #"("a" DEFAULT 1, "b" DEFAULT -9223372036854775808, "c" DEFAULT 0.1, "d" DEFAULT 9e999, "#
          + #""e" DEFAULT -9e999, "f" DEFAULT '1970-01-01 00:00:00.000')"#
      ])
  }

  @Test func defaultValuesRoundTrip() throws {
    let values: [DatabaseValue] = [
      .null, 1.databaseValue, Int64.min.databaseValue, 0.1.databaseValue, 1e300.databaseValue,
      Double.infinity.databaseValue, (-Double.infinity).databaseValue, "".databaseValue,
      "it's \"é\" -- ?".databaseValue,
      Data().databaseValue, Data([0, 255, 39]).databaseValue, (1 / 3.0).databaseValue,
      Double.leastNonzeroMagnitude.databaseValue,
    ]
    try inMemory { db in
      try db.create(table: "t") { t in
        t.primaryKey("id", .integer)
        for (index, value) in values.enumerated() { t.column("c\(index)").defaults(to: value) }
      }
      try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM t"))
      #expect(Array(row.databaseValues.dropFirst()) == values)
    }
  }

  @Test func unrepresentableTextsAreRefused() throws {
    try inMemory { db in
      let text = message { try db.create(table: "t") { $0.column("a").defaults(to: "a\0b") } }
      #expect(
        text == "SQLite error 21: a text with a NUL character cannot be written in a schema: remove the character")
    }
  }

  @Test func argumentsOfRawSQLAreWrittenAsLiterals() throws {
    let lines = try table { t in
      t.column("a")
      t.constraint(literal: SQL(sql: "CHECK (a <> ? AND a <> '?' AND a <> :b)", arguments: [1] + ["b": "x"]))
    }
    #expect(lines == [#"("a", CHECK (a <> 1 AND a <> '?' AND a <> 'x'))"#])
    try inMemory { db in
      let text = message {
        try db.create(table: "t") { $0.constraint(literal: SQL(sql: "CHECK (a > ?)", arguments: [1, 2])) }
      }
      #expect(text.contains("wrong number of statement arguments: 2"))
    }
  }

  @Test func namesMayContainQuotes() throws {
    try inMemory { db in
      try db.create(table: #"a "b""#) { t in
        t.autoIncrementedPrimaryKey(#"the "id""#)
        t.column(#"x "y""#, .text).notNull().indexed().check { SQL("\($0) <> ''") }
        t.uniqueKey([#"x "y""#])
      }
      #expect(try db.columns(in: #"a "b""#).map(\.name) == [#"the "id""#, #"x "y""#])
      #expect(try db.indexes(on: #"a "b""#).map(\.name).contains(#"a "b"_on_x "y""#))
      try db.alter(table: #"a "b""#) { $0.rename(column: #"x "y""#, to: #"z""#) }
      try db.rename(table: #"a "b""#, to: #"c""#)
      try db.drop(indexOn: #"c""#, columns: [#"z""#])
      try db.drop(table: #"c""#)
    }
  }

  @Test func errorsInTheBodyCreateNothing() throws {
    let lines = try statements { db in
      #expect(throws: Planned.self) {
        try db.create(table: "t") { t in
          t.column("a")
          throw Planned()
        }
      }
    }
    #expect(lines.isEmpty)
  }

  @Test func existingTablesThrow() throws {
    try inLibrary { db in
      let text = message { try db.create(table: "book") { $0.column("a") } }
      #expect(
        text == #"SQLite error 1: table "book" already exists - while executing `CREATE TABLE "book" ("a")`"#)
      try db.create(table: "book", options: .ifNotExists) { $0.column("a") }
      #expect(try db.columns(in: "book").count == 3)
    }
  }

  @Test(arguments: 0..<3)
  func severalPrimaryKeysTrap(way: Int) async {
    let words = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [way] in
      try DatabaseQueue().write { db in
        try db.create(table: "t") { t in
          t.column("a")
          switch way {
          case 0:
            t.primaryKey(["a"])
            t.primaryKey(["a"])
          case 1:
            t.autoIncrementedPrimaryKey("id")
            t.primaryKey { t.column("b") }
          default:
            t.primaryKey("b", .text)
            t.autoIncrementedPrimaryKey("id")
          }
        }
      }
    }.words
    #expect(words.contains("can't define several primary keys"))
  }
}
