/// What was asked of a row, or of a query, is not there.
public enum QueryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// All columns were selected of a table that the query does not have.
  case noSuchTable(name: String)

  /// The row has no such column.
  case noSuchColumn(name: String, columns: [String])

  /// The row has several columns of that name.
  case ambiguousColumn(name: String, similar: [String])

  /// The column is NULL, or what it has is not of the type that was asked for.
  case unexpectedNullValue(name: String)

  /// What was asked for, and what there is.
  public var description: String {
    switch self {
    case .noSuchTable(let name): "No such table: \(name)"
    case .noSuchColumn(let name, let columns): "No such column `\(name)` in columns \(columns)"
    case .ambiguousColumn(let name, let similar): "Ambiguous column `\(name)` (please disambiguate: \(similar))"
    case .unexpectedNullValue(let name): "Unexpected null value for column `\(name)`"
    }
  }
}
