extension DatabaseRegion: CustomStringConvertible {
  /// `empty`, `full database`, or the sorted tables: `author(*),book(id,title)[1,2]`.
  ///
  /// It includes row IDs only if a query interface request selects rows by ID. Use `debugDescription` to see all row
  /// conditions.
  public var description: String {
    text { table, region in "\(table)\(region)" }
  }

  private func text(_ text: (TableKey, TableRegion) -> String) -> String {
    guard let tables else { return "full database" }
    if tables.isEmpty { return "empty" }
    return tables.sorted { $0.key.description < $1.key.description }.map(text).joined(separator: ",")
  }
}

extension DatabaseRegion: CustomDebugStringConvertible {
  /// Like `description`, with all row conditions: `book(id,title) where pages > 100`.
  public var debugDescription: String {
    text { table, region in region.parts.map { "\(table)\($0.debugDescription)" }.sorted().joined(separator: ",") }
  }
}

extension TableRegion: CustomStringConvertible {
  var description: String {
    let columns = parts.reduce([:] as [String: String]?) { columns, part in
      part.columns.flatMap { columns?.merging($0) { first, _ in first } }
    }
    let names = parts.contains(where: \.namesTable) ? nil : columns
    let columnNames = names.map { $0.values.sorted().joined(separator: ",") } ?? "*"
    return "(\(columnNames))"
      + (rebuildingKeepsRowIDs.map { "[" + $0.map(String.init).joined(separator: ",") + "]" } ?? "")
  }

  /// The sorted row IDs, if all parts of the region are described by row IDs.
  private var rebuildingKeepsRowIDs: [Int64]? {
    guard let rowIDName else { return nil }
    var rebuildingKeepsRowIDs: Set<Int64> = []
    for part in parts {
      guard part.namesRowIDs, case .values(let values)? = part.rows.columns[rowIDName] else { return nil }
      for value in values {
        guard case .int64(let rowID) = value.storage else { return nil }
        rebuildingKeepsRowIDs.insert(rowID)
      }
    }
    return rebuildingKeepsRowIDs.sorted()
  }
}

extension TableRegion.Part: CustomDebugStringConvertible {
  var debugDescription: String {
    let names = columns.map { $0.isEmpty ? "" : $0.values.sorted().joined(separator: ",") } ?? "*"
    if rows.isAll { return "(\(names))" }
    let conditions = rows.columns.sorted { $0.key < $1.key }.map { $1.text(of: $0) }
    let expressions = rows.expressions.map { ($0.key.description, $0.value) }.sorted { $0.0 < $1.0 }
    let all = conditions + expressions.map { $1.text(of: $0) } + rows.formulas.map(\.description)
    return "(\(names)) where \(all.joined(separator: " and "))"
  }
}

extension ColumnFilter {
  /// Returns the filter as an SQL condition on a column.
  fileprivate func text(of column: String) -> String {
    switch self {
    case .values(let values):
      let texts = values.sorted { $0.isOrdered(before: $1) }.map(\.description)
      return texts.count == 1 ? "\(column) = \(texts[0])" : "\(column) in (\(texts.joined(separator: ", ")))"
    case .range(let range):
      let lower = range.lower.map { "\(column) \($0.isInclusive ? ">=" : ">") \($0.value)" }
      let upper = range.upper.map { "\(column) \($0.isInclusive ? "<=" : "<") \($0.value)" }
      let bounds = [lower, upper].compactMap { $0 }
      return bounds.isEmpty ? "\(column) is not NULL" : bounds.joined(separator: " and ")
    }
  }
}

extension DatabaseRegion {
  /// Returns an equal region whose description includes row IDs.
  func namingRowIDs() -> DatabaseRegion {
    mapTables { table, region in (table, region.namingRowIDs()) }
  }
}
