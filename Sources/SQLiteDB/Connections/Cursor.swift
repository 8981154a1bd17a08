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

  /// The value of a column, as an `Int64`, a `Double`, a `String` or a ``Blob``; nil for NULL.
  ///
  /// ```swift
  /// let email = statement.row[1] as? String
  /// ```
  ///
  /// - Parameter idx: The index of the column, counted from 0.
  public subscript(idx: Int) -> (any Binding)? { stored(idx).binding }

  /// The value of a column, converted by SQLite if it has another type.
  ///
  /// For example, the integer 30 is converted to the string `30`, and a string to its bytes.
  ///
  /// ```swift
  /// let id = statement.row[0] as Int64
  /// ```
  ///
  /// - Precondition: The column is not NULL, and its value has this type. ``get(_:)`` throws instead.
  /// - Parameter idx: The index of the column, counted from 0.
  public subscript<V: Value>(idx: Int) -> V {
    do {
      return try get(idx)
    } catch {
      fatalError("\(error)")
    }
  }

  /// Returns the value of a column, converted by SQLite if it has another type.
  ///
  /// For example, the integer 30 is converted to the string `30`, and a string to its bytes.
  ///
  /// ```swift
  /// let name: String? = try statement.row.get(2)
  /// ```
  ///
  /// - Parameter idx: The index of the column, counted from 0.
  /// - Returns: The value.
  /// - Throws: A ``QueryError`` if the column is NULL, or if its value does not have this type.
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
  /// Returns an iterator over the values, from left to right.
  ///
  /// ```swift
  /// for value in statement.row { print(value ?? "NULL") }
  /// ```
  ///
  /// - Returns: An iterator over the values of the current row.
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
