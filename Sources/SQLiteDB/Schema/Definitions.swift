/// A table, an index, a view or a trigger in the schema.
public struct ObjectDefinition: Hashable, Sendable {
  /// The type of an object in the schema.
  public enum ObjectType: String, Sendable {
    /// A table.
    case table

    /// An index.
    case index

    /// A view.
    case view

    /// A trigger.
    case trigger
  }

  /// The type of the object.
  public let type: ObjectType

  /// The name of the object.
  public let name: String

  /// The name of the table that the object belongs to. For a table or a view, it is its own name.
  public let tableName: String

  /// The root page of the object's B-tree; 0 for objects without one, such as views and triggers.
  public let rootpage: Int64

  /// The statement that created the object; nil for objects that SQLite created.
  public let sql: String?

  /// Whether SQLite created the object for its own use.
  public var isInternal: Bool { name.hasPrefix("sqlite_") || sql == nil }
}

/// The definition of an index.
public struct IndexDefinition: Hashable, Sendable {
  /// The order of a column in an index.
  public enum Order: String, Sendable {
    /// Ascending values.
    case ASC

    /// Descending values.
    case DESC
  }

  /// The origin of an index.
  public enum Origin: String, Sendable {
    /// A UNIQUE constraint.
    case uniqueConstraint = "u"

    /// A PRIMARY KEY constraint.
    case primaryKey = "pk"

    /// A `CREATE INDEX` statement.
    case createIndex = "c"
  }

  /// The name of the table.
  public let table: String

  /// The name of the index.
  public let name: String

  /// Whether the index is unique.
  public let unique: Bool

  /// The names of the indexed columns, without indexed expressions.
  public let columns: [String]

  /// The condition of a partial index; nil if the index contains all rows.
  public let `where`: String?

  /// The orders of the descending columns; nil if all columns are ascending.
  public let orders: [String: Order]?

  /// The origin of the index. ``SchemaReader`` does not return indexes that SQLite created for constraints.
  public let origin: Origin?

  /// Creates the definition of an index.
  ///
  /// ```swift
  /// let index = IndexDefinition(table: "users", name: "users_email", unique: true, columns: ["email"])
  /// ```
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - name: The name of the index.
  ///   - unique: Whether the index is unique.
  ///   - columns: The names of the columns.
  ///   - where: The condition of a partial index; nil if the index contains all rows.
  ///   - orders: The orders of the descending columns.
  ///   - origin: The origin of the index.
  public init(
    table: String, name: String, unique: Bool = false, columns: [String], where: String? = nil,
    orders: [String: Order]? = nil, origin: Origin? = .createIndex
  ) {
    self.table = table
    self.name = name
    self.unique = unique
    self.columns = columns
    self.where = `where`
    self.orders = orders
    self.origin = origin
  }

  /// Returns the statement that creates the index.
  ///
  /// ```swift
  /// let index = IndexDefinition(table: "users", name: "users_email", columns: ["email"])
  /// print(index.toSQL())    // CREATE INDEX "users_email" ON "users" ("email")
  /// ```
  ///
  /// - Parameter ifNotExists: Whether an existing index is left unchanged without an error.
  /// - Returns: The statement.
  public func toSQL(ifNotExists: Bool = false) -> String {
    let list = columns.map { column in column.quote() + (orders?[column].map { " \($0.rawValue)" } ?? "") }
    let words = "CREATE \(unique ? "UNIQUE " : "")INDEX \(ifNotExists ? "IF NOT EXISTS " : "")\(name.quote())"
    let text = "\(words) ON \(table.quote()) (\(list.joined(separator: ", ")))"
    return `where`.map { "\(text) WHERE \($0)" } ?? text
  }
}
