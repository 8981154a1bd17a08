/// An error of a query or a row that does not have the requested content.
public enum QueryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// All columns were selected from a table that the query does not read.
  case noSuchTable(name: String)

  /// The row does not have the column.
  case noSuchColumn(name: String, columns: [String])

  /// Several columns of the row match the name.
  case ambiguousColumn(name: String, similar: [String])

  /// The value is NULL, or it does not have the requested type.
  case unexpectedNullValue(name: String)

  /// A description of the error.
  public var description: String {
    switch self {
    case .noSuchTable(let name): "No such table: \(name)"
    case .noSuchColumn(let name, let columns): "No such column `\(name)` in columns \(columns)"
    case .ambiguousColumn(let name, let similar): "Ambiguous column `\(name)` (please disambiguate: \(similar))"
    case .unexpectedNullValue(let name): "Unexpected null value for column `\(name)`"
    }
  }
}
