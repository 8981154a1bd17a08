/// A database table, as the starting point of requests.
///
/// Use it for tables that have no record type:
///
/// ```swift
/// // SELECT * FROM "player" WHERE "score" > 1000
/// let rows = try Table("player").filter(Column("score") > 1000).fetchAll(db)
/// ```
///
/// It can also decode the rows of a table as records of a type with another table: `Table<Player>("retiredPlayer")`. A
/// table is itself a request: fetching it fetches all rows.
public struct Table<RowDecoder>: Sendable {
  /// The name of the table, without quotes.
  public var tableName: String

  private let selection: [SQLSelection]

  /// Creates a table whose rows are decoded as `RowDecoder`.
  ///
  /// ```swift
  /// let players = try Table<Player>("retiredPlayer").fetchAll(db)
  /// ```
  ///
  /// The initializer does not access the database. Requests of a missing table throw when they are fetched.
  ///
  /// - Parameter tableName: The name of the table, without quotes.
  public init(_ tableName: String) {
    self.tableName = tableName
    selection = [.allColumns]
  }

  /// Returns a request of all rows of the table.
  public func all() -> QueryInterfaceRequest<RowDecoder> {
    QueryInterfaceRequest(SQLRelation(source: SQLTable(tableName: tableName), selection: selection))
  }
}

extension Table<Row> {
  /// Creates a table whose rows are fetched as ``Row`` values.
  ///
  /// ```swift
  /// let rows = try Table("player").fetchAll(db)
  /// ```
  ///
  /// - Parameter tableName: The name of the table, without quotes.
  public init(_ tableName: String) {
    self.tableName = tableName
    selection = [.allColumns]
  }
}

extension Table where RowDecoder: TableRecord {
  /// The type that closures receive: the columns of the record type.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents
}

// Fetching a table fetches all its rows.
extension Table: FetchRequest, TypedRequest {
  /// The request of all rows, as a subquery.
  public var sqlSubquery: SQLSubquery { all().sqlSubquery }

  /// Returns a statement that fetches all rows and is ready to run.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter singleResult: Whether the caller reads one row only. The query then ends with `LIMIT 1`.
  /// - Returns: A prepared request.
  /// - Throws: A ``DatabaseError`` if SQLite cannot compile the query.
  public func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
    try all().makePreparedRequest(db, forSingleResult: singleResult)
  }

  /// Fetches the number of rows of the table.
  ///
  /// ```swift
  /// let count = try Table("player").fetchCount(db)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The number of rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  public func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

  /// Returns the region of the whole table, including columns that are added later.
  ///
  /// The region of a view consists of the tables and columns that a request of all its rows reads.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The region of the table.
  /// - Throws: A ``DatabaseError`` if the table does not exist, or SQLite fails.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    try all().databaseRegion(db).mapTables { table, region in
      table.hasName(tableName) ? (TableKey(tableName, in: table.database), .all) : (table, region)
    }
  }
}
