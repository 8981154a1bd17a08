/// The meaning of names in a part of a query.
struct QueryScope {
  /// The visible common tables, by lowercase name.
  var commonTables: [String: CommonTable] = [:]

  /// Names outside of a view, which are visible in it in some versions of SQLite.
  var outerCommonTables: Set<String> = []

  /// The database of the view being analysed.
  var database: String?

  /// The column names of the queries around a subquery, from the inside out.
  var enclosing: [SourceNames] = []

  /// A common table, which is read wherever it is used.
  struct CommonTable {
    fileprivate var query: SelectSyntax
    fileprivate var list: [CommonTableSyntax]

    /// The scope of the `WITH`.
    fileprivate var scope: QueryScope
    fileprivate var name: String

    /// Whether the name is mentioned in its own query.
    fileprivate var isBeingRead = false

    /// Its query, and the meaning of names in it; nil in its own query.
    var definition: (query: SelectSyntax, scope: QueryScope)? {
      if isBeingRead { return nil }
      var scope = scope.adding(list).withoutEnclosingQueries
      scope.commonTables[name]?.isBeingRead = true
      return (query, scope)
    }
  }

  /// The scope after a `WITH`.
  func adding(_ list: [CommonTableSyntax]) -> QueryScope {
    if list.isEmpty { return self }
    var result = self
    for table in list {
      let name = table.name.asciiLowercased
      result.commonTables[name] = CommonTable(query: table.query, list: list, scope: self, name: name)
    }
    return result
  }

  /// The scope of a subquery of a `SELECT`.
  func entering(_ names: SourceNames) -> QueryScope {
    var result = self
    result.enclosing.insert(names, at: 0)
    return result
  }

  /// The scope of a query in which no columns of other queries are visible, or none that are known.
  var withoutEnclosingQueries: QueryScope {
    var result = self
    result.enclosing = []
    return result
  }
}

/// The findings about a `SELECT`.
struct CoreReading {
  /// Its result columns in order; nil if they are unknown.
  var columns: [SelectColumn]?

  /// The rows of enclosing queries without which it returns nothing: those with equal values.
  var requirements: [RowEquality]
}

/// A result column.
struct SelectColumn {
  /// Its name in lower case; nil if it is not a name that others would use.
  var name: String?

  /// Another name that SQLite may give it instead.
  var otherName: String?

  /// The columns of tables from which its values come; empty if they come from elsewhere.
  var origins: [RowEquality.Side] = []

  /// Whether its place among the result columns is known.
  var hasPlace = true
}

/// The findings about a query.
struct QueryReading {
  /// Its result columns, if conditions on them select rows of its tables; nil otherwise.
  var columns: ResultColumns?

  /// The rows of enclosing queries without which it returns nothing.
  var requirements: [RowEquality] = []

  /// The column of a table that contains all values of its only result column.
  var onlyColumn: RowEquality.Side?

  /// Whether the presence of a value in the result depends on rows with this value only.
  var isMembershipExact = false

  init(_ query: SelectSyntax, _ cores: [CoreReading]) {
    let combinesRows = query.cores.contains(where: \.combinesRows)
    let isPlain = !combinesRows && query.keepsEachRow && query.limit == nil
    if isPlain { columns = Self.columns(query, cores.map(\.columns)) }
    guard cores.count == 1 else { return }
    // An aggregate returns a row even without rows.
    if !combinesRows { requirements = cores[0].requirements }
    if let columns = cores[0].columns, columns.count == 1, columns[0].hasPlace, columns[0].origins.count == 1 {
      onlyColumn = columns[0].origins[0]
      isMembershipExact = isPlain
    }
  }

  private static func columns(_ query: SelectSyntax, _ cores: [[SelectColumn]?]) -> ResultColumns? {
    guard let first = cores.first, var columns = first else { return nil }
    let hasPlaces = cores.allSatisfy { $0?.allSatisfy(\.hasPlace) == true && $0?.count == columns.count }
    if let names = query.columnNames {
      guard hasPlaces, names.count == columns.count else { return nil }
      for (index, name) in names.enumerated() { (columns[index].name, columns[index].otherName) = (name, nil) }
    }
    for other in cores.dropFirst() {
      guard hasPlaces, let other else { return nil }
      for index in columns.indices { columns[index].add(other[index].origins) }
    }
    var result = ResultColumns()
    // The columns that may have a name.
    var uncertain: [String: [RowEquality.Side]] = [:]
    for column in columns {
      guard let name = column.name else { continue }
      if let otherName = column.otherName {
        for name in [name, otherName] where result.origins[name] == nil {
          result.origins[name] = []
          uncertain[name] = column.origins
        }
      } else if result.origins[name] == nil || uncertain[name] == column.origins {
        // SQLite renames further columns of the same name.
        result.origins[name] = column.origins
      }
    }
    return result
  }
}

extension SelectColumn {
  /// Adds the columns of another `SELECT` in a query with `UNION ALL`. A comparison must convert both alike.
  fileprivate mutating func add(_ others: [RowEquality.Side]) {
    let areAlike = (origins + others).allSatisfy { side in
      side.column.affinity == origins.first?.column.affinity && side.column.isBinary
    }
    origins = origins.isEmpty || others.isEmpty || !areAlike ? [] : origins + others
  }
}

extension SourceNames {
  /// The result columns of a `SELECT`; nil if they are unknown.
  func results(of core: SelectCore) -> [SelectColumn]? {
    var columns: [SelectColumn] = []
    for result in core.results {
      switch result {
      case .all(let table):
        guard let all = allColumns(of: table) else { return nil }
        columns += all.map { SelectColumn(name: $0.name, origins: $0.origins, hasPlace: false) }
      case .expression(.column(let reference), let alias?):
        columns.append(SelectColumn(name: alias, origins: origins(of: reference)))
      case .expression(.column(let reference), nil):
        columns.append(resultColumn(reference))
      case .expression(let expression, let alias):
        columns.append(SelectColumn(name: alias ?? expression.uncollatedColumn?.name.asciiLowercased))
      }
    }
    return columns.isEmpty ? nil : columns
  }

  /// The result column that consists of a reference without an alias.
  private func resultColumn(_ reference: ColumnReference) -> SelectColumn {
    let (name, origins) = (reference.name.asciiLowercased, origins(of: reference))
    let qualifier = reference.table?.asciiLowercased
    let isColumn = sources.contains { (qualifier == nil || $0.name == qualifier) && $0.hasColumn(name) }
    // In a view, a row ID has the name of its column; elsewhere, it has its name in the text.
    let otherName = isColumn || origins.first?.column.name == name ? nil : origins.first?.column.name
    return SelectColumn(name: name, otherName: otherName, origins: origins)
  }
}

extension SelectExpression {
  /// The column whose collation the expression changes.
  fileprivate var uncollatedColumn: ColumnReference? {
    if case .column(let reference) = uncollated.expression { reference } else { nil }
  }
}
