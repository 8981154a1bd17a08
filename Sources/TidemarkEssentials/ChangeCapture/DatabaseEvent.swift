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

/// A row that is about to be inserted, deleted or updated. See ``TransactionObserver/databaseWillChange(with:)``.
///
/// It is valid only during the call that receives it. Copy it to keep it.
public struct DatabasePreUpdateEvent {
  /// The kind of change.
  public typealias Kind = DatabaseEvent.Kind

  /// The kind of change.
  public let kind: Kind

  /// The database of the table: `main`, `temp`, or the name of an attached one.
  public let databaseName: String

  /// The name of the table.
  public let tableName: String

  /// The row ID before the change; nil for an insertion. Zero in a table without row IDs.
  public let initialRowID: Int64?

  /// The row ID after the change; nil for a deletion. Zero in a table without row IDs.
  public let finalRowID: Int64?

  private let values: Values

  private enum Values {
    case live(RowChangeSignal)
    case copied(initial: [DatabaseValue]?, final: [DatabaseValue]?, count: Int, depth: CInt)
  }

  init(_ signal: RowChangeSignal, databaseName: String, tableName: String) {
    let isBlobWrite = signal.isDelete && signal.blobColumn != nil
    kind = isBlobWrite ? .update : signal.isInsert ? .insert : signal.isDelete ? .delete : .update
    self.databaseName = databaseName
    self.tableName = tableName
    initialRowID = signal.isInsert ? nil : signal.oldRowID
    finalRowID = isBlobWrite ? signal.oldRowID : signal.isDelete ? nil : signal.newRowID
    values = .live(signal)
  }

  private init(copying event: DatabasePreUpdateEvent) {
    (kind, databaseName, tableName) = (event.kind, event.databaseName, event.tableName)
    (initialRowID, finalRowID) = (event.initialRowID, event.finalRowID)
    values = .copied(
      initial: event.initialDatabaseValues, final: event.finalDatabaseValues, count: event.count,
      depth: event.depth)
  }

  /// The number of columns, as SQLite reports it. In a table with virtual generated columns, this number and the
  /// positions of the columns depend on the version of SQLite.
  public var count: Int {
    switch values {
    case .live(let signal): Int(signal.columnCount)
    case .copied(_, _, let count, _): count
    }
  }

  /// Zero for a direct change by a statement, more for changes by triggers and foreign keys.
  public var depth: CInt {
    switch values {
    case .live(let signal): signal.depth
    case .copied(_, _, _, let depth): depth
    }
  }

  /// The values before the change; nil for an insertion. A value that cannot be read is NULL.
  public var initialDatabaseValues: [DatabaseValue]? {
    switch values {
    case .live: initialRowID.map { _ in (0..<count).map { initialDatabaseValue(atIndex: $0) ?? .null } }
    case .copied(let initial, _, _, _): initial
    }
  }

  /// A value before the change; nil for an insertion, or if it cannot be read.
  public func initialDatabaseValue(atIndex index: Int) -> DatabaseValue? {
    precondition(index >= 0 && index < count, "column index \(index) out of range: the row has \(count) columns")
    switch values {
    case .live(let signal):
      return initialRowID.flatMap { _ in signal.oldValue(CInt(index)).map { DatabaseValue(copying: $0) } }
    case .copied(let initial, _, _, _): return initial?[index]
    }
  }

  /// The values after the change; nil for a deletion. A value that cannot be read is NULL: a virtual generated column,
  /// or a row of an incremental blob write.
  public var finalDatabaseValues: [DatabaseValue]? {
    switch values {
    case .live: finalRowID.map { _ in (0..<count).map { finalDatabaseValue(atIndex: $0) ?? .null } }
    case .copied(_, let final, _, _): final
    }
  }

  /// A value after the change; nil for a deletion, or if it cannot be read.
  public func finalDatabaseValue(atIndex index: Int) -> DatabaseValue? {
    precondition(index >= 0 && index < count, "column index \(index) out of range: the row has \(count) columns")
    switch values {
    case .live(let signal):
      return finalRowID.flatMap { _ in signal.newValue(CInt(index)).map { DatabaseValue(copying: $0) } }
    case .copied(_, let final, _, _): return final?[index]
    }
  }

  /// Returns the event with its values, which can be kept.
  public func copy() -> DatabasePreUpdateEvent { DatabasePreUpdateEvent(copying: self) }
}

@available(*, unavailable)
extension DatabasePreUpdateEvent: Sendable {}
