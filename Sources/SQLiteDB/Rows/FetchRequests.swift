public import Tidemark

// A typed query is also a Tidemark request: it can be fetched, counted and observed like other requests.

/// A query that a Tidemark database can fetch.
///
/// ```swift
/// let all = try await pool.read { try users.filter(id > 10).fetchAll($0) }
/// ```
///
/// Do not conform your own types to this protocol.
public protocol FetchableQuery: QueryType, FetchRequest where RowDecoder == Row {}

extension FetchableQuery {
  /// Returns the prepared statement of the query.
  ///
  /// - Parameters:
  ///   - db: The database.
  ///   - singleResult: Whether only the first row is needed. The query then runs with `LIMIT 1`.
  /// - Returns: The statement and its arguments.
  /// - Throws: A `DatabaseError` if the query is not valid.
  public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
    let clauses = singleResult ? clauses.firstRow : clauses
    let select = clauses.select
    let statement = try db.sharedStatement(sql: select.template)
    _ = try ResultRowLayout.layout(of: clauses, statement, db)
    return PreparedRequest(statement: statement, values: select.bindings.map { DatabaseValue($0) })
  }

  /// Returns the number of rows of the query.
  ///
  /// ```swift
  /// let count = try await pool.read { try users.filter(verified).fetchCount($0) }
  /// ```
  ///
  /// - Parameter db: The database.
  /// - Returns: The number of rows.
  /// - Throws: A `DatabaseError` if the query fails.
  public func fetchCount(_ db: Database) throws -> Int { try db.scalar(count) }

  /// The query as a subquery of a Tidemark request.
  public var sqlSubquery: SQLSubquery {
    let select = clauses.select
    return SQLRequest<Tidemark.Row>(
      sql: select.template, arguments: StatementArguments(select.bindings.map { DatabaseValue($0) })
    ).sqlSubquery
  }
}

extension Table: FetchableQuery {
  /// The type of the fetched rows.
  public typealias RowDecoder = Row
}

extension View: FetchableQuery {
  /// The type of the fetched rows.
  public typealias RowDecoder = Row
}

extension VirtualTable: FetchableQuery {
  /// The type of the fetched rows.
  public typealias RowDecoder = Row
}

extension ScalarQuery: FetchableQuery {
  /// The type of the fetched rows.
  public typealias RowDecoder = Row
}

extension Row: RowDecodable {
  /// Not part of the public interface: decodes a row.
  public static func _decode(_ row: Tidemark.Row) throws -> Row {
    guard let statement = row.runningStatement else {
      let names = row.columnNames
      return Row(layout: ResultRowLayout(keys: names.map { $0.quote() }, names: names), values: row.databaseValues)
    }
    let layout = ResultRowLayout.lastLayout(of: statement) ?? ResultRowLayout(of: statement)
    return Row(layout: layout, values: try statement.values(count: statement.columnCount))
  }
}
