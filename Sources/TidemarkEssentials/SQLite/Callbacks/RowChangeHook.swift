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
  @inline(__always)
  func oldValue(_ index: CInt) -> BorrowedValue? {
    var value: OpaquePointer?
    guard sqlite3_preupdate_old(connection, index, &value) == SQLITE_OK, let value else { return nil }
    return BorrowedValue(ColumnValue(value)) { $0.capturedText }
  }

  /// The value after the change; nil if SQLite cannot return it. C: `sqlite3_preupdate_new`.
  @inline(__always)
  func newValue(_ index: CInt) -> BorrowedValue? {
    var value: OpaquePointer?
    guard sqlite3_preupdate_new(connection, index, &value) == SQLITE_OK, let value else { return nil }
    return BorrowedValue(ColumnValue(value)) { $0.capturedText }
  }
}

extension ColumnValue {
  /// The bytes of a text of a row that changes; nil if SQLite has no memory for them.
  ///
  /// A text in UTF-8 is read like a blob. To return it as a text, SQLite would copy it to memory that ends with a zero:
  /// a tenth of the instructions for a captured row (Benchmarks: `feed large`).
  @inline(__always)
  fileprivate var capturedText: UnsafeRawBufferPointer? {
    guard tidemark_value_is_utf8(pointer) != 0 else { return text.map { UnsafeRawBufferPointer($0) } }
    let bytes = blob
    return bytes.baseAddress == nil && byteCount > 0 ? nil : bytes
  }
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
