import Tidemark

/// The content of a database, as a value.
struct ModelContent: Hashable, Sendable {
  /// A row of the table `item`.
  struct Item: Hashable, Sendable {
    var name: String?
    var score: Int?
    var code: Int?
  }

  /// Whether the tables `item` and `part` exist. They do not in a new or erased database.
  var hasSchema = false

  /// The rows of `item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER CHECK (score < 90), code UNIQUE)`.
  var items: [Int64: Item] = [:]

  /// The rows of `part (id INTEGER PRIMARY KEY, itemId REFERENCES item ON DELETE CASCADE)`.
  var parts: [Int64: Int64] = [:]

  /// The values of the column `item.extra`; nil without this column.
  var extras: [Int64: Int]?

  /// The sorted values of additional tables, each with the column `n`.
  var boxes: [String: [Int]] = [:]

  /// Whether there is an index on `item.score`.
  var hasIndex = false
  var userVersion = 0

  static let schemaSQL = """
    CREATE TABLE item (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER CHECK (score < 90), code INTEGER UNIQUE);
    CREATE TABLE part (id INTEGER PRIMARY KEY, itemId INTEGER NOT NULL REFERENCES item ON DELETE CASCADE)
    """

  /// The value of `item.extra` in rows that do not set it.
  static let extraDefault = 7

  /// The whole content as text, for comparisons.
  var dump: String {
    var lines: [String] = []
    if hasSchema {
      lines += items.sorted { $0.key < $1.key }.map { id, item in
        let words = [item.name, item.score.map(String.init), item.code.map(String.init)].map { $0 ?? "-" }
        return "item \(id) \(words.joined(separator: " "))" + (extras.map { " \($0[id] ?? -1)" } ?? "")
      }
      lines += parts.sorted { $0.key < $1.key }.map { "part \($0) \($1)" }
    }
    lines += boxes.sorted { $0.key < $1.key }.map { "\($0) \($1)" }
    lines.append("version \(userVersion)\(hasSchema ? " schema" : "")\(hasIndex ? " index" : "")")
    return lines.joined(separator: "; ")
  }

  /// The same text for the content of a database.
  static func dump(_ db: Database, schema: String = "main") throws -> String {
    var lines: [String] = []
    let names = try String.fetchAll(
      db, sql: "SELECT name FROM \(schema).sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name")
    if names.contains("item") {
      let rows = try Row.fetchAll(db, sql: "SELECT * FROM \(schema).item ORDER BY id")
      lines += rows.map { row in
        "item "
          + row.databaseValues.map { $0.isNull ? "-" : (String.fromDatabaseValue($0) ?? "\($0)") }
          .joined(separator: " ")
      }
      let parts = try Row.fetchAll(db, sql: "SELECT id, itemId FROM \(schema).part ORDER BY id")
      lines += parts.map { row in "part \(row[0] as Int64) \(row[1] as Int64)" }
    }
    for name in names where name.hasPrefix("box") {
      lines.append("\(name) \(try Int.fetchAll(db, sql: "SELECT n FROM \(schema).\(name) ORDER BY n"))")
    }
    let version = try Int.fetchOne(db, sql: "PRAGMA \(schema).user_version") ?? -1
    lines.append(
      "version \(version)\(names.contains("item") ? " schema" : "")\(names.contains("scores") ? " index" : "")")
    return lines.joined(separator: "; ")
  }
}

/// The record of the table `item`.
struct ModelItem: Codable, Hashable, FetchableRecord, PersistableRecord, Sendable {
  static let databaseTableName = "item"
  var id: Int64?
  var name: String?
  var score: Int?
  var code: Int?

  init(id: Int64?, _ item: ModelContent.Item) {
    self.id = id
    (name, score, code) = (item.name, item.score, item.code)
  }

  var text: String {
    let words = [id.map { "\($0)" }, name, score.map(String.init), code.map(String.init)].map { $0 ?? "-" }
    return words.joined(separator: " ")
  }
}
