// The fetching methods of values, with the same implementations as for rows and records. They are not inherited from a
// common protocol: otherwise, a type such as `extension Tagged: DatabaseValueConvertible where RawValue:
// DatabaseValueConvertible {}` would have to declare its conformance to that protocol.
//
// The methods are disfavored, so that a type which is both a value and a record is fetched as a record.

// MARK: - From a request

extension DatabaseValueConvertible {
  /// Returns a cursor over the results of a request.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter request: A request.
  /// - Returns: A cursor, to be used inside the access.
  /// - Throws: A ``DatabaseError`` if the query is not valid.
  @_disfavoredOverload
  public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> DatabaseValueCursor<Self> {
    try request.makePreparedRequest(db, forSingleResult: false).makeCursor(ValueDecoding.self)
  }

  /// Fetches all results of a request.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter request: A request.
  /// - Returns: The values, in the order of the query.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a value cannot be decoded.
  @_disfavoredOverload
  @inlinable
  public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
    try request.makePreparedRequest(db, forSingleResult: false).array(ValueDecoding.self)
  }

  /// Fetches the distinct results of a request.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter request: A request.
  /// - Returns: The distinct values.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a value cannot be decoded.
  @_disfavoredOverload
  @inlinable
  public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> where Self: Hashable {
    try request.makePreparedRequest(db, forSingleResult: false).set(ValueDecoding.self)
  }

  /// Fetches the first result of a request. Returns nil if the result is empty, or if the first value is NULL.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter request: A request.
  /// - Returns: The first value; nil if the result is empty, or if the value is NULL.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a value cannot be decoded.
  @_disfavoredOverload
  @inlinable
  public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
    try request.makePreparedRequest(db, forSingleResult: true).first(ValueDecoding.self)
  }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible {
  /// Returns a cursor over the results of this request.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: A cursor, to be used inside the access.
  /// - Throws: A ``DatabaseError`` if the query is not valid.
  @_disfavoredOverload
  public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
    try RowDecoder.fetchCursor(db, self)
  }

  /// Fetches all results of this request.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The values, in the order of the query.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a value cannot be decoded.
  @_disfavoredOverload
  @inlinable
  public func fetchAll(_ db: Database) throws -> [RowDecoder] {
    try RowDecoder.fetchAll(db, self)
  }

  /// Fetches the distinct results of this request.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The distinct values.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a value cannot be decoded.
  @_disfavoredOverload
  @inlinable
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try RowDecoder.fetchSet(db, self)
  }

  /// Fetches the first result of this request. Returns nil if the result is empty, or if the first value is NULL.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The first value; nil if the result is empty, or if the value is NULL.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a value cannot be decoded.
  @_disfavoredOverload
  @inlinable
  public func fetchOne(_ db: Database) throws -> RowDecoder? {
    try RowDecoder.fetchOne(db, self)
  }
}

// MARK: - From SQL

extension DatabaseValueConvertible {
  /// Returns a cursor over the results of an SQL query.
  ///
  /// ```swift
  /// let titles = try String.fetchCursor(db, sql: "SELECT title FROM book")
  /// while let title = try titles.next() { print(title) }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter sql: A query.
  /// - Parameter arguments: The values of the parameters in `sql`.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Returns: A cursor, to be used inside the access.
  /// - Throws: A ``DatabaseError`` if the query is not valid.
  @_disfavoredOverload
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> DatabaseValueCursor<Self> {
    try PreparedRequest(db, sql, arguments, adapter).makeCursor(ValueDecoding.self)
  }

  /// Fetches all results of an SQL query.
  ///
  /// ```swift
  /// let titles = try String.fetchAll(db, sql: "SELECT title FROM book WHERE pages > ?", arguments: [500])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter sql: A query.
  /// - Parameter arguments: The values of the parameters in `sql`.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Returns: The values, in the order of the query.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a value cannot be decoded.
  @_disfavoredOverload
  @inlinable
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try PreparedRequest(db, sql, arguments, adapter).array(ValueDecoding.self)
  }

  /// Fetches the distinct results of an SQL query.
  ///
  /// ```swift
  /// let ids = try Int64.fetchSet(db, sql: "SELECT authorId FROM book")
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter sql: A query.
  /// - Parameter arguments: The values of the parameters in `sql`.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Returns: The distinct values.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a value cannot be decoded.
  @_disfavoredOverload
  @inlinable
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> where Self: Hashable {
    try PreparedRequest(db, sql, arguments, adapter).set(ValueDecoding.self)
  }

  /// Fetches the first result of an SQL query. Returns nil if the result is empty, or if the first value is NULL.
  ///
  /// ```swift
  /// let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book") ?? 0
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter sql: A query.
  /// - Parameter arguments: The values of the parameters in `sql`.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Returns: The first value; nil if the result is empty, or if the value is NULL.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a value cannot be decoded.
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
  /// Returns a cursor over the results of a statement.
  ///
  /// - Parameter statement: A prepared statement.
  /// - Parameter arguments: The arguments of the statement, or nil to keep the current arguments.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Returns: A cursor, to be used inside the access.
  /// - Throws: A ``DatabaseError`` if the query is not valid.
  @_disfavoredOverload
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> DatabaseValueCursor<Self> {
    try PreparedRequest(statement, arguments, adapter).makeCursor(ValueDecoding.self)
  }

  /// Fetches all results of a statement.
  ///
  /// - Parameter statement: A prepared statement.
  /// - Parameter arguments: The arguments of the statement, or nil to keep the current arguments.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Returns: The values, in the order of the query.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a value cannot be decoded.
  @_disfavoredOverload
  @inlinable
  public static func fetchAll(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try PreparedRequest(statement, arguments, adapter).array(ValueDecoding.self)
  }

  /// Fetches the distinct results of a statement.
  ///
  /// - Parameter statement: A prepared statement.
  /// - Parameter arguments: The arguments of the statement, or nil to keep the current arguments.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Returns: The distinct values.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a value cannot be decoded.
  @_disfavoredOverload
  @inlinable
  public static func fetchSet(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> where Self: Hashable {
    try PreparedRequest(statement, arguments, adapter).set(ValueDecoding.self)
  }

  /// Fetches the first result of a statement. Returns nil if the result is empty, or if the first value is NULL.
  ///
  /// - Parameter statement: A prepared statement.
  /// - Parameter arguments: The arguments of the statement, or nil to keep the current arguments.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Returns: The first value; nil if the result is empty, or if the value is NULL.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a value cannot be decoded.
  @_disfavoredOverload
  @inlinable
  public static func fetchOne(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try PreparedRequest(statement, arguments, adapter).first(ValueDecoding.self)
  }
}
