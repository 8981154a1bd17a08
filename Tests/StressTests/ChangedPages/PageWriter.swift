import StressSupport

/// A program without the library that writes at random. Small pages make deep trees.
struct PageWriter {
  private var random: RandomNumbers
  private let connection: PlainConnection
  private let usesFullText: Bool

  /// Whether there are values longer than a page.
  private let hasLongValues: Bool
  private static let tables = ["a", "b", "c", "d"]

  init(path: String, seed: UInt64, hasLongValues: Bool = true) {
    random = RandomNumbers(seed: seed)
    connection = PlainConnection(path: path, creates: true, busyMilliseconds: 10_000)
    let pageSize = random.pick([512, 512, 1_024, 4_096])
    self.hasLongValues = hasLongValues
    usesFullText = random.once(in: 2)
    for sql in [
      "PRAGMA page_size = \(pageSize)", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = OFF",
      "PRAGMA secure_delete = \(random.once(in: 4) ? 1 : 0)",
      "PRAGMA wal_autocheckpoint = \(random.pick([0, 20, 200, 1_000]))",
      "PRAGMA cache_size = \(random.pick([10, 2_000]))",
      "CREATE TABLE a (id INTEGER PRIMARY KEY, n INT, v BLOB)",
      "CREATE TABLE b (id INTEGER PRIMARY KEY AUTOINCREMENT, n INT, v BLOB)",
      "CREATE INDEX b_n ON b (n)", "CREATE INDEX b_v ON b (v, n)",
      "CREATE TABLE c (id INT, n INT, v BLOB, PRIMARY KEY (id, n)) WITHOUT ROWID",
      "CREATE TABLE d (id INTEGER PRIMARY KEY, n INT, v BLOB)", "CREATE INDEX d_n ON d (n) WHERE n > 50",
      usesFullText ? "CREATE VIRTUAL TABLE f USING fts5(w)" : "SELECT 1",
    ] { _ = connection.execute(sql) }
    for table in Self.tables where random.once(in: 2) { _ = connection.execute(insert(into: table, rowCountMax: 400)) }
  }

  /// Runs some transactions.
  ///
  /// - Returns: Their statements.
  mutating func runTransactions() -> [String] {
    var script: [String] = []
    for _ in 0..<1 + random.below(3) { runTransaction(&script) }
    return script
  }

  private mutating func runTransaction(_ script: inout [String]) {
    func run(_ sql: String) {
      script.append(sql)
      _ = connection.execute(sql)
    }
    switch random.below(60) {
    case 0: return run("PRAGMA wal_checkpoint(\(random.pick(["PASSIVE", "FULL", "RESTART", "TRUNCATE"])))")
    case 1: return run(random.pick(["VACUUM", "REINDEX", "ANALYZE", "PRAGMA user_version = \(random.below(9))"]))
    case 2:
      return run(random.pick(["CREATE TABLE e (n, v)", "DROP TABLE e", "CREATE INDEX a_n ON a (n)", "DROP INDEX a_n"]))
    case 3..<8:
      // Overwrites a byte of a value in place.
      let (table, row) = (random.pick(["a", "b", "d"]), random.below(100))
      script.append("blob \(table) \(row)")
      _ = connection.overwriteByte(table: table, column: "v", rowID: row)
      return
    default: break
    }
    run("BEGIN IMMEDIATE")
    for _ in 0..<1 + random.below(3) { run(statement()) }
    run(random.once(in: 8) ? "ROLLBACK" : "COMMIT")
  }

  private mutating func statement() -> String {
    let table = random.pick(Self.tables)
    switch random.below(20) {
    case 0..<7: return insert(into: table, rowCountMax: random.pick([2, 2, 20, 200]))
    case 7..<10: return "UPDATE \(table) SET v = \(value()) WHERE \(condition())"
    case 10, 11: return "UPDATE \(table) SET v = randomblob(length(v)) WHERE \(condition())"
    case 12: return "UPDATE \(table) SET n = n + \(random.below(3)) WHERE \(condition())"
    case 13..<16: return "DELETE FROM \(table) WHERE \(condition())"
    case 16:
      return random.once(in: 3) ? "DELETE FROM \(table)" : "DELETE FROM \(table) WHERE id % 3 = \(random.below(3))"
    case 17 where usesFullText:
      return random.pick([
        "INSERT INTO f VALUES ('\(random.pick(["a b", "c", "a d"]))')",
        "DELETE FROM f WHERE rowid = \(random.below(20))",
        "UPDATE f SET w = 'z' WHERE rowid = \(random.below(20))",
      ])
    default: return "INSERT OR IGNORE INTO \(table) SELECT * FROM \(random.pick(Self.tables)) WHERE \(condition())"
    }
  }

  private mutating func insert(into table: String, rowCountMax: Int) -> String {
    """
    WITH RECURSIVE i (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i LIMIT \(1 + random.below(rowCountMax)))
    INSERT OR \(random.pick(["IGNORE", "REPLACE"])) INTO \(table)
    SELECT abs(random()) % \(random.pick([100, 1_000])), abs(random()) % 100, \(value()) FROM i
    """
  }

  private mutating func value() -> String {
    let short = ["NULL", "randomblob(8)", "randomblob(8)", "randomblob(90)"]
    return random.pick(hasLongValues ? short + ["randomblob(900)", "randomblob(5000)"] : short)
  }

  private mutating func condition() -> String {
    let first = random.below(100)
    return random.pick([
      "id = \(first)", "id BETWEEN \(first) AND \(first + random.below(40))", "n = \(first)", "id % 7 = \(first % 7)",
    ])
  }
}
