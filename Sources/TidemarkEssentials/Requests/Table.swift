/// A table, as the root of requests.
///
/// It serves where no record type does:
///
/// ```swift
/// // SELECT * FROM "player" WHERE "score" > 1000
/// let rows = try Table("player").filter(Column("score") > 1000).fetchAll(db)
/// ```
///
/// Its rows may become records all the same: `Table<Player>("retiredPlayer")`.
public struct Table<RowDecoder>: Sendable {
  /// The name of the table, without quotes.
  public var tableName: String

  private let selection: [SQLSelection]

  /// A table whose rows become something of a type.
  public init(_ tableName: String) {
    self.tableName = tableName
    selection = [.allColumns]
  }

  /// All the rows.
  public func all() -> QueryInterfaceRequest<RowDecoder> {
    QueryInterfaceRequest(SQLRelation(source: SQLTable(tableName: tableName), selection: selection))
  }
}

extension Table<Row> {
  /// A table of rows.
  public init(_ tableName: String) {
    self.tableName = tableName
    selection = [.allColumns]
  }
}

extension Table where RowDecoder: TableRecord {
  /// What closures are given: the columns of the record.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents
}

// A table is fetched as a request of all its rows.
extension Table: FetchRequest, TypedRequest {
  /// The request of all rows, as a query.
  public var sqlSubquery: SQLSubquery { all().sqlSubquery }

  /// The statement to run, and how.
  public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
    try all().makePreparedRequest(db, forSingleResult: singleResult)
  }

  /// The number of rows.
  public func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

  /// The whole table, columns that it may be given later included; of a view, what is read by a request of all rows.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    try all().databaseRegion(db).mapTables { table, region in
      table.hasName(tableName) ? (TableKey(tableName, in: table.database), .all) : (table, region)
    }
  }
}
