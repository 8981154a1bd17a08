/// A request that is built from Swift values instead of SQL.
///
/// ```swift
/// // SELECT * FROM "player" WHERE "score" > 1000 ORDER BY "name" LIMIT 10
/// let request = Player
///   .filter { $0.score > 1000 }
///   .order { $0.name }
///   .limit(10)
/// let players = try dbQueue.read { try request.fetchAll($0) }
/// ```
///
/// A request is a value: its methods return new requests. A request runs no SQL until it is fetched, and it can be
/// fetched from several databases. To create one, start from a record type, such as `Player.all()`, or from a
/// ``Table``.
public struct QueryInterfaceRequest<RowDecoder>: Sendable {
  var relation: SQLRelation {
    didSet { printedQueries = PrintedQueries(of: relation) }
  }

  /// The printed SQL, which all copies of the request share; nil without associations.
  private(set) var printedQueries: PrintedQueries?

  init(_ relation: SQLRelation) {
    self.relation = relation
    printedQueries = PrintedQueries(of: relation)
  }

  /// Returns a request that decodes its rows as `type`.
  ///
  /// ```swift
  /// let request = Player.select(max(Column("score"))).asRequest(of: Int.self)
  /// ```
  ///
  /// - Parameter type: The type of the fetched values.
  public func asRequest<Other>(of type: Other.Type) -> QueryInterfaceRequest<Other> {
    var request = QueryInterfaceRequest<Other>(relation)
    request.printedQueries = printedQueries
    return request
  }

  /// Returns a request of at most `limit` rows.
  ///
  /// The new limit and offset replace the previous ones.
  ///
  /// ```swift
  /// // SELECT * FROM "player" ORDER BY "score" DESC LIMIT 10 OFFSET 20
  /// let request = Player.order(Column("score").desc).limit(10, offset: 20)
  /// ```
  ///
  /// - Parameter limit: The maximum number of rows.
  /// - Parameter offset: The number of rows to skip, or nil to skip none.
  public func limit(_ limit: Int, offset: Int? = nil) -> Self {
    changing { $0.limit = SQLLimit(count: limit, offset: offset) }
  }
}

// MARK: - Deriving requests

extension QueryInterfaceRequest: DerivableRequest {
  /// The name of the table, without quotes.
  public var databaseTableName: String { relation.source.tableName }

  /// Do not call this method: it is an implementation detail of the methods that derive requests.
  public func _changing(_ change: _QueryChange) -> Self {
    var request = self
    change.apply(&request.relation)
    return request
  }
}

// MARK: - Selecting another type

extension QueryInterfaceRequest {
  /// Returns a request with the given selection, which decodes its rows as `type`.
  ///
  /// ```swift
  /// let scores = try Player.all().select([max(Column("score"))], as: Int.self).fetchOne(db)
  /// ```
  ///
  /// - Parameter selection: The selected columns and expressions. They replace the previous selection.
  /// - Parameter type: The type of the fetched values.
  public func select<Other>(
    _ selection: [any SQLSelectable], as type: Other.Type = Other.self
  ) -> QueryInterfaceRequest<Other> {
    select(selection).asRequest(of: Other.self)
  }

  /// Returns a request with the given selection, which decodes its rows as `type`.
  ///
  /// ```swift
  /// let names = try Player.all().select(Column("name"), as: String.self).fetchAll(db)
  /// ```
  ///
  /// - Parameter selection: The selected columns and expressions. They replace the previous selection.
  /// - Parameter type: The type of the fetched values.
  public func select<Other>(
    _ selection: any SQLSelectable..., as type: Other.Type = Other.self
  ) -> QueryInterfaceRequest<Other> {
    select(selection, as: Other.self)
  }

  /// Returns a request with a selection in raw SQL, which decodes its rows as `type`.
  ///
  /// ```swift
  /// let best = try Player.all().select(sql: "MAX(score)", as: Int.self).fetchOne(db)
  /// ```
  ///
  /// - Parameter sql: The selected columns and expressions, as SQL. They replace the previous selection.
  /// - Parameter arguments: The values of the parameters in `sql`.
  /// - Parameter type: The type of the fetched values.
  public func select<Other>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: Other.Type = Other.self
  ) -> QueryInterfaceRequest<Other> {
    select(sql: sql, arguments: arguments).asRequest(of: Other.self)
  }

  /// Returns a request with a selection in an ``SQL`` literal, which decodes its rows as `type`.
  ///
  /// ```swift
  /// let best = try Player.all().select(literal: "MAX(score) + \(10)", as: Int.self).fetchOne(db)
  /// ```
  ///
  /// - Parameter sqlLiteral: The selected columns and expressions. Interpolated values become arguments.
  /// - Parameter type: The type of the fetched values.
  public func select<Other>(
    literal sqlLiteral: SQL, as type: Other.Type = Other.self
  ) -> QueryInterfaceRequest<Other> {
    select(literal: sqlLiteral).asRequest(of: Other.self)
  }

  /// Returns a request of the primary keys.
  ///
  /// ```swift
  /// // SELECT "id" FROM "player" WHERE "score" > 1000
  /// let ids = try Player.filter { $0.score > 1000 }.selectPrimaryKey(as: Int64.self).fetchAll(db)
  /// ```
  ///
  /// Fetching throws a `DatabaseError` if the primary key has several columns. Without a primary key, keys are row IDs.
  public func selectPrimaryKey<PrimaryKey>(
    as type: PrimaryKey.Type = PrimaryKey.self
  ) -> QueryInterfaceRequest<PrimaryKey> {
    let tableName = databaseTableName
    return selectWhenConnected { db in
      db.fixedPart([Column(try db.singleKeyColumn(of: tableName, "Selecting the primary key"))])
    }
    .asRequest(of: PrimaryKey.self)
  }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
  /// The type that closures receive: the columns of the record type.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// Returns a request with a selection of the record's columns, which decodes its rows as `type`.
  ///
  /// ```swift
  /// let bounds = try Player.all().select({ [min($0.score), max($0.score)] }, as: Row.self).fetchOne(db)
  /// ```
  ///
  /// - Parameter selection: A closure that returns the selected columns and expressions. It runs immediately.
  /// - Parameter type: The type of the fetched values.
  /// - Throws: The error that `selection` throws.
  public func select<Other>(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: Other.Type = Other.self
  ) rethrows -> QueryInterfaceRequest<Other> {
    select(try selection(RowDecoder.databaseComponents), as: Other.self)
  }

  /// Returns a request with a selection of one of the record's columns, which decodes its rows as `type`.
  ///
  /// ```swift
  /// let best = try Player.all().select({ max($0.score) }, as: Int.self).fetchOne(db)
  /// ```
  ///
  /// - Parameter selection: A closure that returns the selected column or expression. It runs immediately.
  /// - Parameter type: The type of the fetched values.
  /// - Throws: The error that `selection` throws.
  public func select<Other>(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: Other.Type = Other.self
  ) rethrows -> QueryInterfaceRequest<Other> {
    select(try selection(RowDecoder.databaseComponents), as: Other.self)
  }
}

extension QueryInterfaceRequest where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// Returns a request of the identifiers of the records.
  ///
  /// ```swift
  /// let ids = try Player.filter { $0.score > 1000 }.selectID().fetchSet(db)
  /// ```
  ///
  /// - Precondition: The primary key of the table has exactly one column, or the table has no primary key and the
  ///   identifiers are row IDs.
  public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> { selectPrimaryKey(as: RowDecoder.ID.self) }
}
