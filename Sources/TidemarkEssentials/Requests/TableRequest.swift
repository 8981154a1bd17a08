/// A request on a table.
public protocol TableRequest {
  /// The name of the table, without quotes.
  var databaseTableName: String { get }

  /// The request whose table an alias stands for.
  ///
  /// Not for you to call: call `aliased(_:)`.
  func _aliased(_ alias: TableAliasBase) -> Self
}

extension TableRequest {
  /// The request whose table an alias stands for.
  ///
  /// ```swift
  /// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 10
  /// let p = TableAlias(name: "p")
  /// let request = Player.all().aliased(p).filter(p[Column("score")] > 10)
  /// ```
  @_disfavoredOverload
  public func aliased(_ alias: TableAliasBase) -> Self { _aliased(alias) }
}

extension TableRequest where Self: TypedRequest {
  /// The request whose table an alias stands for.
  ///
  /// ```swift
  /// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 10
  /// let p = TableAlias<Player>(name: "p")
  /// let request = Player.all().aliased(p).filter(p.score > 10)
  /// ```
  public func aliased(_ alias: TableAlias<RowDecoder>) -> Self { _aliased(alias) }
}

// MARK: - Primary keys

extension TableRequest where Self: OrderedRequest {
  /// The request in the order of its primary key, or of the row ids when there is none.
  public func orderByPrimaryKey() -> Self {
    let tableName = databaseTableName
    return orderWhenConnected { db in try db.primaryKey(tableName).columns.map { Column($0) } }
  }
}

extension TableRequest where Self: AggregatingRequest {
  /// The request with a group for each row of the table.
  public func groupByPrimaryKey() -> Self {
    let tableName = databaseTableName
    return groupWhenConnected { db in try db.cheapestKeyColumns(of: tableName).map { Column($0) } }
  }
}

extension Database {
  /// The columns that tell the rows of a table apart at the lowest price: the row id, where there is one.
  func cheapestKeyColumns(of tableName: String) throws -> [String] {
    let key = try primaryKey(tableName)
    let rowID = try existingTable(tableName).rowIDName(self) ?? "rowid"
    return key.fastColumn(rowID: rowID).map { [$0] } ?? key.columns
  }
}
