/// A request on a table.
public protocol TableRequest {
  /// The name of the table, without quotes.
  var databaseTableName: String { get }

  /// Returns a request whose table is identified by an alias.
  ///
  /// Do not call this method: call `aliased(_:)`.
  ///
  /// - Parameter alias: The alias.
  func _aliased(_ alias: TableAliasBase) -> Self
}

extension TableRequest {
  /// Returns a request whose table is identified by an alias.
  ///
  /// ```swift
  /// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 10
  /// let p = TableAlias(name: "p")
  /// let request = Player.all().aliased(p).filter(p[Column("score")] > 10)
  /// ```
  ///
  /// - Parameter alias: The alias. Other parts of the request, and subqueries, use it to refer to the table.
  @_disfavoredOverload
  public func aliased(_ alias: TableAliasBase) -> Self { _aliased(alias) }
}

extension TableRequest where Self: TypedRequest {
  /// Returns a request whose table is identified by an alias of its record type.
  ///
  /// ```swift
  /// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 10
  /// let p = TableAlias<Player>(name: "p")
  /// let request = Player.all().aliased(p).filter(p.score > 10)
  /// ```
  ///
  /// - Parameter alias: The alias. Other parts of the request, and subqueries, use it to refer to the table.
  public func aliased(_ alias: TableAlias<RowDecoder>) -> Self { _aliased(alias) }
}

// MARK: - Primary keys

extension TableRequest where Self: OrderedRequest {
  /// Returns a request ordered by the primary key, or by the row ID if the table has no primary key.
  ///
  /// ```swift
  /// let request = Player.filter(Column("score") > 1000).orderByPrimaryKey()
  /// ```
  public func orderByPrimaryKey() -> Self {
    let tableName = databaseTableName
    return orderWhenConnected { db in db.fixedPart(try db.primaryKey(tableName).columns.map { Column($0) }) }
  }
}

extension TableRequest where Self: AggregatingRequest {
  /// Returns a request with one group for each row of the table.
  ///
  /// ```swift
  /// let request = Player.all().groupByPrimaryKey()
  /// ```
  public func groupByPrimaryKey() -> Self {
    let tableName = databaseTableName
    return groupWhenConnected { db in
      db.fixedPart(try db.cheapestKeyColumns(of: tableName).map { Column($0) })
    }
  }
}

extension Database {
  /// Returns the columns that identify the rows of a table at the lowest cost: the row ID if there is one.
  func cheapestKeyColumns(of tableName: String) throws -> [String] {
    let key = try primaryKey(tableName)
    let rowID = try existingTable(tableName).rowIDName(self) ?? "rowid"
    return key.fastColumn(rowID: rowID).map { [$0] } ?? key.columns
  }
}
