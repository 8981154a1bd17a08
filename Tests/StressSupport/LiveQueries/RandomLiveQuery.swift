import CSQLite
import Tidemark

/// The result of a query at a commit.
struct LiveResult: Sendable {
  var number: Int
  var text: String
}

/// A query, in one of several forms.
struct RandomLiveQuery: Sendable, CustomStringConvertible {
  private var sql: String
  private var arguments: StatementArguments
  private var form: Form

  private enum Form {
    case sql
    case request
    case moving
  }

  var description: String { "\(sql) \(arguments)" }

  static func random(_ numbers: inout RandomNumbers) -> RandomLiveQuery {
    let owner = numbers.below(12)
    let id = 1 + numbers.below(40)
    let kind = ["red", "green", "blue", "Red"][numbers.below(4)]
    let low = numbers.below(10)
    let high = low + numbers.below(4)
    let all: [(String, StatementArguments)] = [
      ("SELECT * FROM item WHERE owner = ? ORDER BY id", [owner]),
      ("SELECT note, score FROM item WHERE id = ?", [id]),
      ("SELECT id FROM item WHERE owner IN (?, ?) ORDER BY id", [owner, owner + 1]),
      ("SELECT COUNT(*), TOTAL(score) FROM item WHERE kind = ?", [kind]),
      ("SELECT id, score FROM item WHERE score BETWEEN ? AND ? ORDER BY id", [low, high]),
      ("SELECT id FROM item WHERE score > ? AND owner = ? ORDER BY id", [low, owner]),
      ("SELECT id FROM item WHERE owner IS NULL ORDER BY id", []),
      ("SELECT id FROM item ORDER BY score DESC, id LIMIT ?", [1 + low]),
      ("SELECT kind, COUNT(*) FROM item GROUP BY kind ORDER BY kind", []),
      ("SELECT COUNT(*) FROM item", []),
      ("SELECT name FROM tag WHERE item = ? ORDER BY name", [id]),
      ("SELECT item FROM tag WHERE name = ? ORDER BY item", [kind]),
      ("SELECT item.id, tag.name FROM item JOIN tag ON tag.item = item.id WHERE item.owner = ? ORDER BY 1, 2", [owner]),
      ("SELECT item.id, tag.name FROM item LEFT JOIN tag ON tag.item = item.id AND tag.name = ? ORDER BY 1, 2", [kind]),
      (
        "SELECT id FROM item WHERE EXISTS (SELECT * FROM tag WHERE tag.item = item.id) AND owner = ? ORDER BY id",
        [owner]
      ),
      ("SELECT id FROM item WHERE owner = ? OR kind = ? ORDER BY id", [owner, kind]),
      ("SELECT id FROM good WHERE owner = ? ORDER BY id", [owner]),
      ("WITH mine AS (SELECT * FROM item WHERE owner = ?) SELECT COUNT(*) FROM mine WHERE score < ?", [owner, high]),
      ("SELECT id FROM item WHERE owner = ? UNION SELECT item FROM gone ORDER BY 1", [owner]),
      ("SELECT COUNT(*) FROM gone WHERE item = ?", [id]),
      ("SELECT a.id, b.id FROM item a, item b WHERE a.owner = ? AND b.owner = a.owner + 1 ORDER BY 1, 2", [owner]),
      ("SELECT id FROM item WHERE owner = ?", ["\(owner)"]),
      ("SELECT id FROM item WHERE note = ? ORDER BY id", [low]),
      ("SELECT MAX(score) FROM item WHERE owner = ? AND kind IS NOT NULL", [owner]),
      ("SELECT id, score FROM item ORDER BY score DESC, id LIMIT ?", [1 + low]),
      ("SELECT id, owner FROM item WHERE owner > ? ORDER BY owner, id LIMIT 5", [owner]),
      ("SELECT id, owner, kind FROM item WHERE owner % 3 <> ? ORDER BY owner DESC, id DESC LIMIT 4", [low % 3]),
      ("SELECT id, owner FROM item ORDER BY owner, id LIMIT ?", [1 + low]),
      ("SELECT COUNT(*) FROM item WHERE NOT (owner = ? OR owner IS NULL)", [owner]),
      ("SELECT tag.name FROM item LEFT JOIN tag ON tag.item = item.id WHERE item.owner = ? ORDER BY 1", [owner]),
      ("SELECT b.id, b.kind FROM item a JOIN item b ON b.owner = a.owner WHERE a.id = ? ORDER BY 1", [id]),
      ("SELECT item.kind, tag.name FROM tag JOIN item ON item.id = tag.item WHERE tag.item = ? ORDER BY 2", [id]),
      (
        """
        SELECT tag.name, gone.item FROM item JOIN tag ON tag.item = item.id LEFT JOIN gone ON gone.item = tag.item
        WHERE item.owner = ? ORDER BY 1, 2
        """, [owner]
      ),
    ]
    let (sql, arguments) = all[numbers.below(all.count)]
    switch numbers.below(8) {
    case 0: return RandomLiveQuery(sql: "request", arguments: [owner, low], form: .request)
    case 1: return RandomLiveQuery(sql: "moving", arguments: [id], form: .moving)
    default: return RandomLiveQuery(sql: sql, arguments: arguments, form: .sql)
    }
  }

  func result(_ db: Database) throws -> LiveResult {
    // Not a statement of the library: its own reads differ from the query's.
    let number = try Self.clock(db)
    let rows: [Row]
    switch form {
    case .sql:
      rows = try Row.fetchAll(db, sql: sql, arguments: arguments)
    case .request:
      let values = try Row.fetchOne(db, sql: "SELECT ? AS owner, ? AS low", arguments: arguments)
      let (owner, low): (Int?, Int?) = (values?["owner"], values?["low"])
      rows = try Table("item")
        .filter(Column("owner") == owner && Column("score") >= low)
        .order(Column("id"))
        .select(Column("id"), Column("kind"))
        .fetchAll(db)
    case .moving:
      let owner = try Int.fetchOne(db, sql: "SELECT owner FROM item WHERE id = ?", arguments: arguments)
      rows = try Row.fetchAll(db, sql: "SELECT id, note FROM item WHERE owner = ? ORDER BY id", arguments: [owner])
    }
    return LiveResult(number: number, text: rows.map(\.description).joined(separator: ";"))
  }

  private static func clock(_ db: Database) throws -> Int {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(db.sqliteConnection, "SELECT number FROM clock", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { throw DatabaseError(message: "The clock cannot be read") }
    return Int(sqlite3_column_int64(statement, 0))
  }
}

/// A change that has the same effect whenever it is repeated on the same state.
struct LiveOperation: Sendable {
  private var sql: String
  private var arguments: StatementArguments
  private var isUndone = false

  static func random(_ numbers: inout RandomNumbers) -> LiveOperation {
    let owner = numbers.below(12)
    let id = 1 + numbers.below(40)
    let kind = ["red", "green", "blue", "Red"][numbers.below(4)]
    let score = Double(numbers.below(20)) / 2
    let slug = "slug\(numbers.below(30))"
    let all: [(String, StatementArguments)] = [
      ("INSERT OR IGNORE INTO item VALUES (?, ?, ?, ?, ?, NULL)", [id, owner, kind, score, owner]),
      ("INSERT OR REPLACE INTO item VALUES (?, ?, ?, ?, ?, ?)", [id, owner, kind, score, kind, slug]),
      (
        "INSERT INTO item VALUES (?, ?, ?, ?, NULL, NULL) ON CONFLICT DO UPDATE SET score = excluded.score + 1",
        [id, owner, kind, score]
      ),
      ("UPDATE item SET owner = ? WHERE id = ?", [owner, id]),
      ("UPDATE item SET owner = NULL WHERE id = ?", [id]),
      ("UPDATE item SET score = ? WHERE owner = ?", [score, owner]),
      ("UPDATE item SET score = score WHERE owner = ?", [owner]),
      ("UPDATE item SET note = ? WHERE id = ?", [score, id]),
      ("UPDATE item SET kind = ? WHERE id BETWEEN ? AND ?", [kind, id, id + 3]),
      ("UPDATE OR IGNORE item SET id = ? WHERE id = ?", [id, id + 1]),
      ("UPDATE OR FAIL item SET slug = ? WHERE id > ?", [slug, id]),
      ("UPDATE item SET slug = ? WHERE owner = ?", [slug, owner]),
      ("DELETE FROM item WHERE id = ?", [id]),
      ("DELETE FROM item WHERE owner = ? AND score < ?", [owner, score]),
      ("INSERT OR IGNORE INTO tag SELECT id, ? FROM item WHERE owner = ?", [kind, owner]),
      ("UPDATE OR IGNORE tag SET name = ? WHERE item = ?", [kind, id]),
      ("DELETE FROM tag WHERE name = ? AND item > ?", [kind, id]),
      (numbers.once(in: 20) ? "DELETE FROM tag" : "DELETE FROM gone WHERE item = \(id)", []),
    ]
    let (sql, arguments) = all[numbers.below(all.count)]
    return LiveOperation(sql: sql, arguments: arguments, isUndone: numbers.once(in: 10))
  }

  func perform(_ db: Database) throws {
    do {
      if isUndone {
        try db.inSavepoint {
          try db.execute(sql: sql, arguments: arguments)
          return .rollback
        }
      } else {
        try db.execute(sql: sql, arguments: arguments)
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      // Some of the rows may have been changed, with OR FAIL.
    }
  }
}
