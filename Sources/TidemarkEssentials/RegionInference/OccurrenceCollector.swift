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

  private(set) var occurrences: [TableKey: [RowOccurrence]] = [:]

  /// The occurrences whose columns must have equal values for a row of the result.
  private(set) var equalities: [RowEquality] = []

  /// The mentions in the text, and in views.
  private(set) var mentions = ParsedQuery.Mentions()

  /// Whether the result does not depend on the order in which SQLite finds the rows.
  private(set) var hidesOrder = false

  /// The bound of the rows in the result; nil if it is unknown.
  private(set) var bound: RegionBound?

  private(set) var viewDepth = 0

  /// The meaning of names in a part of the query.
  private struct Scope {
    /// The visible common tables, in lower case.
    var commonTables: Set<String> = []

    /// Names outside of a view, which are visible in it in some versions of SQLite.
    var outerCommonTables: Set<String> = []

    /// The database of the view being analysed.
    var database: String?
  }

  /// Analyses a parsed statement.
  mutating func read(_ query: ParsedQuery) throws {
    mentions = query.mentions
    try read(query.syntax, Scope())
    guard let (core, source) = try onlySource(of: query.syntax) else { return }
    let showsRowsAlone = core.showsRows && !query.mentions.includeFunctions
    hidesOrder = core.countsRows || showsRowsAlone && hidesOrder(of: query.syntax, source)
    if showsRowsAlone { bound = try bound(of: query.syntax, source) }
  }

  /// The single table that a query reads, if there is only one.
  private func onlySource(of query: SelectSyntax) throws -> (SelectCore, NamedSource)? {
    guard let core = query.onlyCore, case .table(let name) = core.sources[0].content,
      let facts = try factsOfTable(name.name, name.database), case .table = facts.kind
    else { return nil }
    let source = NamedSource(
      name: core.sources[0].exposedName?.asciiLowercased, hasAlias: core.sources[0].alias != nil, facts: facts)
    return (core, source)
  }

  private func bound(of query: SelectSyntax, _ source: NamedSource) throws -> RegionBound? {
    guard let limit = query.limit, let facts = source.facts,
      let count = try ConditionBinder(sources: [], number: number, parameterIndexes: parameterIndexes).constant(limit)
    else { return nil }
    var terms: [RegionBound.Term] = []
    for (expression, direction) in zip(query.ordering, query.directions).prefix(RegionBound.termsMax) {
      guard let isDescending = direction, case .column(let reference) = expression,
        let column = source.column(reference), !column.isGenerated
      else { break }
      terms.append(RegionBound.Term(column: column, isDescending: isDescending))
      // The values are unique.
      if column.name == facts.rowIDName { break }
    }
    return terms.isEmpty ? nil : RegionBound(table: facts.key, terms: terms, limit: count)
  }

  /// Whether the rows of one table are sorted by a unique key.
  private func hidesOrder(of query: SelectSyntax, _ source: NamedSource) -> Bool {
    guard let facts = source.facts else { return false }
    return query.ordering.contains { term in
      guard case .column(let reference) = term, let column = source.column(reference) else { return false }
      return column.name == facts.rowIDName || facts.keyColumns == [column.name]
    }
  }

  // MARK: - Queries

  private mutating func read(_ query: SelectSyntax, _ scope: Scope) throws {
    var scope = scope
    for table in query.commonTables { scope.commonTables.insert(table.name.asciiLowercased) }
    for table in query.commonTables { try read(table.query, scope) }
    for core in query.cores { try read(core, scope) }
    try read(query.nested, scope)
  }

  private mutating func read(_ nested: NestedReads, _ scope: Scope) throws {
    for query in nested.queries { try read(query, scope) }
    for name in nested.tables {
      if let found = try table(named: name, scope) { occurrences[found.key, default: []].append(RowOccurrence()) }
    }
  }

  private mutating func read(_ core: SelectCore, _ scope: Scope) throws {
    var sources: [NamedSource] = []
    for source in core.sources {
      var named = NamedSource(name: source.exposedName?.asciiLowercased, hasAlias: source.alias != nil)
      switch source.content {
      case .table(let name): named.facts = try table(named: name, scope)
      case .function: break
      case .query(let query): try read(query, scope)
      }
      sources.append(named)
    }
    try read(core.nested, scope)
    let binder = ConditionBinder(
      sources: sources, isNatural: core.isNatural, sharedNames: core.sharedNames, number: number,
      parameterIndexes: parameterIndexes)
    var conditions = core.sources.filter(\.isJoinConditionGlobal).compactMap(\.joinCondition)
    if let condition = core.condition { conditions.append(condition) }
    var occurrenceIDs: [Int: RowEquality.OccurrenceID] = [:]
    for (index, source) in core.sources.enumerated() {
      guard let facts = sources[index].facts else { continue }
      var occurrence = RowOccurrence(isNullable: source.isNullable)
      occurrence.sharedColumns = Set(facts.columns.keys.filter { core.isNatural || core.sharedNames.contains($0) })
      if case .table = facts.kind {
        occurrence.conditions = try conditions.map { try binder.bind($0, toSource: index) }
        if !source.isJoinConditionGlobal {
          occurrence.joinCondition = try source.joinCondition.map { try binder.bind($0, toSource: index) }
        }
      }
      occurrenceIDs[index] = RowEquality.OccurrenceID(table: facts.key, number: occurrences[facts.key]?.count ?? 0)
      occurrences[facts.key, default: []].append(occurrence)
    }
    for condition in conditions { equalities += binder.equalities(in: condition, occurrenceIDs) }
    for (index, source) in core.sources.enumerated() where !source.isJoinConditionGlobal {
      guard let condition = source.joinCondition, let occurrenceID = occurrenceIDs[index] else { continue }
      // A row of the right side without a matching row on the left contributes nothing. The reverse is not true.
      equalities += binder.equalities(in: condition, occurrenceIDs).filter { $0.to.occurrenceID == occurrenceID }
    }
  }

  // MARK: - Names

  /// The table with a name; nil for a common table, and for a view, which is analysed.
  private mutating func table(named table: TableName, _ scope: Scope) throws -> TableFacts? {
    let key = table.name.asciiLowercased
    if table.database == nil {
      if scope.commonTables.contains(key) { return nil }
      if scope.outerCommonTables.contains(key) { throw UnsupportedSyntax() }
    }
    guard let facts = try factsOfTable(table.name, table.database ?? scope.database) else { throw UnsupportedSyntax() }
    guard case .view(let sql) = facts.kind else { return facts }
    try readView(sql, facts.key, scope)
    return nil
  }

  private mutating func readView(_ sql: String, _ view: TableKey, _ scope: Scope) throws {
    viewDepth += 1
    defer { viewDepth -= 1 }
    if viewDepth > 20 { throw UnsupportedSyntax() }
    guard let query = ParsedQuery(view: sql, after: mentions),
      query.mentions.parameters.count == mentions.parameters.count
    else { throw UnsupportedSyntax() }
    mentions = query.mentions
    // A temporary view resolves table names as any query does.
    let isTemporary = view.database.asciiLowercased == "temp"
    try read(
      query.syntax,
      Scope(
        outerCommonTables: scope.commonTables.union(scope.outerCommonTables),
        database: isTemporary ? nil : view.database))
  }
}

/// A source of rows, for the lookup of column names.
struct NamedSource {
  /// The name that qualifies its columns, in lower case.
  var name: String?

  /// Whether that name is an alias.
  var hasAlias = false

  /// Its known properties; nil unless it is a table.
  var facts: TableFacts?

  /// The column that a name refers to if this is the only source.
  fileprivate func column(_ reference: ColumnReference) -> ColumnFacts? {
    ConditionBinder(sources: [self]).facts(of: reference, 0)
  }
}
