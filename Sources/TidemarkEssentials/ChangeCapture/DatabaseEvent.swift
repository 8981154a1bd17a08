/// A row that was inserted, deleted or updated. See `TransactionObserver`.
public struct DatabaseEvent: Sendable {
  /// The kind of a change.
  public enum Kind: CInt, Sendable {
    /// The row was inserted.
    case insert = 18

    /// The row was deleted.
    case delete = 9

    /// The row was updated.
    case update = 23
  }

  /// The kind of the change.
  public let kind: Kind

  /// The database of the table: `main`, `temp`, or the name of an attached database.
  public let databaseName: String

  /// The name of the table.
  public let tableName: String

  /// The row ID; the new one if an update has changed it. Zero in a table without row IDs.
  public let rowID: Int64

  /// The row ID before an update; nil if it is unknown, because SQLite's update hook does not report it.
  var formerRowID: Int64?

  /// Returns the event. Events can be stored without a copy.
  public func copy() -> DatabaseEvent { self }
}

extension DatabaseRegion {
  /// Returns whether an event may have changed the content of the region.
  ///
  /// If an update changes the row ID, the regions of both IDs are modified.
  ///
  /// - Parameter event: An event received by a ``TransactionObserver``.
  /// - Returns: True when in doubt.
  public func isModified(by event: DatabaseEvent) -> Bool {
    let table = TableKey(event.tableName, in: event.databaseName)
    if isModified(byChangeOf: table, rowID: event.rowID) { return true }
    guard event.kind == .update else { return false }
    guard let formerRowID = event.formerRowID else { return overlaps(table) }
    return formerRowID != event.rowID && isModified(byChangeOf: table, rowID: formerRowID)
  }
}
