/// A cursor over the results of a statement.
///
/// ```swift
/// func titles(_ db: Database) throws -> some DatabaseCursor<String> {
///   try String.fetchCursor(db, sql: "SELECT title FROM book")
/// }
/// ```
public protocol DatabaseCursor<Element>: Cursor {
  /// The SQL of the statement.
  var sql: String { get }

  /// The arguments of the statement.
  var arguments: StatementArguments { get }

  /// The names of the columns of the statement.
  var columnNames: [String] { get }

  /// The number of columns of the statement.
  var columnCount: Int { get }

  /// The region that the statement reads.
  var databaseRegion: DatabaseRegion { get }
}
