// The requests that start at a record type. Each is a line: `all()` does the work.

extension TableRecord {
  /// A request of all rows.
  ///
  /// It selects what `databaseSelection` says.
  public static func all() -> QueryInterfaceRequest<Self> {
    let selection = databaseSelection.map { $0.sqlSelection }
    return QueryInterfaceRequest(
      SQLRelation(source: SQLTable(tableName: databaseTableName), selection: selection))
  }

  /// A request without any row.
  public static func none() -> QueryInterfaceRequest<Self> { all().none() }

  /// A request with a selection.
  ///
  /// ```swift
  /// // SELECT "id", "name" FROM "player"
  /// let request = Player.select([Column("id"), Column("name")])
  /// ```
  public static func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
    all().select(selection)
  }

  /// A request with a selection.
  public static func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
    all().select(selection)
  }

  /// A request with a selection made of SQL.
  public static func select(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
    Self
  > {
    all().select(sql: sql, arguments: arguments)
  }

  /// A request with a selection made of SQL with its values inside.
  public static func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
    all().select(literal: sqlLiteral)
  }

  /// A request with a selection, and rows that become something else.
  ///
  /// ```swift
  /// let best = try Player.select([max(Column("score"))], as: Int.self).fetchOne(db)
  /// ```
  public static func select<Other>(_ selection: [any SQLSelectable], as type: Other.Type = Other.self)
    -> QueryInterfaceRequest<Other>
  {
    all().select(selection, as: Other.self)
  }

  /// A request with a selection, and rows that become something else.
  public static func select<Other>(_ selection: any SQLSelectable..., as type: Other.Type = Other.self)
    -> QueryInterfaceRequest<Other>
  {
    all().select(selection, as: Other.self)
  }

  /// A request with a selection made of SQL, and rows that become something else.
  public static func select<Other>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: Other.Type = Other.self
  ) -> QueryInterfaceRequest<Other> {
    all().select(sql: sql, arguments: arguments, as: Other.self)
  }

  /// A request with a selection made of SQL with its values inside, and rows that become something else.
  public static func select<Other>(literal sqlLiteral: SQL, as type: Other.Type = Other.self) -> QueryInterfaceRequest<
    Other
  > {
    all().select(literal: sqlLiteral, as: Other.self)
  }

  /// The primary keys.
  ///
  /// Fetching throws a `DatabaseError` when the primary key has several columns. Without primary key, keys are row ids.
  public static func selectPrimaryKey<PrimaryKey>(as type: PrimaryKey.Type = PrimaryKey.self) -> QueryInterfaceRequest<
    PrimaryKey
  > {
    all().selectPrimaryKey(as: PrimaryKey.self)
  }

  /// A request that selects more.
  ///
  /// ```swift
  /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
  /// let request = Player.annotated(with: [(Column("score") + Column("bonus")).forKey("total")])
  /// ```
  public static func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
    all().annotated(with: selection)
  }

  /// A request that selects more.
  public static func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
    all().annotated(with: selection)
  }

  /// A request with a filter.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "score" > 1000
  /// let request = Player.filter(Column("score") > 1000)
  /// ```
  public static func filter(_ predicate: some SQLSpecificExpressible) -> QueryInterfaceRequest<Self> {
    all().filter(predicate)
  }

  /// A request with a filter made of SQL.
  public static func filter(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
    Self
  > {
    all().filter(sql: sql, arguments: arguments)
  }

  /// A request with a filter made of SQL with its values inside.
  public static func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
    all().filter(literal: sqlLiteral)
  }

  /// The row of a primary key. There is none for NULL.
  ///
  /// Fetching throws a `DatabaseError` when the primary key has several columns. Without primary key, it is a row id.
  public static func filter(key: any DatabaseValueConvertible) -> QueryInterfaceRequest<Self> {
    all().filter(key: key)
  }

  /// The rows of some primary keys, in any order. There are none for NULL.
  ///
  /// Fetching throws a `DatabaseError` when the primary key has several columns. Without primary key, keys are row ids.
  public static func filter(keys: some Sequence<some DatabaseValueConvertible>) -> QueryInterfaceRequest<Self> {
    all().filter(keys: keys)
  }

  /// The row of a key, by the names of its columns: those of the primary key, or those of another unique key.
  ///
  /// ```swift
  /// let request = Player.filter(key: ["email": "arthur@example.com"])
  /// ```
  ///
  /// Fetching throws a `DatabaseError` unless the columns contain those of the primary key, or of a unique index.
  public static func filter(key: [String: (any DatabaseValueConvertible)?]) -> QueryInterfaceRequest<Self> {
    all().filter(key: key)
  }

  /// The rows of some keys, by the names of their columns, in any order.
  ///
  /// Fetching throws a `DatabaseError` unless the columns of each contain a primary key, or those of a unique index.
  public static func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<Self> {
    all().filter(keys: keys)
  }

  /// A request in an order.
  ///
  /// ```swift
  /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
  /// let request = Player.order([Column("score").desc, Column("name")])
  /// ```
  public static func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<Self> {
    all().order(orderings)
  }

  /// A request in an order.
  public static func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<Self> {
    all().order(orderings)
  }

  /// A request in an order made of SQL.
  public static func order(sql: String, arguments: StatementArguments = StatementArguments()) -> QueryInterfaceRequest<
    Self
  > {
    all().order(sql: sql, arguments: arguments)
  }

  /// A request in an order made of SQL with its values inside.
  public static func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
    all().order(literal: sqlLiteral)
  }

  /// A request in the order of the primary key, or of the row ids when there is none.
  public static func orderByPrimaryKey() -> QueryInterfaceRequest<Self> { all().orderByPrimaryKey() }

  /// A request of no more than some rows.
  ///
  /// - parameter offset: How many rows are left out before them.
  public static func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<Self> {
    all().limit(limit, offset: offset)
  }

  /// A request whose table an alias stands for.
  ///
  /// ```swift
  /// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 10
  /// let p = TableAlias(name: "p")
  /// let request = Player.aliased(p).filter(p[Column("score")] > 10)
  /// ```
  public static func aliased(_ alias: TableAlias<Self>) -> QueryInterfaceRequest<Self> { all().aliased(alias) }

  /// A request whose table an alias stands for.
  @_disfavoredOverload
  public static func aliased(_ alias: TableAliasBase) -> QueryInterfaceRequest<Self> { all().aliased(alias) }
}

// MARK: - From the columns of the record

extension TableRecord {
  /// A request with a selection, from the columns of the record.
  ///
  /// ```swift
  /// let request = Player.select { [$0.id, $0.name] }
  /// ```
  public static func select(_ selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows
    -> QueryInterfaceRequest<Self>
  {
    try all().select(selection)
  }

  /// A request with a selection, from the columns of the record.
  public static func select(_ selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows
    -> QueryInterfaceRequest<Self>
  {
    try all().select(selection)
  }

  /// A request with a selection from the columns of the record, and rows that become something else.
  public static func select<Other>(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: Other.Type = Other.self
  ) rethrows -> QueryInterfaceRequest<Other> {
    try all().select(selection, as: Other.self)
  }

  /// A request with a selection from the columns of the record, and rows that become something else.
  public static func select<Other>(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: Other.Type = Other.self
  ) rethrows -> QueryInterfaceRequest<Other> {
    try all().select(selection, as: Other.self)
  }

  /// A request that selects more, from the columns of the record.
  public static func annotated(with selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows
    -> QueryInterfaceRequest<Self>
  {
    try all().annotated(with: selection)
  }

  /// A request that selects more, from the columns of the record.
  public static func annotated(with selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows
    -> QueryInterfaceRequest<Self>
  {
    try all().annotated(with: selection)
  }

  /// A request with a filter, from the columns of the record.
  ///
  /// ```swift
  /// let request = Player.filter { $0.score > 1000 }
  /// ```
  public static func filter(_ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible) rethrows
    -> QueryInterfaceRequest<Self>
  {
    try all().filter(predicate)
  }

  /// A request in an order, from the columns of the record.
  public static func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows
    -> QueryInterfaceRequest<Self>
  {
    try all().order(orderings)
  }

  /// A request in an order, from the columns of the record.
  public static func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows
    -> QueryInterfaceRequest<Self>
  {
    try all().order(ordering)
  }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// The row of an identifier.
  public static func filter(id: ID) -> QueryInterfaceRequest<Self> { all().filter(id: id) }

  /// The rows of some identifiers, in any order.
  public static func filter(ids: some Collection<ID>) -> QueryInterfaceRequest<Self> { all().filter(ids: ids) }

  /// The identifiers.
  public static func selectID() -> QueryInterfaceRequest<ID> { all().selectID() }
}
