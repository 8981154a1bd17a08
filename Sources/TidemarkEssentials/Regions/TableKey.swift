/// A table in one of the databases of a connection.
///
/// As in SQLite, names are compared without the case of ASCII letters.
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
    // Most tables are in the main database: their key needs no separate string.
    let databaseKey = database.asciiLowercased
    key = databaseKey == "main" ? nameKey : "\(databaseKey)\0\(nameKey)"
  }

  /// Returns whether the table has the given name, in any database.
  func hasName(_ other: String) -> Bool { name.asciiLowercased == other.asciiLowercased }

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.key == rhs.key }
  func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension TableKey: CustomStringConvertible {
  /// The name of the table, qualified by its database unless that is the main database.
  var description: String { key.utf8.contains(0) == false ? name : "\(database).\(name)" }
}
