extension Database {
  /// The type of a column, as it is declared.
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

    /// A type of any name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// `TEXT`.
    public static let text = ColumnType(rawValue: "TEXT")

    /// `TEXT`, for JSON.
    public static let jsonText = ColumnType(rawValue: "TEXT")

    /// `BLOB`, for the binary form of JSON of SQLite 3.45.
    public static let jsonb = ColumnType(rawValue: "BLOB")

    /// `INTEGER`.
    public static let integer = ColumnType(rawValue: "INTEGER")

    /// `DOUBLE`. A table with the option `strict` wants `real`.
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

    /// `ANY`: with the option `strict`, whatever is stored stays as it is.
    public static let any = ColumnType(rawValue: "ANY")
  }

  /// What becomes of the rows that refer to a row that is deleted, or whose key changes.
  public enum ForeignKeyAction: String, Sendable {
    /// They are deleted, or changed with it.
    case cascade = "CASCADE"

    /// The statement fails at once, even where the foreign key is deferred.
    case restrict = "RESTRICT"

    /// Their columns become NULL.
    case setNull = "SET NULL"

    /// Their columns take their default values.
    case setDefault = "SET DEFAULT"
  }
}
