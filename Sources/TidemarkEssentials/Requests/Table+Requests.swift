// The requests that start at a table. Each is a line: `all()` does the work.

extension Table {
  /// A request without any row.
  public func none() -> QueryInterfaceRequest<RowDecoder> { all().none() }

  /// A request with a selection.
  ///
  /// ```swift
  /// // SELECT "id", "name" FROM "player"
  /// let request = Table("player").select([Column("id"), Column("name")])
  /// ```
  public func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
    all().select(selection)
  }

  /// A request with a selection.
  public func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
    all().select(selection)
  }

  /// A request with a selection made of SQL.
  public func select(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
    RowDecoder
  > {
    all().select(sql: sql, arguments: arguments)
  }

  /// A request with a selection made of SQL with its values inside.
  public func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
    all().select(literal: sqlLiteral)
  }

  /// A request with a selection, and rows that become something else.
  ///
  /// ```swift
  /// let best = try Table("player").select([max(Column("score"))], as: Int.self).fetchOne(db)
  /// ```
  public func select<Other>(_ selection: [any SQLSelectable], as type: Other.Type = Other.self)
    -> QueryInterfaceRequest<Other>
  {
    all().select(selection, as: Other.self)
  }

  /// A request with a selection, and rows that become something else.
  public func select<Other>(_ selection: any SQLSelectable..., as type: Other.Type = Other.self)
    -> QueryInterfaceRequest<Other>
  {
    all().select(selection, as: Other.self)
  }

  /// A request with a selection made of SQL, and rows that become something else.
  public func select<Other>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: Other.Type = Other.self
  ) -> QueryInterfaceRequest<Other> {
    all().select(sql: sql, arguments: arguments, as: Other.self)
  }

  /// A request with a selection made of SQL with its values inside, and rows that become something else.
  public func select<Other>(literal sqlLiteral: SQL, as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
    all().select(literal: sqlLiteral, as: Other.self)
  }

  /// The primary keys.
  ///
  /// Fetching throws a `DatabaseError` when the primary key has several columns. Without primary key, keys are row ids.
  public func selectPrimaryKey<PrimaryKey>(as type: PrimaryKey.Type = PrimaryKey.self) -> QueryInterfaceRequest<
    PrimaryKey
  > {
    all().selectPrimaryKey(as: PrimaryKey.self)
  }

  /// A request that selects more than all columns.
  ///
  /// ```swift
  /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
  /// let request = Table("player").annotated(with: [(Column("score") + Column("bonus")).forKey("total")])
  /// ```
  public func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
    all().annotated(with: selection)
  }

  /// A request that selects more.
  public func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
    all().annotated(with: selection)
  }

  /// A request with a filter.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "score" > 1000
  /// let request = Table("player").filter(Column("score") > 1000)
  /// ```
  public func filter(_ predicate: some SQLSpecificExpressible) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(predicate)
  }

  /// A request with a filter made of SQL.
  public func filter(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
    RowDecoder
  > {
    all().filter(sql: sql, arguments: arguments)
  }

  /// A request with a filter made of SQL with its values inside.
  public func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(literal: sqlLiteral)
  }

  /// The row of a primary key. There is none for NULL.
  ///
  /// Fetching throws a `DatabaseError` when the primary key has several columns. Without primary key, it is a row id.
  public func filter(key: any DatabaseValueConvertible) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(key: key)
  }

  /// The rows of some primary keys, in any order. There are none for NULL.
  ///
  /// Fetching throws a `DatabaseError` when the primary key has several columns. Without primary key, keys are row ids.
  public func filter(keys: some Sequence<some DatabaseValueConvertible>) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(keys: keys)
  }

  /// The row of a key, by the names of its columns: those of the primary key, or those of another unique key.
  ///
  /// ```swift
  /// let request = Table("player").filter(key: ["email": "arthur@example.com"])
  /// ```
  ///
  /// Fetching throws a `DatabaseError` unless the columns contain those of the primary key, or of a unique index.
  public func filter(key: [String: (any DatabaseValueConvertible)?]) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(key: key)
  }

  /// The rows of some keys, by the names of their columns, in any order.
  ///
  /// Fetching throws a `DatabaseError` unless the columns of each contain a primary key, or those of a unique index.
  public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(keys: keys)
  }

  /// A request in an order.
  ///
  /// ```swift
  /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
  /// let request = Table("player").order([Column("score").desc, Column("name")])
  /// ```
  public func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<RowDecoder> {
    all().order(orderings)
  }

  /// A request in an order.
  public func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<RowDecoder> {
    all().order(orderings)
  }

  /// A request in an order made of SQL.
  public func order(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
    RowDecoder
  > {
    all().order(sql: sql, arguments: arguments)
  }

  /// A request in an order made of SQL with its values inside.
  public func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> { all().order(literal: sqlLiteral) }

  /// A request in the order of the primary key, or of the row ids when there is none.
  public func orderByPrimaryKey() -> QueryInterfaceRequest<RowDecoder> { all().orderByPrimaryKey() }

  /// A request of no more than some rows.
  ///
  /// - parameter offset: How many rows are left out before them.
  public func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<RowDecoder> {
    all().limit(limit, offset: offset)
  }

  /// A request whose table an alias stands for.
  ///
  /// ```swift
  /// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 10
  /// let p = TableAlias(name: "p")
  /// let request = Table("player").aliased(p).filter(p[Column("score")] > 10)
  /// ```
  public func aliased(_ alias: TableAlias<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> { all().aliased(alias) }

  /// A request whose table an alias stands for.
  @_disfavoredOverload
  public func aliased(_ alias: TableAliasBase) -> QueryInterfaceRequest<RowDecoder> { all().aliased(alias) }
}

// MARK: - From the columns of the record

extension Table where RowDecoder: TableRecord {
  /// A request with a selection, from the columns of the record.
  ///
  /// ```swift
  /// let request = table.select { [$0.id, $0.name] }
  /// ```
  public func select(_ selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> QueryInterfaceRequest<
    RowDecoder
  > {
    try all().select(selection)
  }

  /// A request with a selection, from the columns of the record.
  public func select(_ selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> QueryInterfaceRequest<
    RowDecoder
  > {
    try all().select(selection)
  }

  /// A request with a selection from the columns of the record, and rows that become something else.
  public func select<Other>(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: Other.Type = Other.self
  ) rethrows -> QueryInterfaceRequest<Other> {
    try all().select(selection, as: Other.self)
  }

  /// A request with a selection from the columns of the record, and rows that become something else.
  public func select<Other>(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: Other.Type = Other.self
  ) rethrows -> QueryInterfaceRequest<Other> {
    try all().select(selection, as: Other.self)
  }

  /// A request that selects more, from the columns of the record.
  public func annotated(with selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows
    -> QueryInterfaceRequest<RowDecoder>
  {
    try all().annotated(with: selection)
  }

  /// A request that selects more, from the columns of the record.
  public func annotated(with selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows
    -> QueryInterfaceRequest<RowDecoder>
  {
    try all().annotated(with: selection)
  }

  /// A request with a filter, from the columns of the record.
  ///
  /// ```swift
  /// let request = table.filter { $0.score > 1000 }
  /// ```
  public func filter(_ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible) rethrows
    -> QueryInterfaceRequest<RowDecoder>
  {
    try all().filter(predicate)
  }

  /// A request in an order, from the columns of the record.
  public func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows
    -> QueryInterfaceRequest<RowDecoder>
  {
    try all().order(orderings)
  }

  /// A request in an order, from the columns of the record.
  public func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows -> QueryInterfaceRequest<
    RowDecoder
  > {
    try all().order(ordering)
  }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// The row of an identifier.
  public func filter(id: RowDecoder.ID) -> QueryInterfaceRequest<RowDecoder> { all().filter(id: id) }

  /// The rows of some identifiers, in any order.
  public func filter(ids: some Collection<RowDecoder.ID>) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(ids: ids)
  }

  /// The identifiers.
  public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> { all().selectID() }
}
