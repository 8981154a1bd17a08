// Requests that start from a record type. Each method is a short form: `all()` provides the implementation.

extension TableRecord {
  /// Returns a request of all rows.
  ///
  /// ```swift
  /// let players = try Player.all().fetchAll(db)
  /// ```
  ///
  /// The request selects the columns in `databaseSelection`.
  public static func all() -> QueryInterfaceRequest<Self> {
    let selection = databaseSelection.map { $0.sqlSelection }
    return QueryInterfaceRequest(
      SQLRelation(source: SQLTable(tableName: databaseTableName), selection: selection))
  }

  /// Returns a request that matches no row.
  public static func none() -> QueryInterfaceRequest<Self> { all().none() }

  /// Returns a request with the given selection.
  ///
  /// ```swift
  /// // SELECT "id", "name" FROM "player"
  /// let request = Player.select([Column("id"), Column("name")])
  /// ```
  ///
  /// - Parameter selection: The selected columns and expressions.
  public static func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
    all().select(selection)
  }

  /// Returns a request with the given selection.
  ///
  /// - Parameter selection: The selected columns and expressions.
  public static func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
    all().select(selection)
  }

  /// Returns a request with a selection in raw SQL.
  ///
  /// - Parameter sql: The selected columns and expressions, as SQL.
  /// - Parameter arguments: The values of the parameters in `sql`.
  public static func select(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
    Self
  > {
    all().select(sql: sql, arguments: arguments)
  }

  /// Returns a request with a selection in an ``SQL`` literal.
  ///
  /// - Parameter sqlLiteral: The selected columns and expressions. Interpolated values become arguments.
  public static func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
    all().select(literal: sqlLiteral)
  }

  /// Returns a request with the given selection, which decodes its rows as `type`.
  ///
  /// ```swift
  /// let best = try Player.select([max(Column("score"))], as: Int.self).fetchOne(db)
  /// ```
  ///
  /// - Parameter selection: The selected columns and expressions.
  /// - Parameter type: The type of the fetched values.
  public static func select<Other>(_ selection: [any SQLSelectable], as type: Other.Type = Other.self)
    -> QueryInterfaceRequest<Other>
  {
    all().select(selection, as: Other.self)
  }

  /// Returns a request with the given selection, which decodes its rows as `type`.
  ///
  /// - Parameter selection: The selected columns and expressions.
  /// - Parameter type: The type of the fetched values.
  public static func select<Other>(_ selection: any SQLSelectable..., as type: Other.Type = Other.self)
    -> QueryInterfaceRequest<Other>
  {
    all().select(selection, as: Other.self)
  }

  /// Returns a request with a selection in raw SQL, which decodes its rows as `type`.
  ///
  /// - Parameter sql: The selected columns and expressions, as SQL.
  /// - Parameter arguments: The values of the parameters in `sql`.
  /// - Parameter type: The type of the fetched values.
  public static func select<Other>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: Other.Type = Other.self
  ) -> QueryInterfaceRequest<Other> {
    all().select(sql: sql, arguments: arguments, as: Other.self)
  }

  /// Returns a request with a selection in an ``SQL`` literal, which decodes its rows as `type`.
  ///
  /// - Parameter sqlLiteral: The selected columns and expressions. Interpolated values become arguments.
  /// - Parameter type: The type of the fetched values.
  public static func select<Other>(literal sqlLiteral: SQL, as type: Other.Type = Other.self) -> QueryInterfaceRequest<
    Other
  > {
    all().select(literal: sqlLiteral, as: Other.self)
  }

  /// Returns a request of the primary keys.
  ///
  /// Fetching throws a `DatabaseError` if the primary key has several columns. Without a primary key, keys are row IDs.
  public static func selectPrimaryKey<PrimaryKey>(as type: PrimaryKey.Type = PrimaryKey.self) -> QueryInterfaceRequest<
    PrimaryKey
  > {
    all().selectPrimaryKey(as: PrimaryKey.self)
  }

  /// Returns a request that selects additional columns.
  ///
  /// ```swift
  /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
  /// let request = Player.annotated(with: [(Column("score") + Column("bonus")).forKey("total")])
  /// ```
  ///
  /// - Parameter selection: The columns and expressions that are added to the selection.
  public static func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
    all().annotated(with: selection)
  }

  /// Returns a request that selects additional columns.
  ///
  /// - Parameter selection: The columns and expressions that are added to the selection.
  public static func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
    all().annotated(with: selection)
  }

  /// Returns a request with a filter.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "score" > 1000
  /// let request = Player.filter(Column("score") > 1000)
  /// ```
  ///
  /// - Parameter predicate: A condition that each row must satisfy.
  public static func filter(_ predicate: some SQLSpecificExpressible) -> QueryInterfaceRequest<Self> {
    all().filter(predicate)
  }

  /// Returns a request with a filter in raw SQL.
  ///
  /// - Parameter sql: A condition that each row must satisfy, as SQL. Pass values in `arguments` instead of the text.
  /// - Parameter arguments: The values of the parameters in `sql`.
  public static func filter(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
    Self
  > {
    all().filter(sql: sql, arguments: arguments)
  }

  /// Returns a request with a filter in an ``SQL`` literal.
  ///
  /// - Parameter sqlLiteral: A condition that each row must satisfy. Interpolated values become arguments.
  public static func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
    all().filter(literal: sqlLiteral)
  }

  /// Returns a request of the row with the given primary key.
  ///
  /// Fetching throws a `DatabaseError` if the primary key has several columns. Without a primary key, it is a row ID.
  public static func filter(key: any DatabaseValueConvertible) -> QueryInterfaceRequest<Self> {
    all().filter(key: key)
  }

  /// Returns a request of the rows with the given primary keys, in any order.
  ///
  /// Fetching throws a `DatabaseError` if the primary key has several columns. Without a primary key, keys are row IDs.
  public static func filter(keys: some Sequence<some DatabaseValueConvertible>) -> QueryInterfaceRequest<Self> {
    all().filter(keys: keys)
  }

  /// Returns a request of the row with the given unique key.
  ///
  /// ```swift
  /// let request = Player.filter(key: ["email": "arthur@example.com"])
  /// ```
  ///
  /// Fetching throws a `DatabaseError` unless the columns contain a primary key or a unique key.
  public static func filter(key: [String: (any DatabaseValueConvertible)?]) -> QueryInterfaceRequest<Self> {
    all().filter(key: key)
  }

  /// Returns a request of the rows with the given unique keys, in any order.
  ///
  /// Fetching throws a `DatabaseError` unless the columns of each key contain a primary key or a unique key.
  public static func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<Self> {
    all().filter(keys: keys)
  }

  /// Returns a request ordered by the given terms.
  ///
  /// ```swift
  /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
  /// let request = Player.order([Column("score").desc, Column("name")])
  /// ```
  ///
  /// - Parameter orderings: The terms of the `ORDER BY` clause.
  public static func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<Self> {
    all().order(orderings)
  }

  /// Returns a request ordered by the given terms.
  ///
  /// - Parameter orderings: The terms of the `ORDER BY` clause.
  public static func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<Self> {
    all().order(orderings)
  }

  /// Returns a request ordered by raw SQL.
  ///
  /// - Parameter sql: The terms of the `ORDER BY` clause, as SQL.
  /// - Parameter arguments: The values of the parameters in `sql`.
  public static func order(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
    Self
  > {
    all().order(sql: sql, arguments: arguments)
  }

  /// Returns a request ordered by an ``SQL`` literal.
  ///
  /// - Parameter sqlLiteral: The terms of the `ORDER BY` clause. Interpolated values become arguments.
  public static func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
    all().order(literal: sqlLiteral)
  }

  /// Returns a request ordered by the primary key, or by the row ID if the table has no primary key.
  public static func orderByPrimaryKey() -> QueryInterfaceRequest<Self> { all().orderByPrimaryKey() }

  /// Returns a request of at most `limit` rows.
  ///
  /// - Parameter limit: The maximum number of rows.
  /// - Parameter offset: The number of rows to skip, or nil to skip none.
  public static func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<Self> {
    all().limit(limit, offset: offset)
  }

  /// Returns a request whose table is identified by an alias of its record type.
  ///
  /// ```swift
  /// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 10
  /// let p = TableAlias(name: "p")
  /// let request = Player.aliased(p).filter(p[Column("score")] > 10)
  /// ```
  ///
  /// - Parameter alias: The alias.
  public static func aliased(_ alias: TableAlias<Self>) -> QueryInterfaceRequest<Self> { all().aliased(alias) }

  /// Returns a request whose table is identified by an alias.
  ///
  /// - Parameter alias: The alias.
  @_disfavoredOverload
  public static func aliased(_ alias: TableAliasBase) -> QueryInterfaceRequest<Self> { all().aliased(alias) }
}

// MARK: - From the columns of the record

extension TableRecord {
  /// Returns a request with a selection of the record's columns.
  ///
  /// ```swift
  /// let request = Player.select { [$0.id, $0.name] }
  /// ```
  ///
  /// - Parameter selection: A closure that returns the selected columns and expressions.
  public static func select(_ selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows
    -> QueryInterfaceRequest<Self>
  {
    try all().select(selection)
  }

  /// Returns a request with a selection of one of the record's columns.
  ///
  /// - Parameter selection: A closure that returns the selected column or expression.
  public static func select(_ selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows
    -> QueryInterfaceRequest<Self>
  {
    try all().select(selection)
  }

  /// Returns a request with a selection of the record's columns, which decodes its rows as `type`.
  ///
  /// - Parameter selection: A closure that returns the selected columns and expressions.
  /// - Parameter type: The type of the fetched values.
  public static func select<Other>(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: Other.Type = Other.self
  ) rethrows -> QueryInterfaceRequest<Other> {
    try all().select(selection, as: Other.self)
  }

  /// Returns a request with a selection of one of the record's columns, which decodes its rows as `type`.
  ///
  /// - Parameter selection: A closure that returns the selected column or expression.
  /// - Parameter type: The type of the fetched values.
  public static func select<Other>(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: Other.Type = Other.self
  ) rethrows -> QueryInterfaceRequest<Other> {
    try all().select(selection, as: Other.self)
  }

  /// Returns a request that selects additional columns, from the record's columns.
  ///
  /// - Parameter selection: A closure that returns the additional columns and expressions.
  public static func annotated(with selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows
    -> QueryInterfaceRequest<Self>
  {
    try all().annotated(with: selection)
  }

  /// Returns a request that selects an additional column, from the record's columns.
  ///
  /// - Parameter selection: A closure that returns the additional column or expression.
  public static func annotated(with selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows
    -> QueryInterfaceRequest<Self>
  {
    try all().annotated(with: selection)
  }

  /// Returns a request with a filter, from the record's columns.
  ///
  /// ```swift
  /// let request = Player.filter { $0.score > 1000 }
  /// ```
  ///
  /// - Parameter predicate: A closure that returns a condition that each row must satisfy.
  public static func filter(_ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible) rethrows
    -> QueryInterfaceRequest<Self>
  {
    try all().filter(predicate)
  }

  /// Returns a request ordered by terms of the record's columns.
  ///
  /// - Parameter orderings: A closure that returns the terms of the `ORDER BY` clause.
  public static func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows
    -> QueryInterfaceRequest<Self>
  {
    try all().order(orderings)
  }

  /// Returns a request ordered by a term of the record's columns.
  ///
  /// - Parameter ordering: A closure that returns the term of the `ORDER BY` clause.
  public static func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows
    -> QueryInterfaceRequest<Self>
  {
    try all().order(ordering)
  }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// Returns a request of the row with the given identifier.
  ///
  /// - Parameter id: The identifier.
  public static func filter(id: ID) -> QueryInterfaceRequest<Self> { all().filter(id: id) }

  /// Returns a request of the rows with the given identifiers, in any order.
  ///
  /// - Parameter ids: The identifiers.
  public static func filter(ids: some Collection<ID>) -> QueryInterfaceRequest<Self> { all().filter(ids: ids) }

  /// Returns a request of the identifiers of the records.
  public static func selectID() -> QueryInterfaceRequest<ID> { all().selectID() }
}
