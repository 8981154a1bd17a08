// Set algebra. Where the exact result cannot be said with columns and rows, the region is wider than
// it, never narrower.

extension DatabaseRegion {
  /// What is in either region.
  public func union(_ other: DatabaseRegion) -> DatabaseRegion {
    guard let tables, let otherTables = other.tables else { return .fullDatabase }
    return DatabaseRegion(tables: tables.merging(otherTables) { $0.union($1) })
  }

  /// Adds another region to this one.
  public mutating func formUnion(_ other: DatabaseRegion) {
    self = union(other)
  }

  /// What is in both regions.
  func intersection(_ other: DatabaseRegion) -> DatabaseRegion {
    guard let tables else { return other }
    guard let otherTables = other.tables else { return self }
    var result: [TableName: TableRegion] = [:]
    for (name, region) in tables {
      if let otherRegion = otherTables[name] { result[name] = region.intersection(otherRegion) }
    }
    return DatabaseRegion(tables: result)
  }

  /// Whether a change of this kind may alter what is in the region.
  public func isModified(byEventsOfKind eventKind: DatabaseEventKind) -> Bool {
    guard let tables else { return true }
    guard let region = tables[TableName(eventKind.tableName)] else { return false }
    switch eventKind {
    case .insert, .delete:
      return true
    case .update(tableName: _, let columnNames):
      guard let columns = region.columns else { return true }
      return columnNames.contains { columns[$0.lowercased()] != nil }
    }
  }
}

extension DatabaseRegion.TableRegion {
  // Two rectangles of cells: their union is said with the columns of both, on the rows of both.
  func union(_ other: Self) -> Self {
    var result = self
    result.columns = columns.flatMap { columns in other.columns.map { columns.merging($0) { first, _ in first } } }
    result.rowIDs = rowIDs.flatMap { rowIDs in other.rowIDs.map(rowIDs.union) }
    return result
  }

  func intersection(_ other: Self) -> Self {
    var result = self
    if let columns {
      if let otherColumns = other.columns { result.columns = columns.filter { otherColumns[$0.key] != nil } }
    } else {
      result.columns = other.columns
    }
    if let rowIDs {
      result.rowIDs = other.rowIDs.map(rowIDs.intersection) ?? rowIDs
    } else {
      result.rowIDs = other.rowIDs
    }
    return result
  }
}

extension DatabaseRegion: CustomStringConvertible {
  /// `empty`, `full database`, or the tables in order: `author(*),book(id,title)[1,2]`.
  public var description: String {
    guard let tables else { return "full database" }
    if tables.isEmpty { return "empty" }
    return tables.sorted { $0.key.name < $1.key.name }.map { "\($0.key.name)\($0.value)" }.joined(separator: ",")
  }
}

extension DatabaseRegion.TableRegion: CustomStringConvertible {
  var description: String {
    let columnNames = columns.map { $0.values.sorted().joined(separator: ",") } ?? "*"
    let rows = rowIDs.map { "[" + $0.sorted().map(String.init).joined(separator: ",") + "]" } ?? ""
    return "(\(columnNames))\(rows)"
  }
}
