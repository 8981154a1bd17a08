/// A query: rows of a table, filtered, joined, ordered, limited as its methods say.
///
/// ```swift
/// let query = users.select(email)           // SELECT "email" FROM "users"
///                  .filter(name != nil)     // WHERE ("name" IS NOT NULL)
///                  .order(email.desc, name) // ORDER BY "email" DESC, "name"
///                  .limit(5, offset: 1)     // LIMIT 5 OFFSET 1
/// ```
///
/// Nothing runs before a connection is asked for the rows. The methods that change rows make statements of it, too:
/// `insert`, `update`, `delete`.
public protocol QueryType: Expressible {
  /// What the query is made of.
  var clauses: QueryClauses { get set }

  /// All rows of a table.
  init(_ name: String, database: String?)
}

extension QueryType {
  /// The query as an expression: `SELECT * FROM "users"`.
  public var expression: SQLExpression<Void> { clauses.select }

  /// The same query with other clauses.
  func with(_ change: (inout QueryClauses) -> Void) -> Self {
    var query = self
    change(&query.clauses)
    return query
  }

  // MARK: Names

  /// The same query, under another name.
  ///
  /// ```swift
  /// let managers = users.alias("managers")
  /// let query = users.join(managers, on: managers[id] == users[managerId])
  /// ```
  public func alias(_ aliasName: String) -> Self { with { $0.source.alias = aliasName } }

  /// A column of this table: `"users"."id"`.
  public func namespace<T>(_ column: SQLExpression<T>) -> SQLExpression<T> {
    SQLExpression("\(clauses.name).\(column.template)", column.bindings)
  }

  /// A column of this table: `"users"."id"`.
  public subscript<T>(column: SQLExpression<T>) -> SQLExpression<T> { namespace(column) }

  /// All columns of this table: `"users".*`.
  public subscript(star: Star) -> SQLExpression<Void> { namespace(star(nil, nil)) }

  // MARK: Joins

  /// Rows of both queries that fit each other: `INNER JOIN "posts" ON (…)`.
  ///
  /// The filter of the joined query becomes a part of the condition. A query that is more than a filtered table is
  /// joined as a whole: `INNER JOIN (SELECT …) AS "posts" ON (…)`.
  public func join<T: ExpressionDatatype>(_ table: any QueryType, on condition: SQLExpression<T>) -> Self
  where T.WrappedType == Bool {
    join(.inner, table, on: condition)
  }

  /// Rows of both queries, put side by side as the type says: `LEFT OUTER JOIN "posts" ON (…)`.
  public func join<T: ExpressionDatatype>(
    _ type: JoinType, _ table: any QueryType, on condition: SQLExpression<T>
  ) -> Self where T.WrappedType == Bool {
    with { $0.joins.append(.init(type: type, query: table.clauses, condition: condition.expression)) }
  }

  // MARK: Filters

  /// The rows for which a condition holds. When there is a filter already, both must.
  public func filter<T: ExpressionDatatype>(_ predicate: SQLExpression<T>) -> Self where T.WrappedType == Bool {
    with { clauses in
      clauses.filter = clauses.filter.map { .conjunction($0, predicate.expression) } ?? predicate.expression
    }
  }

  /// The rows for which a condition holds: `filter` under the name that SQL gives it.
  public func `where`<T: ExpressionDatatype>(_ predicate: SQLExpression<T>) -> Self where T.WrappedType == Bool {
    filter(predicate)
  }

  // MARK: Groups

  /// One row for all that have the same values: `GROUP BY "kind"`.
  public func group(_ by: any Expressible...) -> Self { group(by) }

  /// One row for all that have the same values: `GROUP BY "kind"`.
  public func group(_ by: [any Expressible]) -> Self { grouped(by, having: nil) }

  /// One row for all that have the same values, where a condition on them holds: `GROUP BY "kind" HAVING (…)`.
  public func group<T: ExpressionDatatype>(_ by: any Expressible, having: SQLExpression<T>) -> Self
  where T.WrappedType == Bool {
    grouped([by], having: having.expression)
  }

  /// One row for all that have the same values, where a condition on them holds: `GROUP BY "kind" HAVING (…)`.
  public func group<T: ExpressionDatatype>(_ by: [any Expressible], having: SQLExpression<T>) -> Self
  where T.WrappedType == Bool {
    grouped(by, having: having.expression)
  }

  private func grouped(_ by: [any Expressible], having: SQLExpression<Void>?) -> Self {
    with { $0.grouping = .init(expressions: by.map(\.expression), having: having) }
  }

  // MARK: Order and limit

  /// The rows in another order, in the place of the one before: `ORDER BY "email" DESC, "name"`.
  public func order(_ by: any Expressible...) -> Self { order(by) }

  /// The rows in another order, in the place of the one before: `ORDER BY "email" DESC, "name"`.
  public func order(_ by: [any Expressible]) -> Self { with { $0.order = by.map(\.expression) } }

  /// The first rows. Nil is no limit: `LIMIT 5`.
  public func limit(_ length: Int?) -> Self { with { $0.limit = length.map { .init(length: $0) } } }

  /// Some rows, after others that are left out: `LIMIT 5 OFFSET 10`.
  public func limit(_ length: Int, offset: Int) -> Self { with { $0.limit = .init(length: length, offset: offset) } }

  // MARK: Queries of queries

  /// The rows of both queries: `SELECT … UNION SELECT …`.
  ///
  /// An order or a limit that is given after it is that of all rows; those that a query had before are its own.
  ///
  /// - parameter all: Whether rows that are equal are kept: `UNION ALL`.
  /// - parameter table: The other query.
  public func union(all: Bool = false, _ table: any QueryType) -> Self {
    with { clauses in
      let common = (clauses.commonTables, clauses.isRecursive)
      if !clauses.order.isEmpty || clauses.limit != nil || clauses.unions.contains(where: { $0.all != all }) {
        clauses.commonTables = []
        let alias = clauses.source.alias ?? clauses.source.name
        clauses = clauses.nested(named: alias)
        (clauses.commonTables, clauses.isRecursive) = common
      }
      clauses.unions.append(.init(all: all, query: table.clauses))
    }
  }

  /// The query, with a table in front of it that is another query: `WITH "chain" AS (SELECT …) SELECT …`.
  ///
  /// - parameter alias: The name of the table.
  /// - parameter columns: The names of its columns, when they are not those of the query.
  /// - parameter recursive: Whether the query may use the table itself.
  /// - parameter hint: Whether SQLite keeps its rows.
  /// - parameter subquery: The query.
  public func with(
    _ alias: Table, columns: [any Expressible]? = nil, recursive: Bool = false, hint: MaterializationHint? = nil,
    as subquery: any QueryType
  ) -> Self {
    with { clauses in
      clauses.isRecursive = clauses.isRecursive || recursive
      clauses.commonTables.append(
        .init(
          name: SQLExpression(literal: alias.clauses.name), columns: columns?.map(\.expression), hint: hint,
          query: subquery.clauses))
    }
  }

  /// Whether there is a row at all: `SELECT EXISTS (SELECT …)`.
  public var exists: Select<Bool> {
    var writer = SQLWriter("SELECT EXISTS (")
    clauses.write(to: &writer)
    writer.write(")")
    return Select(writer.template, writer.bindings)
  }

  /// The number of rows: `SELECT count(*) FROM "users"`.
  ///
  /// Where rows are limited, grouped, or taken once, they are counted after that:
  /// `SELECT count(*) FROM (SELECT … LIMIT 5)`.
  public var count: ScalarQuery<Int> {
    var counted = clauses.countsByRow ? clauses : clauses.nested()
    counted.columns = [SQLExpression<Int>.count(*).expression]
    return ScalarQuery(counted)
  }

  /// Whether a value is in the one column of the query: `("id" IN (SELECT …))`.
  ///
  /// ```swift
  /// users.filter(posts.select(authorId).contains(id))
  /// ```
  public func contains<T: ExpressionDatatype>(_ value: SQLExpression<T>) -> SQLExpression<T.Condition> {
    var writer = SQLWriter("(")
    clauses.write(to: &writer)
    writer.write(")")
    return .infix(value, "IN", writer.expression(of: Void.self))
  }
}
