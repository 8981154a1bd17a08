// The fetching methods of rows and records: four verbs (cursor, all, set, one), from four sources (a request, the
// request itself, some SQL, a statement). Each is one line, and ends in `PreparedRequest`. Those of values are in
// `Values/Fetching+Values.swift`: see Documentation/Decisions/FetchingHasOneImplementation.md.

// MARK: - From a request

extension RowDecodable {
  /// A cursor over the results of a request.
  public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> WholeRowCursor<Self> {
    try request.makePreparedRequest(db, forSingleResult: false).makeCursor(WholeRowDecoding.self)
  }

  /// All the results of a request.
  @inlinable
  public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
    try request.makePreparedRequest(db, forSingleResult: false).array(WholeRowDecoding.self)
  }

  /// All the distinct results of a request.
  @inlinable
  public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> where Self: Hashable {
    try request.makePreparedRequest(db, forSingleResult: false).set(WholeRowDecoding.self)
  }

  /// The first result of a request, or nil when there is none.
  @inlinable
  public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
    try request.makePreparedRequest(db, forSingleResult: true).first(WholeRowDecoding.self)
  }
}

extension FetchRequest where RowDecoder: RowDecodable {
  /// A cursor over the results.
  public func fetchCursor(_ db: Database) throws -> WholeRowCursor<RowDecoder> {
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
  ) throws -> WholeRowCursor<Self> {
    try PreparedRequest(db, sql, arguments, adapter).makeCursor(WholeRowDecoding.self)
  }

  /// All the results of one SQL query.
  @inlinable
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try PreparedRequest(db, sql, arguments, adapter).array(WholeRowDecoding.self)
  }

  /// All the distinct results of one SQL query.
  @inlinable
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> where Self: Hashable {
    try PreparedRequest(db, sql, arguments, adapter).set(WholeRowDecoding.self)
  }

  /// The first result of one SQL query, or nil when there is none.
  @inlinable
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try PreparedRequest(db, sql, arguments, adapter).first(WholeRowDecoding.self)
  }
}

// MARK: - From a prepared statement

extension RowDecodable {
  /// A cursor over the results of a statement.
  ///
  /// - parameter arguments: The arguments of the statement, or nil for those that were set.
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> WholeRowCursor<Self> {
    try PreparedRequest(statement, arguments, adapter).makeCursor(WholeRowDecoding.self)
  }

  /// All the results of a statement.
  @inlinable
  public static func fetchAll(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try PreparedRequest(statement, arguments, adapter).array(WholeRowDecoding.self)
  }

  /// All the distinct results of a statement.
  @inlinable
  public static func fetchSet(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> where Self: Hashable {
    try PreparedRequest(statement, arguments, adapter).set(WholeRowDecoding.self)
  }

  /// The first result of a statement, or nil when there is none.
  @inlinable
  public static func fetchOne(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try PreparedRequest(statement, arguments, adapter).first(WholeRowDecoding.self)
  }
}
