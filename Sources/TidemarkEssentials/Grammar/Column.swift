/// A type that names a column.
///
/// An enumeration with string raw values can define the columns of a table:
///
/// ```swift
/// enum Columns: String, ColumnExpression {
///   case id, title
/// }
/// ```
public protocol ColumnExpression: SQLSpecificExpressible {
  /// The name of the column, without quotes.
  var name: String { get }
}

extension ColumnExpression {
  /// The column as an expression.
  public var sqlExpression: SQLExpression { .column(name) }
}

extension ColumnExpression where Self: RawRepresentable, RawValue == String {
  /// The raw value.
  public var name: String { rawValue }
}

// The raw value of a column is the name of the column, not a value in SQL.
extension ColumnExpression where Self: RawRepresentable, RawValue: SQLExpressible {
  /// The column as an expression.
  public var sqlExpression: SQLExpression { .column(name) }
}

/// A column of a table.
///
/// ```swift
/// let title: String = row[Column("title")]
/// ```
///
/// Columns are neither equatable nor expressible by literals, so that `==` between two columns is always an SQL
/// expression.
public struct Column: Sendable {
  /// The hidden `rowid` column.
  public static let rowID = Column("rowid")

  /// The `rank` column of FTS5 tables, which orders search results by relevance.
  public static let rank = Column("rank")

  /// The name of the column, without quotes.
  public var name: String

  /// Creates a column.
  ///
  /// ```swift
  /// let request = Player.filter(Column("score") > 1000)
  /// ```
  ///
  /// - Parameter name: The name of the column, without quotes.
  public init(_ name: String) {
    self.name = name
  }

  /// Creates a column with the name of a coding key.
  ///
  /// ```swift
  /// let request = Player.filter(Column(CodingKeys.score) > 1000)
  /// ```
  ///
  /// - Parameter codingKey: A coding key. Its string value is the name of the column.
  public init(_ codingKey: some CodingKey) {
    name = codingKey.stringValue
  }
}

extension Column: ColumnExpression {}
