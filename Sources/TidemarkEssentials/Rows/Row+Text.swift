extension Row: CustomStringConvertible {
  /// The columns and their values: `[id:1 title:"Dune"]`.
  public var description: String {
    let columns = columnNames.enumerated().map { "\($0.element):\(describedValue(at: $0.offset))" }
    return "[\(columns.joined(separator: " "))]"
  }
}

extension Row: CustomDebugStringConvertible {
  /// The row, with its unadapted columns, its scopes and its prefetched rows.
  ///
  /// ```
  /// ▿ [id:1 title:"Dune"]
  ///   unadapted: [id:1 title:"Dune" id:7 name:"Frank"]
  ///   - author: [id:7 name:"Frank"]
  /// ```
  public var debugDescription: String {
    var lines: [String] = []
    let unadapted = unadapted.description
    if layout != nil, unadapted != description { lines.append("  unadapted: \(unadapted)") }
    appendScopes(to: &lines, indentation: "  ")
    return lines.isEmpty ? description : (["▿ \(description)"] + lines).joined(separator: "\n")
  }

  /// Returns the value of a column, as far as it can be read: errors contain descriptions of rows.
  private func describedValue(at index: Int) -> DatabaseValue {
    guard let statement else { return databaseValue(at: index) }
    return DatabaseValue(describing: statement.sqliteStatement, index: CInt(baseIndex(index)))
  }

  private func appendScopes(to lines: inout [String], indentation: String) {
    for name in scopes.names.sorted() {
      guard let row = scopes[name] else { continue }
      lines.append("\(indentation)- \(name): \(row)")
      row.appendScopes(to: &lines, indentation: indentation + "  ")
    }
    for key in prefetched.keys.sorted() {
      let count = prefetched[key].map(\.count) ?? 0
      lines.append("\(indentation)+ \(key): \(count) \(count > 1 ? "rows" : "row")")
    }
  }
}
