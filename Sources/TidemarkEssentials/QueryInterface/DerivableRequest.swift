/// A request that can be joined to other requests.
public protocol JoinableRequest<RowDecoder>: TypedRequest {
  /// Returns the request with a changed query.
  ///
  /// Do not call this method: it is an implementation detail of the methods that derive requests.
  ///
  /// - Parameter change: The change of the query.
  /// - Returns: The changed request.
  func _changing(_ change: _QueryChange) -> Self
}

/// A change of the query of a request or of an association.
///
/// Do not use this type: it is an implementation detail of the methods that derive requests.
public struct _QueryChange {
  let apply: (inout SQLRelation) -> Void
}

extension JoinableRequest {
  func changing(_ change: (inout SQLRelation) -> Void) -> Self {
    withoutActuallyEscaping(change) { _changing(_QueryChange(apply: $0)) }
  }
}

/// A request from which other requests can be derived, by filtering, ordering, grouping, and so on.
///
/// Requests and associations are derivable requests. Extend this protocol to define the vocabulary of an application:
///
/// ```swift
/// extension DerivableRequest<Player> {
///   func winners() -> Self { filter { $0.score > 1000 } }
///   func inOrder() -> Self { order { [$0.score.desc, $0.name] } }
/// }
///
/// let request = Player.all().winners().inOrder()
/// let teams = Team.including(all: Team.players.winners())
/// ```
public protocol DerivableRequest<RowDecoder>: AggregatingRequest, FilteredRequest, JoinableRequest, OrderedRequest,
  SelectionRequest, TableRequest
{
  /// Returns a request without duplicate rows: `SELECT DISTINCT …`.
  ///
  /// - Returns: The derived request.
  func distinct() -> Self

  /// Returns a request that can use a common table expression: `WITH … SELECT …`.
  ///
  /// - Parameter cte: A common table expression. It replaces a previous one with the same name.
  /// - Returns: The derived request.
  func with<CTERowDecoder>(_ cte: CommonTableExpression<CTERowDecoder>) -> Self
}

extension DerivableRequest {
  /// Do not call this method: it is an implementation detail of `aliased(_:)`.
  public func _aliased(_ alias: TableAliasBase) -> Self {
    changing { $0.source = $0.source.aliasedByProgram(alias) }
  }

  /// Returns a request without duplicate rows: `SELECT DISTINCT …`.
  ///
  /// ```swift
  /// // SELECT DISTINCT "teamId" FROM "player"
  /// let request = Player.select(Column("teamId")).distinct()
  /// ```
  ///
  /// An association that selects distinct rows can be used with `including(all:)`, but it cannot be joined.
  ///
  /// - Returns: The derived request.
  public func distinct() -> Self { changing { $0.isDistinct = true } }

  /// Returns a request that can use a common table expression: `WITH … SELECT …`.
  ///
  /// ```swift
  /// // WITH "best" AS (SELECT MAX("score") FROM "player")
  /// // SELECT * FROM "player" WHERE "score" IN "best"
  /// let best = CommonTableExpression(named: "best", request: Player.select { max($0.score) })
  /// let request = Player.all().with(best).filter { best.contains($0.score) }
  /// ```
  ///
  /// - Parameter cte: A common table expression. It replaces a previous one with the same name.
  /// - Returns: The derived request.
  public func with<CTERowDecoder>(_ cte: CommonTableExpression<CTERowDecoder>) -> Self {
    let table = cte.commonTable
    return changing { $0.commonTables.define(table) }
  }

  /// Returns a request with an additional filter, which depends on the database.
  ///
  /// - Parameter predicate: A closure that returns a condition. It runs each time the request is prepared for
  ///   execution, with a database connection.
  /// - Returns: The derived request.
  public func filterWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self {
    changing { $0.filters.append { db, _ in try db.partOfProgram(predicate).sqlExpression } }
  }

  /// Returns a request grouped by expressions that depend on the database.
  ///
  /// - Parameter expressions: A closure that returns the expressions. It runs each time the request is prepared for
  ///   execution, with a database connection.
  /// - Returns: The derived request.
  public func groupWhenConnected(_ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]) -> Self {
    changing { $0.grouping = { db, _ in try db.partOfProgram(expressions).map { $0.sqlExpression } } }
  }

  /// Returns a request with an additional condition on its groups, which depends on the database.
  ///
  /// - Parameter predicate: A closure that returns the condition. It runs each time the request is prepared for
  ///   execution, with a database connection.
  /// - Returns: The derived request.
  public func havingWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self {
    changing { $0.havings.append { db, _ in try db.partOfProgram(predicate).sqlExpression } }
  }

  /// Returns a request with a selection that depends on the database.
  ///
  /// - Parameter selection: A closure that returns the selection. It runs each time the request is prepared for
  ///   execution, with a database connection.
  /// - Returns: The derived request.
  public func selectWhenConnected(_ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]) -> Self {
    changing { $0.selection = [{ db, _ in try db.partOfProgram(selection).map { $0.sqlSelection } }] }
  }

  /// Returns a request with additional selected columns, which depend on the database.
  ///
  /// - Parameter selection: A closure that returns the additional selection. It runs each time the request is prepared
  ///   for execution, with a database connection.
  /// - Returns: The derived request.
  public func annotatedWhenConnected(with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable])
    -> Self
  {
    changing { $0.selection.append { db, _ in try db.partOfProgram(selection).map { $0.sqlSelection } } }
  }
}

// MARK: - Ordering

extension DerivableRequest {
  /// Returns a request ordered by terms that depend on the database.
  ///
  /// - Parameter orderings: A closure that returns the terms. It runs each time the request is prepared for execution,
  ///   with a database connection.
  /// - Returns: The derived request.
  public func orderWhenConnected(_ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]) -> Self {
    changing {
      $0.ordering = [SQLRelation.OrderingPart { db, _ in try db.partOfProgram(orderings).map { $0.sqlOrdering } }]
    }
  }

  /// Returns a request with the opposite ordering. A request without an ordering does not change.
  ///
  /// The orderings of joined associations are reversed, too.
  ///
  /// - Returns: The derived request.
  public func reversed() -> Self { changing { $0.reverse() } }

  /// Returns a request without an ordering.
  ///
  /// The orderings of joined associations are removed, too.
  ///
  /// - Returns: The derived request.
  public func unordered() -> Self { changing { $0.removeOrder() } }

  /// Returns a request whose ordering ends with the primary key, so that it defines the position of every row.
  ///
  /// A request on a view is ordered by all columns that it selects, because a view has no primary key. In a request
  /// with joined associations, the rows of each joined table have a stable order, too.
  ///
  /// - Returns: The derived request.
  public func withStableOrder() -> Self { changing { $0.addStableOrder() } }
}

extension SQLRelation {
  fileprivate mutating func addStableOrder() {
    ordering.append(OrderingPart(terms: Self.stableOrdering))
    forEachJoinedChild { $0.addStableOrderAsJoined() }
  }

  private mutating func addStableOrderAsJoined() {
    ordering.append(OrderingPart(terms: Self.stableOrderingAsJoined))
    forEachJoinedChild { $0.addStableOrderAsJoined() }
  }

  private static func stableOrdering(_ db: Database, _ relation: SQLRelation) throws -> [SQLOrdering] {
    if relation.source.commonTable == nil,
      let key = try db.existingTable(relation.source.tableName).primaryKey(db)
    {
      return key.columns.map { .expression(.column($0)) }
    }
    // A table without a key is ordered by everything that it selects, by position.
    var relation = relation
    relation.children = []
    let columnCount = try db.columnCount(of: relation)
    return (0..<columnCount).map { .literal(SQL(sql: "\($0 + 1)")) }
  }

  private static func stableOrderingAsJoined(_ db: Database, _ relation: SQLRelation) throws -> [SQLOrdering] {
    let table = try db.existingTable(relation.source.tableName)
    let columns = try table.primaryKey(db)?.columns ?? table.columns.map(\.name)
    return columns.map { .expression(.column($0)) }
  }
}
