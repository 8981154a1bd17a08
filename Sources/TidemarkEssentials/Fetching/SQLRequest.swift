/// A request made of SQL.
///
/// ```swift
/// let ids = [1, 2, 3]
/// let request: SQLRequest<Row> = "SELECT * FROM book WHERE id IN \(ids)"
/// let rows = try request.fetchAll(db)
/// ```
public struct SQLRequest<RowDecoder>: FetchRequest {
  /// Shows the rows in another way.
  public var adapter: (any RowAdapter)?

  private(set) var sqlLiteral: SQL
  private let isPublic: Bool

  private init(_ sqlLiteral: SQL, _ adapter: (any RowAdapter)?, isPublic: Bool) {
    self.sqlLiteral = sqlLiteral
    self.adapter = adapter
    self.isPublic = isPublic
  }

  /// The request as a query.
  public var sqlSubquery: SQLSubquery { .literal(sqlLiteral) }

  /// The number of rows. None is decoded.
  public func fetchCount(_ db: Database) throws -> Int {
    let (query, arguments) = try sqlLiteral.build(db)
    let statement = try db.preparedStatement(sql: "SELECT COUNT(*) FROM (\(query.subqueryText))").availableStatement()
    try statement.start(arguments)
    defer { statement.finish() }
    return try statement.step() ? Int(columnInteger(statement.sqliteStatement, 0)) : 0
  }

  /// The statement to run, and how.
  public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
    let (sql, arguments) = try sqlLiteral.build(db)
    let statement = try isPublic ? db.cachedStatement(sql: sql) : db.preparedStatement(sql: sql)
    return PreparedRequest(statement: statement, arguments: arguments, adapter: adapter)
  }
}

// MARK: - Making requests

extension SQLRequest {
  /// A request made of some SQL and its arguments.
  ///
  /// - Parameter cached: Statements are kept in any case; with true, in the cache of
  ///   `Database.cachedStatement(sql:)`.
  public init(
    sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
    cached: Bool = false
  ) {
    self.init(SQL(sql: sql, arguments: arguments), adapter, isPublic: cached)
  }

  /// A request made of an `SQL` literal.
  public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
    self.init(sqlLiteral, adapter, isPublic: cached)
  }
}

extension SQLRequest<Row> {
  /// A request of rows, made of some SQL and its arguments.
  public init(
    sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
    cached: Bool = false
  ) {
    self.init(SQL(sql: sql, arguments: arguments), adapter, isPublic: cached)
  }

  /// A request of rows, made of an `SQL` literal.
  public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
    self.init(sqlLiteral, adapter, isPublic: cached)
  }
}

extension SQLRequest: ExpressibleByStringInterpolation {
  /// A request from a literal without values.
  public init(unicodeScalarLiteral sql: String) { self.init(SQL(sql: sql), nil, isPublic: false) }

  /// A request from a literal without values.
  public init(extendedGraphemeClusterLiteral sql: String) { self.init(SQL(sql: sql), nil, isPublic: false) }

  /// A request from a literal without values.
  public init(stringLiteral sql: String) { self.init(SQL(sql: sql), nil, isPublic: false) }

  /// A request from a literal with values.
  public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
    self.init(SQL(stringInterpolation: sqlInterpolation), nil, isPublic: false)
  }
}
