/// A row that was inserted, deleted or updated. See `TransactionObserver`.
public struct DatabaseEvent: Sendable {
  /// What happened to the row.
  public enum Kind: CInt, Sendable {
    /// It was inserted.
    case insert = 18

    /// It was deleted.
    case delete = 9

    /// It was updated.
    case update = 23
  }

  /// What happened to the row.
  public let kind: Kind

  /// The database of the table: `main`, `temp`, or the name of one that was attached.
  public let databaseName: String

  /// The table.
  public let tableName: String

  /// The id of the row; the new one, when an update has changed it. Zero in a table without row ids.
  public let rowID: Int64

  /// The event. It can be kept: there is no need to copy it.
  public func copy() -> DatabaseEvent { self }
}

extension DatabaseRegion {
  /// Whether an event may alter what is in the region.
  public func isModified(by event: DatabaseEvent) -> Bool {
    isModified(byChangeOf: TableKey(event.tableName, in: event.databaseName), rowID: event.rowID)
  }
}
