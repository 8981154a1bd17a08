/// A query: the rows of a table, filtered, joined, ordered and limited.
///
/// ```swift
/// let query = users.select(email)           // SELECT "email" FROM "users"
///                  .filter(name != nil)     // WHERE ("name" IS NOT NULL)
///                  .order(email.desc, name) // ORDER BY "email" DESC, "name"
///                  .limit(5, offset: 1)     // LIMIT 5 OFFSET 1
/// ```
///
/// A query runs when it is passed to a connection. `insert`, `update` and `delete` return statements that change rows.
public protocol QueryType: Expressible {
  /// The clauses of the query.
  var clauses: QueryClauses { get set }

  /// Creates a query of all rows of a table.
  ///
  /// - Parameters:
  ///   - name: The name of the table.
  ///   - database: The name of an attached database; nil for the main database.
  init(_ name: String, database: String?)
}

extension QueryType {
  /// The query as an expression: `SELECT * FROM "users"`.
  public var expression: SQLExpression<Void> { clauses.select }

  /// Returns a copy of the query with other clauses.
  func with(_ change: (inout QueryClauses) -> Void) -> Self {
    var query = self
    change(&query.clauses)
    return query
  }

  // MARK: Names

  /// Returns the query with an alias for its table: `"users" AS "managers"`.
  ///
  /// ```swift
  /// let managers = users.alias("managers")
  /// let query = users.join(managers, on: managers[id] == users[managerId])
  /// ```
  ///
  /// - Parameter aliasName: The alias.
  /// - Returns: The query.
  public func alias(_ aliasName: String) -> Self { with { $0.source.alias = aliasName } }

  /// Returns a column of this table, qualified with its name: `"users"."id"`.
  ///
  /// ```swift
  /// let query = users.join(posts, on: posts.namespace(userId) == users.namespace(id))
  /// ```
  ///
  /// - Parameter column: The column.
  /// - Returns: The qualified column.
  public func namespace<T>(_ column: SQLExpression<T>) -> SQLExpression<T> {
    SQLExpression("\(clauses.name).\(column.template)", column.bindings)
  }

  /// The column of this table, qualified with its name: `"users"."id"`.
  ///
  /// ```swift
  /// let query = users.join(posts, on: posts[userId] == users[id])
  /// ```
  ///
  /// - Parameter column: The column.
  public subscript<T>(column: SQLExpression<T>) -> SQLExpression<T> { namespace(column) }

  /// All columns of this table: `"users".*`.
  ///
  /// ```swift
  /// let query = users.join(posts, on: posts[userId] == users[id]).select(users[*], posts[title])
  /// ```
  ///
  /// - Parameter star: `*`.
  public subscript(star: Star) -> SQLExpression<Void> { SQLExpression(literal: clauses.allColumns) }

  // MARK: Joins

  /// Returns a query with an inner join: `INNER JOIN "posts" ON (…)`.
  ///
  /// The filter of the joined query becomes part of the condition. A query with other clauses is joined as a subquery:
  /// `INNER JOIN (SELECT …) AS "posts" ON (…)`.
  ///
  /// ```swift
  /// let query = users.join(posts, on: posts[userId] == users[id])
  /// for row in try db.prepare(query) { print(row[users[email]], row[posts[title]]) }
  /// ```
  ///
  /// - Parameters:
  ///   - table: The query to join.
  ///   - condition: The join condition.
  /// - Returns: The query.
  public func join<T: ExpressionDatatype>(_ table: any QueryType, on condition: SQLExpression<T>) -> Self
  where T.WrappedType == Bool {
    join(.inner, table, on: condition)
  }

  /// Returns a query with a join: `LEFT OUTER JOIN "posts" ON (…)`.
  ///
  /// ```swift
  /// let query = users.join(.leftOuter, posts, on: posts[userId] == users[id])
  /// ```
  ///
  /// - Parameters:
  ///   - type: The kind of the join.
  ///   - table: The query to join.
  ///   - condition: The join condition.
  /// - Returns: The query.
  public func join<T: ExpressionDatatype>(
    _ type: JoinType, _ table: any QueryType, on condition: SQLExpression<T>
  ) -> Self where T.WrappedType == Bool {
    with { $0.joins.append(.init(type: type, query: table.clauses, condition: condition.expression)) }
  }

  // MARK: Filters

  /// Returns a query of the rows that also match a condition: `WHERE ("age" >= 18)`.
  ///
  /// ```swift
  /// let query = users.filter(verified).filter(age >= 18)
  /// ```
  ///
  /// - Parameter predicate: The condition. It is combined with earlier ones with AND.
  /// - Returns: The query.
  public func filter<T: ExpressionDatatype>(_ predicate: SQLExpression<T>) -> Self where T.WrappedType == Bool {
    with { clauses in
      clauses.filter = clauses.filter.map { .conjunction($0, predicate.expression) } ?? predicate.expression
    }
  }

  /// Returns a query of the rows that also match a condition, like `filter(_:)`.
  ///
  /// ```swift
  /// let query = users.where(age >= 18)
  /// ```
  ///
  /// - Parameter predicate: The condition. It is combined with earlier ones with AND.
  /// - Returns: The query.
  public func `where`<T: ExpressionDatatype>(_ predicate: SQLExpression<T>) -> Self where T.WrappedType == Bool {
    filter(predicate)
  }

  // MARK: Groups

  /// Returns a query with one row for each group of rows: `GROUP BY "user_id"`.
  ///
  /// ```swift
  /// let counts = posts.select(userId, count(*)).group(userId)
  /// ```
  ///
  /// - Parameter by: The expressions that are equal in a group.
  /// - Returns: The query.
  public func group(_ by: any Expressible...) -> Self { group(by) }

  /// Returns a query with one row for each group of rows: `GROUP BY "user_id", "title"`.
  ///
  /// ```swift
  /// let counts = posts.select(userId, title, count(*)).group([userId, title])
  /// ```
  ///
  /// - Parameter by: The expressions that are equal in a group.
  /// - Returns: The query.
  public func group(_ by: [any Expressible]) -> Self { grouped(by, having: nil) }

  /// Returns a query with one row for each group that matches a condition: `GROUP BY "user_id" HAVING (…)`.
  ///
  /// ```swift
  /// let authors = posts.select(userId, count(*)).group(userId, having: count(*) > 10)
  /// ```
  ///
  /// - Parameters:
  ///   - by: The expression that is equal in a group.
  ///   - having: The condition on a group.
  /// - Returns: The query.
  public func group<T: ExpressionDatatype>(_ by: any Expressible, having: SQLExpression<T>) -> Self
  where T.WrappedType == Bool {
    grouped([by], having: having.expression)
  }

  /// Returns a query with one row for each group that matches a condition: `GROUP BY "user_id", "title" HAVING (…)`.
  ///
  /// ```swift
  /// let duplicates = posts.select(userId, title).group([userId, title], having: count(*) > 1)
  /// ```
  ///
  /// - Parameters:
  ///   - by: The expressions that are equal in a group.
  ///   - having: The condition on a group.
  /// - Returns: The query.
  public func group<T: ExpressionDatatype>(_ by: [any Expressible], having: SQLExpression<T>) -> Self
  where T.WrappedType == Bool {
    grouped(by, having: having.expression)
  }

  private func grouped(_ by: [any Expressible], having: SQLExpression<Void>?) -> Self {
    with { $0.grouping = .init(expressions: by.map(\.expression), having: having) }
  }

  // MARK: Order and limit

  /// Returns the query with another order, which replaces the earlier one: `ORDER BY "email" DESC, "name"`.
  ///
  /// ```swift
  /// let query = users.order(email.desc, name)
  /// ```
  ///
  /// - Parameter by: The expressions that define the order.
  /// - Returns: The query.
  public func order(_ by: any Expressible...) -> Self { order(by) }

  /// Returns the query with another order, which replaces the earlier one: `ORDER BY "email" DESC, "name"`.
  ///
  /// ```swift
  /// let query = users.order([email.desc, name])
  /// ```
  ///
  /// - Parameter by: The expressions that define the order. An empty array removes the order.
  /// - Returns: The query.
  public func order(_ by: [any Expressible]) -> Self { with { $0.order = by.map(\.expression) } }

  /// Returns a query of the first rows: `LIMIT 5`.
  ///
  /// ```swift
  /// let query = users.order(email).limit(5)
  /// ```
  ///
  /// - Parameter length: The maximum number of rows; nil for all rows.
  /// - Returns: The query.
  public func limit(_ length: Int?) -> Self { with { $0.limit = length.map { .init(length: $0) } } }

  /// Returns a query of the rows after an offset: `LIMIT 5 OFFSET 10`.
  ///
  /// ```swift
  /// let thirdPage = users.order(email).limit(5, offset: 10)
  /// ```
  ///
  /// - Parameters:
  ///   - length: The maximum number of rows.
  ///   - offset: The number of rows to skip.
  /// - Returns: The query.
  public func limit(_ length: Int, offset: Int) -> Self { with { $0.limit = .init(length: length, offset: offset) } }

  // MARK: Subqueries and unions

  /// Returns a query of the rows of both queries: `SELECT … UNION SELECT …`.
  ///
  /// An order or a limit that is set on the result applies to all rows. An order or a limit of the operands applies to
  /// their own rows.
  ///
  /// ```swift
  /// let query = users.filter(verified).union(users.filter(age >= 18)).order(email)
  /// ```
  ///
  /// - Parameters:
  ///   - all: Whether duplicates are kept: `UNION ALL`.
  ///   - table: The other query.
  /// - Returns: The query.
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

  /// Returns the query with a common table expression: `WITH "adults" AS (SELECT …) SELECT …`.
  ///
  /// ```swift
  /// let adults = Table("adults")
  /// let query = adults.with(adults, as: users.filter(age >= 18)).order(email)
  /// ```
  ///
  /// - Parameters:
  ///   - alias: The table that names the expression.
  ///   - columns: The names of its columns; nil for the column names of the query.
  ///   - recursive: Whether the query may refer to the table itself.
  ///   - hint: Whether SQLite stores the rows; nil if SQLite decides.
  ///   - subquery: The query.
  /// - Returns: The query.
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

  /// A query of whether there are any rows: `SELECT EXISTS (SELECT …)`.
  public var exists: Select<Bool> {
    var writer = SQLWriter("SELECT EXISTS (")
    clauses.write(to: &writer)
    writer.write(")")
    return Select(writer.template, writer.bindings)
  }

  /// A query of the number of rows: `SELECT count(*) FROM "users"`.
  ///
  /// The rows of a query with DISTINCT, groups, a union or a limit are counted as its result: `SELECT count(*) FROM
  /// (SELECT … LIMIT 5)`.
  public var count: ScalarQuery<Int> {
    var counted = clauses.countsByRow ? clauses : clauses.nested()
    counted.order = []
    counted.columns = [SQLExpression<Int>.count(*).expression]
    return ScalarQuery(counted)
  }

  /// Returns the condition that a value is in the single column of the query: `("id" IN (SELECT …))`.
  ///
  /// ```swift
  /// let authors = users.filter(posts.select(authorId).contains(id))
  /// ```
  ///
  /// - Parameter value: The value.
  /// - Returns: The condition.
  public func contains<T: ExpressionDatatype>(_ value: SQLExpression<T>) -> SQLExpression<T.Condition> {
    var writer = SQLWriter("(")
    clauses.write(to: &writer)
    writer.write(")")
    return .infix(value, "IN", writer.expression(of: Void.self))
  }
}
