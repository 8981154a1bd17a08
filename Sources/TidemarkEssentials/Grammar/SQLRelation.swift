/// A query on a table, as a tree.
///
/// Most parts are closures that run when the query is prepared, because they may depend on the database. A query can
/// therefore be built without a database, and printed for several databases.
struct SQLRelation: Sendable {
  /// A part of a query that is known when the query is prepared. It may depend on the query itself.
  typealias Deferred<Part> = @Sendable (Database, SQLRelation) throws -> Part

  var source: SQLTable
  var isDistinct = false

  /// The common table expressions of the `WITH` clause, in order. Their names are unique.
  var commonTables: [SQLCommonTable] = []

  /// The parts of the selection, in order.
  var selection: [Deferred<[SQLSelection]>]

  /// Conditions that are combined with `AND`.
  var filters: [Deferred<SQLExpression>] = []

  var grouping: Deferred<[SQLExpression]>?

  /// Conditions that are combined with `AND`.
  var havings: [Deferred<SQLExpression>] = []

  /// One after the other.
  var ordering: [OrderingPart] = []

  var limit: SQLLimit?

  /// The associated relations, in order. Their keys are unique.
  var children: [SQLRelationChild] = []

  /// A part of an order.
  struct OrderingPart: Sendable {
    let terms: Deferred<[SQLOrdering]>

    /// Whether the terms stand for the opposite order: two reversals leave no trace in them.
    var isReversed = false
  }

  init(source: SQLTable, selection: [SQLSelection]) {
    self.source = source
    self.selection = [{ _, _ in selection }]
  }

  /// Returns the selection, without the selections of associated relations.
  func resolvedSelection(_ db: Database) throws -> [SQLSelection] {
    try selection.flatMap { try $0(db, self) }
  }
}

/// A table in the `FROM` clause of a query.
struct SQLTable: Sendable {
  var tableName: String

  /// The aliases that identify the table.
  var aliases: [TableAliasBase] = []

  /// The name that the program assigned to the table.
  private(set) var userName: String?

  /// The name that the table is given in a query in which its own name is ambiguous.
  var generatedName: String?

  /// The definition of the table if it is a common table expression.
  var commonTable: SQLCommonTable?

  /// The name that qualifies columns.
  var name: String { userName ?? generatedName ?? tableName }

  init(tableName: String) {
    self.tableName = tableName
  }

  init(_ commonTable: SQLCommonTable) {
    tableName = commonTable.name
    self.commonTable = commonTable
  }

  /// Returns whether an alias identifies the table.
  func hasAlias(_ alias: TableAliasBase) -> Bool { aliases.contains { $0 === alias } }

  /// Returns the same table, which an additional alias of the program identifies.
  func aliasedByProgram(_ alias: TableAliasBase) -> SQLTable {
    // The other aliases of the library are not visible to programs.
    if let other = aliases.first(where: { $0 is any ProgramAlias }), alias is any ProgramAlias {
      other.merge(with: alias)
    }
    return aliased(alias)
  }

  /// Returns the same table, which an additional alias identifies.
  func aliased(_ alias: TableAliasBase) -> SQLTable {
    var source = self
    source.aliases.append(alias)
    if let name = alias.userName {
      precondition(
        userName == nil || userName == name,
        "Table \(tableName) has two aliases in one request: \(userName ?? "") and \(name)")
      source.userName = name
    }
    return source
  }
}

/// The maximum number of rows to fetch, and the number of rows to skip.
struct SQLLimit: Sendable {
  var count: Int
  var offset: Int?
}
