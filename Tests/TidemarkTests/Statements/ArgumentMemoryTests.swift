import CSQLite
import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// SQLite reads text and blob arguments in the memory of the arguments, which the statement retains.
@Suite struct ArgumentMemoryTests {
  // Short strings are not objects in Swift, and empty ones have no bytes. Large values are not kept by cached statements.
  private let texts = ["", "a", "é", "fifteen letters", "sixteen letters.", String(repeating: "long", count: 2_000)]

  @Test func textsOfAllLengthsAreRebound() throws {
    try DatabaseQueue().write { db in
      try db.execute(sql: "CREATE TABLE t (a, b)")
      for _ in 1...3 {
        for text in texts {
          try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [text, Data(text.utf8)])
        }
      }
      let rows = try Row.fetchAll(db, sql: "SELECT * FROM t")
      #expect(rows.map { $0["a"] } == texts + texts + texts)
      #expect(rows.map { $0["b"] } == (texts + texts + texts).map { Data($0.utf8) })
    }
  }

  @Test func emptyTextIsNotNullWhenRebound() throws {
    try DatabaseQueue().read { db in
      let statement = try db.makeStatement(sql: "SELECT typeof(?), typeof(?)")
      for _ in 1...3 {
        let row = try Row.fetchOne(statement, arguments: ["", Data()])
        #expect(row == ["typeof(?)": "text", "typeof(?)": "blob"])
      }
    }
  }

  @Test func argumentsPersistBetweenExecutions() throws {
    try DatabaseQueue().write { db in
      try db.execute(sql: "CREATE TABLE t (a, b)")
      let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?)")
      try statement.execute(arguments: ["one", "two"])
      try statement.execute(arguments: ["the first of the two texts", "the second of the two texts"])
      try statement.execute()
      // Bound directly, as in C.
      #expect(sqlite3_step(statement.sqliteStatement) == SQLITE_DONE)
      sqlite3_reset(statement.sqliteStatement)
      try #expect(
        String.fetchAll(db, sql: "SELECT a || ', ' || b FROM t") == [
          "one, two", "the first of the two texts, the second of the two texts",
          "the first of the two texts, the second of the two texts",
          "the first of the two texts, the second of the two texts",
        ])
    }
  }

  @Test func cursorsKeepTheirArgumentsDuringOtherStatements() throws {
    try DatabaseQueue().read { db in
      let sql = "SELECT ? AS text, value FROM (SELECT 1 AS value UNION ALL SELECT 2)"
      for _ in 1...2 {
        let first = try Row.fetchCursor(db, sql: sql, arguments: ["the text of the first cursor"])
        _ = try first.next()
        let second = try Row.fetchCursor(db, sql: sql, arguments: ["the text of the second one"])
        _ = try second.next()
        let row = try #require(try first.next())
        #expect(row == ["text": "the text of the first cursor", "value": 2])
      }
    }
  }

  @Test func oversizedValuesKeepThePreviousArguments() throws {
    try DatabaseQueue().read { db in
      let statement = try db.makeStatement(sql: "SELECT ? || ?")
      for _ in 1...2 { _ = try String.fetchOne(statement, arguments: ["a text of some length", "b"]) }
      sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 1_000)
      #expect(throws: DatabaseError.self) {
        try statement.setArguments(["c", String(repeating: "d", count: 2_000)])
      }
      try #expect(String.fetchOne(statement) == "a text of some lengthb")
    }
  }

  @Test func tracesShowTheArgumentsOfEachExecution() throws {
    let trace = Locked<[String]>([])
    try DatabaseQueue().write { db in
      try db.execute(sql: "CREATE TABLE t (a)")
      db.trace { event in
        if case .statement(let statement) = event { trace.update { $0.append(statement.expandedSQL) } }
      }
      for text in ["first", "the second one", "3"] {
        try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text])
      }
      db.trace(nil)
    }
    #expect(
      trace.value == [
        "INSERT INTO t VALUES ('first')", "INSERT INTO t VALUES ('the second one')", "INSERT INTO t VALUES ('3')",
      ])
  }

  @Test func releasedRunningStatementsCanBeTraced() async throws {
    let dbQueue = try DatabaseQueue()
    let kept = Cursors()
    try await dbQueue.writeWithoutTransaction { db in
      // At the end of a statement, its trace contains its arguments.
      db.trace(options: .profile) { _ = $0.expandedDescription }
      for _ in 1...2 {
        let rows = try Row.fetchCursor(
          db, sql: "SELECT ? UNION ALL SELECT ?", arguments: ["a text of some length", "and another one"])
        _ = try rows.next()
        kept.rows.append(rows)
      }
    }
    kept.rows = []
    try await dbQueue.read { db in try #expect(Int.fetchOne(db, sql: "SELECT 1") == 1) }
  }

  /// Used by one thread after the other.
  private final class Cursors: @unchecked Sendable {
    var rows: [RowCursor] = []
  }
}
