/// Something that is in the schema: a table, an index, a view, a trigger.
public struct ObjectDefinition: Hashable, Sendable {
  /// What is in a schema.
  public enum ObjectType: String, Sendable {
    /// A table
    case table

    /// An index
    case index

    /// A view
    case view

    /// A trigger
    case trigger
  }

  /// What it is.
  public let type: ObjectType

  /// Its name.
  public let name: String

  /// The table that it belongs to; its own name for a table.
  public let tableName: String

  /// The page where its content begins; 0 for what has none.
  public let rootpage: Int64

  /// The statement that has made it; nil for what SQLite has made.
  public let sql: String?

  /// Whether SQLite has made it for itself.
  public var isInternal: Bool { name.hasPrefix("sqlite_") || sql == nil }
}

/// An index, as the schema has it.
public struct IndexDefinition: Hashable, Sendable {
  /// An order.
  public enum Order: String, Sendable {
    /// Small values first
    case ASC

    /// Great values first
    case DESC
  }

  /// What has made an index.
  public enum Origin: String, Sendable {
    /// A UNIQUE constraint
    case uniqueConstraint = "u"

    /// A PRIMARY KEY
    case primaryKey = "pk"

    /// The statement `CREATE INDEX`
    case createIndex = "c"
  }

  /// The table.
  public let table: String

  /// The name.
  public let name: String

  /// Whether each combination of values is there once.
  public let unique: Bool

  /// The columns; none where an expression is indexed.
  public let columns: [String]

  /// The rows that are in the index; nil when all are.
  public let `where`: String?

  /// The order of columns whose order is not the usual one; nil when there are none.
  public let orders: [String: Order]?

  /// What has made the index. Those that SQLite has made for a constraint are not listed by `SchemaReader`.
  public let origin: Origin?

  /// An index.
  ///
  /// - parameter table: The table.
  /// - parameter name: The name.
  /// - parameter unique: Whether each combination of values is there once.
  /// - parameter columns: The columns.
  /// - parameter where: The rows that are in the index; nil when all are.
  /// - parameter orders: The order of columns whose order is not the usual one.
  /// - parameter origin: What has made the index.
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

  /// The statement that makes the index.
  public func toSQL(ifNotExists: Bool = false) -> String {
    let list = columns.map { column in column.quote() + (orders?[column].map { " \($0.rawValue)" } ?? "") }
    let words = "CREATE \(unique ? "UNIQUE " : "")INDEX \(ifNotExists ? "IF NOT EXISTS " : "")\(name.quote())"
    let text = "\(words) ON \(table.quote()) (\(list.joined(separator: ", ")))"
    return `where`.map { "\(text) WHERE \($0)" } ?? text
  }
}
