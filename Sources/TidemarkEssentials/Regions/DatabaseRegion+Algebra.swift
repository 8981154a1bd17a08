// Set algebra. If the exact result cannot be represented, the result is a larger region, never a smaller one.

extension DatabaseRegion {
  /// Returns the union of two regions.
  ///
  /// ```swift
  /// let region = try Player.all().databaseRegion(db).union(Team.all().databaseRegion(db))
  /// ```
  ///
  /// - Parameter other: Another region.
  /// - Returns: A region that includes both.
  public func union(_ other: DatabaseRegion) -> DatabaseRegion {
    guard let tables, let otherTables = other.tables else { return .fullDatabase }
    return DatabaseRegion(tables: tables.merging(otherTables) { $0.union($1) })
  }

  /// Adds another region to this region.
  ///
  /// ```swift
  /// var region = DatabaseRegion()
  /// region.formUnion(statement.databaseRegion)
  /// ```
  ///
  /// - Parameter other: Another region.
  public mutating func formUnion(_ other: DatabaseRegion) {
    self = union(other)
  }

  /// Returns the region with transformed tables. If the closure returns nil, the table is removed.
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
