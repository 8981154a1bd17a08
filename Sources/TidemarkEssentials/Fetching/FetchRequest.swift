/// Something that knows which rows to fetch, and what they become.
///
/// ```swift
/// let request: SQLRequest<String> = "SELECT title FROM book WHERE pages > \(100)"
/// let titles = try request.fetchAll(db)
/// ```
public protocol FetchRequest<RowDecoder>: SQLSubqueryable, DatabaseRegionConvertible {
  /// What a row becomes.
  associatedtype RowDecoder

  /// The statement to run, and how.
  ///
  /// - parameter singleResult: Whether one row is enough, so that a limit may be put on the query.
  func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest

  /// The number of rows.
  func fetchCount(_ db: Database) throws -> Int
}

extension FetchRequest {
  /// The statement to run for all rows, and how.
  ///
  /// - Parameter db: A connection.
  /// - Returns: The prepared request.
  /// - Throws: An error of the database, when the SQL does not compile.
  public func makePreparedRequest(_ db: Database) throws -> PreparedRequest {
    try makePreparedRequest(db, forSingleResult: false)
  }

  /// What the request reads: tables, columns, and rows as far as its conditions tell them.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    try makePreparedRequest(db, forSingleResult: false).databaseRegion
  }

  /// The same request, whose rows are seen through an adapter.
  ///
  /// - parameter adapter: Makes the adapter; it may look at the database for it.
  public func adapted(
    _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter
  ) -> AdaptedFetchRequest<Self> {
    AdaptedFetchRequest(self, adapter)
  }
}

/// A request whose rows are seen through an adapter.
public struct AdaptedFetchRequest<Base: FetchRequest>: FetchRequest {
  /// What a row becomes.
  public typealias RowDecoder = Base.RowDecoder

  let base: Base
  let adapter: @Sendable (Database) throws -> any RowAdapter

  init(_ base: Base, _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter) {
    self.base = base
    self.adapter = adapter
  }

  /// The request as a query.
  public var sqlSubquery: SQLSubquery { base.sqlSubquery }

  /// The number of rows.
  public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

  /// The statement to run, and how.
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

/// An adapter seen through another.
struct ChainedRowAdapter: RowAdapter {
  let first: any RowAdapter
  let second: any RowAdapter

  func _layout(of base: RowLayout) throws -> RowLayout {
    try second._layout(of: first._layout(of: base))
  }
}

/// A request whose type does not show.
public struct AnyFetchRequest<RowDecoder>: FetchRequest {
  private let base: any FetchRequest

  /// A request of any type.
  public init(_ request: some FetchRequest<RowDecoder>) {
    base = request
  }

  init(erasing request: any FetchRequest) {
    base = request
  }

  /// The same request, whose rows become something else.
  public func asRequest<Other>(of type: Other.Type) -> AnyFetchRequest<Other> {
    AnyFetchRequest<Other>(erasing: base)
  }

  /// The request as a query.
  public var sqlSubquery: SQLSubquery { base.sqlSubquery }

  /// The number of rows.
  public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

  /// What the request reads.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try base.databaseRegion(db) }

  /// The statement to run, and how.
  public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
    try base.makePreparedRequest(db, forSingleResult: singleResult)
  }
}
