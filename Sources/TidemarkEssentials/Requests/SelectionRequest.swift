/// A request whose selection can be changed.
///
/// A selection takes the place of the one before; an annotation is added to it.
public protocol SelectionRequest {
  /// The request with another selection, which is made when the database is known.
  func selectWhenConnected(_ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]) -> Self

  /// The request that selects more, which is made when the database is known.
  func annotatedWhenConnected(with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]) -> Self
}

extension SelectionRequest {
  /// The request with another selection.
  ///
  /// ```swift
  /// // SELECT "id", "name" FROM "player"
  /// let request = Player.all().select([Column("id"), Column("name")])
  /// ```
  public func select(_ selection: [any SQLSelectable]) -> Self {
    let selection = selection.map { $0.sqlSelection }
    return selectWhenConnected { _ in selection }
  }

  /// The request with another selection.
  public func select(_ selection: any SQLSelectable...) -> Self { select(selection) }

  /// The request with another selection, made of SQL.
  ///
  /// ```swift
  /// let request = Player.all().select(sql: "id, name")
  /// ```
  public func select(sql: String, arguments: StatementArguments = []) -> Self { select(SQL(sql, arguments)) }

  /// The request with another selection, made of SQL with its values inside.
  public func select(literal sqlLiteral: SQL) -> Self { select(sqlLiteral) }

  /// The request that selects more.
  ///
  /// ```swift
  /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
  /// let request = Player.all().annotated(with: [(Column("score") + Column("bonus")).forKey("total")])
  /// ```
  public func annotated(with selection: [any SQLSelectable]) -> Self {
    let selection = selection.map { $0.sqlSelection }
    return annotatedWhenConnected { _ in selection }
  }

  /// The request that selects more.
  public func annotated(with selection: any SQLSelectable...) -> Self { annotated(with: selection) }
}

extension SelectionRequest where Self: TypedRequest, RowDecoder: TableRecord {
  /// What closures are given: the columns of the record.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// The request with another selection, from the columns of the record.
  ///
  /// ```swift
  /// let request = Player.all().select { [$0.id, $0.name] }
  /// ```
  public func select(_ selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> Self {
    select(try selection(RowDecoder.databaseComponents))
  }

  /// The request with another selection, from the columns of the record.
  public func select(_ selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> Self {
    select(try selection(RowDecoder.databaseComponents))
  }

  /// The request that selects more, from the columns of the record.
  public func annotated(with selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> Self {
    annotated(with: try selection(RowDecoder.databaseComponents))
  }

  /// The request that selects more, from the columns of the record.
  public func annotated(with selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> Self {
    annotated(with: try selection(RowDecoder.databaseComponents))
  }
}
