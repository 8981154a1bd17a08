import Tidemark

/// A row of the result of a query.
///
/// Subscripts return the values of the selected expressions:
///
/// ```swift
/// for user in try db.prepare(users) {
///   print("id: \(user[id]), email: \(user[email]), name: \(user[name])")
/// }
/// ```
public struct Row: Sendable {
  let layout: ResultRowLayout
  let values: [DatabaseValue]

  /// Returns the value of a column.
  ///
  /// If the type is optional, the result is nil for NULL, and for a value of another type.
  ///
  /// ```swift
  /// let userName = try row.get(name)
  /// ```
  ///
  /// - Parameter column: The column, as it was selected.
  /// - Returns: The value.
  /// - Throws: A ``QueryError`` if the row does not have the column, if several columns match, or if the column is not
  ///   optional and its value has another type; the error of the type if it cannot decode the value.
  public func get<T: ExpressionDatatype>(_ column: SQLExpression<T>) throws -> T {
    let index = try layout.index(column.template, column.bindings)
    if let value = try T._from(stored: values[index]) { return value }
    throw QueryError.unexpectedNullValue(name: column.template)
  }

  /// The value of a column.
  ///
  /// ```swift
  /// for user in try db.prepare(users) { print(user[email]) }
  /// ```
  ///
  /// - Precondition: Exactly one column matches, and its value has the type of the expression. `get(_:)` throws
  ///   instead.
  /// - Parameter column: The column, as it was selected.
  public subscript<T: ExpressionDatatype>(column: SQLExpression<T>) -> T {
    do {
      return try get(column)
    } catch {
      fatalError("\(error) (\(T.self) in \(found(column)))")
    }
  }

  private func found<T>(_ column: SQLExpression<T>) -> String {
    do {
      return SQLText.literal(values[try layout.index(column.template, column.bindings)].binding)
    } catch {
      return "no such column"
    }
  }
}

extension Row: CustomStringConvertible {
  /// A description of the columns and their values: `[id:1 email:'alice@mac.com' name:NULL]`.
  public var description: String {
    let columns = zip(layout.names, values).map { "\($0):\(SQLText.literal($1.binding))" }
    return "[\(columns.joined(separator: " "))]"
  }
}

// MARK: - By name

extension Row {
  /// The names of the columns in SQLite.
  public var columnNames: [String] { layout.names }

  /// The values, from left to right, each of them an `Int64`, a `Double`, a `String` or a ``Blob``; nil for NULL.
  public var bindings: [(any Binding)?] { values.map(\.binding) }

  /// Returns the value of the column with a name.
  ///
  /// ```swift
  /// let email = try row.get("email") as? String
  /// ```
  ///
  /// - Parameter name: The name of the column.
  /// - Returns: An `Int64`, a `Double`, a `String` or a ``Blob``; nil for NULL.
  /// - Throws: A ``QueryError`` if the row does not have the column, or if several columns match.
  public func get(_ name: String) throws -> (any Binding)? {
    values[try layout.index(name.quote(), [])].binding
  }

  /// The value of the column with a name: an `Int64`, a `Double`, a `String` or a ``Blob``; nil for NULL.
  ///
  /// ```swift
  /// let email = row["email"] as? String
  /// ```
  ///
  /// - Precondition: Exactly one column matches. `get(_:)` throws instead.
  /// - Parameter name: The name of the column.
  public subscript(name: String) -> (any Binding)? {
    do {
      return try get(name)
    } catch {
      fatalError("\(error)")
    }
  }
}
