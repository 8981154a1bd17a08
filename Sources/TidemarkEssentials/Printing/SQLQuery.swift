/// A relation whose deferred parts are resolved for a database, and whose joined relations are in a list.
struct SQLQuery {
  /// The common table expressions of the relation and of the joined relations.
  var commonTables: [SQLCommonTable]
  var source: SQLTable

  /// The joined tables, in the order of the `FROM` clause: depth first.
  var joins: [SQLJoin] = []

  var isDistinct: Bool

  /// The selection without the selections of the joined tables.
  var selection: [SQLSelection]
  var filter: SQLExpression?
  var grouping: [SQLExpression]
  var having: SQLExpression?
  var ordering: [SQLOrdering]
  var limit: SQLLimit?

  /// Resolves the deferred parts of a relation, with the current schema.
  init(_ relation: SQLRelation, _ db: Database) throws {
    commonTables = relation.commonTables
    source = relation.source
    isDistinct = relation.isDistinct
    selection = try relation.resolvedSelection(db)
    filter = try relation.condition(relation.filters, db)
    grouping = try relation.grouping?(db, relation) ?? []
    having = try relation.condition(relation.havings, db)
    ordering = try relation.resolvedOrdering(db)
    limit = relation.limit
    guard relation.isJoined else { return }
    let alias = TableAliasBase(userName: nil)
    source = source.aliased(alias)
    try addJoins(of: relation, alias, parent: nil, db)
  }

  /// The tables of the `FROM` clause.
  var sources: [SQLTable] { [source] + joins.map(\.source) }

  /// All selected expressions, in order.
  var allSelections: [SQLSelection] { joins.isEmpty ? selection : selection + joins.flatMap(\.selection) }
}

/// A joined table of a query.
struct SQLJoin {
  /// The name of the scope.
  var key: String

  /// The index of the join that contains this one, or nil for a join of the main table.
  var parent: Int?

  var isOptional: Bool
  var source: SQLTable
  var condition: SQLExpression?

  /// The selection of the joined relation. All columns have an alias.
  var selection: [SQLSelection]
}

// MARK: - Joins

extension SQLQuery {
  private mutating func addJoins(
    of relation: SQLRelation, _ left: TableAliasBase, parent: Int?, _ db: Database
  ) throws {
    for child in relation.children where child.kind.isJoined {
      let isOptional = child.kind == .optional
      precondition(
        isOptional || parent.map { !joins[$0].isOptional } ?? true,
        """
        Not implemented: chaining a required association behind an optional association. Make the first one required, \
        or the second one optional.
        """)
      child.relation.preconditionJoinable()
      for table in child.relation.commonTables { commonTables.define(table) }
      let right = TableAliasBase(userName: nil)
      var join = SQLJoin(
        key: child.key, parent: parent, isOptional: isOptional, source: child.relation.source.aliased(right),
        selection: try child.relation.resolvedSelection(db).map { $0.qualified(by: right) })
      join.condition = try condition(of: child, left, right, &join.source, parent: parent, db)
      joins.append(join)
      ordering += try child.relation.resolvedOrdering(db).map { $0.qualified(by: right) }
      try addJoins(of: child.relation, right, parent: joins.count - 1, db)
    }
  }

  /// Returns the condition of a join together with the filter of its relation, or nil if there is none.
  private mutating func condition(
    of child: SQLRelationChild, _ left: TableAliasBase, _ right: TableAliasBase, _ source: inout SQLTable,
    parent: Int?, _ db: Database
  ) throws -> SQLExpression? {
    var conditions: [SQLExpression] = []
    switch child.condition {
    case .columns(let columns):
      conditions = try columns.pairs(db).map { .operation(.binary(.equal), right[$0.right], left[$0.left]) }
    case .expression(let make):
      db.recording.printing.dependsOnProgram = true
      let join = make()
      source = source.aliased(join.right)
      if let parent {
        joins[parent].source = joins[parent].source.aliased(join.left)
      } else {
        self.source = self.source.aliased(join.left)
      }
      if let expression = join.expression { conditions = [expression] }
    }
    conditions += try child.relation.filters.map { try $0(db, child.relation).qualified(by: right) }
    return conditions.isEmpty ? nil : .chain(.and, conditions)
  }

  /// Gives names to the tables whose own names are ambiguous: `player1`, `player2`.
  ///
  /// The printer calls this method: a query whose shape is known needs no names.
  mutating func nameTables() {
    if joins.isEmpty { return }
    let tables = sources
    preconditionAliases(of: tables)
    let unnamed = tables.filter { $0.userName == nil }.map(\.tableName.asciiLowercased)
    var taken = Set(tables.compactMap(\.userName?.asciiLowercased))
    let ambiguous = Set(unnamed.filter { name in taken.contains(name) || unnamed.count { $0 == name } > 1 })
    taken.formUnion(unnamed.filter { !ambiguous.contains($0) })
    func rename(_ table: inout SQLTable) {
      guard table.userName == nil, ambiguous.contains(table.tableName.asciiLowercased) else { return }
      let root = table.tableName.withoutFinalDigits
      var number = 1
      while !taken.insert("\(root)\(number)".asciiLowercased).inserted { number += 1 }
      table.generatedName = "\(root)\(number)"
    }
    rename(&source)
    for index in joins.indices { rename(&joins[index].source) }
  }

  private func preconditionAliases(of tables: [SQLTable]) {
    var aliases: Set<ObjectIdentifier> = []
    var names: Set<String> = []
    for table in tables {
      for alias in Set(table.aliases.map(ObjectIdentifier.init)) {
        precondition(
          aliases.insert(alias).inserted,
          "A TableAlias must not be used to refer to multiple tables: create one for each table")
      }
      if let name = table.userName {
        precondition(
          names.insert(name.asciiLowercased).inserted,
          "ambiguous alias: \(name). Give each TableAlias of a request another name.")
      }
    }
  }
}

extension SQLRelation {
  fileprivate func condition(_ parts: [Deferred<SQLExpression>], _ db: Database) throws -> SQLExpression? {
    switch parts.count {
    case 0: nil
    case 1: try parts[0](db, self)
    default: .chain(.and, try parts.map { try $0(db, self) })
    }
  }

  fileprivate func resolvedOrdering(_ db: Database) throws -> [SQLOrdering] {
    try ordering.flatMap { part in
      let terms = try part.terms(db, self)
      return part.isReversed ? terms.map(\.reversed) : terms
    }
  }

  fileprivate func preconditionJoinable() {
    func requirePlain(_ isPlain: Bool, _ what: String) {
      precondition(isPlain, "Not implemented: join an association \(what). Join a CommonTableExpression of it instead.")
    }
    requirePlain(!isDistinct, "that selects DISTINCT rows")
    requirePlain(grouping == nil && havings.isEmpty, "with a GROUP BY clause")
    requirePlain(limit == nil, "with a LIMIT clause")
  }
}

extension String {
  fileprivate var withoutFinalDigits: String {
    String(reversed().drop { $0.isASCII && $0.isNumber }.reversed())
  }
}
