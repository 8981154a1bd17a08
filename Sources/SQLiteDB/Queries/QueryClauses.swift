/// What a query is made of.
///
/// Programs build queries with the methods of `QueryType`; this is what these keep.
public struct QueryClauses: Sendable {
  struct Source: Sendable {
    let name: String
    var alias: String?
    let database: String?

    /// The name, after that of the database if there is one, both quoted.
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

  /// A query with a name of its own, in front of others: `WITH "name" AS (…)`.
  struct CommonTable: Sendable {
    var name: SQLExpression<Void>
    var columns: [SQLExpression<Void>]?
    var hint: MaterializationHint?
    var query: QueryClauses
  }

  var isDistinct = false
  var columns = [QueryClauses.star]
  var source: Source
  /// A query in the place of the table; its name is that of the source.
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

  /// The name of the table, as columns have it in front of them: its alias if there is one.
  var name: String { source.alias?.quote() ?? source.qualifiedName }

  /// Whether all columns are selected, of all rows that pass the filter: what can be joined as a table.
  var isPlainTable: Bool {
    !isDistinct && selectsAll && subquery.isEmpty && joins.isEmpty && grouping == nil && limit == nil && unions.isEmpty
      && commonTables.isEmpty
  }

  var selectsAll: Bool { columns.count == 1 && columns[0].template == "*" }

  /// Whether the rows are counted as they are by `count(*)` in the place of the columns.
  var countsByRow: Bool { !isDistinct && grouping == nil && limit == nil && unions.isEmpty }

  /// The same rows, from a query around this one.
  func nested(named name: String = "subquery") -> QueryClauses {
    var outer = QueryClauses(name)
    outer.subquery = [self]
    return outer
  }
}

/// How rows of two tables are put side by side.
public enum JoinType: String, Sendable, Hashable {
  /// Each row with each.
  case cross = "CROSS"

  /// Rows that fit each other.
  case inner = "INNER"

  /// Rows that fit each other, and those of the first table that no row fits, with NULL.
  case leftOuter = "LEFT OUTER"
}

/// Whether SQLite keeps the rows of a query that comes in front of others.
public enum MaterializationHint: String, Sendable, Hashable {
  /// They are kept: the query runs once.
  case materialized = "MATERIALIZED"

  /// They are not: the query becomes a part of the others.
  case notMaterialized = "NOT MATERIALIZED"

  /// They are kept: the query runs once.
  public static var materialize: MaterializationHint { .materialized }
}
