/// The definition of a column.
///
/// ```swift
/// let newColumn = ColumnDefinition(
///   name: "new_text_column", type: .TEXT, nullable: true, defaultValue: .stringLiteral("foo"))
/// ```
public struct ColumnDefinition: Hashable, Sendable {
  /// The type affinity of a column, which determines how SQLite converts its values.
  public enum Affinity: String, CaseIterable, Sendable, CustomStringConvertible {
    /// Values are converted to integers if possible.
    case INTEGER

    /// Values are converted to numbers if possible.
    case NUMERIC

    /// Values are converted to floating-point numbers if possible.
    case REAL

    /// Values are converted to text.
    case TEXT

    /// Values are not converted.
    case BLOB

    /// Creates the affinity of a declared type, by the rules of SQLite.
    ///
    /// ```swift
    /// let affinity = ColumnDefinition.Affinity("VARCHAR(20)")    // TEXT
    /// ```
    ///
    /// - Parameter declaredType: The declared type.
    public init(_ declaredType: String) {
      let type = declaredType.uppercased()
      func has(_ words: String...) -> Bool { words.contains { type.contains($0) } }
      if has("INT") {
        self = .INTEGER
      } else if has("CHAR", "CLOB", "TEXT") {
        self = .TEXT
      } else if type.isEmpty || has("BLOB") {
        self = .BLOB
      } else if has("REAL", "FLOA", "DOUB") {
        self = .REAL
      } else {
        self = .NUMERIC
      }
    }

    /// The name of the affinity.
    public var description: String { rawValue }
  }

  /// The resolution of a conflict between an inserted row and an existing row.
  public enum OnConflict: String, CaseIterable, Sendable {
    /// The transaction is rolled back.
    case ROLLBACK

    /// The changes of the statement are rolled back.
    case ABORT

    /// The statement stops, and its earlier changes are kept.
    case FAIL

    /// The new row is skipped.
    case IGNORE

    /// The existing row is deleted.
    case REPLACE
  }

  /// The options of a primary key.
  public struct PrimaryKey: Hashable, Sendable {
    /// Whether new keys are greater than all earlier ones.
    public let autoIncrement: Bool

    /// The resolution of a conflict with an existing key; nil for the default.
    public let onConflict: OnConflict?

    /// Creates the options of a primary key.
    ///
    /// ```swift
    /// let column = ColumnDefinition(name: "id", primaryKey: .init(autoIncrement: true), type: .INTEGER)
    /// ```
    ///
    /// - Parameters:
    ///   - autoIncrement: Whether new keys are greater than all earlier ones.
    ///   - onConflict: The resolution of a conflict with an existing key; nil for the default.
    public init(autoIncrement: Bool = true, onConflict: OnConflict? = nil) {
      self.autoIncrement = autoIncrement
      self.onConflict = onConflict
    }

    var sql: String {
      "PRIMARY KEY" + (onConflict.map { " ON CONFLICT \($0.rawValue)" } ?? "") + (autoIncrement ? " AUTOINCREMENT" : "")
    }
  }

  /// A foreign key, which references a row of another table.
  public struct ForeignKey: Hashable, Sendable {
    /// The name of the referenced table.
    public let table: String

    /// The name of the referencing column.
    public let column: String

    /// The name of the referenced column; nil for the primary key.
    public let primaryKey: String?

    /// The action when the referenced key changes, such as `CASCADE`; nil for none.
    public let onUpdate: String?

    /// The action when the referenced row is deleted, such as `SET NULL`; nil for none.
    public let onDelete: String?

    /// Creates a foreign key.
    ///
    /// ```swift
    /// let key = ColumnDefinition.ForeignKey(table: "users", column: "user_id", primaryKey: "id", onDelete: "CASCADE")
    /// ```
    ///
    /// - Parameters:
    ///   - table: The name of the referenced table.
    ///   - column: The name of the referencing column.
    ///   - primaryKey: The name of the referenced column; nil for the primary key.
    ///   - onUpdate: The action when the referenced key changes; nil for none.
    ///   - onDelete: The action when the referenced row is deleted; nil for none.
    public init(table: String, column: String, primaryKey: String?, onUpdate: String? = nil, onDelete: String? = nil) {
      self.table = table
      self.column = column
      self.primaryKey = primaryKey
      self.onUpdate = onUpdate
      self.onDelete = onDelete
    }

    var sql: String {
      "REFERENCES \(table.quote())" + (primaryKey.map { " (\($0.quote()))" } ?? "")
        + (onUpdate.map { " ON UPDATE \($0)" } ?? "") + (onDelete.map { " ON DELETE \($0)" } ?? "")
    }
  }

  /// The name of the column.
  public let name: String

  /// The options of the primary key; nil if the column is not part of it.
  public let primaryKey: PrimaryKey?

  /// The type affinity of the column.
  public let type: Affinity

  /// Whether the column may be NULL.
  public let nullable: Bool

  /// Whether the column has a uniqueness constraint of its own.
  public let unique: Bool

  /// The default value.
  public let defaultValue: LiteralValue

  /// The foreign key; nil if there is none.
  public let references: ForeignKey?

  /// Creates the definition of a column.
  ///
  /// ```swift
  /// let column = ColumnDefinition(name: "email", type: .TEXT, nullable: false, unique: true)
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the column.
  ///   - primaryKey: The options of the primary key; nil if the column is not part of it.
  ///   - type: The type affinity of the column.
  ///   - nullable: Whether the column may be NULL.
  ///   - unique: Whether the values must be unique.
  ///   - defaultValue: The default value.
  ///   - references: The foreign key; nil for none.
  public init(
    name: String, primaryKey: PrimaryKey? = nil, type: Affinity, nullable: Bool = true, unique: Bool = false,
    defaultValue: LiteralValue = .NULL, references: ForeignKey? = nil
  ) {
    self.name = name
    self.primaryKey = primaryKey
    self.type = type
    self.nullable = nullable
    self.unique = unique
    self.defaultValue = defaultValue
    self.references = references
  }

  /// Returns the definition of the column as in `CREATE TABLE`.
  ///
  /// ```swift
  /// print(ColumnDefinition(name: "email", type: .TEXT).toSQL())    // "email" TEXT
  /// ```
  ///
  /// - Returns: The SQL.
  public func toSQL() -> String {
    var parts = [name.quote(), type.rawValue]
    if defaultValue != .NULL { parts.append("DEFAULT \(defaultValue.defaultText)") }
    if let primaryKey { parts.append(primaryKey.sql) }
    if !nullable { parts.append("NOT NULL") }
    if unique { parts.append("UNIQUE") }
    if let references { parts.append(references.sql) }
    return parts.joined(separator: " ")
  }
}

extension ColumnDefinition {
  /// Returns whether two columns are equal, except for `unique`.
  ///
  /// Definitions that were written before `unique` existed do not specify it.
  ///
  /// - Parameters:
  ///   - lhs: A column.
  ///   - rhs: Another column.
  /// - Returns: Whether all other properties are equal.
  public static func == (lhs: ColumnDefinition, rhs: ColumnDefinition) -> Bool {
    (lhs.name, lhs.primaryKey, lhs.type, lhs.nullable) == (rhs.name, rhs.primaryKey, rhs.type, rhs.nullable)
      && (lhs.defaultValue, lhs.references) == (rhs.defaultValue, rhs.references)
  }

  /// Hashes the name and the type.
  ///
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(type)
  }
}

extension ColumnDefinition.ForeignKey {
  /// Creates a foreign key of the column that has this definition.
  ///
  /// ```swift
  /// let column = ColumnDefinition(name: "user_id", type: .INTEGER, references: .init(toTable: "users", toColumn:
  /// "id"))
  /// ```
  ///
  /// - Parameters:
  ///   - toTable: The name of the referenced table.
  ///   - toColumn: The name of the referenced column; nil for the primary key.
  ///   - onUpdate: The action when the referenced key changes, such as `CASCADE`; nil for none.
  ///   - onDelete: The action when the referenced row is deleted, such as `SET NULL`; nil for none.
  public init(toTable: String, toColumn: String? = nil, onUpdate: String? = nil, onDelete: String? = nil) {
    self.init(table: toTable, column: "", primaryKey: toColumn, onUpdate: onUpdate, onDelete: onDelete)
  }

  /// Creates a foreign key.
  ///
  /// ```swift
  /// let key = ColumnDefinition.ForeignKey(fromColumn: "user_id", toTable: "users", toColumn: "id")
  /// ```
  ///
  /// - Parameters:
  ///   - fromColumn: The name of the referencing column.
  ///   - toTable: The name of the referenced table.
  ///   - toColumn: The name of the referenced column; nil for the primary key.
  ///   - onUpdate: The action when the referenced key changes, such as `CASCADE`; nil for none.
  ///   - onDelete: The action when the referenced row is deleted, such as `SET NULL`; nil for none.
  public init(
    fromColumn: String, toTable: String, toColumn: String? = nil, onUpdate: String? = nil, onDelete: String? = nil
  ) {
    self.init(table: toTable, column: fromColumn, primaryKey: toColumn, onUpdate: onUpdate, onDelete: onDelete)
  }

  /// The name of the referencing column: `column`.
  public var fromColumn: String { column }

  /// The name of the referenced table: `table`.
  public var toTable: String { table }

  /// The name of the referenced column: `primaryKey`. Nil for the primary key.
  public var toColumn: String? { primaryKey }
}
