import Tidemark

/// The current row of a statement.
///
/// ```swift
/// let statement = try db.prepare("SELECT id, email FROM users")
/// while try statement.step() {
///   let id = statement.row[0] as Int64
///   let email = statement.row[1] as? String
/// }
/// ```
public struct Cursor: Sendable {
  let statement: Statement

  /// The value of a column: of type `Int64`, `Double`, `String`, `Blob`, nil for NULL.
  public subscript(idx: Int) -> (any Binding)? { stored(idx).binding }

  /// The value of a column.
  ///
  /// - precondition: The column has such a value: see `get(_:)`, which throws.
  public subscript<V: Value>(idx: Int) -> V {
    do {
      return try get(idx)
    } catch {
      fatalError("\(error)")
    }
  }

  /// The value of a column.
  ///
  /// - throws: A `QueryError` when it is NULL, or no such value.
  public func get<T: ExpressionDatatype>(_ idx: Int) throws -> T {
    if let value = try T._from(stored: stored(idx)) { return value }
    let names = statement.columnNames
    throw QueryError.unexpectedNullValue(name: names.indices.contains(idx) ? names[idx].quote() : "\(idx)")
  }

  private func stored(_ index: Int) -> DatabaseValue { statement.currentValue(at: index) }
}

extension Cursor: Sequence {
  /// The values, from left to right.
  public func makeIterator() -> AnyIterator<(any Binding)?> {
    var index = 0
    let count = statement.columnCount
    return AnyIterator {
      if index >= count { return nil }
      index += 1
      return .some(self[index - 1])
    }
  }
}
