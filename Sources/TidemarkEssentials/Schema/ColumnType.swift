extension Database {
  /// The declared type of a column.
  ///
  /// ```swift
  /// try db.create(table: "player") { t in
  ///   t.column("score", .integer)
  ///   t.column("rank", Database.ColumnType(rawValue: "TINYINT"))
  /// }
  /// ```
  public struct ColumnType: RawRepresentable, Hashable, Sendable {
    /// The type in SQL.
    public var rawValue: String

    /// Creates a type from its SQL name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// `TEXT`.
    public static let text = ColumnType(rawValue: "TEXT")

    /// `TEXT`, for JSON.
    public static let jsonText = ColumnType(rawValue: "TEXT")

    /// `BLOB`, for the binary JSON format of SQLite 3.45 and later.
    public static let jsonb = ColumnType(rawValue: "BLOB")

    /// `INTEGER`.
    public static let integer = ColumnType(rawValue: "INTEGER")

    /// `DOUBLE`. Tables with the option `strict` require `real` instead.
    public static let double = ColumnType(rawValue: "DOUBLE")

    /// `REAL`.
    public static let real = ColumnType(rawValue: "REAL")

    /// `NUMERIC`.
    public static let numeric = ColumnType(rawValue: "NUMERIC")

    /// `BOOLEAN`.
    public static let boolean = ColumnType(rawValue: "BOOLEAN")

    /// `BLOB`.
    public static let blob = ColumnType(rawValue: "BLOB")

    /// `DATE`.
    public static let date = ColumnType(rawValue: "DATE")

    /// `DATETIME`.
    public static let datetime = ColumnType(rawValue: "DATETIME")

    /// `ANY`. In tables with the option `strict`, values are stored without conversion.
    public static let any = ColumnType(rawValue: "ANY")
  }

  /// The action on rows that refer to a deleted row, or to a row whose key changes.
  public enum ForeignKeyAction: String, Sendable {
    /// Deletes the referring rows, or updates their keys.
    case cascade = "CASCADE"

    /// Rejects the statement immediately, even if the foreign key is deferred.
    case restrict = "RESTRICT"

    /// Sets the referring columns to NULL.
    case setNull = "SET NULL"

    /// Sets the referring columns to their default values.
    case setDefault = "SET DEFAULT"
  }
}
