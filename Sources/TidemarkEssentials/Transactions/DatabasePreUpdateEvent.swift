/// A row that is about to be inserted, deleted or updated. See `TransactionObserver.databaseWillChange(with:)`.
///
/// It is valid as long as the call lasts that it came with. Copy it to keep it.
public struct DatabasePreUpdateEvent {
  /// What is about to happen to the row.
  public typealias Kind = DatabaseEvent.Kind

  /// What is about to happen to the row.
  public let kind: Kind

  /// The database of the table: `main`, `temp`, or the name of one that was attached.
  public let databaseName: String

  /// The table.
  public let tableName: String

  /// The row id before the change; nil for an insert. Zero in a table without row ids.
  public let initialRowID: Int64?

  /// The row id after the change; nil for a delete. Zero in a table without row ids.
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

  /// The number of columns that are stored: those that are computed when they are read do not count.
  public var count: Int {
    switch values {
    case .live(let signal): Int(signal.columnCount)
    case .copied(_, _, let count, _): count
    }
  }

  /// Zero for a row that a statement changes itself, more for what triggers and foreign keys change.
  public var depth: CInt {
    switch values {
    case .live(let signal): signal.depth
    case .copied(_, _, _, let depth): depth
    }
  }

  /// The values before the change, as they are stored; nil for an insert.
  public var initialDatabaseValues: [DatabaseValue]? {
    switch values {
    case .live: initialRowID.map { _ in (0..<count).map { initialDatabaseValue(atIndex: $0) ?? .null } }
    case .copied(let initial, _, _, _): initial
    }
  }

  /// A value before the change, as it is stored; nil for an insert, or when it cannot be read.
  public func initialDatabaseValue(atIndex index: Int) -> DatabaseValue? {
    precondition(index >= 0 && index < count, "There is no column \(index) among the \(count) that are stored")
    switch values {
    case .live(let signal): return initialRowID.flatMap { _ in signal.oldValue(CInt(index)) }
    case .copied(let initial, _, _, _): return initial?[index]
    }
  }

  /// The values after the change, as they will be stored; nil for a delete.
  public var finalDatabaseValues: [DatabaseValue]? {
    switch values {
    case .live: finalRowID.map { _ in (0..<count).map { finalDatabaseValue(atIndex: $0) ?? .null } }
    case .copied(_, let final, _, _): final
    }
  }

  /// A value after the change, as it will be stored; nil for a delete, or when it cannot be read.
  public func finalDatabaseValue(atIndex index: Int) -> DatabaseValue? {
    precondition(index >= 0 && index < count, "There is no column \(index) among the \(count) that are stored")
    switch values {
    case .live(let signal): return finalRowID.flatMap { _ in signal.newValue(CInt(index)) }
    case .copied(_, let final, _, _): return final?[index]
    }
  }

  /// The event, with its values, to be kept.
  public func copy() -> DatabasePreUpdateEvent { DatabasePreUpdateEvent(copying: self) }
}

@available(*, unavailable)
extension DatabasePreUpdateEvent: Sendable {}
