/// Finds the occurrences of tables in a query, and their conditions.
///
/// Invariants:
///
/// 1. A name has the same meaning as in SQLite: common tables first, then the temporary database, the main one, and
///    attached ones; in a view, its own database. If the meaning is uncertain, the analysis is given up.
/// 2. A condition applies to an occurrence of a table if it contains only constants and columns of this occurrence.
struct OccurrenceCollector {
  typealias UnsupportedSyntax = SelectParser.UnsupportedSyntax

  /// Returns the known properties of a table, by its name and the name of its database.
  let factsOfTable: (_ name: String, _ database: String?) throws -> TableFacts?

  /// Returns the value of a number that is not a plain integer, as SQLite parses it.
  let number: (_ text: String) throws -> DatabaseValue

  /// The index of each mention of a parameter.
  let parameterIndexes: [Int]

  /// Returns whether SQLite's own function has this name.
  let isBuiltIn: (_ function: String) -> Bool

  private(set) var occurrences: [TableKey: [RowOccurrence]] = [:]

  /// The occurrences whose columns must have equal values for a row of the result.
  private(set) var equalities: [RowEquality] = []

  /// The mentions in the text, and in views.
  private(set) var mentions = ParsedQuery.Mentions()

  /// Whether the result does not depend on the order in which SQLite finds the rows.
  private(set) var hidesOrder = false

  /// The bound of the rows in the result; nil if it is unknown.
  private(set) var bound: RegionBound?

  /// The number of views and common tables that may still be read: each is read wherever it is used.
  private(set) var remainingExpansions = 64

  /// The number of uses of common tables in their own queries.
  private(set) var recursionCount = 0

  /// Analyses a parsed statement.
  mutating func read(_ query: ParsedQuery) throws {
    mentions = query.mentions
    _ = try read(query.syntax, QueryScope())
    guard let (core, source, facts) = try onlySource(of: query.syntax) else { return }
    let showsRowsAlone = core.showsRows && !query.mentions.includeFunctions
    hidesOrder = core.countsRows || showsRowsAlone && hidesOrder(of: query.syntax, source, facts)
    // The bound consists of result columns, which are found by their names.
    if showsRowsAlone, core.showsColumnsAlone { bound = try bound(of: query.syntax, source, facts) }
  }

  /// The single table that a query reads, if there is only one.
  private func onlySource(of query: SelectSyntax) throws -> (SelectCore, NamedSource, TableFacts)? {
    guard let core = query.onlyCore, case .table(let name) = core.sources[0].content,
      let facts = try factsOfTable(name.name, name.database), case .table = facts.kind
    else { return nil }
    var source = named(core.sources[0])
    source.content = .table(facts, RowEquality.OccurrenceID(table: facts.key, number: 0))
    return (core, source, facts)
  }

  private func bound(
    of query: SelectSyntax, _ source: NamedSource, _ facts: TableFacts
  ) throws -> RegionBound? {
    guard let limit = query.limit, let count = try binder(SourceNames()).constant(limit) else { return nil }
    var terms: [RegionBound.Term] = []
    for (expression, direction) in zip(query.ordering, query.directions).prefix(RegionBound.termsMax) {
      guard let isDescending = direction, case .column(let reference) = expression,
        let column = SourceNames(sources: [source]).origin(of: reference)?.column
      else { break }
      terms.append(RegionBound.Term(column: column, isDescending: isDescending))
      // The values are unique.
      if column.name == facts.rowIDName { break }
    }
    return terms.isEmpty ? nil : RegionBound(table: facts.key, terms: terms, limit: count, rowIDName: facts.rowIDName)
  }

  /// Whether the rows of one table are sorted by a unique key.
  private func hidesOrder(of query: SelectSyntax, _ source: NamedSource, _ facts: TableFacts) -> Bool {
    query.ordering.contains { term in
      guard case .column(let reference) = term,
        let column = SourceNames(sources: [source]).origin(of: reference)?.column
      else { return false }
      return column.name == facts.rowIDName || facts.keyColumns == [column.name]
    }
  }

  // MARK: - Queries

  private mutating func read(_ query: SelectSyntax, _ scope: QueryScope) throws -> QueryReading {
    let scope = scope.adding(query.commonTables)
    let cores = try query.cores.map { try read($0, scope) }
    // Which names are visible in `ORDER BY` and `LIMIT` depends on the kind of query.
    for nested in query.nested.queries { _ = try read(nested, scope.withoutEnclosingQueries) }
    try read(query.nested.tables, scope)
    return QueryReading(query, cores)
  }

  private mutating func read(_ tables: [TableName], _ scope: QueryScope) throws {
    for name in tables { _ = try content(ofTable: name, scope, isNullable: false) }
  }

  private mutating func read(_ core: SelectCore, _ scope: QueryScope) throws -> CoreReading {
    var names = SourceNames(
      isNatural: core.isNatural, sharedNames: core.sharedNames,
      mergesToFirst: !core.mergesColumnsOfGroups && !core.mayExtendLeftSide, aliases: core.aliases)
    for source in core.sources {
      var named = named(source)
      switch source.content {
      case .table(let name): named.content = try content(ofTable: name, scope, isNullable: source.isNullable)
      case .function: break
      case .query(let query): if let columns = try read(query, scope).columns { named.content = .query(columns) }
      }
      names.sources.append(named)
    }
    let binder = binder(names)
    for index in core.sources.indices { try bind(core, index, binder) }
    let subqueries = try core.nested.queries.map { try read($0, scope.entering(names)) }
    try read(core.nested.tables, scope)
    let finder = EqualityFinder(names: names, enclosing: scope.enclosing, subqueries: subqueries)
    let found = finder.equalities(of: core)
    equalities += found.equalities
    return CoreReading(columns: names.results(of: core), requirements: found.requirements)
  }

  /// Adds the conditions of a query to the rows of one of its sources.
  private mutating func bind(_ core: SelectCore, _ index: Int, _ binder: ConditionBinder) throws {
    let (source, named) = (core.sources[index], binder.names.sources[index])
    let joinCondition = source.isJoinConditionGlobal ? nil : source.joinCondition
    switch named.content {
    case .unknown:
      break
    case .table(let facts, let occurrenceID):
      guard case .table = facts.kind else { break }
      let sharedColumns = facts.columns.keys.filter { core.isNatural || core.sharedNames.contains($0) }
      occurrences[facts.key]?[occurrenceID.number] = RowOccurrence(
        conditions: try core.globalConditions.map { try binder.bind($0, to: occurrenceID) },
        joinCondition: try joinCondition.map { try binder.bind($0, to: occurrenceID) }, isNullable: source.isNullable,
        sharedColumns: Set(sharedColumns))
    case .query(let columns):
      for occurrenceID in columns.occurrenceIDs {
        func bound(_ condition: SelectExpression) throws -> RowCondition? {
          let condition = try binder.bind(condition, to: occurrenceID)
          return condition == .unknown ? nil : condition
        }
        if source.isNullable {
          let condition = try joinCondition.flatMap(bound)
          occurrences[occurrenceID.table]?[occurrenceID.number].addOuterJoin(condition)
        }
        let conditions = try core.globalConditions.compactMap(bound)
        occurrences[occurrenceID.table]?[occurrenceID.number].add(conditions)
        let sharedColumns = columns.origins.filter { core.isNatural || core.sharedNames.contains($0.key) }
          .flatMap(\.value).filter { $0.occurrenceID == occurrenceID }.map(\.column.name)
        occurrences[occurrenceID.table]?[occurrenceID.number].sharedColumns.formUnion(sharedColumns)
      }
    }
  }

  private func binder(_ names: SourceNames) -> ConditionBinder {
    ConditionBinder(names: names, number: number, parameterIndexes: parameterIndexes, isBuiltIn: isBuiltIn)
  }

  private func named(_ source: SelectSource) -> NamedSource {
    NamedSource(
      name: source.exposedName?.asciiLowercased, hasAlias: source.alias != nil, isNullable: source.isNullable)
  }

  // MARK: - Names

  /// Reads what the name of a table refers to: a table, a view or a common table.
  private mutating func content(
    ofTable table: TableName, _ scope: QueryScope, isNullable: Bool
  ) throws -> NamedSource.Content {
    let key = table.name.asciiLowercased
    if table.database == nil {
      if let commonTable = scope.commonTables[key] {
        guard let (query, scope) = commonTable.definition else {
          recursionCount += 1
          return .unknown
        }
        let knownCount = recursionCount
        let content = try expand(query, scope)
        // Each row of a recursive query may lead to others, which satisfy a condition on its result.
        return recursionCount == knownCount ? content : .unknown
      }
      if scope.outerCommonTables.contains(key) { throw UnsupportedSyntax() }
    }
    guard let facts = try factsOfTable(table.name, table.database ?? scope.database) else { throw UnsupportedSyntax() }
    if case .view(let sql) = facts.kind { return try view(sql, facts.key, scope) }
    let occurrenceID = RowEquality.OccurrenceID(table: facts.key, number: occurrences[facts.key]?.count ?? 0)
    occurrences[facts.key, default: []].append(RowOccurrence(isNullable: isNullable))
    return .table(facts, occurrenceID)
  }

  private mutating func view(_ sql: String, _ view: TableKey, _ scope: QueryScope) throws -> NamedSource.Content {
    guard let query = ParsedQuery(view: sql, after: mentions),
      query.mentions.parameters.count == mentions.parameters.count
    else { throw UnsupportedSyntax() }
    mentions = query.mentions
    // A temporary view resolves table names as any query does.
    let isTemporary = view.database.asciiLowercased == "temp"
    return try expand(
      query.syntax,
      QueryScope(
        outerCommonTables: scope.outerCommonTables.union(scope.commonTables.keys),
        database: isTemporary ? nil : view.database))
  }

  private mutating func expand(_ query: SelectSyntax, _ scope: QueryScope) throws -> NamedSource.Content {
    if remainingExpansions == 0 { throw UnsupportedSyntax() }
    remainingExpansions -= 1
    return try read(query, scope).columns.map { .query($0) } ?? .unknown
  }
}
