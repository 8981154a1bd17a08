/// A request for database rows, and the type into which they are decoded.
///
/// ```swift
/// let request: SQLRequest<String> = "SELECT title FROM book WHERE pages > \(100)"
/// let titles = try request.fetchAll(db)
/// ```
public protocol FetchRequest<RowDecoder>: SQLSubqueryable, DatabaseRegionConvertible {
  /// The type into which rows are decoded.
  associatedtype RowDecoder

  /// Returns the prepared statement of the request.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter singleResult: Whether a single row is sufficient, so that the query may be limited.
  /// - Returns: The prepared request.
  /// - Throws: A `DatabaseError` if the SQL does not compile.
  func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest

  /// Returns the number of rows of the request.
  ///
  /// ```swift
  /// let count = try Player.filter { $0.score > 1000 }.fetchCount(db)
  /// ```
  ///
  /// By default, SQLite counts the rows of the prepared statement: `SELECT COUNT(*) FROM (…)`.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The number of rows.
  /// - Throws: A `DatabaseError`.
  func fetchCount(_ db: Database) throws -> Int
}

extension FetchRequest {
  /// Returns the prepared statement of the request for all rows.
  ///
  /// ```swift
  /// let statement = try Player.all().makePreparedRequest(db).statement
  /// print(statement.sql)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The prepared request.
  /// - Throws: A `DatabaseError` if the SQL does not compile.
  public func makePreparedRequest(_ db: Database) throws -> PreparedRequest {
    try makePreparedRequest(db, forSingleResult: false)
  }

  /// Returns the number of rows of the prepared statement, without decoding them: `SELECT COUNT(*) FROM (…)`.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The number of rows.
  /// - Throws: A `DatabaseError`.
  public func fetchCount(_ db: Database) throws -> Int {
    let request = try makePreparedRequest(db, forSingleResult: false)
    let statement = request.preparedStatement
    // The statement may be running with other arguments than those of the request.
    return try SQLRequest<Int>(sql: statement.sql, arguments: request.arguments ?? statement.arguments).fetchCount(db)
  }

  /// Returns the region that the request reads: tables, columns, and rows, as far as they can be inferred from its
  /// conditions.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    try makePreparedRequest(db, forSingleResult: false).databaseRegion
  }

  /// Returns a request whose rows are adapted.
  ///
  /// ```swift
  /// let request = Book.all().adapted { _ in SuffixRowAdapter(fromIndex: 1) }
  /// ```
  ///
  /// - Parameter adapter: Returns the row adapter, which may depend on the database.
  /// - Returns: The adapted request.
  public func adapted(
    _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter
  ) -> AdaptedFetchRequest<Self> {
    AdaptedFetchRequest(self, adapter)
  }
}

/// A request whose rows are adapted.
public struct AdaptedFetchRequest<Base: FetchRequest>: FetchRequest {
  /// The type into which rows are decoded.
  public typealias RowDecoder = Base.RowDecoder

  let base: Base
  let adapter: @Sendable (Database) throws -> any RowAdapter

  init(_ base: Base, _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter) {
    self.base = base
    self.adapter = adapter
  }

  /// The request as a subquery.
  public var sqlSubquery: SQLSubquery { base.sqlSubquery }

  /// Returns the number of rows of the request.
  public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

  /// Returns the prepared statement of the request.
  public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
    var request = try base.makePreparedRequest(db, forSingleResult: singleResult)
    let outer = try adapter(db)
    if let inner = request.adapter {
      request.adapter = ChainedRowAdapter(first: inner, second: outer)
    } else {
      request.adapter = outer
    }
    return request
  }
}

/// An adapter of adapted rows.
struct ChainedRowAdapter: RowAdapter {
  let first: any RowAdapter
  let second: any RowAdapter

  func _layout(of base: RowLayout) throws -> RowLayout {
    try second._layout(of: first._layout(of: base))
  }
}

/// A type-erased request.
public struct AnyFetchRequest<RowDecoder>: FetchRequest {
  private let base: any FetchRequest

  /// Creates a type-erased request.
  ///
  /// ```swift
  /// let best: SQLRequest<Player> = "SELECT * FROM player ORDER BY score DESC LIMIT 3"
  /// let requests: [AnyFetchRequest<Player>] = [AnyFetchRequest(Player.all()), AnyFetchRequest(best)]
  /// ```
  ///
  /// - Parameter request: The underlying request.
  public init(_ request: some FetchRequest<RowDecoder>) {
    base = request
  }

  init(erasing request: any FetchRequest) {
    base = request
  }

  /// Returns a request that decodes its rows as another type.
  ///
  /// ```swift
  /// let rows = try AnyFetchRequest(Player.all()).asRequest(of: Row.self).fetchAll(db)
  /// ```
  ///
  /// - Parameter type: The new type of the results.
  /// - Returns: A request with the same rows.
  public func asRequest<Other>(of type: Other.Type) -> AnyFetchRequest<Other> {
    AnyFetchRequest<Other>(erasing: base)
  }

  /// The request as a subquery.
  public var sqlSubquery: SQLSubquery { base.sqlSubquery }

  /// Returns the number of rows of the request.
  public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

  /// Returns the region that the request reads.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try base.databaseRegion(db) }

  /// Returns the prepared statement of the request.
  public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
    try base.makePreparedRequest(db, forSingleResult: singleResult)
  }
}
