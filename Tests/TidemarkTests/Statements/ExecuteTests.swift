import Foundation
import Testing
import Tidemark

/// `execute`: one statement, or several.
@Suite struct ExecuteTests {
  @Test func positionalValuesAreDistributedAndNamesShared() throws {
    try DatabaseQueue().inDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE t (a, b);
          INSERT INTO t VALUES (?, :n);
          ;
          INSERT INTO t VALUES (:n, ?); -- the end
          """, arguments: StatementArguments(["n": "x"]) + [1, 2])
      #expect(try Row.fetchAll(db, sql: "SELECT * FROM t").map(\.description) == ["[a:1 b:\"x\"]", "[a:\"x\" b:2]"])
    }
  }

  @Test func manyStatementsRun() throws {
    let padding = String(repeating: "x", count: 200)
    let script = (0..<1000).map { "INSERT INTO t VALUES (\($0), '\(padding)');\n" }.joined()
    try DatabaseQueue().inDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t (a, b)")
      try db.execute(sql: script)
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 1000)
      let statements = try db.allStatements(sql: script)
      var count = 0
      while try statements.next() != nil { count += 1 }
      #expect(count == 1000)
    }
  }

  @Test func allRowsOfAStatementAreStepped() throws {
    try DatabaseQueue().inDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t (a)")
      try db.execute(sql: "INSERT INTO t VALUES (1), (2), (3) RETURNING a")
      #expect(db.changesCount == 3)
    }
  }

  @Test func countsFollowSQLite() throws {
    try DatabaseQueue.withBooks().inDatabase { db throws in
      try db.execute(sql: "INSERT INTO book (id, title) VALUES (41, 'a'), (42, 'b')")
      #expect(db.lastInsertedRowID == 42)
      #expect(db.changesCount == 2)
      #expect(db.totalChangesCount == 2)
      try db.execute(sql: "UPDATE book SET pages = 1 WHERE id = 41")
      #expect(db.changesCount == 1)
      #expect(db.totalChangesCount == 3)
      try db.execute(sql: "DELETE FROM book")
      #expect(db.changesCount == 2)
      #expect(db.totalChangesCount == 5)
      #expect(db.lastInsertedRowID == 42)
    }
  }

  @Test func triggersDoNotCountAsChanges() throws {
    try DatabaseQueue.withBooks().inDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE log (text);
          CREATE TRIGGER tr AFTER INSERT ON book BEGIN INSERT INTO log VALUES ('a'), ('b'); END
          """)
      try db.execute(sql: "INSERT INTO book (title) VALUES ('Dune')")
      #expect(db.changesCount == 1)
      #expect(db.totalChangesCount == 3)
    }
  }

  @Test func failedStatementsAreReusable() throws {
    try DatabaseQueue.withBooks().inDatabase { db throws in
      let sql = "INSERT INTO book (title) VALUES (?)"
      let statement = try db.makeStatement(sql: sql)
      try statement.execute(arguments: ["Dune"])
      #expect(throws: DatabaseError.self) { try statement.execute(arguments: ["Dune"]) }
      try statement.execute(arguments: ["Solaris"])
      try db.execute(sql: sql, arguments: ["Ubik"])
      #expect(throws: DatabaseError.self) { try db.execute(sql: sql, arguments: ["Ubik"]) }
      try db.execute(sql: sql, arguments: ["Valis"])
      #expect(try db.titles() == ["Dune", "Solaris", "Ubik", "Valis"])
    }
  }

  @Test func errorsShowSQLAndPublicArguments() throws {
    let plain = """
      SQLite error 19: NOT NULL constraint failed: book.title - while executing `INSERT INTO book (title) VALUES (?)`
      """
    for isPublic in [false, true] {
      var configuration = Configuration()
      configuration.publicStatementArguments = isPublic
      try DatabaseQueue.withBooks(configuration).inDatabase { db throws in
        let text = message { try db.execute(sql: "INSERT INTO book (title) VALUES (?);", arguments: [nil]) }
        #expect(text == (isPublic ? plain + " with arguments [NULL]" : plain))
      }
    }
  }

  @Test func errorsHaveExtendedCodes() throws {
    try DatabaseQueue.withBooks().inDatabase { db throws in
      let error = #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO book (title) VALUES ('a'), ('a')")
      }
      #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
      #expect(error?.resultCode == .SQLITE_CONSTRAINT)
    }
  }
}
