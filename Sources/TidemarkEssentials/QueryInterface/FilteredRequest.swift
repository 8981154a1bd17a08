/// A request that can filter its rows.
///
/// Several filters are combined with `AND`.
public protocol FilteredRequest {
  /// Returns a request with an additional filter, which depends on the database.
  ///
  /// ```swift
  /// // The games of the latest day.
  /// let request = Game.all().filterWhenConnected { db in
  ///   let lastDay = try String.fetchOne(db, sql: "SELECT MAX(day) FROM game")
  ///   return Column("day") == lastDay
  /// }
  /// ```
  ///
  /// - Parameter predicate: A closure that returns a condition. It runs each time the request is prepared for
  ///   execution, with a database connection.
  func filterWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self
}

extension FilteredRequest {
  /// Returns a request with an additional filter.
  ///
  /// Several filters are combined with `AND`.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE ("score" > 10) AND ("name" = 'a')
  /// let request = Player.filter(Column("score") > 10).filter(Column("name") == "a")
  /// ```
  ///
  /// - Parameter predicate: A condition that each row must satisfy.
  public func filter(_ predicate: some SQLSpecificExpressible) -> Self {
    let expression = predicate.sqlExpression
    return filterWhenConnected { $0.fixedPart(expression) }
  }

  /// Returns a request with an additional filter, as raw SQL.
  ///
  /// ```swift
  /// let request = Player.all().filter(sql: "score > ?", arguments: [10])
  /// ```
  ///
  /// - Parameter sql: A condition that each row must satisfy, as SQL. Pass values in `arguments` instead of the text.
  /// - Parameter arguments: The values of the parameters in `sql`.
  public func filter(sql: String, arguments: StatementArguments = []) -> Self { filter(SQL(sql, arguments)) }

  /// Returns a request with an additional filter, as an ``SQL`` literal.
  ///
  /// ```swift
  /// let request = Player.all().filter(literal: "score > \(10)")
  /// ```
  ///
  /// - Parameter sqlLiteral: A condition that each row must satisfy. Interpolated values become arguments.
  public func filter(literal sqlLiteral: SQL) -> Self { filter(sqlLiteral) }

  /// Returns a request that matches no row.
  public func none() -> Self { filter(SQLExpression.value(false)) }

  /// Returns this request, unchanged.
  public func all() -> Self { self }
}

extension FilteredRequest where Self: TypedRequest, RowDecoder: TableRecord {
  /// The type that closures receive: the columns of the record type.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// Returns a request with an additional filter, from the record's columns.
  ///
  /// Several filters are combined with `AND`.
  ///
  /// ```swift
  /// let request = Player.all().filter { $0.score > 10 }
  /// ```
  ///
  /// - Parameter predicate: A closure that returns a condition that each row must satisfy. It runs immediately.
  /// - Throws: The error that `predicate` throws.
  public func filter(
    _ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible
  ) rethrows -> Self {
    let expression = try predicate(RowDecoder.databaseComponents).sqlExpression
    return filter(expression)
  }
}

/// A request with a known type of fetched values.
public protocol TypedRequest<RowDecoder> {
  /// The type that rows are decoded as.
  associatedtype RowDecoder
}
