/// A request that can order its rows.
///
/// A new ordering replaces the previous one.
public protocol OrderedRequest {
  /// Returns a request ordered by terms that depend on the database.
  ///
  /// The new ordering replaces the previous one.
  ///
  /// - Parameter orderings: A closure that returns the terms. It runs each time the request is prepared for execution,
  ///   with a database connection.
  func orderWhenConnected(_ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]) -> Self

  /// Returns a request with the opposite ordering. A request without an ordering does not change.
  ///
  /// ```swift
  /// // SELECT * FROM "player" ORDER BY "score" DESC, "name" ASC
  /// let request = Player.order(Column("score"), Column("name").desc).reversed()
  /// ```
  ///
  /// - Precondition: The ordering contains no raw SQL and no ``SQL`` literal, which cannot be reversed.
  func reversed() -> Self

  /// Returns a request without an ordering.
  func unordered() -> Self

  /// Returns a request whose ordering ends with the primary key, so that it defines the position of every row.
  ///
  /// ```swift
  /// // SELECT * FROM "player" ORDER BY "score", "id"
  /// let request = Player.order(Column("score")).withStableOrder()
  /// ```
  func withStableOrder() -> Self
}

extension OrderedRequest {
  /// Returns a request ordered by the given terms.
  ///
  /// The new ordering replaces the previous one.
  ///
  /// ```swift
  /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
  /// let request = Player.all().order([Column("score").desc, Column("name")])
  /// ```
  ///
  /// - Parameter orderings: The terms of the `ORDER BY` clause. An empty array removes the ordering.
  public func order(_ orderings: [any SQLOrderingTerm]) -> Self {
    let orderings = orderings.map { $0.sqlOrdering }
    return orderWhenConnected { $0.fixedPart(orderings) }
  }

  /// Returns a request ordered by the given terms.
  ///
  /// The new ordering replaces the previous one.
  ///
  /// ```swift
  /// let request = Player.all().order(Column("score").desc, Column("name"))
  /// ```
  ///
  /// - Parameter orderings: The terms of the `ORDER BY` clause.
  public func order(_ orderings: any SQLOrderingTerm...) -> Self { order(orderings) }

  /// Returns a request ordered by raw SQL.
  ///
  /// A request that is ordered by raw SQL cannot be reversed.
  ///
  /// ```swift
  /// let request = Player.all().order(sql: "score DESC, name")
  /// ```
  ///
  /// - Parameter sql: The terms of the `ORDER BY` clause, as SQL.
  /// - Parameter arguments: The values of the parameters in `sql`.
  public func order(sql: String, arguments: StatementArguments = []) -> Self { order(SQL(sql, arguments)) }

  /// Returns a request ordered by an ``SQL`` literal.
  ///
  /// A request that is ordered by a literal cannot be reversed.
  ///
  /// ```swift
  /// let request = Player.all().order(literal: "ABS(score - \(1000))")
  /// ```
  ///
  /// - Parameter sqlLiteral: The terms of the `ORDER BY` clause. Interpolated values become arguments.
  public func order(literal sqlLiteral: SQL) -> Self { order(sqlLiteral) }
}

extension OrderedRequest where Self: TypedRequest, RowDecoder: TableRecord {
  /// The type that closures receive: the columns of the record type.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// Returns a request ordered by terms of the record's columns.
  ///
  /// The new ordering replaces the previous one.
  ///
  /// ```swift
  /// let request = Player.all().order { [$0.score.desc, $0.name] }
  /// ```
  ///
  /// - Parameter orderings: A closure that returns the terms of the `ORDER BY` clause. It runs immediately.
  /// - Throws: The error that `orderings` throws.
  public func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows -> Self {
    order(try orderings(RowDecoder.databaseComponents))
  }

  /// Returns a request ordered by a term of the record's columns.
  ///
  /// The new ordering replaces the previous one.
  ///
  /// ```swift
  /// let request = Player.all().order { $0.score.desc }
  /// ```
  ///
  /// - Parameter ordering: A closure that returns the term of the `ORDER BY` clause. It runs immediately.
  /// - Throws: The error that `ordering` throws.
  public func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows -> Self {
    order(try ordering(RowDecoder.databaseComponents))
  }
}
