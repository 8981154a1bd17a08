/// A type that names a column.
///
/// An enumeration of strings makes the columns of a table:
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

// A column is its name, and not the value that its raw value would be elsewhere.
extension ColumnExpression where Self: RawRepresentable, RawValue: SQLExpressible {
  /// The column as an expression.
  public var sqlExpression: SQLExpression { .column(name) }
}

/// A column.
///
/// ```swift
/// let title: String = row[Column("title")]
/// ```
///
/// It is neither equatable nor made from a literal: `==` between two columns is SQL, and nothing else.
public struct Column: Sendable {
  /// The hidden column that holds the row id.
  public static let rowID = Column("rowid")

  /// The full-text search column that orders results by relevance.
  public static let rank = Column("rank")

  /// The name of the column, without quotes.
  public var name: String

  /// A column of that name.
  public init(_ name: String) {
    self.name = name
  }

  /// A column named as a coding key.
  public init(_ codingKey: some CodingKey) {
    name = codingKey.stringValue
  }
}

extension Column: ColumnExpression {}
