/// A request whose rows can be ordered.
///
/// An order takes the place of the one before.
public protocol OrderedRequest {
  /// The request in another order, which is made when the database is known.
  func orderWhenConnected(_ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]) -> Self

  /// The request in the opposite order. One without order remains so.
  ///
  /// ```swift
  /// // SELECT * FROM "player" ORDER BY "score" DESC, "name" ASC
  /// let request = Player.order(Column("score"), Column("name").desc).reversed()
  /// ```
  ///
  /// - precondition: The order is not made of SQL, which cannot be reversed.
  func reversed() -> Self

  /// The request without order.
  func unordered() -> Self

  /// The request in an order that leaves no two rows equal: it ends with the primary key.
  ///
  /// ```swift
  /// // SELECT * FROM "player" ORDER BY "score", "id"
  /// let request = Player.order(Column("score")).withStableOrder()
  /// ```
  func withStableOrder() -> Self
}

extension OrderedRequest {
  /// The request in another order.
  ///
  /// ```swift
  /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
  /// let request = Player.all().order([Column("score").desc, Column("name")])
  /// ```
  public func order(_ orderings: [any SQLOrderingTerm]) -> Self {
    let orderings = orderings.map { $0.sqlOrdering }
    return orderWhenConnected { _ in orderings }
  }

  /// The request in another order.
  public func order(_ orderings: any SQLOrderingTerm...) -> Self { order(orderings) }

  /// The request in another order, made of SQL.
  public func order(sql: String, arguments: StatementArguments = []) -> Self { order(SQL(sql, arguments)) }

  /// The request in another order, made of SQL with its values inside.
  public func order(literal sqlLiteral: SQL) -> Self { order(sqlLiteral) }
}

extension OrderedRequest where Self: TypedRequest, RowDecoder: TableRecord {
  /// What closures are given: the columns of the record.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// The request in another order, from the columns of the record.
  ///
  /// ```swift
  /// let request = Player.all().order { [$0.score.desc, $0.name] }
  /// ```
  public func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows -> Self {
    order(try orderings(RowDecoder.databaseComponents))
  }

  /// The request in another order, from the columns of the record.
  public func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows -> Self {
    order(try ordering(RowDecoder.databaseComponents))
  }
}
