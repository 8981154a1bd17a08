// Set algebra. Where the exact result cannot be said, the region is wider than it, never narrower.

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
    var result: [TableKey: TableRegion] = [:]
    for (table, region) in tables {
      if let otherRegion = otherTables[table] { result[table] = region.intersection(otherRegion) }
    }
    return DatabaseRegion(tables: result)
  }

  /// The region of other tables, or of other parts of them. Nil takes a table out.
  func mapTables(
    _ transform: (TableKey, TableRegion) throws -> (TableKey, TableRegion)?
  ) rethrows -> DatabaseRegion {
    guard let tables else { return self }
    var result: [TableKey: TableRegion] = [:]
    for (table, region) in tables {
      guard let (table, region) = try transform(table, region) else { continue }
      result[table] = result[table]?.union(region) ?? region
    }
    return DatabaseRegion(tables: result)
  }
}
