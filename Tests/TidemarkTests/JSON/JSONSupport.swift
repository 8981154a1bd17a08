import Testing
import Tidemark

/// The table of the tests of JSON.
struct Place: Codable, Equatable, Identifiable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "pl"

  enum Columns {
    static let id = Column(CodingKeys.id)
    static let name = Column(CodingKeys.name)
    static let info = JSONColumn(CodingKeys.info)
    static let tags = JSONColumn(CodingKeys.tags)
  }

  var id: Int
  var name: String?
  var info: String?
  var tags: String?
}

/// A table whose rows belong to places.
struct Fragment: TableRecord, FetchableRecord {
  static let databaseTableName = "fr"
  static let place = belongsTo(Place.self)

  enum Columns {
    static let id = Column("id")
    static let placeId = Column("placeId")
    static let extra = JSONColumn("extra")
    // Not stored: the leak sanitizer does not find references in a stored enumeration, and reports them as leaks.
    static var key: SQLExpression { extra["k"] }
  }

  var extra: String?
  init(row: Row) throws { extra = row["extra"] }
}

let placeSQL = """
  CREATE TABLE pl (id INTEGER PRIMARY KEY, name TEXT, info TEXT, tags TEXT);
  CREATE TABLE fr (id INTEGER PRIMARY KEY, placeId INTEGER REFERENCES pl (id), extra TEXT);
  INSERT INTO pl VALUES
    (1, 'Ann', '{"city":"Rome","zip":3,"a":[1,2,{"b":null}]}', '["x","y"]'),
    (2, 'Bob', NULL, 'bad json');
  INSERT INTO fr VALUES (1, 1, '{"k":1}'), (2, 1, '{"k":2}');
  """

/// Runs a closure on a new database in memory, with places.
@discardableResult
func inPlaces<T>(_ body: (Database) throws -> T) throws -> T {
  try inMemory { db in
    try db.execute(sql: placeSQL)
    return try body(db)
  }
}

/// The SQL of an expression on places, with its values.
func expanded(_ expression: SQLExpression) throws -> String {
  let sql = try inPlaces { db in try db.expandedSQL(Place.select(expression)) }
  return String(sql.dropFirst("SELECT ".count).dropLast(#" FROM "pl""#.count))
}

extension Database {
  /// The SQL of a request, with its values.
  func expandedSQL(_ request: some FetchRequest) throws -> String {
    let (statement, recorder) = (try request.makePreparedRequest(self).statement, TraceRecorder())
    trace { recorder.append($0.expandedDescription) }
    defer { trace(nil) }
    do {
      _ = try Row.fetchOne(statement)
    } catch let error as DatabaseError {
      // An invalid document is an error of the first step.
      guard recorder.lines.count == 1 else { throw error }
    }
    return recorder.lines[0]
  }
}
