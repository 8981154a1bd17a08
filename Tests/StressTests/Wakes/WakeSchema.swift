import StressSupport

import Tidemark

/// A random schema, and random queries on its tables.
struct WakeSchema {
  struct Table {
    /// The table name, as written in SQL.
    var sql: String
    var columns: [String]

    /// The columns that identify a row.
    var key: String

    var isView = false
  }

  private(set) var tables: [Table] = []
  private(set) var statements: [String] = []
  private(set) var hasDocuments = false

  /// Whether a full-text table indexes the texts of `a`.
  private(set) var hasIndex = false

  /// A statement that inserts several rows; a number is appended.
  /// The tables that may get thousands of rows, with the columns of a key and two numbers.
  var largeTables = ["a (id, n, r)", "aux.x (id, n, r)"]
  var copyStatement = "INSERT INTO a (n, r, s) SELECT n, r, s FROM a LIMIT "

  /// Statements that insert rows, unless they exist.
  var refillStatements: [String] = []

  /// A text column whose bytes can be overwritten through a blob handle.
  var blob = (table: "a", column: "s")

  /// Whether some queries read the full database, so that all changes are requested.
  private let hasWideQueries: Bool

  var views: [Table] { tables.filter(\.isView) }

  /// - Parameter isInOneFile: Whether there are neither temporary tables nor tables of an attached file.
  init(_ random: inout RandomNumbers, isInOneFile: Bool = false) {
    hasWideQueries = random.once(in: 3)
    add("CREATE TABLE a (id INTEGER PRIMARY KEY, n INT, r INT, s TEXT)", "a", ["id", "n", "r", "s"], key: "id")
    let isUnique = random.once(in: 2)
    add(
      "CREATE TABLE w (k INT, l TEXT, n INT \(isUnique ? "UNIQUE" : ""), r REAL, PRIMARY KEY (k, l)) WITHOUT ROWID",
      "w",
      ["k", "l", "n", "r"], key: "k")
    let kind = random.once(in: 2) ? "STORED" : "VIRTUAL"
    add("CREATE TABLE g (n INT, r INT, d AS (n * 2) \(kind), s TEXT UNIQUE)", "g", ["n", "r", "s"], key: "rowid")
    let action = random.pick(["CASCADE", "SET NULL", "SET DEFAULT"])
    add(
      """
      CREATE TABLE c (id INTEGER PRIMARY KEY AUTOINCREMENT, n INT,
        p INT DEFAULT 1 REFERENCES a ON DELETE \(action) ON UPDATE \(action))
      """, "c", ["id", "n", "p"], key: "id")
    if !isInOneFile {
      add("CREATE TABLE aux.x (id INTEGER PRIMARY KEY, n INT, r INT)", "aux.x", ["id", "n", "r"], key: "id")
      add("CREATE TABLE aux.b (id INTEGER PRIMARY KEY, n INT)", "b", ["id", "n"], key: "id")
      add("CREATE TEMP TABLE t (id INTEGER PRIMARY KEY, n INT, r INT)", "temp.t", ["id", "n", "r"], key: "id")
    }
    addView()
    if random.once(in: 2) { addTriggers(&random) }
    if random.once(in: 2) {
      hasDocuments = true
      statements.append("CREATE VIRTUAL TABLE docs USING \(random.pick(["fts5", "fts5", "fts4", "fts3"]))(body)")
      if random.once(in: 2) {
        statements.append("CREATE TRIGGER a_docs AFTER INSERT ON a BEGIN INSERT INTO docs VALUES (new.s); END")
      }
    }
    if random.once(in: 3) { addIndex(isFTS5: random.once(in: 2)) }
    if random.once(in: 2) { statements.append("CREATE INDEX a_n ON a (n, r)") }
    if random.once(in: 3) { statements.append("PRAGMA recursive_triggers = ON") }
  }

  /// Creates a schema from tables.
  init(_ tables: [(statement: String, table: Table)], statements: [String]) {
    hasWideQueries = false
    for (statement, table) in tables { add(statement, table.sql, table.columns, key: table.key) }
    self.statements += statements
  }

  /// Returns statements that change the schema.
  ///
  /// - Parameter number: A different number for each call.
  var schemaChanges: (_ number: Int) -> [String] = { number in
    [
      "ALTER TABLE a ADD COLUMN e\(number) DEFAULT 3", "CREATE INDEX g_i\(number) ON g (n)",
      "DROP INDEX IF EXISTS a_n", "CREATE TABLE main.b (id INTEGER PRIMARY KEY, n INT)",
      "DROP TABLE IF EXISTS main.b",
      "DROP TABLE temp.t", "CREATE TEMP TABLE t (id INTEGER PRIMARY KEY, n INT, r INT)", "ANALYZE", "REINDEX",
      "VACUUM",
      "CREATE TEMP TABLE x (id INTEGER PRIMARY KEY, n INT)", "DROP TABLE IF EXISTS temp.x",
    ]
  }

  private mutating func add(_ statement: String, _ sql: String, _ columns: [String], key: String) {
    statements.append(statement)
    tables.append(Table(sql: sql, columns: columns, key: key))
  }

  private mutating func addView() {
    statements += [
      "CREATE VIEW v AS SELECT id, n, r FROM a WHERE n < 6",
      "CREATE TRIGGER vi INSTEAD OF INSERT ON v BEGIN INSERT OR IGNORE INTO a (id, n, r) VALUES (new.id, new.n, new.r); END",
      "CREATE TRIGGER vu INSTEAD OF UPDATE ON v BEGIN UPDATE a SET n = new.n, r = new.r WHERE id = old.id; END",
      "CREATE TRIGGER vd INSTEAD OF DELETE ON v BEGIN DELETE FROM a WHERE id = old.id; END",
    ]
    tables.append(Table(sql: "v", columns: ["id", "n", "r"], key: "id", isView: true))
  }

  /// Adds a full-text table without content of its own, as `synchronize(withTable:)` creates it.
  private mutating func addIndex(isFTS5: Bool) {
    hasIndex = true
    let insert = "INSERT INTO found (rowid, s) VALUES (new.id, new.s);"
    let delete =
      isFTS5
      ? "INSERT INTO found (found, rowid, s) VALUES ('delete', old.id, old.s);"
      : "DELETE FROM found WHERE docid = old.id;"
    statements += [
      isFTS5
        ? "CREATE VIRTUAL TABLE found USING fts5(s, content='a', content_rowid='id')"
        : "CREATE VIRTUAL TABLE found USING fts4(s, content=\"a\")",
      "CREATE TRIGGER found_ai AFTER INSERT ON a BEGIN \(insert) END",
      "CREATE TRIGGER found_au AFTER UPDATE ON a BEGIN \(isFTS5 ? delete : "") \(insert) END",
      "CREATE TRIGGER found_d \(isFTS5 ? "AFTER" : "BEFORE") DELETE ON a BEGIN \(delete) END",
    ]
    if !isFTS5 { statements.append("CREATE TRIGGER found_bu BEFORE UPDATE ON a BEGIN \(delete) END") }
  }

  private mutating func addTriggers(_ random: inout RandomNumbers) {
    let bodies = [
      "UPDATE w SET r = r + 1 WHERE k = new.n", "INSERT INTO c (n) VALUES (new.n)", "DELETE FROM g WHERE n = new.r",
      "UPDATE a SET r = r + 1 WHERE id = new.n",
    ]
    for table in ["g", "c"] {
      let event = random.pick(["INSERT", "UPDATE"])
      let condition = random.once(in: 3) ? "SELECT RAISE(ABORT, 'no') WHERE new.n = 7;" : ""
      statements.append(
        "CREATE TRIGGER \(table)_t AFTER \(event) ON \(table) BEGIN \(random.pick(bodies)); \(condition) END")
    }
  }
}

// MARK: - Queries

extension WakeSchema {
  /// Returns a random query.
  func query(_ random: inout RandomNumbers) -> String {
    let table = random.pick(tables)
    let other = random.pick(tables)
    let (column, second) = (random.pick(table.columns), random.pick(table.columns))
    let from = "FROM \(table.sql)"
    let condition = condition(on: table, &random)
    switch random.below(36) {
    case 0: return "SELECT count(*) \(from)"
    case 1, 2: return "SELECT count(*) \(from) WHERE \(condition)"
    case 3: return "SELECT sum(\(column)) \(from)"
    case 4: return "SELECT sum(\(column)), max(\(second)) \(from) WHERE \(condition)"
    case 5: return "SELECT * \(from)"
    case 6: return "SELECT \(column) \(from) WHERE \(condition)"
    case 7: return "SELECT \(column) \(from) WHERE \(condition) ORDER BY \(second) LIMIT \(1 + random.below(4))"
    case 8: return "SELECT \(column), \(second) \(from) ORDER BY \(second) DESC, \(table.key) LIMIT 3 OFFSET 1"
    case 9: return "SELECT \(second) \(from) WHERE \(table.key) = \(random.below(12))"
    case 10: return "SELECT \(second) \(from) WHERE \(table.key) IN (1, \(random.below(12)), 7)"
    case 11: return "SELECT \(second) \(from) WHERE \(table.key) BETWEEN 2 AND \(random.below(12))"
    case 12: return "SELECT \(column), count(*) \(from) GROUP BY \(column) HAVING count(*) > 1 ORDER BY 1"
    case 13: return "SELECT DISTINCT \(column) \(from) ORDER BY 1"
    case 14:
      return
        "SELECT x.\(column), y.n \(from) x JOIN \(other.sql) y ON y.n = x.n WHERE x.n = \(random.below(9)) ORDER BY 1, 2"
    case 15: return "SELECT count(*) \(from) x LEFT JOIN \(other.sql) y ON y.\(other.key) = x.n"
    case 16: return "SELECT \(column) \(from) WHERE n IN (SELECT n FROM \(other.sql)) ORDER BY \(column)"
    case 17: return "SELECT EXISTS (SELECT 1 \(from) WHERE \(condition))"
    case 18: return "SELECT n \(from) UNION ALL SELECT n FROM \(other.sql) ORDER BY 1"
    case 19: return "WITH q AS (SELECT n, \(column) AS z \(from) WHERE \(condition)) SELECT count(*), max(z) FROM q"
    case 20: return "SELECT \(column), row_number() OVER (ORDER BY n, \(table.key)) \(from) ORDER BY n, \(table.key)"
    case 21:
      return random.pick(["SELECT d FROM g WHERE d > 4", "SELECT count(*) FROM g WHERE d = 6", "SELECT sum(d) FROM g"])
    case 22: return random.pick(["SELECT s FROM a WHERE s LIKE 'b%'", "SELECT count(*) FROM a WHERE s GLOB '*c'"])
    case 23 where hasDocuments:
      return random.pick(["SELECT rowid FROM docs WHERE docs MATCH 'b'", "SELECT count(*) FROM docs"])
    case 24 where hasWideQueries:
      return random.pick([
        "PRAGMA user_version", "SELECT user_version FROM pragma_user_version", "PRAGMA application_id",
        "SELECT name, seq FROM sqlite_sequence", "SELECT count(*) FROM sqlite_master", "PRAGMA table_info(a)",
        "PRAGMA foreign_key_check",
      ])
    case 25: return "SELECT \(column) \(from) EXCEPT SELECT n FROM \(other.sql) ORDER BY 1"
    case 26:
      let match = "SELECT 1 FROM \(other.sql) y WHERE y.n = x.n AND y.n > \(random.below(9))"
      return "SELECT count(*) \(from) x WHERE NOT EXISTS (\(match))"
    case 27:
      let count = "SELECT count(*) FROM \(other.sql) y WHERE y.n = x.n"
      return "SELECT \(table.key), (\(count)) \(from) x WHERE \(condition) LIMIT 9"
    case 28:
      return "SELECT \(column) \(from) ORDER BY \(column) DESC, \(second), \(table.key) LIMIT \(1 + random.below(3))"
    case 29:
      let order = "\(second) IS NULL, \(second), \(table.key)"
      return "SELECT \(column) \(from) WHERE \(condition) ORDER BY \(order) LIMIT 2"
    case 30: return "SELECT max(\(column)) \(from) WHERE NOT (\(condition))"
    case 31: return "SELECT total(\(column)) OVER (), \(second) \(from) WHERE \(condition) ORDER BY 2 LIMIT 3"
    case 32 where hasIndex, 33 where hasIndex:
      return random.pick([
        "SELECT rowid FROM found WHERE found MATCH 'b'", "SELECT s FROM found WHERE found MATCH 'b OR bc'",
        "SELECT count(*) FROM found WHERE found MATCH '\(random.below(10))'",
        "SELECT a.n FROM a JOIN found ON found.rowid = a.id WHERE found MATCH 'b' AND a.n > \(random.below(9))",
      ])
    default: return "SELECT (SELECT max(n) FROM \(other.sql)), \(column) \(from) WHERE \(condition)"
    }
  }

  private func condition(on table: Table, _ random: inout RandomNumbers) -> String {
    let column = random.pick(table.columns)
    let value = random.below(10)
    switch random.below(12) {
    case 8: return "\(column) IS \(random.pick(table.columns))"
    case 9: return "\(column) % 3 = \(value % 3) AND \(table.key) > \(random.below(9))"
    case 10: return "\(column) COLLATE NOCASE = '\(random.pick(["B", "bc"]))'"
    case 11: return "\(column) BETWEEN \(value) AND \(random.pick(table.columns))"
    case 0: return "\(column) > \(value)"
    case 1: return "\(column) IS NULL"
    case 2: return "\(column) = \(value) AND \(random.pick(table.columns)) < \(random.below(10))"
    case 3: return "\(column) = \(value) OR \(random.pick(table.columns)) = \(random.below(10))"
    case 4: return "\(column) IN (\(value), \(random.below(10)))"
    case 5: return "\(column) + 0 = \(value)"
    default: return "\(column) = \(value)"
    }
  }
}

extension RandomNumbers {
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
