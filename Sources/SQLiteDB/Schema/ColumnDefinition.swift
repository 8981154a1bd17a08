/// A column, as the schema has it.
///
/// ```swift
/// let newColumn = ColumnDefinition(
///   name: "new_text_column", type: .TEXT, nullable: true, defaultValue: .stringLiteral("foo"))
/// ```
public struct ColumnDefinition: Hashable, Sendable {
  /// What SQLite makes of the values of a column.
  public enum Affinity: String, CaseIterable, Sendable, CustomStringConvertible {
    /// Integers
    case INTEGER

    /// Numbers
    case NUMERIC

    /// Doubles
    case REAL

    /// Texts
    case TEXT

    /// Whatever they are
    case BLOB

    /// The affinity of a declared type, by the rules of SQLite.
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

  /// What is done with a row that is there already.
  public enum OnConflict: String, CaseIterable, Sendable {
    /// The transaction is undone.
    case ROLLBACK

    /// The statement is undone.
    case ABORT

    /// The statement ends, and what it has done before stays.
    case FAIL

    /// The new row is left out.
    case IGNORE

    /// The row that is there goes.
    case REPLACE
  }

  /// That the column is the primary key.
  public struct PrimaryKey: Hashable, Sendable {
    /// Whether the key is greater than all that were there before.
    public let autoIncrement: Bool

    /// What is done with a row whose key is there already.
    public let onConflict: OnConflict?

    /// That the column is the primary key.
    public init(autoIncrement: Bool = true, onConflict: OnConflict? = nil) {
      self.autoIncrement = autoIncrement
      self.onConflict = onConflict
    }

    var sql: String {
      "PRIMARY KEY" + (onConflict.map { " ON CONFLICT \($0.rawValue)" } ?? "") + (autoIncrement ? " AUTOINCREMENT" : "")
    }
  }

  /// That the column finds a row of another table.
  public struct ForeignKey: Hashable, Sendable {
    /// The other table.
    public let table: String

    /// The column of this table.
    public let column: String

    /// The column of the other table; nil for its primary key.
    public let primaryKey: String?

    /// What becomes of the row when the other one changes; nil when it is nothing.
    public let onUpdate: String?

    /// What becomes of the row when the other one is deleted; nil when it is nothing.
    public let onDelete: String?

    /// That a column finds a row of another table.
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

  /// The name.
  public let name: String

  /// That it is the primary key, if it is.
  public let primaryKey: PrimaryKey?

  /// What SQLite makes of its values.
  public let type: Affinity

  /// Whether it may be NULL.
  public let nullable: Bool

  /// Whether each value is there once, by a constraint of this column alone.
  public let unique: Bool

  /// The value where an insert gives none.
  public let defaultValue: LiteralValue

  /// That it finds a row of another table, if it does.
  public let references: ForeignKey?

  /// A column.
  ///
  /// - parameter name: The name.
  /// - parameter primaryKey: That it is the primary key, if it is.
  /// - parameter type: The affinity.
  /// - parameter nullable: Whether it may be NULL.
  /// - parameter unique: Whether each value is there once.
  /// - parameter defaultValue: The value where an insert gives none.
  /// - parameter references: That it finds a row of another table, if it does.
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

  /// The column as `CREATE TABLE` has it.
  public func toSQL() -> String {
    var parts = [name.quote(), type.rawValue]
    if defaultValue != .NULL { parts.append("DEFAULT \(defaultValue)") }
    if let primaryKey { parts.append(primaryKey.sql) }
    if !nullable { parts.append("NOT NULL") }
    if unique { parts.append("UNIQUE") }
    if let references { parts.append(references.sql) }
    return parts.joined(separator: " ")
  }
}

extension ColumnDefinition {
  /// Whether two columns are the same, except for `unique`: definitions written before it existed do not have it.
  ///
  /// - parameter lhs: A column.
  /// - parameter rhs: Another column.
  /// - returns: Whether all other properties are equal.
  public static func == (lhs: ColumnDefinition, rhs: ColumnDefinition) -> Bool {
    (lhs.name, lhs.primaryKey, lhs.type, lhs.nullable) == (rhs.name, rhs.primaryKey, rhs.type, rhs.nullable)
      && (lhs.defaultValue, lhs.references) == (rhs.defaultValue, rhs.references)
  }

  /// Hashes the name and the type.
  ///
  /// - parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(type)
  }
}

extension ColumnDefinition.ForeignKey {
  /// That a column finds a row of another table: the column is the one that has this definition.
  ///
  /// - parameter toTable: The other table.
  /// - parameter toColumn: The column of the other table; nil for its primary key.
  /// - parameter onUpdate: What becomes of the row when the other one changes: `CASCADE`.
  /// - parameter onDelete: What becomes of the row when the other one is deleted: `SET NULL`.
  public init(toTable: String, toColumn: String? = nil, onUpdate: String? = nil, onDelete: String? = nil) {
    self.init(table: toTable, column: "", primaryKey: toColumn, onUpdate: onUpdate, onDelete: onDelete)
  }

  /// That a column finds a row of another table.
  ///
  /// - parameter fromColumn: The column of this table.
  /// - parameter toTable: The other table.
  /// - parameter toColumn: The column of the other table; nil for its primary key.
  /// - parameter onUpdate: What becomes of the row when the other one changes: `CASCADE`.
  /// - parameter onDelete: What becomes of the row when the other one is deleted: `SET NULL`.
  public init(
    fromColumn: String, toTable: String, toColumn: String? = nil, onUpdate: String? = nil, onDelete: String? = nil
  ) {
    self.init(table: toTable, column: fromColumn, primaryKey: toColumn, onUpdate: onUpdate, onDelete: onDelete)
  }

  /// The column of this table: `column`.
  public var fromColumn: String { column }

  /// The other table: `table`.
  public var toTable: String { table }

  /// The column of the other table; nil for its primary key: `primaryKey`.
  public var toColumn: String? { primaryKey }
}
