/// A request defined by SQL.
///
/// ```swift
/// let ids = [1, 2, 3]
/// let request: SQLRequest<Row> = "SELECT * FROM book WHERE id IN \(ids)"
/// let rows = try request.fetchAll(db)
/// ```
public struct SQLRequest<RowDecoder>: FetchRequest {
  /// The adapter of the rows.
  public var adapter: (any RowAdapter)?

  private(set) var sqlLiteral: SQL
  private let isPublic: Bool

  private init(_ sqlLiteral: SQL, _ adapter: (any RowAdapter)?, isPublic: Bool) {
    self.sqlLiteral = sqlLiteral
    self.adapter = adapter
    self.isPublic = isPublic
  }

  /// The request as a subquery.
  public var sqlSubquery: SQLSubquery { .literal(sqlLiteral) }

  /// Returns the number of rows, without decoding them.
  public func fetchCount(_ db: Database) throws -> Int {
    let (query, arguments) = try sqlLiteral.build(db)
    let statement = try db.preparedStatement(sql: "SELECT COUNT(*) FROM (\(query.subqueryText))").availableStatement()
    try statement.start(arguments)
    defer { statement.finish() }
    return try statement.step() ? Int(columnInteger(statement.sqliteStatement, 0)) : 0
  }

  /// Returns the prepared statement of the request.
  public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
    let (sql, arguments) = try sqlLiteral.build(db)
    let statement = try isPublic ? db.cachedStatement(sql: sql) : db.preparedStatement(sql: sql)
    return PreparedRequest(statement: statement, arguments: arguments, adapter: adapter)
  }
}

// MARK: - Making requests

extension SQLRequest {
  /// Creates a request from SQL and its arguments.
  ///
  /// ```swift
  /// let request = SQLRequest<Book>(sql: "SELECT * FROM book WHERE pages > ?", arguments: [500])
  /// let books = try request.fetchAll(db)
  /// ```
  ///
  /// - Parameter sql: A single SQL statement.
  /// - Parameter arguments: The values of the parameters in `sql`.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Parameter cached: Whether the statement is cached like the statements of `Database.cachedStatement(sql:)`.
  ///   Otherwise, it is in the internal cache.
  public init(
    sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
    cached: Bool = false
  ) {
    self.init(SQL(sql: sql, arguments: arguments), adapter, isPublic: cached)
  }

  /// Creates a request from an `SQL` literal.
  ///
  /// ```swift
  /// let request = SQLRequest<Book>(literal: "SELECT * FROM book WHERE pages > \(500)")
  /// ```
  ///
  /// - Parameter sqlLiteral: A single SQL statement. Interpolated values become arguments.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Parameter cached: Whether the statement is cached like the statements of `Database.cachedStatement(sql:)`.
  public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
    self.init(sqlLiteral, adapter, isPublic: cached)
  }
}

extension SQLRequest<Row> {
  /// Creates a request of rows from SQL and its arguments.
  ///
  /// ```swift
  /// let request = SQLRequest(sql: "SELECT title, pages FROM book WHERE pages > ?", arguments: [500])
  /// ```
  ///
  /// - Parameter sql: A single SQL statement.
  /// - Parameter arguments: The values of the parameters in `sql`.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Parameter cached: Whether the statement is cached like the statements of `Database.cachedStatement(sql:)`.
  public init(
    sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
    cached: Bool = false
  ) {
    self.init(SQL(sql: sql, arguments: arguments), adapter, isPublic: cached)
  }

  /// Creates a request of rows from an `SQL` literal.
  ///
  /// ```swift
  /// let request = SQLRequest(literal: "SELECT title, pages FROM book WHERE pages > \(500)")
  /// ```
  ///
  /// - Parameter sqlLiteral: A single SQL statement. Interpolated values become arguments.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Parameter cached: Whether the statement is cached like the statements of `Database.cachedStatement(sql:)`.
  public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
    self.init(sqlLiteral, adapter, isPublic: cached)
  }
}

extension SQLRequest: ExpressibleByStringInterpolation {
  /// Creates a request from a literal without values.
  public init(unicodeScalarLiteral sql: String) { self.init(SQL(sql: sql), nil, isPublic: false) }

  /// Creates a request from a literal without values.
  public init(extendedGraphemeClusterLiteral sql: String) { self.init(SQL(sql: sql), nil, isPublic: false) }

  /// Creates a request from a literal without values.
  public init(stringLiteral sql: String) { self.init(SQL(sql: sql), nil, isPublic: false) }

  /// Creates a request from a literal with values.
  public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
    self.init(SQL(stringInterpolation: sqlInterpolation), nil, isPublic: false)
  }
}
