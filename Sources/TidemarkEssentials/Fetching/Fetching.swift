// The fetching methods of rows and records: `fetchCursor`, `fetchAll`, `fetchSet` and `fetchOne`, for four sources (a
// request argument, the request itself, SQL, a statement). Each method forwards to `PreparedRequest`. See
// `Values/Fetching+Values.swift` for the methods of values, and
// Documentation/Decisions/FetchingHasOneImplementation.md.

// MARK: - From a request

extension RowDecodable {
  /// Returns a cursor over the results of a request.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter request: A request.
  /// - Returns: A cursor, to be used inside the access.
  /// - Throws: A ``DatabaseError`` if the query is not valid.
  public static func fetchCursor(_ db: Database, _ request: some FetchRequest) throws -> WholeRowCursor<Self> {
    try request.makePreparedRequest(db, forSingleResult: false).makeCursor(WholeRowDecoding.self)
  }

  /// Fetches all results of a request.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter request: A request.
  /// - Returns: The results, in the order of the query.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a row cannot be decoded.
  @inlinable
  public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
    try request.makePreparedRequest(db, forSingleResult: false).array(WholeRowDecoding.self)
  }

  /// Fetches the distinct results of a request.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter request: A request.
  /// - Returns: The distinct results.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a row cannot be decoded.
  @inlinable
  public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> where Self: Hashable {
    try request.makePreparedRequest(db, forSingleResult: false).set(WholeRowDecoding.self)
  }

  /// Fetches the first result of a request, or nil if the result is empty.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter request: A request.
  /// - Returns: The first result; nil if the result is empty.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a row cannot be decoded.
  @inlinable
  public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
    try request.makePreparedRequest(db, forSingleResult: true).first(WholeRowDecoding.self)
  }
}

extension FetchRequest where RowDecoder: RowDecodable {
  /// Returns a cursor over the results of this request.
  ///
  /// ```swift
  /// let players = try Player.order { $0.name }.fetchCursor(db)
  /// while let player = try players.next() { print(player.name) }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: A cursor, to be used inside the access.
  /// - Throws: A ``DatabaseError`` if the query is not valid.
  public func fetchCursor(_ db: Database) throws -> WholeRowCursor<RowDecoder> {
    try RowDecoder.fetchCursor(db, self)
  }

  /// Fetches all results of this request.
  ///
  /// ```swift
  /// let players = try Player.order { $0.name }.fetchAll(db)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The results, in the order of the query.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a row cannot be decoded.
  @inlinable
  public func fetchAll(_ db: Database) throws -> [RowDecoder] {
    try RowDecoder.fetchAll(db, self)
  }

  /// Fetches the distinct results of this request.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The distinct results.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a row cannot be decoded.
  @inlinable
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try RowDecoder.fetchSet(db, self)
  }

  /// Fetches the first result of this request, or nil if the result is empty.
  ///
  /// ```swift
  /// let best = try Player.order { $0.score.desc }.fetchOne(db)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The first result; nil if the result is empty.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a row cannot be decoded.
  @inlinable
  public func fetchOne(_ db: Database) throws -> RowDecoder? {
    try RowDecoder.fetchOne(db, self)
  }
}

// MARK: - From SQL

extension RowDecodable {
  /// Returns a cursor over the results of an SQL query.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter sql: A query.
  /// - Parameter arguments: The values of the parameters in `sql`.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Returns: A cursor, to be used inside the access.
  /// - Throws: A ``DatabaseError`` if the query is not valid.
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> WholeRowCursor<Self> {
    try PreparedRequest(db, sql, arguments, adapter).makeCursor(WholeRowDecoding.self)
  }

  /// Fetches all results of an SQL query.
  ///
  /// ```swift
  /// let books = try Book.fetchAll(db, sql: "SELECT * FROM book WHERE pages > ?", arguments: [500])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter sql: A query.
  /// - Parameter arguments: The values of the parameters in `sql`.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Returns: The results, in the order of the query.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a row cannot be decoded.
  @inlinable
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try PreparedRequest(db, sql, arguments, adapter).array(WholeRowDecoding.self)
  }

  /// Fetches the distinct results of an SQL query.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter sql: A query.
  /// - Parameter arguments: The values of the parameters in `sql`.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Returns: The distinct results.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a row cannot be decoded.
  @inlinable
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> where Self: Hashable {
    try PreparedRequest(db, sql, arguments, adapter).set(WholeRowDecoding.self)
  }

  /// Fetches the first result of an SQL query, or nil if the result is empty.
  ///
  /// ```swift
  /// let book = try Book.fetchOne(db, sql: "SELECT * FROM book WHERE title = ?", arguments: ["Dune"])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter sql: A query.
  /// - Parameter arguments: The values of the parameters in `sql`.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Returns: The first result; nil if the result is empty.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a row cannot be decoded.
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
  /// Returns a cursor over the results of a statement.
  ///
  /// - Parameter statement: A prepared statement.
  /// - Parameter arguments: The arguments of the statement, or nil to keep the current arguments.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Returns: A cursor, to be used inside the access.
  /// - Throws: A ``DatabaseError`` if the query is not valid.
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> WholeRowCursor<Self> {
    try PreparedRequest(statement, arguments, adapter).makeCursor(WholeRowDecoding.self)
  }

  /// Fetches all results of a statement.
  ///
  /// ```swift
  /// let statement = try db.makeStatement(sql: "SELECT * FROM book WHERE pages > ?")
  /// let books = try Book.fetchAll(statement, arguments: [500])
  /// ```
  ///
  /// - Parameter statement: A prepared statement.
  /// - Parameter arguments: The arguments of the statement, or nil to keep the current arguments.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Returns: The results, in the order of the query.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a row cannot be decoded.
  @inlinable
  public static func fetchAll(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try PreparedRequest(statement, arguments, adapter).array(WholeRowDecoding.self)
  }

  /// Fetches the distinct results of a statement.
  ///
  /// - Parameter statement: A prepared statement.
  /// - Parameter arguments: The arguments of the statement, or nil to keep the current arguments.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Returns: The distinct results.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a row cannot be decoded.
  @inlinable
  public static func fetchSet(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> where Self: Hashable {
    try PreparedRequest(statement, arguments, adapter).set(WholeRowDecoding.self)
  }

  /// Fetches the first result of a statement, or nil if the result is empty.
  ///
  /// - Parameter statement: A prepared statement.
  /// - Parameter arguments: The arguments of the statement, or nil to keep the current arguments.
  /// - Parameter adapter: An adapter that selects or renames columns.
  /// - Returns: The first result; nil if the result is empty.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a ``RowDecodingError`` if a row cannot be decoded.
  @inlinable
  public static func fetchOne(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try PreparedRequest(statement, arguments, adapter).first(WholeRowDecoding.self)
  }
}
