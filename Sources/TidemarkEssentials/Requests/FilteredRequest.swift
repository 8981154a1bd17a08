/// A request whose rows can be filtered.
///
/// Filters add up: a row has to pass all of them.
public protocol FilteredRequest {
  /// The request with one more filter, which is made when the database is known.
  ///
  /// ```swift
  /// // The rows of the last day that there are rows of.
  /// let request = Game.all().filterWhenConnected { db in
  ///   let lastDay = try String.fetchOne(db, sql: "SELECT MAX(day) FROM game")
  ///   return Column("day") == lastDay
  /// }
  /// ```
  func filterWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self
}

extension FilteredRequest {
  /// The request with one more filter.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE ("score" > 10) AND ("name" = 'a')
  /// let request = Player.filter(Column("score") > 10).filter(Column("name") == "a")
  /// ```
  public func filter(_ predicate: some SQLSpecificExpressible) -> Self {
    let expression = predicate.sqlExpression
    return filterWhenConnected { _ in expression }
  }

  /// The request with one more filter, made of SQL.
  ///
  /// ```swift
  /// let request = Player.all().filter(sql: "score > ?", arguments: [10])
  /// ```
  public func filter(sql: String, arguments: StatementArguments = []) -> Self { filter(SQL(sql, arguments)) }

  /// The request with one more filter, made of SQL with its values inside.
  ///
  /// ```swift
  /// let request = Player.all().filter(literal: "score > \(10)")
  /// ```
  public func filter(literal sqlLiteral: SQL) -> Self { filter(sqlLiteral) }

  /// The request without any row.
  public func none() -> Self { filter(SQLExpression.value(false)) }

  /// The request itself.
  public func all() -> Self { self }
}

extension FilteredRequest where Self: TypedRequest, RowDecoder: TableRecord {
  /// What closures are given: the columns of the record.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// The request with one more filter, from the columns of the record.
  ///
  /// ```swift
  /// let request = Player.all().filter { $0.score > 10 }
  /// ```
  public func filter(
    _ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible
  ) rethrows -> Self {
    let expression = try predicate(RowDecoder.databaseComponents).sqlExpression
    return filter(expression)
  }
}
