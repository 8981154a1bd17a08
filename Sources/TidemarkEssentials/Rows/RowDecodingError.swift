/// An error of decoding a row: the data does not have the expected type or shape.
///
/// The description names the value that could not be decoded, its column and row, and, while the row is being fetched,
/// the statement.
public struct RowDecodingError: Error, CustomStringConvertible {
  /// A message with the value and its location.
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
      context.append("arguments: \(statement.argumentState.current)")
    }
    description = "\(what) - \(context.joined(separator: ", "))"
  }
}

extension Row {
  /// Returns the error of a value that cannot be converted.
  @usableFromInline
  func unreadable(_ type: Any.Type, at index: Int) -> any Error {
    unreadable(type, baseIndex: baseIndex(index), index: index)
  }

  /// Returns the error of a column of the statement. An adapter may show it under another name, or hide it.
  @usableFromInline
  func unreadable(_ type: Any.Type, baseIndex: Int) -> any Error {
    guard let layout else { return unreadable(type, baseIndex: baseIndex, index: baseIndex) }
    guard let index = layout.mapping.firstIndex(of: baseIndex) else {
      return unadapted.unreadable(type, baseIndex: baseIndex, index: baseIndex)
    }
    return unreadable(type, baseIndex: baseIndex, index: index)
  }

  private func unreadable(_ type: Any.Type, baseIndex: Int, index: Int) -> any Error {
    // Invariant D7: an out of memory error of SQLite is not a decoding error.
    if let statement, let error = statement.outOfMemoryError() { return error }
    let names = columns.names
    let value =
      statement.map { DatabaseValue(describing: $0.sqliteStatement, index: CInt(baseIndex)) }
      ?? values[baseIndex]
    return RowDecodingError(
      "could not decode \(Self.name(of: type)) from database value \(value)",
      column: (index, index < names.count ? names[index] : nil), row: self)
  }

  // `fetchOne` decodes an optional, whose wrapped type may also be optional.
  private static func name(of type: Any.Type) -> String {
    var name = "\(type)"
    while name.hasPrefix("Optional<Optional<") { name = String(name.dropFirst("Optional<".count).dropLast()) }
    return name
  }
}
