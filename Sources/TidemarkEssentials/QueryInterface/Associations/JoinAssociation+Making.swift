// Associations with common table expressions. They have a condition in place of a foreign key.

extension _AssociationPath {
  /// Creates an association by a condition. Each query has its own aliases.
  fileprivate static func join<Left, Right>(
    _ destination: SQLRelation,
    on condition: @escaping @Sendable (TableAlias<Left>, TableAlias<Right>) -> SQLExpression?
  ) -> _AssociationPath {
    _AssociationPath(
      AssociationStep(
        key: .tableName(destination.source.tableName), isToMany: false,
        condition: .expression {
          let (left, right) = (TableAlias<Left>(), TableAlias<Right>())
          return SQLJoinExpression(left: left, right: right, expression: condition(left, right))
        },
        relation: destination))
  }
}

extension CommonTableExpression {
  /// Defines an association from the common table expression to a common table expression, without a condition: each
  /// row is joined with all rows.
  ///
  /// - Parameter cte: The joined table.
  /// - Returns: An association.
  public func association<Destination>(to cte: CommonTableExpression<Destination>) -> JoinAssociation<
    RowDecoder, Destination
  > {
    JoinAssociation(_path: .join(cte.all().relation) { (_: TableAlias<RowDecoder>, _: TableAlias<Destination>) in nil })
  }

  /// Defines an association from the common table expression to a common table expression, by a condition.
  ///
  /// - Parameters:
  ///   - cte: The joined table.
  ///   - condition: A closure that returns the condition. It runs each time a request that uses the association is
  ///     prepared, with aliases of the two tables.
  /// - Returns: An association.
  public func association<Destination>(
    to cte: CommonTableExpression<Destination>,
    on condition:
      @escaping @Sendable (_ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>) -> any SQLExpressible
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(_path: .join(cte.all().relation) { condition($0, $1).sqlExpression })
  }

  /// Defines an association from the common table expression to the table of a record type, without a condition: each
  /// row is joined with all rows.
  ///
  /// - Parameter destination: The joined table.
  /// - Returns: An association.
  public func association<Destination: TableRecord>(to destination: Destination.Type) -> JoinAssociation<
    RowDecoder, Destination
  > {
    JoinAssociation(
      _path: .join(destination.all().relation) { (_: TableAlias<RowDecoder>, _: TableAlias<Destination>) in nil })
  }

  /// Defines an association from the common table expression to the table of a record type, by a condition.
  ///
  /// - Parameters:
  ///   - destination: The joined table.
  ///   - condition: A closure that returns the condition. It runs each time a request that uses the association is
  ///     prepared, with aliases of the two tables.
  /// - Returns: An association.
  public func association<Destination: TableRecord>(
    to destination: Destination.Type,
    on condition:
      @escaping @Sendable (_ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>) -> any SQLExpressible
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(_path: .join(destination.all().relation) { condition($0, $1).sqlExpression })
  }

  /// Defines an association from the common table expression to a table, without a condition: each row is joined with
  /// all rows.
  ///
  /// - Parameter destination: The joined table.
  /// - Returns: An association.
  public func association<Destination>(to destination: Table<Destination>) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(
      _path: .join(destination.all().relation) { (_: TableAlias<RowDecoder>, _: TableAlias<Destination>) in nil })
  }

  /// Defines an association from the common table expression to a table, by a condition.
  ///
  /// - Parameters:
  ///   - destination: The joined table.
  ///   - condition: A closure that returns the condition. It runs each time a request that uses the association is
  ///     prepared, with aliases of the two tables.
  /// - Returns: An association.
  public func association<Destination>(
    to destination: Table<Destination>,
    on condition:
      @escaping @Sendable (_ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>) -> any SQLExpressible
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(_path: .join(destination.all().relation) { condition($0, $1).sqlExpression })
  }
}

extension TableRecord {
  /// Defines an association from the table of the record type to a common table expression, without a condition: each
  /// row is joined with all rows.
  ///
  /// - Parameter cte: The joined table.
  /// - Returns: An association.
  public static func association<Destination>(to cte: CommonTableExpression<Destination>) -> JoinAssociation<
    Self, Destination
  > {
    JoinAssociation(_path: .join(cte.all().relation) { (_: TableAlias<Self>, _: TableAlias<Destination>) in nil })
  }

  /// Defines an association from the table of the record type to a common table expression, by a condition.
  ///
  /// - Parameters:
  ///   - cte: The joined table.
  ///   - condition: A closure that returns the condition. It runs each time a request that uses the association is
  ///     prepared, with aliases of the two tables.
  /// - Returns: An association.
  public static func association<Destination>(
    to cte: CommonTableExpression<Destination>,
    on condition: @escaping @Sendable (_ left: TableAlias<Self>, _ right: TableAlias<Destination>) -> any SQLExpressible
  ) -> JoinAssociation<Self, Destination> {
    JoinAssociation(_path: .join(cte.all().relation) { condition($0, $1).sqlExpression })
  }

  /// Returns a request that can use a common table expression: `WITH … SELECT …`.
  ///
  /// ```swift
  /// let request = Player.with(best).including(required: Player.association(to: best))
  /// ```
  ///
  /// - Parameter cte: A common table expression.
  /// - Returns: A request of all records.
  public static func with<CTERowDecoder>(_ cte: CommonTableExpression<CTERowDecoder>) -> QueryInterfaceRequest<Self> {
    all().with(cte)
  }
}

extension Table {
  /// Defines an association from the table to a common table expression, without a condition: each row is joined with
  /// all rows.
  ///
  /// - Parameter cte: The joined table.
  /// - Returns: An association.
  public func association<Destination>(to cte: CommonTableExpression<Destination>) -> JoinAssociation<
    RowDecoder, Destination
  > {
    JoinAssociation(_path: .join(cte.all().relation) { (_: TableAlias<RowDecoder>, _: TableAlias<Destination>) in nil })
  }

  /// Defines an association from the table to a common table expression, by a condition.
  ///
  /// - Parameters:
  ///   - cte: The joined table.
  ///   - condition: A closure that returns the condition. It runs each time a request that uses the association is
  ///     prepared, with aliases of the two tables.
  /// - Returns: An association.
  public func association<Destination>(
    to cte: CommonTableExpression<Destination>,
    on condition:
      @escaping @Sendable (_ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>) -> any SQLExpressible
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(_path: .join(cte.all().relation) { condition($0, $1).sqlExpression })
  }

  /// Returns a request that can use a common table expression: `WITH … SELECT …`.
  ///
  /// - Parameter cte: A common table expression.
  /// - Returns: A request of all rows of the table.
  public func with<CTERowDecoder>(_ cte: CommonTableExpression<CTERowDecoder>) -> QueryInterfaceRequest<RowDecoder> {
    all().with(cte)
  }
}
