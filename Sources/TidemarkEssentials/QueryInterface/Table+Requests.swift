// Requests that start from a table. Each method is a short form: `all()` provides the implementation.

extension Table {
  /// Returns a request that matches no row.
  public func none() -> QueryInterfaceRequest<RowDecoder> { all().none() }

  /// Returns a request with the given selection.
  ///
  /// ```swift
  /// // SELECT "id", "name" FROM "player"
  /// let request = Table("player").select([Column("id"), Column("name")])
  /// ```
  ///
  /// - Parameter selection: The selected columns and expressions.
  public func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
    all().select(selection)
  }

  /// Returns a request with the given selection.
  ///
  /// - Parameter selection: The selected columns and expressions.
  public func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
    all().select(selection)
  }

  /// Returns a request with a selection in raw SQL.
  ///
  /// - Parameter sql: The selected columns and expressions, as SQL.
  /// - Parameter arguments: The values of the parameters in `sql`.
  public func select(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
    RowDecoder
  > {
    all().select(sql: sql, arguments: arguments)
  }

  /// Returns a request with a selection in an ``SQL`` literal.
  ///
  /// - Parameter sqlLiteral: The selected columns and expressions. Interpolated values become arguments.
  public func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
    all().select(literal: sqlLiteral)
  }

  /// Returns a request with the given selection, which decodes its rows as `type`.
  ///
  /// ```swift
  /// let best = try Table("player").select([max(Column("score"))], as: Int.self).fetchOne(db)
  /// ```
  ///
  /// - Parameter selection: The selected columns and expressions.
  /// - Parameter type: The type of the fetched values.
  public func select<Other>(_ selection: [any SQLSelectable], as type: Other.Type = Other.self)
    -> QueryInterfaceRequest<Other>
  {
    all().select(selection, as: Other.self)
  }

  /// Returns a request with the given selection, which decodes its rows as `type`.
  ///
  /// - Parameter selection: The selected columns and expressions.
  /// - Parameter type: The type of the fetched values.
  public func select<Other>(_ selection: any SQLSelectable..., as type: Other.Type = Other.self)
    -> QueryInterfaceRequest<Other>
  {
    all().select(selection, as: Other.self)
  }

  /// Returns a request with a selection in raw SQL, which decodes its rows as `type`.
  ///
  /// - Parameter sql: The selected columns and expressions, as SQL.
  /// - Parameter arguments: The values of the parameters in `sql`.
  /// - Parameter type: The type of the fetched values.
  public func select<Other>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: Other.Type = Other.self
  ) -> QueryInterfaceRequest<Other> {
    all().select(sql: sql, arguments: arguments, as: Other.self)
  }

  /// Returns a request with a selection in an ``SQL`` literal, which decodes its rows as `type`.
  ///
  /// - Parameter sqlLiteral: The selected columns and expressions. Interpolated values become arguments.
  /// - Parameter type: The type of the fetched values.
  public func select<Other>(literal sqlLiteral: SQL, as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
    all().select(literal: sqlLiteral, as: Other.self)
  }

  /// Returns a request of the primary keys.
  ///
  /// Fetching throws a `DatabaseError` if the primary key has several columns. Without a primary key, keys are row IDs.
  public func selectPrimaryKey<PrimaryKey>(as type: PrimaryKey.Type = PrimaryKey.self) -> QueryInterfaceRequest<
    PrimaryKey
  > {
    all().selectPrimaryKey(as: PrimaryKey.self)
  }

  /// Returns a request that selects additional columns.
  ///
  /// ```swift
  /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
  /// let request = Table("player").annotated(with: [(Column("score") + Column("bonus")).forKey("total")])
  /// ```
  ///
  /// - Parameter selection: The columns and expressions that are added to the selection.
  public func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
    all().annotated(with: selection)
  }

  /// Returns a request that selects additional columns.
  ///
  /// - Parameter selection: The columns and expressions that are added to the selection.
  public func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
    all().annotated(with: selection)
  }

  /// Returns a request with a filter.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "score" > 1000
  /// let request = Table("player").filter(Column("score") > 1000)
  /// ```
  ///
  /// - Parameter predicate: A condition that each row must satisfy.
  public func filter(_ predicate: some SQLSpecificExpressible) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(predicate)
  }

  /// Returns a request with a filter in raw SQL.
  ///
  /// - Parameter sql: A condition that each row must satisfy, as SQL. Pass values in `arguments` instead of the text.
  /// - Parameter arguments: The values of the parameters in `sql`.
  public func filter(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
    RowDecoder
  > {
    all().filter(sql: sql, arguments: arguments)
  }

  /// Returns a request with a filter in an ``SQL`` literal.
  ///
  /// - Parameter sqlLiteral: A condition that each row must satisfy. Interpolated values become arguments.
  public func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(literal: sqlLiteral)
  }

  /// Returns a request of the row with the given primary key.
  ///
  /// Fetching throws a `DatabaseError` if the primary key has several columns. Without a primary key, it is a row ID.
  public func filter(key: any DatabaseValueConvertible) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(key: key)
  }

  /// Returns a request of the rows with the given primary keys, in any order.
  ///
  /// Fetching throws a `DatabaseError` if the primary key has several columns. Without a primary key, keys are row IDs.
  public func filter(keys: some Sequence<some DatabaseValueConvertible>) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(keys: keys)
  }

  /// Returns a request of the row with the given unique key.
  ///
  /// ```swift
  /// let request = Table("player").filter(key: ["email": "arthur@example.com"])
  /// ```
  ///
  /// Fetching throws a `DatabaseError` unless the columns contain a primary key or a unique key.
  public func filter(key: [String: (any DatabaseValueConvertible)?]) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(key: key)
  }

  /// Returns a request of the rows with the given unique keys, in any order.
  ///
  /// Fetching throws a `DatabaseError` unless the columns of each key contain a primary key or a unique key.
  public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(keys: keys)
  }

  /// Returns a request ordered by the given terms.
  ///
  /// ```swift
  /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
  /// let request = Table("player").order([Column("score").desc, Column("name")])
  /// ```
  ///
  /// - Parameter orderings: The terms of the `ORDER BY` clause.
  public func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<RowDecoder> {
    all().order(orderings)
  }

  /// Returns a request ordered by the given terms.
  ///
  /// - Parameter orderings: The terms of the `ORDER BY` clause.
  public func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<RowDecoder> {
    all().order(orderings)
  }

  /// Returns a request ordered by raw SQL.
  ///
  /// - Parameter sql: The terms of the `ORDER BY` clause, as SQL.
  /// - Parameter arguments: The values of the parameters in `sql`.
  public func order(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
    RowDecoder
  > {
    all().order(sql: sql, arguments: arguments)
  }

  /// Returns a request ordered by an ``SQL`` literal.
  ///
  /// - Parameter sqlLiteral: The terms of the `ORDER BY` clause. Interpolated values become arguments.
  public func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> { all().order(literal: sqlLiteral) }

  /// Returns a request ordered by the primary key, or by the row ID if the table has no primary key.
  public func orderByPrimaryKey() -> QueryInterfaceRequest<RowDecoder> { all().orderByPrimaryKey() }

  /// Returns a request of at most `limit` rows.
  ///
  /// - Parameter limit: The maximum number of rows.
  /// - Parameter offset: The number of rows to skip, or nil to skip none.
  public func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<RowDecoder> {
    all().limit(limit, offset: offset)
  }

  /// Returns a request whose table is identified by an alias of its record type.
  ///
  /// ```swift
  /// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 10
  /// let p = TableAlias(name: "p")
  /// let request = Table("player").aliased(p).filter(p[Column("score")] > 10)
  /// ```
  ///
  /// - Parameter alias: The alias.
  public func aliased(_ alias: TableAlias<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> { all().aliased(alias) }

  /// Returns a request whose table is identified by an alias.
  ///
  /// - Parameter alias: The alias.
  @_disfavoredOverload
  public func aliased(_ alias: TableAliasBase) -> QueryInterfaceRequest<RowDecoder> { all().aliased(alias) }
}

// MARK: - From the columns of the record

extension Table where RowDecoder: TableRecord {
  /// Returns a request with a selection of the record's columns.
  ///
  /// ```swift
  /// let request = table.select { [$0.id, $0.name] }
  /// ```
  ///
  /// - Parameter selection: A closure that returns the selected columns and expressions.
  public func select(_ selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> QueryInterfaceRequest<
    RowDecoder
  > {
    try all().select(selection)
  }

  /// Returns a request with a selection of one of the record's columns.
  ///
  /// - Parameter selection: A closure that returns the selected column or expression.
  public func select(_ selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> QueryInterfaceRequest<
    RowDecoder
  > {
    try all().select(selection)
  }

  /// Returns a request with a selection of the record's columns, which decodes its rows as `type`.
  ///
  /// - Parameter selection: A closure that returns the selected columns and expressions.
  /// - Parameter type: The type of the fetched values.
  public func select<Other>(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: Other.Type = Other.self
  ) rethrows -> QueryInterfaceRequest<Other> {
    try all().select(selection, as: Other.self)
  }

  /// Returns a request with a selection of one of the record's columns, which decodes its rows as `type`.
  ///
  /// - Parameter selection: A closure that returns the selected column or expression.
  /// - Parameter type: The type of the fetched values.
  public func select<Other>(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: Other.Type = Other.self
  ) rethrows -> QueryInterfaceRequest<Other> {
    try all().select(selection, as: Other.self)
  }

  /// Returns a request that selects additional columns, from the record's columns.
  ///
  /// - Parameter selection: A closure that returns the additional columns and expressions.
  public func annotated(with selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows
    -> QueryInterfaceRequest<RowDecoder>
  {
    try all().annotated(with: selection)
  }

  /// Returns a request that selects an additional column, from the record's columns.
  ///
  /// - Parameter selection: A closure that returns the additional column or expression.
  public func annotated(with selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows
    -> QueryInterfaceRequest<RowDecoder>
  {
    try all().annotated(with: selection)
  }

  /// Returns a request with a filter, from the record's columns.
  ///
  /// ```swift
  /// let request = table.filter { $0.score > 1000 }
  /// ```
  ///
  /// - Parameter predicate: A closure that returns a condition that each row must satisfy.
  public func filter(_ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible) rethrows
    -> QueryInterfaceRequest<RowDecoder>
  {
    try all().filter(predicate)
  }

  /// Returns a request ordered by terms of the record's columns.
  ///
  /// - Parameter orderings: A closure that returns the terms of the `ORDER BY` clause.
  public func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows
    -> QueryInterfaceRequest<RowDecoder>
  {
    try all().order(orderings)
  }

  /// Returns a request ordered by a term of the record's columns.
  ///
  /// - Parameter ordering: A closure that returns the term of the `ORDER BY` clause.
  public func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows -> QueryInterfaceRequest<
    RowDecoder
  > {
    try all().order(ordering)
  }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// Returns a request of the row with the given identifier.
  ///
  /// - Parameter id: The identifier.
  public func filter(id: RowDecoder.ID) -> QueryInterfaceRequest<RowDecoder> { all().filter(id: id) }

  /// Returns a request of the rows with the given identifiers, in any order.
  ///
  /// - Parameter ids: The identifiers.
  public func filter(ids: some Collection<RowDecoder.ID>) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(ids: ids)
  }

  /// Returns a request of the identifiers.
  public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> { all().selectID() }
}
