/// What the schema table of one database lists.
struct SchemaObjects {
  /// A table, a view, an index or a trigger.
  struct Object: Hashable {
    var type: String
    var name: String
    var tableName: String

    /// The statement that made it; nil for the indexes of constraints.
    var sql: String?
  }

  /// All of them, in the order of the schema table.
  let all: [Object]

  // By name in lower case. A trigger may be called as a table is.
  private let relations: [String: Object]
  private let triggers: [String: Object]

  init(_ rows: [Row]) {
    let all = rows.map { Object(type: $0["type"], name: $0["name"], tableName: $0["tbl_name"], sql: $0["sql"]) }
    func named(_ types: Set<String>) -> [String: Object] {
      let objects = all.lazy.filter { types.contains($0.type) }.map { ($0.name.asciiLowercased, $0) }
      // Two objects of one name are in a damaged schema only: SQLite would not open it.
      return Dictionary(objects, uniquingKeysWith: { first, _ in first })
    }
    self.all = all
    relations = named(["table", "view"])
    triggers = named(["trigger"])
  }

  /// A table or a view.
  func relation(_ name: String) -> Object? { relations[name.asciiLowercased] }

  func trigger(_ name: String) -> Object? { triggers[name.asciiLowercased] }
}
