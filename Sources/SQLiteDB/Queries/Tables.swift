/// A query of something that is in the schema: a table, a view, a virtual table.
public protocol SchemaType: QueryType {
  /// What SQL calls it: `TABLE`.
  static var identifier: String { get }
}

extension SchemaType {
  // MARK: Selecting columns

  /// Some columns: `SELECT "id", "email" FROM "users"`.
  public func select(_ column1: any Expressible, _ more: any Expressible...) -> Self { select([column1] + more) }

  /// Some columns, each combination of values once: `SELECT DISTINCT "email" FROM "users"`.
  public func select(distinct column1: any Expressible, _ more: any Expressible...) -> Self {
    select(distinct: [column1] + more)
  }

  /// Some columns: `SELECT "id", "email" FROM "users"`.
  public func select(_ all: [any Expressible]) -> Self { selecting(all, isDistinct: false) }

  /// Some columns, each combination of values once: `SELECT DISTINCT "email" FROM "users"`.
  public func select(distinct columns: [any Expressible]) -> Self { selecting(columns, isDistinct: true) }

  /// All columns: `SELECT * FROM "users"`.
  public func select(_ star: Star) -> Self { select([star(nil, nil)]) }

  /// All columns, each row once: `SELECT DISTINCT * FROM "users"`.
  public func select(distinct star: Star) -> Self { select(distinct: [star(nil, nil)]) }

  /// One column, whose type is known: `SELECT count("name") FROM "users"`.
  public func select<T: ExpressionDatatype>(_ column: SQLExpression<T>) -> ScalarQuery<T> {
    ScalarQuery(select([column]).clauses)
  }

  /// One column, whose type is known, each value once: `SELECT DISTINCT "name" FROM "users"`.
  public func select<T: ExpressionDatatype>(distinct column: SQLExpression<T>) -> ScalarQuery<T> {
    ScalarQuery(select(distinct: [column]).clauses)
  }

  private func selecting(_ columns: [any Expressible], isDistinct: Bool) -> Self {
    with { clauses in
      clauses.isDistinct = isDistinct
      clauses.columns = columns.map(\.expression)
    }
  }
}

/// A table.
///
/// ```swift
/// let users = Table("users")
/// let archived = Table("users", database: "archive")    // of an attached database
/// ```
public struct Table: SchemaType, Sendable {
  /// `TABLE`
  public static let identifier = "TABLE"

  /// What the query is made of.
  public var clauses: QueryClauses

  /// All rows of a table.
  ///
  /// - parameter name: The name of the table.
  /// - parameter database: The name of the attached database, if it is in one.
  public init(_ name: String, database: String? = nil) {
    clauses = QueryClauses(name, database: database)
  }

  /// The rows of another query, under a name: `SELECT * FROM (SELECT …) AS "name"`.
  ///
  /// ```swift
  /// let latest = Table("latest", as: posts.order(date.desc).limit(10))
  /// ```
  public init(_ name: String, as query: any QueryType) {
    clauses = query.clauses.nested(named: name)
  }
}

/// A view.
public struct View: SchemaType, Sendable {
  /// `VIEW`
  public static let identifier = "VIEW"

  /// What the query is made of.
  public var clauses: QueryClauses

  /// All rows of a view.
  public init(_ name: String, database: String? = nil) {
    clauses = QueryClauses(name, database: database)
  }
}

/// A virtual table: one whose rows a module of SQLite makes.
public struct VirtualTable: SchemaType, Sendable {
  /// `VIRTUAL TABLE`
  public static let identifier = "VIRTUAL TABLE"

  /// What the query is made of.
  public var clauses: QueryClauses

  /// All rows of a virtual table.
  public init(_ name: String, database: String? = nil) {
    clauses = QueryClauses(name, database: database)
  }
}

/// A query of one column, whose type is known: what `Connection.scalar(_:)` takes.
public struct ScalarQuery<V>: QueryType, Sendable {
  /// What the query is made of.
  public var clauses: QueryClauses

  /// All rows of a table.
  public init(_ name: String, database: String? = nil) {
    self.init(QueryClauses(name, database: database))
  }

  init(_ clauses: QueryClauses) {
    self.clauses = clauses
  }
}

/// A whole query whose one value has a type: `users.exists`.
public struct Select<T>: ExpressionType, Sendable {
  /// The SQL.
  public var template: String

  /// The values bound to it.
  public var bindings: [(any Binding)?]

  /// A query of some SQL and its values.
  public init(_ template: String, _ bindings: [(any Binding)?]) {
    self.template = template
    self.bindings = bindings
  }
}
