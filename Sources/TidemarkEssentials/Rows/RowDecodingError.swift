/// A row could not become what was asked of it: the data is not what the code expects.
///
/// The description says which value could not be decoded, in which column of which row, and, while the
/// row is being fetched, from which statement.
public struct RowDecodingError: Error, CustomStringConvertible {
  /// What could not be decoded, and where.
  public let description: String

  init(_ what: String, column: (index: Int, name: String?)? = nil, row: Row) {
    var context: [String] = []
    if let column {
      if let name = column.name { context.append("column: \(String(reflecting: name))") }
      context.append("column index: \(column.index)")
    }
    context.append("row: \(row)")
    if let statement = row.statement {
      context.append("sql: `\(statement.sql)`")
      context.append("arguments: \(statement.currentArguments)")
    }
    description = "\(what) - \(context.joined(separator: ", "))"
  }
}

extension Row {
  /// The error of a value that is not what was asked for.
  @usableFromInline
  func unreadable(_ type: Any.Type, at index: Int) -> any Error {
    unreadable(type, baseIndex: baseIndex(index), index: index)
  }

  /// The error of a column of the statement, which an adapter may show as another one, or not at all.
  @usableFromInline
  func unreadable(_ type: Any.Type, baseIndex: Int) -> any Error {
    guard let layout else { return unreadable(type, baseIndex: baseIndex, index: baseIndex) }
    guard let index = layout.mapping.firstIndex(of: baseIndex) else {
      return unadapted.unreadable(type, baseIndex: baseIndex, index: baseIndex)
    }
    return unreadable(type, baseIndex: baseIndex, index: index)
  }

  private func unreadable(_ type: Any.Type, baseIndex: Int, index: Int) -> any Error {
    // Invariant D7: SQLite that lacks memory is not data of another type.
    if let statement, let error = statement.outOfMemoryError() { return error }
    let names = columns.names
    let value =
      statement.map { DatabaseValue(describing: $0.sqliteStatement, index: CInt(baseIndex)) }
      ?? values[baseIndex]
    return RowDecodingError(
      "could not decode \(Self.name(of: type)) from database value \(value)",
      column: (index, index < names.count ? names[index] : nil), row: self)
  }

  // `fetchOne` asks for an optional of what it fetches, which may be one already.
  private static func name(of type: Any.Type) -> String {
    var name = "\(type)"
    while name.hasPrefix("Optional<Optional<") { name = String(name.dropFirst("Optional<".count).dropLast()) }
    return name
  }
}
