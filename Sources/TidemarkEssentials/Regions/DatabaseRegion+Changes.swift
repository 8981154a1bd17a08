// Whether changes modify a region. If in doubt, they do.

extension DatabaseRegion {
  /// Returns whether a change of this kind may modify the region.
  ///
  /// ```swift
  /// final class PlayerObserver: TransactionObserver {
  ///   let region: DatabaseRegion
  ///
  ///   init(_ db: Database) throws { region = try Player.all().databaseRegion(db) }
  ///
  ///   func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
  ///     region.isModified(byEventsOfKind: eventKind)
  ///   }
  ///
  ///   func databaseDidChange(with event: DatabaseEvent) {}
  ///   func databaseDidCommit(_ db: Database) { print("players may have changed") }
  ///   func databaseDidRollback(_ db: Database) {}
  /// }
  /// ```
  ///
  /// The kind has a table name without a database: it matches all tables with that name.
  ///
  /// - Parameter eventKind: A kind of change.
  /// - Returns: Whether the region may be modified.
  public func isModified(byEventsOfKind eventKind: DatabaseEventKind) -> Bool {
    guard let tables else { return true }
    return tables.contains { table, region in
      guard table.hasName(eventKind.tableName) else { return false }
      switch eventKind {
      case .insert, .delete: return true
      case .update(tableName: _, let columnNames): return region.isModified(byUpdateOf: columnNames)
      }
    }
  }

  /// Returns whether the change of a row may modify the region.
  func isModified(by change: RowChange) -> Bool {
    guard let tables else { return true }
    return tables[change.table]?.isModified(by: change) ?? false
  }

  /// Returns whether the region includes a part of a table.
  func overlaps(_ table: TableKey) -> Bool {
    guard let tables else { return true }
    return tables[table] != nil
  }

  /// Returns whether a change of a row may modify the region, if only the row ID is known.
  func isModified(byChangeOf table: TableKey, rowID: Int64) -> Bool {
    guard let tables else { return true }
    return tables[table]?.mayHold(rowID: rowID) ?? false
  }
}
