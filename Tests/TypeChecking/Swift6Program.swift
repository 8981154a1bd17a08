import Tidemark

// Statements of programs written for GRDB 7, which compile in the Swift 5 and Swift 6 language modes: see run.sh.

struct Player: TableRecord, FetchableRecord {
  enum Columns {
    static let name = Column("name")
    static let score = Column("score")
  }
  init(row: Row) throws {}
}

let (a, b) = (Column("a"), Column("b"))

// The left operand may be anything that stands for an expression.

func operators(
  _ t: some SQLExpressible, _ x: any SQLExpressible, _ o: (any SQLExpressible)?, _ c: some SQLSpecificExpressible
) -> [SQLExpression] {
  [
    t + a, t - a, t * a, t / a, t & a, t | a, t << a, t >> a, t == a, t != a, t === a, t !== a, t < a, t <= a, t > a,
    t >= a, t && a, t || a, x + a, x - a, x * a, x / a, x & a, x | a, x << a, x >> a, x == a, x != a, x === a, x !== a,
    x < a, x <= a, x > a, x >= a, x && a, x || a, o == a, o != a, o === a, c + t, t + c, t == c, c == t, c == o,
    a + b == 1 && nil == a && 1 < a && true == b, 1 == a, nil != a, 2 * a, "x" == a,
  ]
}

// Functions are values.

func references() -> [SQLExpression] {
  let functions: [(Column) -> SQLExpression] = [average, max, min, sum, total, abs, length]
  let filter: (any SQLSpecificExpressible)? = nil
  return functions.map { $0(a) } + [a, b].map(average) + [a, b].map(max)
    + [max(a, filter: b), average(a, filter: b > 1), sum(a, filter: filter), max(a, b), min(a, 1, b)]
}

func interpolations(
  _ selectable: any SQLSelectable, _ optional: (any SQLSelectable)?, _ record: any TableRecord,
  _ type: any TableRecord.Type
) -> [SQL] {
  [
    "\(selectable)", "\(optional)", "\(tableOf: record)", "\(tableOf: type)", "\(type)", "\("abc".prefix(2))",
    "\("abc")", "SELECT * FROM \(Table("player"))", "\(Table<Player>("player"))", "\(columnsOf: Player.self)",
    "\(1)", "\(a)", "\(nil as String?)", "\(Player.all())", "\([1, 2])", "\([a, b])", "\(a.desc)", "\(a.forKey("b"))",
  ]
}

func titles(_ db: Database) throws -> some DatabaseCursor<String> {
  try String.fetchCursor(db, sql: "SELECT title FROM book")
}

func firstTitle(_ cursor: any DatabaseCursor<String>) throws -> String? { try cursor.next() }

func prepare(_ db: Database, _ request: some FetchRequest) throws -> PreparedRequest {
  try request.makePreparedRequest(db)
}

// The metatype of a record may be sent elsewhere.

func nameLater<Record: TableRecord>(_ type: Record.Type) -> Task<String, Never> {
  Task.detached { Record.databaseTableName }
}

func accept<Metatype: GRDBSendableMetatype>(_ type: Metatype.Type) {}
