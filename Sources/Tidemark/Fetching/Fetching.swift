// The fetching methods: four verbs (cursor, all, set, one), from four sources (a request, the request
// itself, some SQL, a statement). Each is one line, and none knows what it decodes.

// MARK: - From a request

extension RowDecodable {
  /// A cursor over the results of a request.
  public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> FetchCursor<Self> {
    try request.makePreparedRequest(db, forSingleResult: false).makeCursor(of: Self.self)
  }

  /// All the results of a request.
  @inlinable
  public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
    try request.makePreparedRequest(db, forSingleResult: false).array()
  }

  /// All the distinct results of a request.
  @inlinable
  public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> where Self: Hashable {
    try request.makePreparedRequest(db, forSingleResult: false).set()
  }

  /// The first result of a request, or nil when there is none.
  @inlinable
  public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
    try request.makePreparedRequest(db, forSingleResult: true).first(of: Self.self)
  }
}

extension FetchRequest where RowDecoder: RowDecodable {
  /// A cursor over the results.
  public func fetchCursor(_ db: Database) throws -> FetchCursor<RowDecoder> {
    try RowDecoder.fetchCursor(db, self)
  }

  /// All the results.
  @inlinable
  public func fetchAll(_ db: Database) throws -> [RowDecoder] {
    try RowDecoder.fetchAll(db, self)
  }

  /// All the distinct results.
  @inlinable
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try RowDecoder.fetchSet(db, self)
  }

  /// The first result, or nil when there is none.
  @inlinable
  public func fetchOne(_ db: Database) throws -> RowDecoder? {
    try RowDecoder.fetchOne(db, self)
  }
}

// MARK: - From SQL

extension RowDecodable {
  /// A cursor over the results of one SQL query.
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> FetchCursor<Self> {
    try PreparedRequest(db, sql, arguments, adapter).makeCursor(of: Self.self)
  }

  /// All the results of one SQL query.
  @inlinable
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try PreparedRequest(db, sql, arguments, adapter).array()
  }

  /// All the distinct results of one SQL query.
  @inlinable
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> where Self: Hashable {
    try PreparedRequest(db, sql, arguments, adapter).set()
  }

  /// The first result of one SQL query, or nil when there is none.
  @inlinable
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try PreparedRequest(db, sql, arguments, adapter).first(of: Self.self)
  }
}

extension PreparedRequest {
  @usableFromInline
  init(_ db: Database, _ sql: String, _ arguments: StatementArguments, _ adapter: (any RowAdapter)?) throws {
    self.init(statement: try db.preparedStatement(sql: sql), arguments: arguments, adapter: adapter)
  }
}

// MARK: - From a prepared statement

extension RowDecodable {
  /// A cursor over the results of a statement.
  ///
  /// - parameter arguments: The arguments of the statement, or nil for those that were set.
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> FetchCursor<Self> {
    try PreparedRequest(statement, arguments, adapter).makeCursor(of: Self.self)
  }

  /// All the results of a statement.
  @inlinable
  public static func fetchAll(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try PreparedRequest(statement, arguments, adapter).array()
  }

  /// All the distinct results of a statement.
  @inlinable
  public static func fetchSet(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> where Self: Hashable {
    try PreparedRequest(statement, arguments, adapter).set()
  }

  /// The first result of a statement, or nil when there is none.
  @inlinable
  public static func fetchOne(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try PreparedRequest(statement, arguments, adapter).first(of: Self.self)
  }
}

extension PreparedRequest {
  @usableFromInline
  init(_ statement: Statement, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?) {
    self.init(statement: statement, arguments: arguments, adapter: adapter)
  }
}
