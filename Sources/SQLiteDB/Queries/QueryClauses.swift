/// The clauses of a query.
///
/// Programs build queries with the methods of ``QueryType``, which store their arguments here.
public struct QueryClauses: Sendable {
  struct Source: Sendable {
    let name: String
    var alias: String?
    let database: String?

    /// The name, qualified with the name of the database if there is one. Both are quoted.
    let qualifiedName: String

    init(name: String, alias: String?, database: String?) {
      self.name = name
      self.alias = alias
      self.database = database
      qualifiedName = database.map { "\($0.quote()).\(name.quote())" } ?? name.quote()
    }
  }

  struct Join: Sendable {
    var type: JoinType
    var query: QueryClauses
    var condition: SQLExpression<Void>
  }

  struct Grouping: Sendable {
    var expressions: [SQLExpression<Void>]
    var having: SQLExpression<Void>?
  }

  struct Limit: Sendable {
    var length: Int
    var offset: Int?
  }

  struct Union: Sendable {
    var all: Bool
    var query: QueryClauses
  }

  /// A common table expression: `WITH "name" AS (…)`.
  struct CommonTable: Sendable {
    var name: SQLExpression<Void>
    var columns: [SQLExpression<Void>]?
    var hint: MaterializationHint?
    var query: QueryClauses
  }

  var isDistinct = false
  var columns = [QueryClauses.star]
  var source: Source
  /// The subquery that replaces the table. Its alias is the name of the source.
  var subquery: [QueryClauses] = []
  var joins: [Join] = []
  var filter: SQLExpression<Void>?
  var grouping: Grouping?
  var order: [SQLExpression<Void>] = []
  var limit: Limit?
  var unions: [Union] = []
  var commonTables: [CommonTable] = []
  var isRecursive = false

  static let star = SQLExpression<Void>(literal: "*")

  init(_ name: String, alias: String? = nil, database: String? = nil) {
    source = Source(name: name, alias: alias, database: database)
  }

  /// The name that qualifies columns of the table: its alias, or its qualified name.
  var name: String { source.alias?.quote() ?? source.qualifiedName }

  /// The columns of the query, in SQL: `"users".*`. SQL does not accept the name of the database here.
  var allColumns: String { "\((source.alias ?? source.name).quote()).*" }

  /// Whether all columns are selected from all rows that match the filter, so that the query can be joined as a table.
  var isPlainTable: Bool {
    !isDistinct && selectsAll && subquery.isEmpty && joins.isEmpty && grouping == nil && limit == nil && unions.isEmpty
      && commonTables.isEmpty
  }

  var selectsAll: Bool { columns.count == 1 && columns[0].template == "*" }

  /// Whether `count(*)` can replace the columns without changing which rows are counted.
  var countsByRow: Bool {
    !isDistinct && grouping == nil && limit == nil && unions.isEmpty && columns.allSatisfy(\.isColumn)
  }

  /// The query of the first row.
  var firstRow: QueryClauses {
    var query = self
    query.limit = Limit(length: limit?.length == 0 ? 0 : 1, offset: limit?.offset)
    return query
  }

  /// Returns a query that selects from this query as a subquery.
  func nested(named name: String = "subquery") -> QueryClauses {
    var outer = QueryClauses(name)
    outer.subquery = [self]
    return outer
  }
}

/// The kind of a join.
public enum JoinType: String, Sendable, Hashable {
  /// The Cartesian product of both tables.
  case cross = "CROSS"

  /// Only pairs of rows that match.
  case inner = "INNER"

  /// Pairs of rows that match, and unmatched rows of the left table, with NULL in the other columns.
  case leftOuter = "LEFT OUTER"
}

/// A hint whether SQLite stores the rows of a common table expression.
public enum MaterializationHint: String, Sendable, Hashable {
  /// The rows are stored, so the query runs once.
  case materialized = "MATERIALIZED"

  /// The query is merged into the queries that use it.
  case notMaterialized = "NOT MATERIALIZED"

  /// The rows are stored, so the query runs once.
  public static var materialize: MaterializationHint { .materialized }
}

extension SQLExpression {
  // An aggregate or DISTINCT does not begin and end like this. The filter may contain an alias.
  fileprivate var isColumn: Bool {
    guard let first = template.utf8.first, let last = template.utf8.last else { return false }
    return [first, last].allSatisfy { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "*") }
      && !template.contains("\" AS \"")
  }
}
