/// A table that a query defines for itself, in its `WITH` clause.
///
/// ```swift
/// // WITH "best" AS (SELECT "teamId", MAX("score") AS "score" FROM "player" GROUP BY "teamId")
/// // SELECT * FROM "best" WHERE "score" > 1000
/// let best = CommonTableExpression(
///   named: "best",
///   request: Player.select { [$0.teamId, max($0.score).forKey("score")] }.group { $0.teamId })
/// let rows = try best.all().with(best).filter(Column("score") > 1000).fetchAll(db)
/// ```
///
/// The table is defined only in the requests to which it is added with `with(_:)`. Other requests that use it throw
/// `no such table`.
///
/// The type of the rows is `Row`, unless the program names another one:
///
/// ```swift
/// let numbers = CommonTableExpression<Int>(
///   recursive: true, named: "number", columns: ["n"],
///   literal: "VALUES(1) UNION ALL SELECT n + 1 FROM number WHERE n < \(10)")
/// let values = try numbers.all().with(numbers).fetchAll(db)    // [1, 2, …, 10]
/// ```
public struct CommonTableExpression<RowDecoder>: Sendable {
  let commonTable: SQLCommonTable

  private init(commonTable: SQLCommonTable) {
    self.commonTable = commonTable
  }

  /// The name of the table, without quotes.
  public var tableName: String { commonTable.name }

  /// Creates a common table expression from a request.
  ///
  /// ```swift
  /// let best = CommonTableExpression(named: "best", request: Player.order { $0.score.desc }.limit(10))
  /// ```
  ///
  /// - Parameters:
  ///   - recursive: Whether the definition refers to the table that it defines.
  ///   - tableName: The name of the table.
  ///   - columns: The names of the columns, or nil for the names of the request's columns.
  ///   - request: The request that defines the rows.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil, request: some SQLSubqueryable
  ) {
    self.init(
      commonTable: SQLCommonTable(
        name: tableName, columns: columns, isRecursive: recursive, definition: request.sqlSubquery))
  }

  /// Creates a common table expression from SQL.
  ///
  /// ```swift
  /// let counter = CommonTableExpression(
  ///   recursive: true, named: "counter", columns: ["x"],
  ///   sql: "VALUES(1) UNION ALL SELECT x + 1 FROM counter WHERE x < ?", arguments: [10])
  /// ```
  ///
  /// - Parameters:
  ///   - recursive: Whether the definition refers to the table that it defines.
  ///   - tableName: The name of the table.
  ///   - columns: The names of the columns, or nil for the names of the query's columns.
  ///   - sql: The query that defines the rows.
  ///   - arguments: The values of the parameters in `sql`.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil, sql: String,
    arguments: StatementArguments = StatementArguments()
  ) {
    self.init(recursive: recursive, named: tableName, columns: columns, literal: SQL(sql: sql, arguments: arguments))
  }

  /// Creates a common table expression from an ``SQL`` literal.
  ///
  /// ```swift
  /// let best = CommonTableExpression(named: "best", literal: "SELECT * FROM player WHERE score > \(1000)")
  /// ```
  ///
  /// - Parameters:
  ///   - recursive: Whether the definition refers to the table that it defines.
  ///   - tableName: The name of the table.
  ///   - columns: The names of the columns, or nil for the names of the query's columns.
  ///   - sqlLiteral: The query that defines the rows. Interpolated values become arguments.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil, literal sqlLiteral: SQL
  ) {
    self.init(
      commonTable: SQLCommonTable(
        name: tableName, columns: columns, isRecursive: recursive, definition: .literal(sqlLiteral)))
  }

  /// Returns a request of all rows of the table.
  ///
  /// - Returns: A request. Add the definition of the table to it, or to a query around it, with `with(_:)`.
  public func all() -> QueryInterfaceRequest<RowDecoder> {
    QueryInterfaceRequest(SQLRelation(source: SQLTable(commonTable), selection: [.allColumns]))
  }

  /// Returns an expression that is true if the table contains a value: `a IN "table"`.
  ///
  /// ```swift
  /// // WITH "recent" AS (…) SELECT * FROM "book" WHERE "id" IN "recent"
  /// let request = Book.all().with(recent).filter { recent.contains($0.id) }
  /// ```
  ///
  /// - Parameter element: The value to search for. The table must have a single column.
  /// - Returns: An expression.
  public func contains(_ element: some SQLExpressible) -> SQLExpression {
    .operation(.isInTable(tableName), element.sqlExpression)
  }
}

extension CommonTableExpression<Row> {
  /// Creates a common table expression from a request.
  ///
  /// ```swift
  /// let best = CommonTableExpression(named: "best", request: Player.order { $0.score.desc }.limit(10))
  /// ```
  ///
  /// - Parameters:
  ///   - recursive: Whether the definition refers to the table that it defines.
  ///   - tableName: The name of the table.
  ///   - columns: The names of the columns, or nil for the names of the request's columns.
  ///   - request: The request that defines the rows.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil, request: some SQLSubqueryable
  ) {
    self.init(
      commonTable: SQLCommonTable(
        name: tableName, columns: columns, isRecursive: recursive, definition: request.sqlSubquery))
  }

  /// Creates a common table expression from SQL.
  ///
  /// ```swift
  /// let counter = CommonTableExpression(
  ///   recursive: true, named: "counter", columns: ["x"],
  ///   sql: "VALUES(1) UNION ALL SELECT x + 1 FROM counter WHERE x < ?", arguments: [10])
  /// ```
  ///
  /// - Parameters:
  ///   - recursive: Whether the definition refers to the table that it defines.
  ///   - tableName: The name of the table.
  ///   - columns: The names of the columns, or nil for the names of the query's columns.
  ///   - sql: The query that defines the rows.
  ///   - arguments: The values of the parameters in `sql`.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil, sql: String,
    arguments: StatementArguments = StatementArguments()
  ) {
    self.init(recursive: recursive, named: tableName, columns: columns, literal: SQL(sql: sql, arguments: arguments))
  }

  /// Creates a common table expression from an ``SQL`` literal.
  ///
  /// ```swift
  /// let best = CommonTableExpression(named: "best", literal: "SELECT * FROM player WHERE score > \(1000)")
  /// ```
  ///
  /// - Parameters:
  ///   - recursive: Whether the definition refers to the table that it defines.
  ///   - tableName: The name of the table.
  ///   - columns: The names of the columns, or nil for the names of the query's columns.
  ///   - sqlLiteral: The query that defines the rows. Interpolated values become arguments.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil, literal sqlLiteral: SQL
  ) {
    self.init(
      commonTable: SQLCommonTable(
        name: tableName, columns: columns, isRecursive: recursive, definition: .literal(sqlLiteral)))
  }
}
