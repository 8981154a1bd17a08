import CSQLite

/// The change of a row that is about to happen, as the pre-update hook tells it.
///
/// It is valid as long as the call lasts that it came with. The pointers belong to SQLite.
struct RowChangeSignal {
  let connection: SQLiteConnection
  let operation: CInt
  let database: UnsafePointer<CChar>
  let table: UnsafePointer<CChar>

  /// The row id before and after: the same twice for an insert or a delete, zero for rows that have none.
  let oldRowID: Int64
  let newRowID: Int64

  var isInsert: Bool { operation == SQLITE_INSERT }
  var isDelete: Bool { operation == SQLITE_DELETE }

  /// The number of columns that are stored. C: `sqlite3_preupdate_count`.
  var columnCount: CInt { sqlite3_preupdate_count(connection) }

  /// Zero for what a statement changes itself, more for triggers and foreign keys. C: `sqlite3_preupdate_depth`.
  var depth: CInt { sqlite3_preupdate_depth(connection) }

  /// The column that an incremental write of a blob changes; nil when there is no such write, or SQLite cannot tell.
  /// C: `sqlite3_preupdate_blobwrite`.
  var blobColumn: Int? {
    let column = tidemark_preupdate_blobwrite(connection)
    return column < 0 ? nil : Int(column)
  }

  /// The value before the change; nil when SQLite cannot give it. C: `sqlite3_preupdate_old`.
  func oldValue(_ index: CInt) -> DatabaseValue? {
    var value: OpaquePointer?
    guard sqlite3_preupdate_old(connection, index, &value) == SQLITE_OK, let value else { return nil }
    return DatabaseValue(sqliteValue: value)
  }

  /// The value after the change; nil when SQLite cannot give it. C: `sqlite3_preupdate_new`.
  func newValue(_ index: CInt) -> DatabaseValue? {
    var value: OpaquePointer?
    guard sqlite3_preupdate_new(connection, index, &value) == SQLITE_OK, let value else { return nil }
    return DatabaseValue(sqliteValue: value)
  }
}

/// Told of rows that are about to change.
protocol RowChangeListener: AnyObject {
  func rowWillChange(_ signal: RowChangeSignal)

  /// Told of rows that have changed, where SQLite has no pre-update hook. Of these, it does not tell all.
  func rowDidChange(
    _ operation: CInt, _ database: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>, _ rowID: Int64)
}

extension ConnectionHandle {
  /// Has the listener of the callbacks told of changes before they happen.
  ///
  /// It may be called from the hook itself. Statements that were compiled before may delete all rows of a table
  /// without telling: see `expireStatements`. C: `sqlite3_preupdate_hook`.
  ///
  /// - returns: Whether nobody else has the place of the hook, or had it.
  func setRowChangeHook(_ callbacks: ConnectionCallbacks, isOn: Bool) -> Bool {
    let isFree = sqlite3_preupdate_hook(pointer, isOn ? rowWillChange : nil, nil) == nil
    return isFree && (!isOn || RowChangeRegistry.add(callbacks, for: pointer))
  }

  /// Has the listener told of nothing for a moment. C: `sqlite3_preupdate_hook`.
  func pauseRowChangeHook() { sqlite3_preupdate_hook(pointer, nil, nil) }

  /// Has the listener told again. C: `sqlite3_preupdate_hook`.
  func resumeRowChangeHook() { sqlite3_preupdate_hook(pointer, rowWillChange, nil) }

  /// Has the listener of the callbacks told of the changes that SQLite tells of once they have happened. C:
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

  /// Has SQLite compile all statements again before their next run. C: `sqlite3_set_authorizer`.
  func expireStatements(_ callbacks: ConnectionCallbacks) throws { try installAuthorizer(callbacks) }

  /// C: `sqlite3_rollback_hook`.
  func installRollbackHook(_ callbacks: ConnectionCallbacks) {
    sqlite3_rollback_hook(
      pointer,
      { context in
        let callbacks = ConnectionCallbacks.borrowed(context)
        callbacks.hasRolledBack = true
        callbacks.hasTransactionEnded = true
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
