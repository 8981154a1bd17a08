/// The objects that the schema table of a database lists.
struct SchemaObjects {
  /// A table, view, index or trigger.
  struct Object: Hashable {
    var type: String
    var name: String
    var tableName: String

    /// The statement that created the object, or nil for the index of a constraint.
    var sql: String?
  }

  /// All objects, in the order of the schema table.
  let all: [Object]

  // Keyed by the name in lower case. A trigger can have the same name as a table.
  private let relations: [String: Object]
  private let triggers: [String: Object]

  init(_ rows: [Row]) {
    // A program can write other values, or NULL, into the schema table.
    func text(_ row: Row, _ column: String) -> String? { String.fromDatabaseValue(row[column]) }
    let all = rows.compactMap { row -> Object? in
      guard let type = text(row, "type"), let name = text(row, "name"), let tableName = text(row, "tbl_name") else {
        return nil
      }
      return Object(type: type, name: name, tableName: tableName, sql: text(row, "sql"))
    }
    func named(_ types: Set<String>) -> [String: Object] {
      let objects = all.lazy.filter { types.contains($0.type) }.map { ($0.name.asciiLowercased, $0) }
      // Only a damaged schema contains two objects with the same name, and SQLite refuses to open it.
      return Dictionary(objects, uniquingKeysWith: { first, _ in first })
    }
    self.all = all
    relations = named(["table", "view"])
    triggers = named(["trigger"])
  }

  /// Returns a table or view.
  func relation(_ name: String) -> Object? { relations[name.asciiLowercased] }

  func trigger(_ name: String) -> Object? { triggers[name.asciiLowercased] }
}
