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

  /// The value of a column, which SQLite converts where it is of another type: 30 is the text `30`, a text is its
  /// bytes.
  ///
  /// - precondition: The column is not NULL, and has such a value: see `get(_:)`, which throws.
  public subscript<V: Value>(idx: Int) -> V {
    do {
      return try get(idx)
    } catch {
      fatalError("\(error)")
    }
  }

  /// The value of a column, which SQLite converts where it is of another type: 30 is the text `30`, a text is its
  /// bytes.
  ///
  /// - throws: A `QueryError` when it is NULL, or no such value.
  public func get<T: ExpressionDatatype>(_ idx: Int) throws -> T {
    var stored = stored(idx)
    if !stored.isNull, try T.WrappedType._from(stored: stored) == nil {
      stored = statement.currentValue(at: idx, as: T.WrappedType.Datatype.self)
    }
    if let value = try T._from(stored: stored) { return value }
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
