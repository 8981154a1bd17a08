// The fetching methods of values: the same one-liners as those of rows and records. They are not inherited from a
// protocol common to both: a type such as `extension Tagged: DatabaseValueConvertible where RawValue:
// DatabaseValueConvertible {}` would have to declare its conformance to that protocol, too.
//
// They are disfavored, so that a type which is both a value and a record is fetched as a record.

// MARK: - From a request

extension DatabaseValueConvertible {
  /// A cursor over the results of a request.
  @_disfavoredOverload
  public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> DatabaseValueCursor<Self> {
    try request.makePreparedRequest(db, forSingleResult: false).makeCursor(ValueDecoding.self)
  }

  /// All the results of a request.
  @_disfavoredOverload
  @inlinable
  public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
    try request.makePreparedRequest(db, forSingleResult: false).array(ValueDecoding.self)
  }

  /// All the distinct results of a request.
  @_disfavoredOverload
  @inlinable
  public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> where Self: Hashable {
    try request.makePreparedRequest(db, forSingleResult: false).set(ValueDecoding.self)
  }

  /// The first result of a request, or nil when there is none.
  @_disfavoredOverload
  @inlinable
  public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
    try request.makePreparedRequest(db, forSingleResult: true).first(ValueDecoding.self)
  }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible {
  /// A cursor over the results.
  @_disfavoredOverload
  public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
    try RowDecoder.fetchCursor(db, self)
  }

  /// All the results.
  @_disfavoredOverload
  @inlinable
  public func fetchAll(_ db: Database) throws -> [RowDecoder] {
    try RowDecoder.fetchAll(db, self)
  }

  /// All the distinct results.
  @_disfavoredOverload
  @inlinable
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try RowDecoder.fetchSet(db, self)
  }

  /// The first result, or nil when there is none.
  @_disfavoredOverload
  @inlinable
  public func fetchOne(_ db: Database) throws -> RowDecoder? {
    try RowDecoder.fetchOne(db, self)
  }
}

// MARK: - From SQL

extension DatabaseValueConvertible {
  /// A cursor over the results of one SQL query.
  @_disfavoredOverload
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> DatabaseValueCursor<Self> {
    try PreparedRequest(db, sql, arguments, adapter).makeCursor(ValueDecoding.self)
  }

  /// All the results of one SQL query.
  @_disfavoredOverload
  @inlinable
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try PreparedRequest(db, sql, arguments, adapter).array(ValueDecoding.self)
  }

  /// All the distinct results of one SQL query.
  @_disfavoredOverload
  @inlinable
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> where Self: Hashable {
    try PreparedRequest(db, sql, arguments, adapter).set(ValueDecoding.self)
  }

  /// The first result of one SQL query, or nil when there is none.
  @_disfavoredOverload
  @inlinable
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try PreparedRequest(db, sql, arguments, adapter).first(ValueDecoding.self)
  }
}

// MARK: - From a prepared statement

extension DatabaseValueConvertible {
  /// A cursor over the results of a statement.
  ///
  /// - parameter arguments: The arguments of the statement, or nil for those that were set.
  @_disfavoredOverload
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> DatabaseValueCursor<Self> {
    try PreparedRequest(statement, arguments, adapter).makeCursor(ValueDecoding.self)
  }

  /// All the results of a statement.
  @_disfavoredOverload
  @inlinable
  public static func fetchAll(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try PreparedRequest(statement, arguments, adapter).array(ValueDecoding.self)
  }

  /// All the distinct results of a statement.
  @_disfavoredOverload
  @inlinable
  public static func fetchSet(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> where Self: Hashable {
    try PreparedRequest(statement, arguments, adapter).set(ValueDecoding.self)
  }

  /// The first result of a statement, or nil when there is none.
  @_disfavoredOverload
  @inlinable
  public static func fetchOne(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try PreparedRequest(statement, arguments, adapter).first(ValueDecoding.self)
  }
}
