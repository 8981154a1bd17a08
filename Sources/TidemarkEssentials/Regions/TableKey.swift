/// A table of one of the databases of a connection.
///
/// Names compare as SQLite's do: the case of the letters from A to Z does not count.
struct TableKey: Hashable, Sendable {
  /// `main`, `temp`, or the name of an attached database.
  let database: String

  /// The name of the table.
  let name: String

  private let key: String

  init(_ name: String, in database: String = "main") {
    self.database = database
    self.name = name
    let nameKey = name.asciiLowercased
    // Most tables are in the main database: their key is no string of its own.
    let databaseKey = database.asciiLowercased
    key = databaseKey == "main" ? nameKey : "\(databaseKey)\0\(nameKey)"
  }

  /// Whether the table has this name, in whatever database.
  func hasName(_ other: String) -> Bool { name.asciiLowercased == other.asciiLowercased }

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.key == rhs.key }
  func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension TableKey: CustomStringConvertible {
  /// The name of the table, behind that of its database unless that is the main one.
  var description: String { key.utf8.contains(0) == false ? name : "\(database).\(name)" }
}
