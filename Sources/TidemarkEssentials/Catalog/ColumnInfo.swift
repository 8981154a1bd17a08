/// A column of a table or view, as returned by ``Database/columns(in:in:)``.
///
/// ```swift
/// let columns = try dbQueue.read { db in
///   try db.columns(in: "book")
/// }
/// let required = columns.filter(\.isNotNull).map(\.name)
/// ```
public struct ColumnInfo: Sendable {
  /// The name of the column.
  public let name: String

  /// The declared type, or an empty string if no type is declared.
  public let type: String

  /// Whether the column has a `NOT NULL` constraint.
  public let isNotNull: Bool

  /// The default value as an SQL expression, such as `'it''s'` or `CURRENT_TIMESTAMP`, or nil if none is declared.
  public let defaultValueSQL: String?

  /// The one-based position of the column in the primary key, or zero if the column is not a part of it.
  public let primaryKeyIndex: Int

  let kind: Kind

  /// The source of the values of a column.
  enum Kind: Int {
    /// The values are stored.
    case stored = 0

    /// A hidden column of a virtual table, which `SELECT *` does not return.
    case hidden = 1

    /// The values are computed when they are read.
    case virtualGenerated = 2

    /// The values are computed when the row is written.
    case storedGenerated = 3
  }

  /// Whether the values are computed, so that the column is read-only.
  var isGenerated: Bool { kind == .virtualGenerated || kind == .storedGenerated }

  /// Creates a column from a row of `PRAGMA table_info` or `PRAGMA table_xinfo`.
  ///
  /// - Parameter row: A row of one of these pragmas.
  public init(row: Row) {
    name = row["name"]
    type = row["type"]
    isNotNull = row["notnull"]
    defaultValueSQL = row["dflt_value"]
    primaryKeyIndex = row["pk"]
    kind = (row["hidden"] as Int?).flatMap(Kind.init) ?? .stored
  }
}
