public import Tidemark

// A typed query is a request of Tidemark: it is fetched, counted and observed like any other.

/// A query that a Tidemark database fetches.
///
/// ```swift
/// let all = try pool.read { try users.filter(id > 10).fetchAll($0) }
/// ```
///
/// Do not adopt it.
public protocol TypedRequest: QueryType, FetchRequest where RowDecoder == Row {}

extension TypedRequest {
  /// The statement to run, and how.
  public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
    var clauses = clauses
    if singleResult { clauses.limit = .init(length: 1, offset: clauses.limit?.offset) }
    let select = clauses.select
    let statement = try db.sharedStatement(sql: select.template)
    _ = try ResultRowLayout.layout(of: clauses, statement, db)
    return PreparedRequest(statement: statement, values: select.bindings.map { DatabaseValue($0) })
  }

  /// The number of rows.
  public func fetchCount(_ db: Database) throws -> Int { try db.scalar(count) }

  /// The query inside another one.
  public var sqlSubquery: SQLSubquery {
    let select = clauses.select
    return SQLRequest<Tidemark.Row>(
      sql: select.template, arguments: StatementArguments(select.bindings.map { DatabaseValue($0) })
    ).sqlSubquery
  }
}

extension Table: TypedRequest {
  /// A row.
  public typealias RowDecoder = Row
}

extension View: TypedRequest {
  /// A row.
  public typealias RowDecoder = Row
}

extension VirtualTable: TypedRequest {
  /// A row.
  public typealias RowDecoder = Row
}

extension ScalarQuery: TypedRequest {
  /// A row.
  public typealias RowDecoder = Row
}

extension Row: RowDecodable {
  /// Not for you to call: the row, with its values.
  public static func _decode(_ row: Tidemark.Row) throws -> Row {
    guard let statement = row.runningStatement else {
      let names = row.columnNames
      return Row(layout: ResultRowLayout(keys: names.map { $0.quote() }, names: names), values: row.databaseValues)
    }
    let layout = ResultRowLayout.lastLayout(of: statement) ?? ResultRowLayout(of: statement)
    return Row(layout: layout, values: try statement.values(count: statement.columnCount))
  }
}
