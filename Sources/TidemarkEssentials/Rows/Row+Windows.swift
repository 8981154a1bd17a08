// Decoding the rows inside a window: its scopes and its prefetched rows.
//
// A window shows many rows, and each of them has the same scopes, and prefetched rows with the same columns. Records in
// them are decoded from windows, too: each window is created once, and keeps its decoder (benchmark `associations`).

/// The windows inside a window.
final class NestedWindows {
  fileprivate var scopes: [(name: String, row: Row)] = []
  fileprivate var lists: [(key: String, window: Row, rows: StoredRows)] = []

  func forgetDecoders() {
    for (_, row) in scopes { row.forgetDecoder() }
    for (_, window, _) in lists { window.forgetDecoder() }
  }
}

extension Row {
  /// Returns the nearest scope with a name, for decoding.
  ///
  /// If this row is a window, the scope is one as well.
  func scopeForDecoding(_ name: String) -> Row? {
    guard let layout, !layout.scopes.isEmpty else { return nil }
    if let known = nestedWindows?.scopes.first(where: { $0.name == name })?.row {
      known.follow(self)
      return known
    }
    guard let scope = scopesTree[name] else { return nil }
    if reusesDecoder {
      scope.becomeWindow()
      storeNestedWindows().scopes.append((name, scope))
    }
    return scope
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
