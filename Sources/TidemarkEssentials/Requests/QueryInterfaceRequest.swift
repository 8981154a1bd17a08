/// A request made of Swift values instead of SQL.
///
/// ```swift
/// // SELECT * FROM "player" WHERE "score" > 1000 ORDER BY "name" LIMIT 10
/// let request = Player
///   .filter { $0.score > 1000 }
///   .order { $0.name }
///   .limit(10)
/// let players = try dbQueue.read { try request.fetchAll($0) }
/// ```
///
/// It is a value: each method returns another request. Nothing is executed before it is fetched.
public struct QueryInterfaceRequest<RowDecoder>: Sendable {
  var relation: SQLRelation

  init(_ relation: SQLRelation) {
    self.relation = relation
  }

  func with(_ change: (inout SQLRelation) -> Void) -> Self {
    var request = self
    change(&request.relation)
    return request
  }

  /// The same request, whose rows become something else.
  ///
  /// ```swift
  /// let request = Player.select(max(Column("score"))).asRequest(of: Int.self)
  /// ```
  public func asRequest<Other>(of type: Other.Type) -> QueryInterfaceRequest<Other> {
    QueryInterfaceRequest<Other>(relation)
  }

  /// The request with no more than some rows. It takes the place of a limit before.
  ///
  /// - parameter offset: How many rows are left out before them.
  public func limit(_ limit: Int, offset: Int? = nil) -> Self {
    with { $0.limit = SQLLimit(count: limit, offset: offset) }
  }
}

// MARK: - Deriving requests

extension QueryInterfaceRequest: DerivableRequest {
  /// The name of the table, without quotes.
  public var databaseTableName: String { relation.source.tableName }

  /// Not for you to call.
  public func _aliased(_ alias: TableAliasBase) -> Self { with { $0.source = $0.source.aliased(alias) } }

  /// The request without rows that are equal to others: `SELECT DISTINCT …`.
  public func distinct() -> Self { with { $0.isDistinct = true } }

  /// The request with one more filter, which is made when the database is known.
  public func filterWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self {
    with { $0.filters.append { db, _ in try predicate(db).sqlExpression } }
  }

  /// The request with other groups, which are made when the database is known.
  public func groupWhenConnected(_ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]) -> Self {
    with { $0.grouping = { db, _ in try expressions(db).map { $0.sqlExpression } } }
  }

  /// The request with one more condition on its groups, which is made when the database is known.
  public func havingWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self {
    with { $0.havings.append { db, _ in try predicate(db).sqlExpression } }
  }

  /// The request with another selection, which is made when the database is known.
  public func selectWhenConnected(_ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]) -> Self {
    with { $0.selection = [{ db, _ in try selection(db).map { $0.sqlSelection } }] }
  }

  /// The request that selects more, which is made when the database is known.
  public func annotatedWhenConnected(with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable])
    -> Self
  {
    with { $0.selection.append { db, _ in try selection(db).map { $0.sqlSelection } } }
  }
}

// MARK: - Ordering

extension QueryInterfaceRequest {
  /// The request in another order, which is made when the database is known.
  public func orderWhenConnected(_ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]) -> Self {
    with { $0.ordering = [SQLRelation.OrderingPart { db, _ in try orderings(db).map { $0.sqlOrdering } }] }
  }

  /// The request in the opposite order. One without order remains so.
  public func reversed() -> Self {
    with { relation in
      for index in relation.ordering.indices { relation.ordering[index].isReversed.toggle() }
    }
  }

  /// The request without order.
  public func unordered() -> Self { with { $0.ordering = [] } }

  /// The request in an order that leaves no two rows equal: it ends with the primary key.
  public func withStableOrder() -> Self {
    with { relation in relation.ordering.append(SQLRelation.OrderingPart(terms: Self.stableOrdering)) }
  }

  private static func stableOrdering(_ db: Database, _ relation: SQLRelation) throws -> [SQLOrdering] {
    if let key = try db.existingTable(relation.source.tableName).primaryKey(db) {
      return key.columns.map { .expression(.column($0)) }
    }
    // A view without key: all it selects makes the order, by number.
    let columnCount = try db.columnCount(of: relation)
    return (0..<columnCount).map { .literal(SQL(sql: "\($0 + 1)")) }
  }
}

// MARK: - Selecting another type

extension QueryInterfaceRequest {
  /// The request with another selection, and rows that become something else.
  ///
  /// ```swift
  /// let scores = try Player.all().select([max(Column("score"))], as: Int.self).fetchOne(db)
  /// ```
  public func select<Other>(
    _ selection: [any SQLSelectable], as type: Other.Type = Other.self
  ) -> QueryInterfaceRequest<Other> {
    select(selection).asRequest(of: Other.self)
  }

  /// The request with another selection, and rows that become something else.
  public func select<Other>(
    _ selection: any SQLSelectable..., as type: Other.Type = Other.self
  ) -> QueryInterfaceRequest<Other> {
    select(selection, as: Other.self)
  }

  /// The request with another selection made of SQL, and rows that become something else.
  public func select<Other>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: Other.Type = Other.self
  ) -> QueryInterfaceRequest<Other> {
    select(sql: sql, arguments: arguments).asRequest(of: Other.self)
  }

  /// The request with another selection made of SQL with its values inside, and rows that become something else.
  public func select<Other>(
    literal sqlLiteral: SQL, as type: Other.Type = Other.self
  ) -> QueryInterfaceRequest<Other> {
    select(literal: sqlLiteral).asRequest(of: Other.self)
  }

  /// The primary keys.
  ///
  /// ```swift
  /// // SELECT "id" FROM "player" WHERE "score" > 1000
  /// let ids = try Player.filter { $0.score > 1000 }.selectPrimaryKey(as: Int64.self).fetchAll(db)
  /// ```
  ///
  /// Fetching throws a `DatabaseError` when the primary key has several columns. Without primary key, keys are row ids.
  public func selectPrimaryKey<PrimaryKey>(
    as type: PrimaryKey.Type = PrimaryKey.self
  ) -> QueryInterfaceRequest<PrimaryKey> {
    let tableName = databaseTableName
    return selectWhenConnected { db in
      [Column(try db.singleKeyColumn(of: tableName, "Selecting the primary key"))]
    }
    .asRequest(of: PrimaryKey.self)
  }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
  /// What closures are given: the columns of the record.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// The request with another selection from the columns of the record, and rows that become something else.
  ///
  /// ```swift
  /// let best = try Player.all().select({ max($0.score) }, as: Int.self).fetchOne(db)
  /// ```
  public func select<Other>(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: Other.Type = Other.self
  ) rethrows -> QueryInterfaceRequest<Other> {
    select(try selection(RowDecoder.databaseComponents), as: Other.self)
  }

  /// The request with another selection from the columns of the record, and rows that become something else.
  public func select<Other>(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: Other.Type = Other.self
  ) rethrows -> QueryInterfaceRequest<Other> {
    select(try selection(RowDecoder.databaseComponents), as: Other.self)
  }
}

extension QueryInterfaceRequest where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// The identifiers.
  ///
  /// ```swift
  /// let ids = try Player.filter { $0.score > 1000 }.selectID().fetchSet(db)
  /// ```
  public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> { selectPrimaryKey(as: RowDecoder.ID.self) }
}
