import CSQLite

/// How the pre-update hook of the linked libsqlite3 numbers columns.
///
/// A virtual generated column is not stored. SQLite does not document whether the hook counts it, and the behaviour
/// differs between kinds of tables, operations and versions. So it is determined once, by changing rows with known
/// values in a table of each kind.
struct PreupdateIndexing: Sendable {
  enum ColumnOrder: Sendable {
    /// All columns are counted.
    case table

    /// Columns that are not stored are not counted.
    case storage

    /// Neither of these: values of tables with such columns cannot be read.
    case unknown
  }

  /// How old values and new values are numbered.
  var old = ColumnOrder.unknown
  var newOfInsert = ColumnOrder.unknown
  var newOfUpdate = ColumnOrder.unknown

  /// The numbering for tables with row IDs.
  static let rowIDTables = probe("")

  /// The numbering for tables without row IDs.
  static let otherTables = probe("WITHOUT ROWID")

  private static func probe(_ options: String) -> PreupdateIndexing {
    guard SQLiteLibrary.hasPreupdateHook else { return PreupdateIndexing() }
    let prober = Prober()
    let callbacks = ConnectionCallbacks()
    callbacks.rowChanges = prober
    do {
      let handle = try ConnectionHandle.open(":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
      defer { handle.closeEventually() }
      _ = handle.setRowChangeHook(callbacks, isOn: true)
      // The first column is generated. In storage order, the index of `a` is 0; in table order, it is 1.
      try handle.execute(
        """
        CREATE TABLE t (v AS (a || b), a TEXT PRIMARY KEY, b TEXT) \(options);
        INSERT INTO t (a, b) VALUES ('a', 'b');
        UPDATE t SET a = 'c', b = 'd';
        """)
    } catch {
      ErrorLog.write(.SQLITE_ERROR, "Could not determine the column numbering of the pre-update hook: \(error)")
    }
    return prober.found
  }

  private final class Prober: RowChangeListener {
    var found = PreupdateIndexing()

    func rowWillChange(_ signal: RowChangeSignal) {
      if signal.isInsert {
        found.newOfInsert = order("a", "b") { signal.newValue($0) }
      } else {
        found.old = order("a", "b") { signal.oldValue($0) }
        found.newOfUpdate = order("c", "d") { signal.newValue($0) }
      }
    }

    func rowDidChange(_: CInt, _: UnsafePointer<CChar>, _: UnsafePointer<CChar>, _: Int64) {}

    private func order(_ first: String, _ second: String, _ value: (CInt) -> BorrowedValue?) -> ColumnOrder {
      func isText(_ text: String, _ index: CInt) -> Bool {
        value(index).map { DatabaseValue(copying: $0) } == DatabaseValue(.string(text))
      }
      if isText(first, 0), isText(second, 1) { return .storage }
      if isText(first, 1), isText(second, 2) { return .table }
      return .unknown
    }
  }
}
