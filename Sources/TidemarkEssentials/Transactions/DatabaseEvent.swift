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

  /// The row id before an update; nil when it is not known: SQLite's update hook does not tell it.
  var formerRowID: Int64?

  /// The event. It can be kept: there is no need to copy it.
  public func copy() -> DatabaseEvent { self }
}

extension DatabaseRegion {
  /// Returns whether an event may alter what is in the region.
  ///
  /// An update that gives a row another row ID concerns the regions of both IDs.
  ///
  /// - parameter event: An event that a ``TransactionObserver`` was told.
  /// - returns: True when in doubt.
  public func isModified(by event: DatabaseEvent) -> Bool {
    let table = TableKey(event.tableName, in: event.databaseName)
    if isModified(byChangeOf: table, rowID: event.rowID) { return true }
    guard event.kind == .update else { return false }
    guard let formerRowID = event.formerRowID else { return overlaps(table) }
    return formerRowID != event.rowID && isModified(byChangeOf: table, rowID: formerRowID)
  }
}
