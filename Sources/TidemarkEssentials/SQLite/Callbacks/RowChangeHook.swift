import CSQLite

/// A row change that is about to happen, as the pre-update hook reports it.
///
/// It is valid during the call that passes it. The pointers belong to SQLite.
struct RowChangeSignal {
  let connection: SQLiteConnection
  let operation: CInt
  let database: UnsafePointer<CChar>
  let table: UnsafePointer<CChar>

  /// The row ID before and after the change: the same for an insertion or a deletion, zero for rows without one.
  let oldRowID: Int64
  let newRowID: Int64

  var isInsert: Bool { operation == SQLITE_INSERT }
  var isDelete: Bool { operation == SQLITE_DELETE }

  /// The number of stored columns. C: `sqlite3_preupdate_count`.
  var columnCount: CInt { sqlite3_preupdate_count(connection) }

  /// Zero for direct changes by a statement, more for triggers and foreign keys. C: `sqlite3_preupdate_depth`.
  var depth: CInt { sqlite3_preupdate_depth(connection) }

  /// The column that an incremental blob write changes; nil for other changes, or if SQLite does not report it.
  /// C: `sqlite3_preupdate_blobwrite`.
  var blobColumn: Int? {
    let column = tidemark_preupdate_blobwrite(connection)
    return column < 0 ? nil : Int(column)
  }

  /// The value before the change; nil if SQLite cannot return it. C: `sqlite3_preupdate_old`.
  func oldValue(_ index: CInt) -> CapturedValue? { oldPointer(index).flatMap(CapturedValue.init) }

  /// The value after the change; nil if SQLite cannot return it. C: `sqlite3_preupdate_new`.
  func newValue(_ index: CInt) -> CapturedValue? { newPointer(index).flatMap(CapturedValue.init) }

  /// The value after an update; nil if SQLite cannot return it. An unchanged text is not copied: most updates change
  /// few columns.
  func newValue(_ index: CInt, after old: CapturedValue) -> (value: CapturedValue, isSameText: Bool)? {
    guard let value = newPointer(index) else { return nil }
    if case .string(let text) = old.value.storage, !old.isRepaired, sqlite3_value_type(value) == SQLITE_TEXT {
      guard let bytes = sqlite3_value_text(value) else { return nil }
      if text.hasBytes(UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value)))) { return (old, true) }
    }
    return CapturedValue(value).map { ($0, false) }
  }

  /// Whether an update leaves the bytes of a text as they were. `DatabaseValue` repairs texts that are not UTF-8, so
  /// that different texts may have the same value.
  func hasSameText(oldIndex: CInt, newIndex: CInt) -> Bool {
    guard let old = oldPointer(oldIndex), let new = newPointer(newIndex),
      sqlite3_value_type(old) == SQLITE_TEXT, sqlite3_value_type(new) == SQLITE_TEXT,
      let oldBytes = sqlite3_value_text(old), let newBytes = sqlite3_value_text(new)
    else { return false }
    func bytes(_ start: UnsafePointer<UInt8>, _ value: OpaquePointer) -> UnsafeBufferPointer<UInt8> {
      UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }
    return bytes(oldBytes, old).elementsEqual(bytes(newBytes, new))
  }

  private func oldPointer(_ index: CInt) -> OpaquePointer? {
    var value: OpaquePointer?
    return sqlite3_preupdate_old(connection, index, &value) == SQLITE_OK ? value : nil
  }

  private func newPointer(_ index: CInt) -> OpaquePointer? {
    var value: OpaquePointer?
    return sqlite3_preupdate_new(connection, index, &value) == SQLITE_OK ? value : nil
  }
}

/// A value of a changed row.
struct CapturedValue {
  var value: DatabaseValue

  /// Whether it is a text that is not UTF-8: the value is a repaired text.
  var isRepaired = false

  /// Nil if SQLite has no memory for it. C: `sqlite3_value_type` and its siblings.
  fileprivate init?(_ pointer: OpaquePointer) {
    if sqlite3_value_type(pointer) == SQLITE_TEXT {
      guard let bytes = sqlite3_value_text(pointer) else { return nil }
      self.init(text: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(pointer))))
    } else {
      guard let value = DatabaseValue(sqliteValue: pointer) else { return nil }
      self.init(value)
    }
  }

  /// The value of a column in the current row; nil if SQLite has no memory for it. C: `sqlite3_column_text` and its
  /// siblings.
  init?(_ statement: SQLiteStatement, _ column: CInt) {
    if sqlite3_column_type(statement, column) == SQLITE_TEXT {
      guard let bytes = sqlite3_column_text(statement, column) else { return nil }
      self.init(text: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
    } else {
      guard let value = DatabaseValue.readWithoutRefusal(statement, column) else { return nil }
      self.init(value)
    }
  }

  private init(text bytes: UnsafeBufferPointer<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self) {
      value = DatabaseValue(.string(text))
    } else {
      (value, isRepaired) = (DatabaseValue(.string(String(decoding: bytes, as: UTF8.self))), true)
    }
  }

  init(_ value: DatabaseValue) { self.value = value }
}

/// Receives row changes before they happen.
protocol RowChangeListener: AnyObject {
  func rowWillChange(_ signal: RowChangeSignal)

  /// Called after row changes, if SQLite has no pre-update hook. SQLite does not report all changes in this way.
  func rowDidChange(
    _ operation: CInt, _ database: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>, _ rowID: Int64)
}

extension ConnectionHandle {
  /// Enables or disables the reports of row changes before they happen.
  ///
  /// It can be called by the hook itself. Statements that were compiled before may delete all rows of a table
  /// without reports: see `expireStatements`. C: `sqlite3_preupdate_hook`.
  ///
  /// - Returns: Whether the hook was free, or ours.
  func setRowChangeHook(_ callbacks: ConnectionCallbacks, isOn: Bool) -> Bool {
    let isFree = sqlite3_preupdate_hook(pointer, isOn ? rowWillChange : nil, nil) == nil
    return isFree && (!isOn || RowChangeRegistry.add(callbacks, for: pointer))
  }

  /// Disables the reports for a moment. C: `sqlite3_preupdate_hook`.
  func pauseRowChangeHook() { sqlite3_preupdate_hook(pointer, nil, nil) }

  /// Enables the reports again. C: `sqlite3_preupdate_hook`.
  func resumeRowChangeHook() { sqlite3_preupdate_hook(pointer, rowWillChange, nil) }

  /// Enables or disables the reports of row changes after they have happened. C:
  /// `sqlite3_update_hook`.
  func setUpdateHook(_ callbacks: ConnectionCallbacks, isOn: Bool) {
    guard isOn else {
      sqlite3_update_hook(pointer, nil, nil)
      return
    }
    sqlite3_update_hook(
      pointer,
      { context, operation, database, table, rowID in
        guard let database, let table else { return }
        ConnectionCallbacks.borrowed(context).rowChanges?.rowDidChange(operation, database, table, rowID)
      }, callbacks.context)
  }

  /// Makes SQLite compile all statements again before their next execution. C: `sqlite3_set_authorizer`.
  func expireStatements(_ callbacks: ConnectionCallbacks) throws { try installAuthorizer(callbacks) }

  /// C: `sqlite3_rollback_hook`.
  func installRollbackHook(_ callbacks: ConnectionCallbacks) {
    sqlite3_rollback_hook(
      pointer,
      { context in
        let callbacks = ConnectionCallbacks.borrowed(context)
        callbacks.transactionHooks?.transactionDidRollBack()
        callbacks.ownCommits.didNotCommit()
      }, callbacks.context)
  }

  /// Whether a transaction has written. C: `sqlite3_txn_state`.
  var isWriting: Bool { sqlite3_txn_state(pointer, nil) == SQLITE_TXN_WRITE }
}

private func rowWillChange(
  context: UnsafeMutableRawPointer?, connection: OpaquePointer?, operation: CInt, database: UnsafePointer<CChar>?,
  table: UnsafePointer<CChar>?, oldRowID: Int64, newRowID: Int64
) {
  guard let connection, let database, let table else { return }
  RowChangeRegistry.callbacks(of: connection)?.rowChanges?.rowWillChange(
    RowChangeSignal(
      connection: connection, operation: operation, database: database, table: table, oldRowID: oldRowID,
      newRowID: newRowID))
}
