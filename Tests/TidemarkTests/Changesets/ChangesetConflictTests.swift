import Testing
import Tidemark

@testable import TidemarkEssentials

/// Conflicts of applied changesets, and their resolutions.
@Suite struct ChangesetConflictTests {
  private static let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE, a CHECK (a <> 'bad'))"

  /// Applies changes to a database with other content.
  private func apply(
    _ before: String, _ updates: String, to content: String,
    onConflict resolve: (ChangesetConflict) throws -> ChangesetConflict.Resolution
  ) throws -> [String] {
    let changes = try inMemory { db in
      try db.execute(sql: "\(Self.schema); \(before)")
      return try db.recordingChanges { try db.execute(sql: updates) }
    }
    return try inMemory { db in
      try db.execute(sql: "\(Self.schema); \(content)")
      let old = try String.fetchAll(db, sql: Self.query)
      do {
        try db.apply(changes, onConflict: resolve)
      } catch {
        #expect(try String.fetchAll(db, sql: Self.query) == old, "the database must be unchanged after an error")
        throw error
      }
      return try String.fetchAll(db, sql: Self.query)
    }
  }

  private static let query = "SELECT id || ' ' || ifnull(u, '-') || ' ' || ifnull(a, '-') FROM t ORDER BY id"

  // MARK: - Rows that move

  /// Applies changes of a table whose primary key is not the row ID to another content of it.
  private func applyMoves(
    _ before: String, _ updates: String, to content: String, _ resolution: ChangesetConflict.Resolution
  ) throws -> [String] {
    let schema = "CREATE TABLE t (k TEXT PRIMARY KEY, v)"
    let changes = try inMemory { db in
      try db.execute(sql: "\(schema); \(before)")
      return try db.recordingChanges { try db.execute(sql: updates) }
    }
    return try inMemory { db in
      try db.execute(sql: "\(schema); \(content)")
      try db.apply(changes) { _ in resolution }
      return try String.fetchAll(db, sql: "SELECT ifnull(k, '-') || v FROM t ORDER BY k")
    }
  }

  private static let exchange = """
    UPDATE t SET k = 'x' WHERE k = 'a'; UPDATE t SET k = 'a' WHERE k = 'b'; UPDATE t SET k = 'b' WHERE k = 'x'
    """
  private static let shift = "UPDATE t SET k = 'c' WHERE k = 'b'; UPDATE t SET k = 'b' WHERE k = 'a'"

  @Test(arguments: [exchange, shift], ["a", "b"])
  func `a row that is missing is not taken for another one that has moved to its key`(
    updates: String, present: String
  ) throws {
    let conflict = #expect(throws: ChangesetConflict.self) {
      try applyMoves(
        "INSERT INTO t VALUES ('a', 1), ('b', 1)", updates, to: "INSERT INTO t VALUES ('\(present)', 1)", .abort)
    }
    #expect(conflict?.kind == .rowMissing)
  }

  @Test(arguments: [
    (exchange, "a", ["a2", "b1"]), (exchange, "b", ["a2", "b1"]), (shift, "a", ["b1", "c2"]),
    (shift, "b", ["b1", "c2"]),
  ])
  func `a missing row is inserted beside rows that move`(
    updates: String, present: String, expected: [String]
  ) throws {
    let content = present == "a" ? "INSERT INTO t VALUES ('a', 1)" : "INSERT INTO t VALUES ('b', 2)"
    #expect(try applyMoves("INSERT INTO t VALUES ('a', 1), ('b', 2)", updates, to: content, .replace) == expected)
  }

  @Test func `a row whose row ID is taken does not take the row ID of a row that follows`() throws {
    let rows = try applyMoves(
      "SELECT 1", "INSERT INTO t (rowid, k, v) VALUES (1, 'k', 1), (2, NULL, 2)",
      to: "INSERT INTO t (rowid, k, v) VALUES (1, 'z', 0)", .abort)
    #expect(rows == ["-2", "k1", "z0"])
  }

  struct Case: Sendable, CustomStringConvertible {
    var kind: ChangesetConflict.Kind
    var before: String
    var updates: String
    var content: String
    var current: String?
    var skipped: [String]
    var replaced: [String]?
    var description: String { "\(kind): \(updates)" }
  }

  static let cases = [
    Case(
      kind: .rowMissing, before: "INSERT INTO t VALUES (1, 'u', 'a')", updates: "DELETE FROM t",
      content: "INSERT INTO t VALUES (2, 'v', 'b')", skipped: ["2 v b"], replaced: ["2 v b"]),
    Case(
      kind: .rowMissing, before: "INSERT INTO t VALUES (1, 'u', 'a')", updates: "UPDATE t SET a = 'b'",
      content: "SELECT 1", skipped: [], replaced: ["1 u b"]),
    Case(
      kind: .rowDiffers, before: "INSERT INTO t VALUES (1, 'u', 'a')", updates: "DELETE FROM t",
      content: "INSERT INTO t VALUES (1, 'u', 'other')", current: "other", skipped: ["1 u other"], replaced: []),
    Case(
      kind: .rowDiffers, before: "INSERT INTO t VALUES (1, 'u', 'a')", updates: "UPDATE t SET a = 'b'",
      content: "INSERT INTO t VALUES (1, 'v', 'other')", current: "other", skipped: ["1 v other"],
      replaced: ["1 v b"]),
    Case(
      kind: .rowExists, before: "SELECT 1", updates: "INSERT INTO t VALUES (1, 'u', 'a')",
      content: "INSERT INTO t VALUES (1, 'v', 'other')", current: "other", skipped: ["1 v other"],
      replaced: ["1 u a"]),
    Case(
      kind: .uniqueValueExists, before: "SELECT 1", updates: "INSERT INTO t VALUES (1, 'u', 'a')",
      content: "INSERT INTO t VALUES (2, 'u', 'other')", current: "other", skipped: ["2 u other"],
      replaced: ["1 u a"]),
    Case(
      kind: .uniqueValueExists, before: "INSERT INTO t VALUES (1, 'v', 'a')", updates: "UPDATE t SET u = 'u'",
      content: "INSERT INTO t VALUES (1, 'v', 'a'), (2, 'u', 'other')", current: "other",
      skipped: ["1 v a", "2 u other"], replaced: ["1 u a"]),
    Case(
      kind: .constraint, before: "PRAGMA ignore_check_constraints = 1", updates: "INSERT INTO t VALUES (1, 'u', 'bad')",
      content: "INSERT INTO t VALUES (2, 'v', 'b')", skipped: ["2 v b"]),
    Case(
      kind: .constraint, before: "PRAGMA ignore_check_constraints = 1; INSERT INTO t VALUES (1, 'u', 'a')",
      updates: "UPDATE t SET a = 'bad'", content: "INSERT INTO t VALUES (1, 'u', 'a')", skipped: ["1 u a"]),
  ]

  @Test(arguments: cases)
  func `a conflict is thrown, and nothing is changed`(_ test: Case) throws {
    let conflict = #expect(throws: ChangesetConflict.self) {
      try apply(test.before, test.updates, to: test.content) { _ in .abort }
    }
    #expect(conflict?.kind == test.kind)
    #expect(conflict?.currentRow?["a"] == test.current)
    #expect(conflict?.change != nil)
  }

  @Test(arguments: cases)
  func `a change that conflicts is skipped`(_ test: Case) throws {
    #expect(try apply(test.before, test.updates, to: test.content) { _ in .skip } == test.skipped)
  }

  @Test(arguments: cases)
  func `a change that conflicts replaces, where that is possible`(_ test: Case) throws {
    if let replaced = test.replaced {
      #expect(try apply(test.before, test.updates, to: test.content) { _ in .replace } == replaced)
    } else {
      #expect(throws: ChangesetConflict.self) {
        try apply(test.before, test.updates, to: test.content) { _ in .replace }
      }
    }
  }

  @Test func `skipped changes are returned`() throws {
    try inMemory { db in
      try db.execute(sql: Self.schema)
      let changes = try db.recordingChanges { try db.execute(sql: "INSERT INTO t VALUES (1, 'u', 'a'), (2, 'v', 'b')") }
      try db.execute(sql: "DELETE FROM t WHERE id = 2")
      #expect(try db.apply(changes, onConflict: .skip).map(\.description) == [#"INSERT t [1]: id 1, u "u", a "a""#])
      #expect(try String.fetchAll(db, sql: Self.query) == ["1 u a", "2 v b"])
    }
  }

  @Test func `the declared conflict resolution of a table does not hide a conflict`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY ON CONFLICT REPLACE, u UNIQUE ON CONFLICT IGNORE)")
      let changes = try db.recordingChanges { try db.execute(sql: "INSERT INTO t VALUES (1, 'u')") }
      #expect(throws: ChangesetConflict.self) { try db.apply(changes) }
      try db.execute(sql: "UPDATE t SET id = 2")
      #expect(throws: ChangesetConflict.self) { try db.apply(changes) }
    }
  }

  @Test func `an error of the closure undoes all changes, and is thrown`() throws {
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try apply(
        "SELECT 1", "INSERT INTO t VALUES (1, 'u', 'a'), (2, 'v', 'b')", to: "INSERT INTO t VALUES (2, 'w', 'c')"
      ) { _ in throw Failure() }
    }
  }

  @Test func `a conflict describes the change and the current row`() throws {
    let conflict = #expect(throws: ChangesetConflict.self) {
      try apply("INSERT INTO t VALUES (1, 'u', 'a')", "DELETE FROM t", to: "INSERT INTO t VALUES (1, 'u', 'x')") { _ in
        .abort
      }
    }
    #expect(
      conflict?.description == """
        the row differs from the expected one, in DELETE t [1]: id 1, u "u", a "a"; the current row is id 1, u "u", \
        a "x"
        """)
  }

  @Test(arguments: [
    ("a TEXT, b", "a COLLATE NOCASE", "(4, 'C', 4)", 4),
    ("a TEXT COLLATE NOCASE, b UNIQUE", "a COLLATE BINARY", "(4, 'C', 4), (5, 'x', 9)", 5),
  ])
  func `the row with a unique value is found by the collation of the index`(
    columns: String, index: String, rows: String, id: Int
  ) throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE t (id INTEGER PRIMARY KEY, \(columns)); CREATE UNIQUE INDEX i ON t (\(index));
          INSERT INTO t VALUES (1, 'a', 1);
          """)
      let changes = try db.recordingChanges { try db.execute(sql: "UPDATE t SET a = 'c', b = 9") }
      try db.apply(changes.inverted())
      try db.execute(sql: "INSERT INTO t VALUES \(rows)")
      let conflict = #expect(throws: ChangesetConflict.self) { try db.apply(changes) }
      #expect(conflict?.currentRow?["id"] == id)
    }
  }

  // MARK: - Foreign keys

  private static let family = """
    CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE);
    INSERT INTO parent VALUES (1, 'a'), (2, 'b');
    INSERT INTO child VALUES (1, 1), (2, 2);
    """

  private func inFamily(
    _ updates: String, _ content: String = "SELECT 1", foreignKeys: ChangesetForeignKeys = .check,
    onConflict resolution: ChangesetConflict.Resolution = .abort
  ) throws -> [String] {
    let changes = try inMemory { db in
      try db.execute(sql: Self.family)
      return try db.recordingChanges { try db.execute(sql: updates) }
    }
    return try inMemory { db in
      try db.execute(sql: "\(Self.family); \(content)")
      try db.apply(changes, foreignKeys: foreignKeys, onConflict: resolution)
      return try String.fetchAll(
        db, sql: "SELECT 'p' || id FROM parent UNION ALL SELECT 'c' || id || '-' || parent FROM child")
    }
  }

  @Test func `the rows of a cascade are part of the changeset`() throws {
    #expect(try inFamily("DELETE FROM parent WHERE id = 1") == ["p2", "c2-2"])
    #expect(try inFamily("UPDATE parent SET id = 7 WHERE id = 1") == ["p2", "p7", "c1-7", "c2-2"])
  }

  @Test(arguments: [
    // A child that the changeset does not know refers to the parent.
    ("DELETE FROM parent WHERE id = 1", "INSERT INTO child VALUES (3, 1)"),
    ("UPDATE parent SET id = 7 WHERE id = 1", "INSERT INTO child VALUES (3, 1)"),
    // The parent has been removed.
    ("INSERT INTO child VALUES (3, 2)", "DELETE FROM parent WHERE id = 2"),
    ("UPDATE child SET parent = 2 WHERE id = 1", "DELETE FROM parent WHERE id = 2"),
  ])
  func `a violated foreign key is thrown, unless it is ignored`(updates: String, content: String) throws {
    let conflict = #expect(throws: ChangesetConflict.self) { try inFamily(updates, content) }
    #expect(conflict?.kind == .foreignKey)
    #expect(conflict?.message == "child(parent) refers to a missing row of parent(id)")
    #expect(throws: ChangesetConflict.self) { try inFamily(updates, content, onConflict: .skip) }
    #expect(try !inFamily(updates, content, foreignKeys: .ignore).isEmpty)
  }

  @Test(arguments: ["STORED", "VIRTUAL"])
  func `foreign keys of generated columns are checked`(storage: String) throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY, a, k AS (a) \(storage) UNIQUE);
          CREATE TABLE child (id INTEGER PRIMARY KEY, a, k AS (a) \(storage) REFERENCES parent (k));
          INSERT INTO parent (a) VALUES (1), (2); INSERT INTO child (a) VALUES (1);
          """)
      let parent = try db.recordingChanges { try db.execute(sql: "UPDATE parent SET a = 3 WHERE a = 2") }
      try db.apply(parent.inverted())
      let child = try db.recordingChanges { try db.execute(sql: "UPDATE child SET a = 2") }
      let first = #expect(throws: ChangesetConflict.self) { try db.apply(parent) }
      #expect(first?.kind == .foreignKey)
      try db.apply(child.inverted())
      try db.apply(parent)
      let second = #expect(throws: ChangesetConflict.self) { try db.apply(child) }
      #expect(second?.kind == .foreignKey)
    }
  }

  @Test func `a row that is replaced must not be referred to`() throws {
    let conflict = #expect(throws: ChangesetConflict.self) {
      try inMemory { db in
        try db.execute(
          sql: """
            CREATE TABLE parent (id INTEGER PRIMARY KEY, name UNIQUE); CREATE TABLE child (parent REFERENCES parent);
            """)
        let changes = try db.recordingChanges { try db.execute(sql: "INSERT INTO parent VALUES (1, 'a')") }
        try db.execute(sql: "UPDATE parent SET id = 2; INSERT INTO child VALUES (2)")
        try db.apply(changes, onConflict: .replace)
      }
    }
    #expect(conflict?.kind == .foreignKey)
  }

  @Test func `rows that violated a foreign key before do not matter`() throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = true
    try inMemory(configuration) { db in
      try db.execute(sql: "\(Self.family); PRAGMA foreign_keys = 0; INSERT INTO child VALUES (9, 99)")
      try db.execute(sql: "PRAGMA foreign_keys = 1")
      let changes = try db.recordingChanges { try db.execute(sql: "DELETE FROM parent WHERE id = 1") }
      try db.apply(changes.inverted())
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM child") == [1, 2, 9])
    }
  }

  @Test func `keys are compared with the affinity and collation of the parent`() throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (k TEXT COLLATE NOCASE PRIMARY KEY); CREATE TABLE child (id INTEGER PRIMARY KEY, p REFERENCES parent);
          INSERT INTO parent VALUES ('a'), ('5');
          """)
      let changes = try db.recordingChanges { try db.execute(sql: "INSERT INTO child VALUES (1, 'A'), (2, 5)") }
      try db.apply(changes.inverted())
      try db.apply(changes)
      let removal = try db.recordingChanges {
        try db.execute(sql: "DELETE FROM child; DELETE FROM parent")
      }
      try db.apply(removal.inverted())
      try db.execute(sql: "INSERT INTO child VALUES (3, 5)")
      let conflict = #expect(throws: ChangesetConflict.self) { try db.apply(removal) }
      #expect(conflict?.kind == .foreignKey)
    }
  }

  @Test func `a transaction with unresolved foreign keys is refused`() throws {
    try inMemory { db in
      try db.execute(sql: Self.family)
      let changes = try db.recordingChanges { try db.execute(sql: "INSERT INTO parent VALUES (3, 'c')") }.inverted()
      try db.inTransaction {
        try db.execute(sql: "PRAGMA defer_foreign_keys = 1; INSERT INTO child VALUES (3, 50)")
        let error = #expect(throws: ChangesetError.self) { try db.apply(changes) }
        #expect(error?.reason == .connectionState)
        return .rollback
      }
    }
  }

  @Test func `a key that cannot be a row ID violates a constraint`() throws {
    let changes = try inMemory { db in
      try db.execute(sql: "CREATE TABLE w (k TEXT PRIMARY KEY) WITHOUT ROWID")
      return try db.recordingChanges { try db.execute(sql: "INSERT INTO w VALUES ('1'), ('a')") }
    }
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE w (k INTEGER PRIMARY KEY)")
      var kinds: [ChangesetConflict.Kind] = []
      let skipped = try db.apply(changes) { conflict in
        kinds.append(conflict.kind)
        return .skip
      }
      #expect(kinds == [.constraint] && skipped.map(\.newValues) == [["a".databaseValue]])
      #expect(try Int.fetchAll(db, sql: "SELECT k FROM w") == [1])
    }
  }

  @Test func `a row that nothing identifies is not found, and the error says so`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (rowid TEXT PRIMARY KEY, _rowid_, oid); INSERT INTO t VALUES (NULL, 1, 1)")
      let changes = try db.recordingChanges { try db.execute(sql: "UPDATE t SET oid = 2") }
      let error = #expect(throws: ChangesetError.self) { try db.apply(changes.inverted()) }
      #expect(error?.reason == .schemaMismatch)
      #expect(error?.message.contains("its primary key is NULL") == true)
    }
  }

  @Test func `a row that nothing identifies is inserted, and its foreign key checked`() throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE team (id INTEGER PRIMARY KEY); INSERT INTO team VALUES (1);
          CREATE TABLE t (rowid TEXT PRIMARY KEY, _rowid_ REFERENCES team, oid)
          """)
      let changes = try db.recordingChanges { try db.execute(sql: "INSERT INTO t VALUES (NULL, 1, 2)") }
      try db.execute(sql: "DELETE FROM t")
      try db.apply(changes)
      #expect(try Row.fetchAll(db, sql: "SELECT * FROM t") == [["rowid": nil, "_rowid_": 1, "oid": 2]])
      try db.execute(sql: "DELETE FROM t; DELETE FROM team")
      let conflict = #expect(throws: ChangesetConflict.self) { try db.apply(changes) }
      #expect(conflict?.kind == .foreignKey)
    }
  }
}
