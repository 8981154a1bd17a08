/// A common table expression: a table that is defined in the `WITH` clause of a query.
struct SQLCommonTable: Sendable {
  var name: String

  /// The names of the columns, or nil for the names that the definition gives them.
  var columns: [String]?

  var isRecursive: Bool
  var definition: SQLSubquery
}

extension [SQLCommonTable] {
  /// Adds a common table expression. It replaces the one with the same name, if there is one.
  mutating func define(_ table: SQLCommonTable) {
    if let index = firstIndex(where: { $0.name == table.name }) {
      self[index] = table
    } else {
      append(table)
    }
  }
}
