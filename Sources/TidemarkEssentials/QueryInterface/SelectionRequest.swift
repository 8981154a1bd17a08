/// A request whose selection can be changed.
///
/// A new selection replaces the previous one. Annotations are added to the selection.
public protocol SelectionRequest {
  /// Returns a request with a selection that depends on the database.
  ///
  /// - Parameter selection: A closure that returns the selection. It runs each time the request is prepared for
  ///   execution, with a database connection.
  func selectWhenConnected(_ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]) -> Self

  /// Returns a request with additional selected columns, which depend on the database.
  ///
  /// - Parameter selection: A closure that returns the additional selection. It runs each time the request is prepared
  ///   for execution, with a database connection.
  func annotatedWhenConnected(with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]) -> Self
}

extension SelectionRequest {
  /// Returns a request with the given selection.
  ///
  /// ```swift
  /// // SELECT "id", "name" FROM "player"
  /// let request = Player.all().select([Column("id"), Column("name")])
  /// ```
  ///
  /// - Parameter selection: The selected columns and expressions. They replace the previous selection.
  public func select(_ selection: [any SQLSelectable]) -> Self {
    let selection = selection.map { $0.sqlSelection }
    return selectWhenConnected { $0.fixedPart(selection) }
  }

  /// Returns a request with the given selection.
  ///
  /// ```swift
  /// let request = Player.all().select(Column("id"), Column("name"))
  /// ```
  ///
  /// - Parameter selection: The selected columns and expressions. They replace the previous selection.
  public func select(_ selection: any SQLSelectable...) -> Self { select(selection) }

  /// Returns a request with a selection in raw SQL.
  ///
  /// ```swift
  /// let request = Player.all().select(sql: "id, name")
  /// ```
  ///
  /// - Parameter sql: The selected columns and expressions, as SQL. They replace the previous selection.
  /// - Parameter arguments: The values of the parameters in `sql`.
  public func select(sql: String, arguments: StatementArguments = []) -> Self { select(SQL(sql, arguments)) }

  /// Returns a request with a selection in an ``SQL`` literal.
  ///
  /// ```swift
  /// let request = Player.all().select(literal: "id, name, score + \(10)")
  /// ```
  ///
  /// - Parameter sqlLiteral: The selected columns and expressions. Interpolated values become arguments.
  public func select(literal sqlLiteral: SQL) -> Self { select(sqlLiteral) }

  /// Returns a request that selects additional columns.
  ///
  /// ```swift
  /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
  /// let request = Player.all().annotated(with: [(Column("score") + Column("bonus")).forKey("total")])
  /// ```
  ///
  /// - Parameter selection: The columns and expressions that are added to the selection.
  public func annotated(with selection: [any SQLSelectable]) -> Self {
    let selection = selection.map { $0.sqlSelection }
    return annotatedWhenConnected { $0.fixedPart(selection) }
  }

  /// Returns a request that selects additional columns.
  ///
  /// ```swift
  /// let request = Player.all().annotated(with: (Column("score") + Column("bonus")).forKey("total"))
  /// ```
  ///
  /// - Parameter selection: The columns and expressions that are added to the selection.
  public func annotated(with selection: any SQLSelectable...) -> Self { annotated(with: selection) }
}

extension SelectionRequest where Self: TypedRequest, RowDecoder: TableRecord {
  /// The type that closures receive: the columns of the record type.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// Returns a request with a selection of the record's columns.
  ///
  /// ```swift
  /// let request = Player.all().select { [$0.id, $0.name] }
  /// ```
  ///
  /// - Parameter selection: A closure that returns the selected columns and expressions. It runs immediately.
  /// - Throws: The error that `selection` throws.
  public func select(_ selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> Self {
    select(try selection(RowDecoder.databaseComponents))
  }

  /// Returns a request with a selection of one of the record's columns.
  ///
  /// ```swift
  /// let request = Player.all().select { $0.name }
  /// ```
  ///
  /// - Parameter selection: A closure that returns the selected column or expression. It runs immediately.
  /// - Throws: The error that `selection` throws.
  public func select(_ selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> Self {
    select(try selection(RowDecoder.databaseComponents))
  }

  /// Returns a request that selects additional columns, from the record's columns.
  ///
  /// ```swift
  /// let request = Player.all().annotated { [($0.score + $0.bonus).forKey("total")] }
  /// ```
  ///
  /// - Parameter selection: A closure that returns the additional columns and expressions. It runs immediately.
  /// - Throws: The error that `selection` throws.
  public func annotated(with selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> Self {
    annotated(with: try selection(RowDecoder.databaseComponents))
  }

  /// Returns a request that selects an additional column, from the record's columns.
  ///
  /// ```swift
  /// let request = Player.all().annotated { ($0.score + $0.bonus).forKey("total") }
  /// ```
  ///
  /// - Parameter selection: A closure that returns the additional column or expression. It runs immediately.
  /// - Throws: The error that `selection` throws.
  public func annotated(with selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> Self {
    annotated(with: try selection(RowDecoder.databaseComponents))
  }
}
