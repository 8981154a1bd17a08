import CSQLite
import Foundation
import Testing

@testable import TidemarkEssentials

/// Changesets in SQLite's format. SQLite's session extension is the oracle, where the linked library has it.
@Suite struct SQLiteChangesetTests {
  static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, score REAL);
    CREATE TABLE tag (v, b INT, a TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
    CREATE TABLE code (k TEXT PRIMARY KEY, d BLOB);
    INSERT INTO player VALUES (1, 'Ada', 1.5), (2, 'Bob', 2), (3, 'Cid', NULL);
    INSERT INTO tag VALUES ('x', 1, 'a'), (NULL, 2, 'a'), (x'00ff', 1, 'b');
    INSERT INTO code VALUES ('p', x'01'), ('q', NULL);
    """

  static let updates = """
    UPDATE player SET score = 10 WHERE id = 1; DELETE FROM player WHERE id = 2; INSERT INTO player VALUES (4, 'Dan', 4);
    UPDATE player SET id = 9 WHERE id = 3; UPDATE tag SET v = 7 WHERE a = 'a'; DELETE FROM tag WHERE a = 'b';
    UPDATE tag SET b = 5 WHERE b = 2; UPDATE code SET k = 'r' WHERE k = 'q'; UPDATE code SET d = zeroblob(300);
    INSERT INTO code VALUES ('long', '\(String(repeating: "é", count: 200))');
    """

  /// A connection without the library: a session takes the pre-update hook.
  private final class RawDatabase {
    let pointer: OpaquePointer

    init(_ sql: String) throws {
      var pointer: OpaquePointer?
      #expect(sqlite3_open(":memory:", &pointer) == SQLITE_OK)
      self.pointer = try #require(pointer)
      execute(sql)
    }

    deinit { sqlite3_close(pointer) }

    func execute(_ sql: String) {
      #expect(sqlite3_exec(pointer, sql, nil, nil, nil) == SQLITE_OK, "\(String(cString: sqlite3_errmsg(pointer)))")
    }

    func changeset(of sql: String) throws -> Data {
      var session: OpaquePointer?
      #expect(sqlite3session_create(pointer, "main", &session) == SQLITE_OK)
      #expect(sqlite3session_attach(session, nil) == SQLITE_OK)
      execute(sql)
      var (count, bytes): (CInt, UnsafeMutableRawPointer?) = (0, nil)
      #expect(sqlite3session_changeset(session, &count, &bytes) == SQLITE_OK)
      defer {
        sqlite3_free(bytes)
        sqlite3session_delete(session)
      }
      return Data(bytes: try #require(bytes), count: Int(count))
    }

    /// Applies a changeset. A conflict aborts.
    func apply(_ data: Data) -> CInt {
      var bytes = [UInt8](data)
      return sqlite3changeset_apply(
        pointer, CInt(bytes.count), &bytes, nil, { _, _, _ in CInt(SQLITE_CHANGESET_ABORT) }, nil)
    }

    func dump() -> [String] {
      SQLiteChangesetTests.queries.flatMap { sql -> [String] in
        var statement: OpaquePointer?
        sqlite3_prepare_v2(pointer, sql, -1, &statement, nil)
        defer { sqlite3_finalize(statement) }
        var lines: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
          lines.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
        }
        return lines
      }
    }
  }

  private static let queries = [
    "SELECT quote(id) || quote(name) || quote(score) FROM player ORDER BY id",
    "SELECT quote(a) || quote(b) || quote(v) FROM tag ORDER BY a, b",
    "SELECT quote(k) || quote(d) FROM code ORDER BY k",
  ]

  private func dump(_ db: Database) throws -> [String] {
    try Self.queries.flatMap { try String.fetchAll(db, sql: $0) }
  }

  static let hasSession = SQLiteLibrary.hasSession

  @Test(.enabled(if: hasSession)) func `a changeset of SQLite is applied, and undone`() throws {
    let raw = try RawDatabase(Self.schema)
    let before = raw.dump()
    let data = try raw.changeset(of: Self.updates)
    try inMemory { db in
      try db.execute(sql: Self.schema)
      let changes = try Changeset(sqliteChangeset: data, db)
      try db.apply(changes)
      #expect(try dump(db) == raw.dump())
      try db.apply(changes.inverted())
      #expect(try dump(db) == before)
    }
  }

  @Test(.enabled(if: hasSession)) func `SQLite applies an exported changeset`() throws {
    let raw = try RawDatabase(Self.schema)
    try inMemory { db in
      try db.execute(sql: Self.schema)
      let changes = try db.recordingChanges { try db.execute(sql: Self.updates) }
      #expect(raw.apply(try changes.sqliteChangesetData()) == SQLITE_OK)
      #expect(try raw.dump() == dump(db))
    }
  }

  @Test(.enabled(if: hasSession)) func `an exported changeset has the changes that SQLite records`() throws {
    let raw = try RawDatabase(Self.schema)
    let data = try raw.changeset(of: Self.updates)
    try inMemory { db in
      try db.execute(sql: Self.schema)
      let changes = try db.recordingChanges { try db.execute(sql: Self.updates) }
      let (own, other) = (
        try Changeset(sqliteChangeset: changes.sqliteChangesetData(), db), try Changeset(sqliteChangeset: data, db)
      )
      #expect(Set(own.rows) == Set(other.rows))
      // The same bytes, in another order.
      #expect(try changes.sqliteChangesetData().count == data.count)
    }
  }

  @Test func `the bytes are those of the documented example`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b); INSERT INTO t VALUES (1, 'x', 2)")
      let changes = try db.recordingChanges { try db.execute(sql: "UPDATE t SET a = 'yz'") }
      let key: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 1]
      let expected: [UInt8] =
        Array("T".utf8) + [3, 1, 0, 0] + Array("t".utf8) + [0, 23, 0] + key + [3, 1] + Array("x".utf8) + [0, 0, 3, 2]
        + Array("yz".utf8) + [0]
      #expect(try [UInt8](changes.sqliteChangesetData()) == expected)
      let imported = try Changeset(sqliteChangeset: expected, db)
      #expect(imported.description == #"UPDATE t [1]: a "x" → "yz""#)
    }
  }

  @Test(arguments: [
    ("CREATE TABLE u (a); INSERT INTO u VALUES (1)", "SQLite's format requires primary keys"),
    ("CREATE TABLE u (k TEXT PRIMARY KEY); INSERT INTO u VALUES (NULL)", "SQLite's format has no schema changes"),
    ("CREATE TEMP TABLE u (k PRIMARY KEY)", "SQLite's format has no schema changes"),
  ])
  func `changes that the format cannot represent are refused`(sql: String, message: String) throws {
    try inMemory { db in
      var parts = sql.split(separator: ";").map(String.init)
      if message.contains("primary keys") { try db.execute(sql: parts.removeFirst()) }
      let changes = try db.recordingChanges { for part in parts { try db.execute(sql: part) } }
      let error = #expect(throws: ChangesetError.self) { try changes.sqliteChangesetData() }
      #expect(error?.message.hasPrefix(message) == true)
    }
  }

  @Test func `primary keys that are NULL, and tables of other databases, are refused`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE u (k TEXT PRIMARY KEY); CREATE TEMP TABLE w (k TEXT PRIMARY KEY)")
      for (sql, message) in [
        ("INSERT INTO u VALUES (NULL)", "SQLite's format requires primary keys that are not NULL"),
        ("INSERT INTO w VALUES ('a')", "SQLite's format has one database"),
      ] {
        let changes = try db.recordingChanges { try db.execute(sql: sql) }
        let error = #expect(throws: ChangesetError.self) { try changes.sqliteChangesetData() }
        #expect(error?.reason == .unrepresentable && error?.message.hasPrefix(message) == true)
      }
    }
  }

  @Test func `inserted rows increase the counter of their table`() throws {
    let data = try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)")
      return try db.recordingChanges { try db.execute(sql: "INSERT INTO t VALUES (8)") }.sqliteChangesetData()
    }
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO t VALUES (3)")
      try db.apply(Changeset(sqliteChangeset: data, db))
      let counter = try Int.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence")
      #expect(counter == 8)
    }
  }

  @Test func `negative row IDs do not decrease the counter of their table`() throws {
    let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)"
    let data = try inMemory { db in
      try db.execute(sql: schema)
      return try db.recordingChanges { try db.execute(sql: "INSERT INTO t VALUES (-5)") }.sqliteChangesetData()
    }
    try inMemory { db in
      try db.execute(sql: schema)
      try db.apply(Changeset(sqliteChangeset: data, db))
      try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM t") == [-5, 1])
    }
  }

  @Test(arguments: [
    ["UPDATE t SET c = 2", "UPDATE t SET b = 3", "UPDATE t SET a = 4"],
    ["UPDATE t SET c = 2", "UPDATE t SET a = 3, b = 4", "DELETE FROM t"],
  ])
  func `imported updates of different columns are exported with the columns in their order`(steps: [String]) throws {
    let content = "CREATE TABLE t (a, k INTEGER PRIMARY KEY, b, c); INSERT INTO t VALUES ('a', 1, 'b', 'c')"
    let (data, expected) = try inMemory { db in
      try db.execute(sql: content)
      let changes = try steps.reduce(Changeset()) { changes, sql in
        let recorded = try db.recordingChanges { try db.execute(sql: sql) }
        return changes.combined(with: try Changeset(sqliteChangeset: recorded.sqliteChangesetData(), db))
      }
      let decoded = try Changeset(decoding: changes.net.encoded())
      #expect(decoded == changes.net)
      return (try changes.sqliteChangesetData(), try Row.fetchAll(db, sql: "SELECT * FROM t"))
    }
    try inMemory { db in
      try db.execute(sql: content)
      let changes = try Changeset(sqliteChangeset: data, db)
      #expect(changes.rows.count == 1)
      try db.apply(changes)
      #expect(try Row.fetchAll(db, sql: "SELECT * FROM t") == expected)
    }
  }

  @Test(arguments: [
    ("t (k PRIMARY KEY, u UNIQUE, v)", true), ("t (k PRIMARY KEY, u UNIQUE, v)", false),
    ("t (k INTEGER PRIMARY KEY, u UNIQUE, v)", true), ("t (k INTEGER PRIMARY KEY, u UNIQUE, v)", false),
  ])
  func `imported and recorded changes of a row are applied in their order`(table: String, isFirst: Bool) throws {
    let steps = [
      "INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'a')", "UPDATE t SET v = 'b'",
      "UPDATE t SET u = 3 WHERE k = 1; UPDATE t SET u = 1 WHERE k = 2; UPDATE t SET u = 2 WHERE k = 1",
      "UPDATE t SET v = 'c' WHERE k = 1", "DELETE FROM t WHERE k = 2", "UPDATE t SET v = 'd'",
    ]
    let (changes, expected) = try inMemory { db in
      try db.execute(sql: "CREATE TABLE \(table)")
      var changes = Changeset()
      for (index, sql) in steps.enumerated() {
        let recorded = try db.recordingChanges { try db.execute(sql: sql) }
        let isImported = index.isMultiple(of: 2) == isFirst
        changes = changes.combined(
          with: isImported ? try Changeset(sqliteChangeset: recorded.sqliteChangesetData(), db) : recorded)
      }
      return (changes, try Row.fetchAll(db, sql: "SELECT * FROM t"))
    }
    for changes in [changes, changes.net] {
      try inMemory { db in
        try db.execute(sql: "CREATE TABLE \(table)")
        try db.apply(changes)
        #expect(try Row.fetchAll(db, sql: "SELECT * FROM t") == expected)
        try db.apply(changes.inverted())
        #expect(try Row.fetchAll(db, sql: "SELECT * FROM t").isEmpty)
      }
    }
  }

  @Test func `inserted rows of a table without a counter get none, whatever its columns are called`() throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE other (id INTEGER PRIMARY KEY AUTOINCREMENT);
          CREATE TABLE t (id INTEGER PRIMARY KEY, "autoincrement" /* no autoincrement */);
          """)
      let changes = try db.recordingChanges { try db.execute(sql: "INSERT INTO t VALUES (8, 1)") }
      try db.apply(changes.inverted())
      let imported = try Changeset(sqliteChangeset: changes.sqliteChangesetData(), db)
      #expect(imported.elements.count == 1)
      try db.apply(imported)
      let counterCount = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_sequence")
      #expect(counterCount == 0)
    }
  }

  // MARK: - Malformed bytes

  private static let header: [UInt8] = Array("T".utf8) + [3, 1, 0, 0] + Array("t".utf8) + [0]
  private static let key: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 1]

  struct Malformed: Sendable, CustomStringConvertible {
    let bytes: [UInt8]
    let message: String

    init(_ parts: [UInt8]..., message: String) { (bytes, self.message) = (parts.flatMap { $0 }, message) }

    var description: String { "\(message): \(bytes)" }
  }

  /// The first byte of a table is `T` (0x54), and the tables are `t` (0x74) and `u` (0x75).
  static let malformed: [Malformed] = [
    Malformed([0x58], message: "a table was expected"),
    Malformed([0x50, 3, 1, 0, 0], message: "patchsets are not supported: they lack old values"),
    Malformed([0x54, 0], message: "impossible column count"),
    Malformed([0x54, 9, 1], message: "impossible column count"),
    Malformed([0x54, 0x80, 3, 1, 0, 0], message: "number has superfluous bytes"),
    Malformed([0x54, 0xff, 0xff, 0xff, 0xff, 0xff], message: "number is too large"),
    Malformed([0x54, 1, 0], [0x74], [0], message: "table without a primary key"),
    Malformed([0x54, 1, 1], [0x74], message: "the name of a table does not end"),
    Malformed([0x54, 1, 1, 0xff, 0], message: "text is not UTF-8"),
    Malformed([0x54, 1, 1], [0x75], [0], message: "there is no table u"),
    Malformed([0x54, 1, 1], [0x74], [0], message: "table t has 3 columns, not 1"),
    Malformed([0x54, 3, 0, 1, 0], [0x74], [0], message: "table t has another primary key"),
    Malformed(header, message: "table without changes"),
    Malformed(header, [18, 0], key, [5, 5], header, message: "table t appears twice"),
    Malformed(header, [8, 0], message: "unknown operation"),
    Malformed(header, [18, 2], message: "the mark of an indirect change is neither 0 nor 1"),
    Malformed(header, [18, 0, 0, 5, 5], message: "an inserted or deleted row lacks a value"),
    Malformed(header, [9, 0, 5, 5, 5], message: "the primary key is NULL"),
    Malformed(header, [9, 0, 3, 1, 0x61, 5, 5], message: "the row ID is not an integer"),
    Malformed(header, [23, 0, 4, 0, 5, 0], [0] + key + [0], message: "the row ID is not an integer"),
    Malformed(header, [23, 0], key, [5, 0], key, [5, 0], message: "an update has no old primary key, or a new one"),
    Malformed(header, [23, 0], key, [5, 0], [0, 0, 0], message: "an updated column lacks its old or new value"),
    Malformed(header, [23, 0], key, [0, 0], [0, 0, 0], message: "an update changes no column"),
    Malformed(header, [18, 0], key, [2, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0, 5], message: "REAL is not a number"),
    Malformed(header, [18, 0], key, [3, 1, 0xff, 5], message: "text is not UTF-8"),
    Malformed(header, [18, 0], key, [4, 9, 1], message: "length exceeds the bytes"),
    Malformed(header, [18, 0], key, [6, 5], message: "unknown type of a value"),
    Malformed(header, [18, 0], key, message: "unexpected end"),
  ]

  @Test(arguments: malformed)
  func `malformed bytes are rejected`(_ test: Malformed) throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)")
      let error = #expect(throws: TransactionChanges.DecodingError.self) {
        try Changeset(sqliteChangeset: test.bytes, db)
      }
      #expect(error?.message == test.message)
    }
  }

  /// Returns the changes of a table as they are read again from SQLite's format.
  private func exported(_ table: String, _ update: String) throws -> [String] {
    try inMemory { db in
      try db.execute(sql: table)
      let changes = try db.recordingChanges { try db.execute(sql: update) }
      return try Changeset(sqliteChangeset: changes.sqliteChangesetData(), db).elements.map(\.description)
    }
  }

  @Test func `a key that becomes an equal double is a deletion and an insertion`() throws {
    let lines = try exported("CREATE TABLE t (k PRIMARY KEY, v); INSERT INTO t VALUES (1, 'x')", "UPDATE t SET k = 1.0")
    #expect(lines.count == 2 && lines[0].hasPrefix("DELETE") && lines[1].hasPrefix("INSERT"), "\(lines)")
  }

  @Test func `a changed hidden row ID is left out`() throws {
    let table = "CREATE TABLE t (k TEXT PRIMARY KEY, v); INSERT INTO t VALUES ('k', 'x')"
    #expect(try exported(table, "UPDATE t SET rowid = 2") == [])
  }
}
