/// A value that is computed from associated rows: their number, a sum, and so on.
///
/// ```swift
/// // The authors with their number of books
/// let counted = Author.annotated(with: Author.books.count)
///
/// // The authors with more than ten books
/// let prolific = Author.having(Author.books.count > 10)
/// ```
///
/// The associated table is joined with `LEFT JOIN`, and the rows are grouped by the primary key of the request's table.
/// The column has a default name, such as `bookCount`, `hasNoBook`, `maxBookYear` or `bookPriceSum`. Operators other
/// than `??` remove it; ``forKey(_:)-(String)`` defines a name.
public struct AssociationAggregate<RowDecoder>: Sendable {
  /// Joins what the expression needs, and returns the expression.
  private let make: @Sendable (inout SQLRelation) -> SQLExpression

  /// The name of the column, if there is one.
  private var key: String?

  init(key: String? = nil, _ make: @escaping @Sendable (inout SQLRelation) -> SQLExpression) {
    self.make = make
    self.key = key
  }

  /// Returns the aggregate with a name for its column.
  ///
  /// ```swift
  /// let request = Author.annotated(with: Author.books.count.forKey("n"))
  /// ```
  ///
  /// - Parameter key: The name of the column.
  /// - Returns: The aggregate with that name.
  public func forKey(_ key: String) -> AssociationAggregate<RowDecoder> { AssociationAggregate(key: key, make) }

  /// Returns the aggregate with a name for its column.
  ///
  /// - Parameter key: A coding key, whose string value is the name of the column.
  /// - Returns: The aggregate with that name.
  public func forKey(_ key: some CodingKey) -> AssociationAggregate<RowDecoder> { forKey(key.stringValue) }

  func expression(in relation: inout SQLRelation) -> SQLExpression { make(&relation) }

  func selection(in relation: inout SQLRelation) -> SQLSelection {
    let expression = make(&relation)
    return key.map { .named(expression, $0) } ?? .expression(expression)
  }

  // MARK: Composition

  func map(_ transform: @escaping @Sendable (SQLExpression) -> SQLExpression) -> Self {
    Self { [make] in transform(make(&$0)) }
  }

  func mapKeepingName(_ transform: @escaping @Sendable (SQLExpression) -> SQLExpression) -> Self {
    Self(key: key) { [make] in transform(make(&$0)) }
  }

  func combined(
    with other: Self, _ combine: @escaping @Sendable (SQLExpression, SQLExpression) -> SQLExpression
  ) -> Self {
    Self { [make, makeOther = other.make] relation in
      let expression = make(&relation)
      return combine(expression, makeOther(&relation))
    }
  }
}

// MARK: - Requests

extension DerivableRequest {
  /// Returns a request with additional columns, which are computed from associated rows.
  ///
  /// ```swift
  /// // SELECT "author".*, COUNT(DISTINCT "book"."id") AS "bookCount" FROM "author"
  /// // LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id"
  /// let request = Author.all().annotated(with: Author.books.count)
  /// ```
  ///
  /// - Parameter aggregates: Counts, sums, and so on, of associated rows.
  /// - Returns: The derived request.
  public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> Self { annotated(with: aggregates) }

  /// Returns a request with additional columns, which are computed from associated rows.
  ///
  /// - Parameter aggregates: Counts, sums, and so on, of associated rows.
  /// - Returns: The derived request.
  public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> Self {
    changing { relation in
      for aggregate in aggregates {
        let selection = aggregate.selection(in: &relation)
        relation.selection.append { _, _ in [selection] }
      }
    }
  }

  /// Returns a request of the rows whose associated rows satisfy a condition.
  ///
  /// ```swift
  /// // SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id"
  /// // GROUP BY "author"."id" HAVING COUNT(DISTINCT "book"."id") > 10
  /// let request = Author.all().having(Author.books.count > 10)
  /// ```
  ///
  /// - Parameter predicate: A condition on counts, sums, and so on, of associated rows.
  /// - Returns: The derived request.
  public func having(_ predicate: AssociationAggregate<RowDecoder>) -> Self {
    changing { relation in
      let expression = predicate.expression(in: &relation)
      relation.havings.append { _, _ in expression }
    }
  }
}

// MARK: - Associations

extension AssociationToMany {
  /// The number of associated rows. Its default name is `bookCount`, for books.
  public var count: AssociationAggregate<OriginRowDecoder> {
    aggregate(key: "\(singularKey)Count") { alias in .rowCount(alias) }
  }

  /// A condition that is true if a row has no associated rows. Its default name is `hasNoBook`, for books.
  public var isEmpty: AssociationAggregate<OriginRowDecoder> {
    aggregate(key: "hasNo\(singularKey.withUppercasedFirst)") { alias in
      .operation(.countIsZero(), .rowCount(alias))
    }
  }

  /// Returns an aggregate: the average of an expression over the associated rows, or NULL without associated rows.
  ///
  /// ```swift
  /// // The column is named averageBookPrice.
  /// let request = Author.annotated(with: Author.books.average(Column("price")))
  /// ```
  ///
  /// - Parameter expression: An expression on columns of the associated table.
  /// - Returns: The aggregate. It has a default name if the expression is a column.
  public func average(_ expression: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
    aggregate("AVG", expression) { key, column in "average\(key.withUppercasedFirst)\(column)" }
  }

  /// Returns an aggregate: the average of an expression over the associated rows, or NULL without associated rows.
  ///
  /// ```swift
  /// let request = Author.annotated(with: Author.books.average { $0.price })
  /// ```
  ///
  /// - Parameter expression: A closure that returns an expression on the columns of the associated record type. It runs
  ///   immediately.
  /// - Returns: The aggregate. It has a default name if the expression is a column.
  /// - Throws: The error that `expression` throws.
  public func average(
    _ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> where RowDecoder: TableRecord {
    average(try expression(RowDecoder.databaseComponents))
  }

  /// Returns an aggregate: the maximum of an expression over the associated rows, or NULL without associated rows.
  ///
  /// ```swift
  /// // The column is named maxBookPrice.
  /// let request = Author.annotated(with: Author.books.max(Column("price")))
  /// ```
  ///
  /// - Parameter expression: An expression on columns of the associated table.
  /// - Returns: The aggregate. It has a default name if the expression is a column.
  public func max(_ expression: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
    aggregate("MAX", expression) { key, column in "max\(key.withUppercasedFirst)\(column)" }
  }

  /// Returns an aggregate: the maximum of an expression over the associated rows, or NULL without associated rows.
  ///
  /// ```swift
  /// let request = Author.annotated(with: Author.books.max { $0.price })
  /// ```
  ///
  /// - Parameter expression: A closure that returns an expression on the columns of the associated record type. It runs
  ///   immediately.
  /// - Returns: The aggregate. It has a default name if the expression is a column.
  /// - Throws: The error that `expression` throws.
  public func max(
    _ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> where RowDecoder: TableRecord {
    max(try expression(RowDecoder.databaseComponents))
  }

  /// Returns an aggregate: the minimum of an expression over the associated rows, or NULL without associated rows.
  ///
  /// ```swift
  /// // The column is named minBookPrice.
  /// let request = Author.annotated(with: Author.books.min(Column("price")))
  /// ```
  ///
  /// - Parameter expression: An expression on columns of the associated table.
  /// - Returns: The aggregate. It has a default name if the expression is a column.
  public func min(_ expression: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
    aggregate("MIN", expression) { key, column in "min\(key.withUppercasedFirst)\(column)" }
  }

  /// Returns an aggregate: the minimum of an expression over the associated rows, or NULL without associated rows.
  ///
  /// ```swift
  /// let request = Author.annotated(with: Author.books.min { $0.price })
  /// ```
  ///
  /// - Parameter expression: A closure that returns an expression on the columns of the associated record type. It runs
  ///   immediately.
  /// - Returns: The aggregate. It has a default name if the expression is a column.
  /// - Throws: The error that `expression` throws.
  public func min(
    _ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> where RowDecoder: TableRecord {
    min(try expression(RowDecoder.databaseComponents))
  }

  /// Returns an aggregate: the sum of an expression over the associated rows, or NULL without associated rows.
  ///
  /// ```swift
  /// // The column is named bookPriceSum.
  /// let request = Author.annotated(with: Author.books.sum(Column("price")))
  /// ```
  ///
  /// - Parameter expression: An expression on columns of the associated table.
  /// - Returns: The aggregate. It has a default name if the expression is a column.
  public func sum(_ expression: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
    aggregate("SUM", expression) { key, column in "\(key)\(column)Sum" }
  }

  /// Returns an aggregate: the sum of an expression over the associated rows, or NULL without associated rows.
  ///
  /// ```swift
  /// let request = Author.annotated(with: Author.books.sum { $0.price })
  /// ```
  ///
  /// - Parameter expression: A closure that returns an expression on the columns of the associated record type. It runs
  ///   immediately.
  /// - Returns: The aggregate. It has a default name if the expression is a column.
  /// - Throws: The error that `expression` throws.
  public func sum(
    _ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> where RowDecoder: TableRecord {
    sum(try expression(RowDecoder.databaseComponents))
  }

  /// Returns an aggregate: the sum of an expression over the associated rows as a floating-point number, 0.0 without
  /// associated rows.
  ///
  /// ```swift
  /// // The column is named bookPriceSum.
  /// let request = Author.annotated(with: Author.books.total(Column("price")))
  /// ```
  ///
  /// - Parameter expression: An expression on columns of the associated table.
  /// - Returns: The aggregate. It has a default name if the expression is a column.
  public func total(_ expression: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
    aggregate("TOTAL", expression) { key, column in "\(key)\(column)Sum" }
  }

  /// Returns an aggregate: the sum of an expression over the associated rows as a floating-point number, 0.0 without
  /// associated rows.
  ///
  /// ```swift
  /// let request = Author.annotated(with: Author.books.total { $0.price })
  /// ```
  ///
  /// - Parameter expression: A closure that returns an expression on the columns of the associated record type. It runs
  ///   immediately.
  /// - Returns: The aggregate. It has a default name if the expression is a column.
  /// - Throws: The error that `expression` throws.
  public func total(
    _ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> where RowDecoder: TableRecord {
    total(try expression(RowDecoder.databaseComponents))
  }

  private var singularKey: String { _path.destination.key.singular }

  private func aggregate(
    _ function: String, _ expression: some SQLSpecificExpressible, _ name: (_ key: String, _ column: String) -> String
  ) -> AssociationAggregate<OriginRowDecoder> {
    let column = (expression as? any ColumnExpression)?.name
    let expression = expression.sqlExpression
    return aggregate(key: column.map { name(singularKey, $0.withUppercasedFirst) }) { alias in
      .function(function, [expression.qualified(by: alias)], isAggregate: true)
    }
  }

  /// Returns an aggregate that joins the associated table.
  private func aggregate(
    key: String?, _ make: @escaping @Sendable (TableAliasBase) -> SQLExpression
  ) -> AssociationAggregate<OriginRowDecoder> {
    let path = _path.withoutSelection
    return AssociationAggregate(key: key) { relation in
      let alias = TableAliasBase(userName: nil)
      var path = path
      path.destination.relation.source = path.destination.relation.source.aliased(alias)
      relation.join(path, .optional)
      relation.grouping = { db, relation in
        try db.cheapestKeyColumns(of: relation.source.tableName).map { .column($0) }
      }
      return make(alias)
    }
  }
}

extension SQLExpression {
  /// The number of rows of a table that is joined with `LEFT JOIN`: the number of its distinct keys.
  fileprivate static func rowCount(_ alias: TableAliasBase) -> SQLExpression {
    let key = SQLDeferredExpression(alias: alias) { db, tableName in
      let columns = try db.cheapestKeyColumns(of: tableName).map { SQLExpression.column($0) }
      if columns.count == 1 { return .operation(.countDistinct, columns[0]) }
      // SQLite counts the distinct values of one expression only. Quoted values contain no unquoted comma.
      let quoted = columns.map { SQLExpression.function("QUOTE", [$0]) }
      let separated = Array(quoted.map { [$0] }.joined(separator: [.literal(SQL(sql: "','"))]))
      return .operation(
        .filtered, .operation(.countDistinct, .chain(.concat, separated)), .binary(.notSame, columns[0], .value(.null)))
    }
    return SQLExpression(.deferred(key))
  }
}

extension String {
  fileprivate var withUppercasedFirst: String { prefix(1).uppercased() + dropFirst() }
}
