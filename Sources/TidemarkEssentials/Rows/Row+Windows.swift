// Decoding the rows inside a window: its scopes and its prefetched rows.
//
// A window shows many rows, and each of them has the same scopes, and prefetched rows with the same columns. Records in
// them are decoded from windows, too: each window is created once, and keeps its decoder (benchmark `associations`).
// The windows on scopes are kept with their window for the next run of its statement.

/// The windows inside a window.
final class NestedWindows {
  /// The scopes that were asked for. The row is nil if there is none of this name.
  fileprivate var scopes: [(name: String, row: Row?)] = []

  fileprivate var lists: [(key: String, window: Row, rows: StoredRows)] = []

  /// The number of names without a scope that are remembered. They may come from the values of a program.
  private static let missingNameCountMax = 16

  fileprivate func add(_ scope: Row?, _ name: String) {
    if scope == nil, scopes.count(where: { $0.row == nil }) >= Self.missingNameCountMax { return }
    scopes.append((name, scope))
  }

  func releaseDecoders() {
    for (_, row) in scopes { row?.releaseDecoders() }
    for (_, window, _) in lists { window.forgetDecoder() }
  }

  /// Closes the windows, and removes those that are referenced elsewhere: they cannot be reused.
  func close() {
    lists = []
    for index in scopes.indices.reversed() where scopes[index].row != nil {
      if !isKnownUniquelyReferenced(&scopes[index].row) || scopes[index].row?.close() == false {
        scopes.remove(at: index)
      }
    }
  }

  /// Reopens the windows on the statement that they had before.
  func reopen(on statement: Statement) {
    for (_, row) in scopes { row?.reopenScope(on: statement) }
  }
}

extension Row {
  /// Returns the nearest scope with a name, for decoding.
  ///
  /// If this row is a window, the scope is one as well.
  func scopeForDecoding(_ name: String) -> Row? {
    guard let layout, !layout.scopes.isEmpty else { return nil }
    if let known = nestedWindows?.scopes.first(where: { $0.name == name }) {
      known.row?.follow(self)
      return known.row
    }
    let scope = scopesTree[name]
    if reusesDecoder {
      scope?.becomeWindow()
      storeNestedWindows().add(scope, name)
    }
    return scope
  }

  /// Reopens the window of a scope, and those inside it.
  fileprivate func reopenScope(on statement: Statement) {
    if reopen(on: statement) { reusesDecoder = true }
  }

  /// Calls a closure with each row of a list of prefetched rows, for decoding. The rows are valid during the call.
  func forEachForDecoding(_ list: RowList, forKey key: String, _ body: (Row) throws -> Void) rethrows {
    let window = windowForDecoding(list, forKey: key)
    defer { if !reusesDecoder { window.forgetDecoder() } }
    for index in list.indexes {
      window.move(to: index)
      try body(window)
    }
  }

  /// Returns a window on prefetched rows.
  ///
  /// If this row is a window, it keeps the returned one. Otherwise, the caller calls `forgetDecoder` at the end.
  func windowForDecoding(_ list: RowList, forKey key: String) -> Row {
    if let known = nestedWindows?.lists.first(where: { $0.key == key && $0.rows === list.rows }) { return known.window }
    let window = list.rows.makeWindow()
    if reusesDecoder { storeNestedWindows().lists.append((key, window, list.rows)) }
    return window
  }
}
