/// A query of a table, a view or a virtual table.
public protocol SchemaType: QueryType {
  /// The keyword of the type in SQL: `TABLE`.
  static var identifier: String { get }
}

extension SchemaType {
  // MARK: Selecting columns

  /// Returns a query that selects columns: `SELECT "id", "email" FROM "users"`.
  ///
  /// ```swift
  /// for user in try db.prepare(users.select(id, email)) { print(user[id], user[email]) }
  /// ```
  ///
  /// - Parameters:
  ///   - column1: The first column.
  ///   - more: Further columns.
  /// - Returns: The query.
  public func select(_ column1: any Expressible, _ more: any Expressible...) -> Self { select([column1] + more) }

  /// Returns a query that selects distinct combinations of columns: `SELECT DISTINCT "user_id", "title" FROM "posts"`.
  ///
  /// ```swift
  /// let query = posts.select(distinct: userId, title)
  /// ```
  ///
  /// - Parameters:
  ///   - column1: The first column.
  ///   - more: Further columns.
  /// - Returns: The query.
  public func select(distinct column1: any Expressible, _ more: any Expressible...) -> Self {
    select(distinct: [column1] + more)
  }

  /// Returns a query that selects columns: `SELECT "id", "email" FROM "users"`.
  ///
  /// ```swift
  /// let columns: [any Expressible] = [id, email]
  /// let query = users.select(columns)
  /// ```
  ///
  /// - Parameter all: The columns.
  /// - Returns: The query.
  public func select(_ all: [any Expressible]) -> Self { selecting(all, isDistinct: false) }

  /// Returns a query that selects distinct combinations of columns: `SELECT DISTINCT "user_id", "title" FROM "posts"`.
  ///
  /// ```swift
  /// let columns: [any Expressible] = [userId, title]
  /// let query = posts.select(distinct: columns)
  /// ```
  ///
  /// - Parameter columns: The columns.
  /// - Returns: The query.
  public func select(distinct columns: [any Expressible]) -> Self { selecting(columns, isDistinct: true) }

  /// Returns a query that selects all columns: `SELECT * FROM "users"`.
  ///
  /// ```swift
  /// let query = users.select(*)
  /// ```
  ///
  /// - Parameter star: `*`.
  /// - Returns: The query.
  public func select(_ star: Star) -> Self { select([star(nil, nil)]) }

  /// Returns a query that selects distinct rows: `SELECT DISTINCT * FROM "users"`.
  ///
  /// ```swift
  /// let query = users.select(distinct: *)
  /// ```
  ///
  /// - Parameter star: `*`.
  /// - Returns: The query.
  public func select(distinct star: Star) -> Self { select(distinct: [star(nil, nil)]) }

  /// Returns a query that selects a single column, with its type: `SELECT count("name") FROM "users"`.
  ///
  /// ```swift
  /// let named = try db.scalar(users.select(name.count))
  /// ```
  ///
  /// - Parameter column: The column.
  /// - Returns: The query.
  public func select<T: ExpressionDatatype>(_ column: SQLExpression<T>) -> ScalarQuery<T> {
    ScalarQuery(select([column]).clauses)
  }

  /// Returns a query that selects the distinct values of a column, with its type: `SELECT DISTINCT "name" FROM
  /// "users"`.
  ///
  /// ```swift
  /// let names = try db.prepare(users.select(distinct: name)).map { $0[name] }
  /// ```
  ///
  /// - Parameter column: The column.
  /// - Returns: The query.
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

  /// The clauses of the query.
  public var clauses: QueryClauses

  /// Creates a query of all rows of a table.
  ///
  /// ```swift
  /// let users = Table("users")
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the table.
  ///   - database: The name of an attached database; nil for the main database.
  public init(_ name: String, database: String? = nil) {
    clauses = QueryClauses(name, database: database)
  }

  /// Creates a query of the rows of another query, with a name: `SELECT * FROM (SELECT …) AS "latest"`.
  ///
  /// ```swift
  /// let latest = Table("latest", as: posts.order(date.desc).limit(10))
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - query: The query.
  public init(_ name: String, as query: any QueryType) {
    clauses = query.clauses.nested(named: name)
  }
}

/// A view.
public struct View: SchemaType, Sendable {
  /// `VIEW`
  public static let identifier = "VIEW"

  /// The clauses of the query.
  public var clauses: QueryClauses

  /// Creates a query of all rows of a view.
  ///
  /// ```swift
  /// let adults = View("adults")
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the view.
  ///   - database: The name of an attached database; nil for the main database.
  public init(_ name: String, database: String? = nil) {
    clauses = QueryClauses(name, database: database)
  }
}

/// A virtual table, whose rows an SQLite module provides.
public struct VirtualTable: SchemaType, Sendable {
  /// `VIRTUAL TABLE`
  public static let identifier = "VIRTUAL TABLE"

  /// The clauses of the query.
  public var clauses: QueryClauses

  /// Creates a query of all rows of a virtual table.
  ///
  /// ```swift
  /// let emails = VirtualTable("emails")
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the table.
  ///   - database: The name of an attached database; nil for the main database.
  public init(_ name: String, database: String? = nil) {
    clauses = QueryClauses(name, database: database)
  }
}

/// A query of a single column with a known type, for `Connection.scalar(_:)`.
public struct ScalarQuery<V>: QueryType, Sendable {
  /// The clauses of the query.
  public var clauses: QueryClauses

  /// Creates a query of all rows of a table.
  ///
  /// - Parameters:
  ///   - name: The name of the table.
  ///   - database: The name of an attached database; nil for the main database.
  public init(_ name: String, database: String? = nil) {
    self.init(QueryClauses(name, database: database))
  }

  init(_ clauses: QueryClauses) {
    self.clauses = clauses
  }
}

/// A complete SELECT statement with a single value of a known type, such as `users.exists`.
public struct Select<T>: ExpressionType, Sendable {
  /// The SQL, with a question mark for each argument.
  public var template: String

  /// The arguments, in the order of their question marks.
  public var bindings: [(any Binding)?]

  /// Creates a query from SQL and its arguments.
  ///
  /// ```swift
  /// let count = try db.scalar(Select<Int>("SELECT count(*) FROM users WHERE id > ?", [10]))
  /// ```
  ///
  /// - Parameters:
  ///   - template: The SQL, with a question mark for each argument.
  ///   - bindings: The arguments.
  public init(_ template: String, _ bindings: [(any Binding)?]) {
    self.template = template
    self.bindings = bindings
  }
}
