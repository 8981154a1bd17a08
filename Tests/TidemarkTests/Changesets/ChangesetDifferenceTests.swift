import Foundation
import Testing
import Tidemark

@testable import TidemarkEssentials

/// `Changeset(from:to:)`.
@Suite struct ChangesetDifferenceTests {
  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, upper AS (upper(name)));
    CREATE TABLE tag (a TEXT COLLATE NOCASE, b, v, PRIMARY KEY (b, a)) WITHOUT ROWID;
    CREATE TABLE log (text);
    """

  private func withTwo<T>(_ old: String, _ new: String, _ body: (Database, Database) throws -> T) throws -> T {
    try inMemory { first in
      try first.execute(sql: old)
      return try inMemory { second in
        try second.execute(sql: new)
        return try body(first, second)
      }
    }
  }

  @Test func `the difference leads from one database to the other`() throws {
    try withTwo(
      """
      \(Self.schema); INSERT INTO player VALUES (1, 'Ada'), (2, 'Bob'), (4, 'Dan');
      INSERT INTO tag VALUES ('x', 1, 'v'), ('Y', 1, 'v'), ('a', 'n', 'v'), ('z', 2.5, 'v');
      INSERT INTO log VALUES ('a'), ('b'); PRAGMA user_version = 1
      """,
      """
      \(Self.schema); INSERT INTO player VALUES (2, 'Bert'), (3, 'Cid'), (4, 'Dan'), (9, 'Eve');
      DELETE FROM player WHERE id = 9;
      INSERT INTO tag VALUES ('x', 1, 'w'), ('y', 1, 'v'), ('z', 2.5, 'v'), ('b', x'00', 'v');
      INSERT INTO log (rowid, text) VALUES (2, 'b'), (7, 'c'); PRAGMA user_version = 2
      """
    ) { old, new in
      let changes = try Changeset(from: old, to: new)
      #expect(
        changes.elements.map(\.description)
          == [
            #"DELETE player [1]: id 1, name "Ada""#, #"DELETE tag [1, "Y"]: a "Y", b 1, v "v""#,
            #"DELETE tag ["n", "a"]: a "a", b "n", v "v""#, #"DELETE log [1]: text "a""#,
            #"UPDATE player [2]: name "Bob" → "Bert""#, #"UPDATE tag [1, "x"]: v "v" → "w""#,
            #"INSERT player [3]: id 3, name "Cid""#, #"INSERT tag [1, "y"]: a "y", b 1, v "v""#,
            #"INSERT tag [1 bytes, "b"]: a "b", b 1 bytes, v "v""#, #"INSERT log [7]: text "c""#,
            "counter of player: 9", "user_version = 2",
          ].map { $0.replacing("1 bytes", with: Data([0]).databaseValue.description) })
      let before = try Changeset(from: old, to: old)
      #expect(before.isEmpty)
      try old.apply(changes)
      #expect(try Changeset(from: old, to: new).isEmpty)
      try old.apply(changes.inverted())
      #expect(try Changeset(from: old, to: new) == changes)
    }
  }

  @Test func `keys are compared by their bytes if their column has another collation`() throws {
    let schema = "CREATE TABLE tag (a TEXT COLLATE NOCASE PRIMARY KEY, v) WITHOUT ROWID"
    try withTwo(
      "\(schema); INSERT INTO tag VALUES ('a', 1), ('B', 1)", "\(schema); INSERT INTO tag VALUES ('B', 2)"
    ) { old, new in
      let changes = try Changeset(from: old, to: new)
      #expect(
        changes.elements.map(\.description) == [#"DELETE tag ["a"]: a "a", v 1"#, #"UPDATE tag ["B"]: v 1 → 2"#])
    }
  }

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"], ["UTF-8", "UTF-16le"])
  func `keys are compared in databases of any encoding`(encoding: String, other: String) throws {
    let schema = "CREATE TABLE t (k TEXT PRIMARY KEY, n) WITHOUT ROWID;"
    func open(_ encoding: String, _ rows: String) throws -> DatabaseQueue {
      let dbQueue = try DatabaseQueue()
      try dbQueue.inDatabase { db in
        try db.execute(sql: "PRAGMA encoding = '\(encoding)'; \(schema) INSERT INTO t VALUES \(rows)")
      }
      return dbQueue
    }
    let (old, new) = (
      try open(encoding, "('Ā', 1), ('a', 1), ('\u{1F600}', 2), ('\u{FFFD}', 3)"),
      try open(other, "('a', 2), ('\u{FFFD}', 4), ('é', 5)")
    )
    let changes = try old.read { first in try new.read { second in try Changeset(from: first, to: second) } }
    try old.write { _ = try $0.apply(changes) }
    let rows = try old.read { try String.fetchAll($0, sql: "SELECT k || n FROM t ORDER BY n") }
    #expect(rows == ["a2", "\u{FFFD}4", "é5"])
  }

  @Test(arguments: [
    "UPDATE t SET text = CAST(x'61fe' AS TEXT)", "UPDATE t SET id = 2", "UPDATE t SET other = 1", "DELETE FROM t",
  ])
  func `a changed row with a text that is not UTF-8 is refused, because it would be another text`(
    updates: String
  ) throws {
    let content =
      "CREATE TABLE t (id INTEGER PRIMARY KEY, text, other); INSERT INTO t VALUES (1, CAST(x'61ff' AS TEXT), 0)"
    try withTwo(content, content) { old, new in
      #expect(try Changeset(from: old, to: new).isEmpty)
      try new.execute(sql: updates)
      let error = #expect(throws: ChangesetError.self) { try Changeset(from: old, to: new) }
      #expect(error?.reason == .incomplete(.notReported))
      #expect(error?.message.contains("a row of table t contains a text that is not UTF-8") == true)
    }
  }

  @Test func `some tables are compared`() throws {
    try withTwo(
      "\(Self.schema); CREATE TABLE other (a)",
      "\(Self.schema); INSERT INTO log VALUES (1); INSERT INTO player VALUES (1, 'a'); PRAGMA user_version = 3"
    ) { old, new in
      let changes = try Changeset(from: old, to: new, tables: ["LOG"])
      #expect(changes.elements.map(\.description) == ["INSERT log [1]: text 1"])
    }
  }

  @Test(arguments: [
    ("CREATE TABLE t (a)", "SELECT 1", "the second database has no table t: list the tables to compare"),
    ("SELECT 1", "CREATE TABLE t (a)", "the first database has no table t: list the tables to compare"),
    (
      "CREATE TABLE t (a)", "CREATE TABLE t (a, b)",
      """
      table t has other columns or another primary key in the second database: make the schemas equal before comparing: \
      (a), and (a, b)
      """
    ),
  ])
  func `other schemas are refused`(old: String, new: String, message: String) throws {
    try withTwo(old, new) { old, new in
      let error = #expect(throws: ChangesetError.self) { try Changeset(from: old, to: new) }
      #expect(error?.reason == .schemaMismatch)
      #expect(error?.message == message)
    }
  }

  @Test func `the tables of the change feed are left out`() throws {
    try withTwo("CREATE TABLE t (a)", "CREATE TABLE t (a); CREATE TABLE tidemark_feed_consumer (a)") { old, new in
      let changes = try Changeset(from: old, to: new)
      #expect(changes.isEmpty)
    }
  }

  @Test func `virtual tables and their shadow tables are left out`() throws {
    let schema = "CREATE VIRTUAL TABLE docs USING fts5(body); CREATE TABLE t (a)"
    try withTwo(schema, "\(schema); INSERT INTO docs VALUES ('x'); INSERT INTO t VALUES (1)") { old, new in
      let changes = try Changeset(from: old, to: new)
      #expect(changes.elements.map(\.description) == ["INSERT t [1]: a 1"])
    }
  }
}
