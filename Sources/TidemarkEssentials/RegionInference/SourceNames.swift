/// A source of rows in a `FROM` clause, for the lookup of column names.
struct NamedSource {
  typealias Side = RowEquality.Side

  /// The known properties of a source.
  enum Content {
    case unknown
    case table(TableFacts, RowEquality.OccurrenceID)
    /// A view, a common table or a subquery.
    case query(ResultColumns)
  }

  /// The name that qualifies its columns, in lower case.
  var name: String?

  /// Whether that name is an alias.
  var hasAlias: Bool

  var content = Content.unknown

  /// Whether NULL may replace its rows if none matches.
  var isNullable: Bool

  /// The table; nil unless it is a table whose columns are known.
  var facts: TableFacts? {
    if case .table(let facts, _) = content, case .table = facts.kind { facts } else { nil }
  }

  /// The occurrences of tables whose rows it consists of.
  var occurrenceIDs: [RowEquality.OccurrenceID] {
    switch content {
    case .unknown: []
    case .table(_, let occurrenceID): [occurrenceID]
    case .query(let columns): columns.occurrenceIDs
    }
  }

  /// Whether the names of all its columns are known.
  fileprivate var hasKnownNames: Bool {
    switch content {
    case .unknown: false
    case .table: facts != nil
    case .query: true
    }
  }

  /// The lowercase names of its columns, sorted; nil if they are unknown.
  fileprivate var columnNames: [String]? {
    switch content {
    case .unknown: nil
    case .table: facts.map { $0.columns.keys.sorted() }
    case .query(let columns): columns.origins.keys.sorted()
    }
  }

  /// Whether it has a column with a lowercase name, as far as it is known.
  func hasColumn(_ name: String) -> Bool {
    switch content {
    case .unknown: false
    case .table(let facts, _): facts.columns[name] != nil
    case .query(let columns): columns.origins[name] != nil
    }
  }

  /// The columns of tables from which a column gets its values; empty if they are unknown.
  fileprivate func origins(ofColumn name: String) -> [Side] {
    if case .table(let facts, let occurrenceID) = content, let column = facts.columns[name] {
      return Self.sides(column, occurrenceID, facts)
    }
    if case .query(let columns) = content, let origins = columns.origins[name] { return origins }
    return []
  }

  /// The row ID by one of its names, if no column has the name.
  fileprivate func origins(ofRowID name: String) -> [Side] {
    guard case .table(let facts, let occurrenceID) = content, SourceNames.rowIDNames.contains(name),
      let rowIDName = facts.rowIDName
    else { return [] }
    let column = facts.columns[rowIDName] ?? ColumnFacts(name: rowIDName, affinity: .integer)
    return Self.sides(column, occurrenceID, facts)
  }

  private static func sides(
    _ column: ColumnFacts, _ occurrenceID: RowEquality.OccurrenceID, _ facts: TableFacts
  ) -> [Side] {
    // In filters, this is the name of the row ID.
    let isNamedLikeRowID = column.name == RowFilter.rowIDName && facts.rowIDName != column.name
    return column.isGenerated || isNamedLikeRowID ? [] : [Side(occurrenceID: occurrenceID, column: column)]
  }
}

/// The result columns of a view, a common table or a subquery that returns each row of its sources separately.
///
/// Invariant: a row of its result has the value of a column from exactly one row of one of the origins.
struct ResultColumns {
  /// For each lowercase name, the columns of tables from which the values come; empty if they come from elsewhere.
  var origins: [String: [RowEquality.Side]] = [:]

  /// The occurrences of tables in it.
  var occurrenceIDs: [RowEquality.OccurrenceID] {
    var result: [RowEquality.OccurrenceID] = []
    for side in origins.sorted(by: { $0.key < $1.key }).flatMap(\.value) where !result.contains(side.occurrenceID) {
      result.append(side.occurrenceID)
    }
    return result
  }
}

/// The meaning of column names in a `SELECT`.
struct SourceNames {
  fileprivate static let rowIDNames: Set = ["rowid", "oid", "_rowid_"]

  var sources: [NamedSource] = []

  /// Whether columns of several sources are merged by `NATURAL`, and the merged names of `USING`.
  var isNatural = false
  var sharedNames: Set<String> = []

  /// Whether a merged column has the values of the first source that has the column.
  var mergesToFirst = false

  /// The aliases of the result columns, in lower case.
  var aliases: Set<String> = []

  /// The columns of tables that a name certainly refers to: several in a query with `UNION ALL`, usually one.
  func origins(of reference: ColumnReference) -> [RowEquality.Side] {
    let name = reference.name.asciiLowercased
    guard let qualifier = reference.table?.asciiLowercased else {
      let owners = sources.filter { $0.hasColumn(name) }
      if isNatural || sharedNames.contains(name) {
        guard mergesToFirst, sources.allSatisfy(\.hasKnownNames) else { return [] }
        return owners.first?.origins(ofColumn: name) ?? []
      }
      // SQLite rejects a name that two tables have, unless the join merges these columns.
      if owners.count == 1 { return owners[0].origins(ofColumn: name) }
      return owners.isEmpty && sources.count == 1 ? sources[0].origins(ofRowID: name) : []
    }
    let named = sources.filter { $0.name == qualifier }
    guard named.count == 1 else { return [] }
    if let database = reference.database {
      guard !named[0].hasAlias, case .table(let facts, _) = named[0].content,
        database.asciiLowercased == facts.key.database.asciiLowercased
      else { return [] }
    }
    return named[0].hasColumn(name) ? named[0].origins(ofColumn: name) : named[0].origins(ofRowID: name)
  }

  /// The column of a table that a name certainly refers to, if it is only one.
  func origin(of reference: ColumnReference) -> RowEquality.Side? {
    let origins = origins(of: reference)
    return origins.count == 1 ? origins[0] : nil
  }

  /// Whether a name certainly refers to something outside of the `SELECT`.
  func lack(_ reference: ColumnReference) -> Bool {
    if reference.database != nil { return false }
    if let qualifier = reference.table?.asciiLowercased {
      return sources.allSatisfy { $0.name != nil && $0.name != qualifier }
    }
    let name = reference.name.asciiLowercased
    return !aliases.contains(name) && !Self.rowIDNames.contains(name)
      && sources.allSatisfy { $0.hasKnownNames && !$0.hasColumn(name) }
  }

  /// The columns that the joins compare because of `NATURAL` or `USING`: for each, the source with the second column.
  func mergedColumns(_ core: SelectCore) -> [(left: RowEquality.Side, right: RowEquality.Side, source: Int)] {
    guard mergesToFirst else { return [] }
    var result: [(left: RowEquality.Side, right: RowEquality.Side, source: Int)] = []
    for (index, source) in core.sources.enumerated() where source.isNatural || !source.sharedNames.isEmpty {
      let earlier = sources[..<index]
      guard earlier.allSatisfy(\.hasKnownNames), let names = sources[index].columnNames else { continue }
      for name in source.isNatural ? names : source.sharedNames {
        guard let left = earlier.first(where: { $0.hasColumn(name) })?.origins(ofColumn: name), left.count == 1,
          case let right = sources[index].origins(ofColumn: name), right.count == 1
        else { continue }
        result.append((left[0], right[0], index))
      }
    }
    return result
  }

  /// The names and origins of the columns of all sources, or of one; nil if they are unknown.
  func allColumns(of table: String?) -> [(name: String, origins: [RowEquality.Side])]? {
    var result: [(name: String, origins: [RowEquality.Side])] = []
    for source in sources where table == nil || source.name == table {
      guard let names = source.columnNames else { return nil }
      // A merged column appears once, with the values of the first source.
      for name in names where !result.contains(where: { $0.name == name }) {
        let isMergedElsewhere = (isNatural || sharedNames.contains(name)) && !mergesToFirst
        result.append((name, isMergedElsewhere ? [] : source.origins(ofColumn: name)))
      }
    }
    return result
  }
}
