/// A query on a table, as a tree.
///
/// Most of its parts may depend on the database: they are closures, called when the query is prepared. A query can
/// so be made far from any database, and printed on several.
struct SQLRelation: Sendable {
  /// A part that is known when the query is prepared, from the query itself if need be.
  typealias Late<Part> = @Sendable (Database, SQLRelation) throws -> Part

  var source: SQLTable
  var isDistinct = false

  /// One after the other.
  var selection: [Late<[SQLSelection]>]

  /// All have to hold.
  var filters: [Late<SQLExpression>] = []

  var grouping: Late<[SQLExpression]>?

  /// All have to hold.
  var havings: [Late<SQLExpression>] = []

  /// One after the other.
  var ordering: [OrderingPart] = []

  var limit: SQLLimit?

  /// A part of an order.
  struct OrderingPart: Sendable {
    let terms: Late<[SQLOrdering]>

    /// Whether the terms stand for the opposite order: two reversals leave no trace in them.
    var isReversed = false
  }

  init(source: SQLTable, selection: [SQLSelection]) {
    self.source = source
    self.selection = [{ _, _ in selection }]
  }
}

/// A table in the `FROM` clause of a query.
struct SQLTable: Sendable {
  var tableName: String

  /// All the aliases that stand for it.
  var aliases: [TableAliasBase] = []

  /// The name that the program gave it.
  private(set) var userName: String?

  /// The name that columns are qualified with.
  var name: String { userName ?? tableName }

  init(tableName: String) {
    self.tableName = tableName
  }

  /// The same table, which one more alias stands for.
  func aliased(_ alias: TableAliasBase) -> SQLTable {
    var source = self
    source.aliases.append(alias)
    if let name = alias.userName {
      precondition(
        userName == nil || userName == name,
        "The table \(tableName) is named \(userName ?? "") in this request: it cannot be named \(name), too")
      source.userName = name
    }
    return source
  }
}

/// How many rows are fetched, and from which one on.
struct SQLLimit: Sendable {
  var count: Int
  var offset: Int?
}
