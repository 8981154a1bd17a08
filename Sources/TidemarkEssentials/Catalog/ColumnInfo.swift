/// A column of a table or of a view. See `Database.columns(in:in:)`.
///
/// ```swift
/// let columns = try dbQueue.read { db in
///   try db.columns(in: "book")
/// }
/// let required = columns.filter(\.isNotNull).map(\.name)
/// ```
public struct ColumnInfo: Sendable {
  /// The name.
  public let name: String

  /// The type, as it was declared; empty when there is none.
  public let type: String

  /// Whether the column was declared `NOT NULL`.
  public let isNotNull: Bool

  /// The default value, as SQL: `'it''s'`, `CURRENT_TIMESTAMP`. Nil when none was declared.
  public let defaultValueSQL: String?

  /// The place in the primary key, from 1 on; zero outside of it.
  public let primaryKeyIndex: Int

  let kind: Kind

  /// How the column has its values.
  enum Kind: Int {
    /// It stores them.
    case stored = 0

    /// A virtual table does not show it where all columns are asked for.
    case hidden = 1

    /// They are computed when they are read.
    case virtualGenerated = 2

    /// They are computed when the row is written.
    case storedGenerated = 3
  }

  /// Whether the column is computed: it cannot be written.
  var isGenerated: Bool { kind == .virtualGenerated || kind == .storedGenerated }

  /// A column, from a row of `PRAGMA table_info` or `PRAGMA table_xinfo`.
  public init(row: Row) {
    name = row["name"]
    type = row["type"]
    isNotNull = row["notnull"]
    defaultValueSQL = row["dflt_value"]
    primaryKeyIndex = row["pk"]
    kind = (row["hidden"] as Int?).flatMap(Kind.init) ?? .stored
  }
}
