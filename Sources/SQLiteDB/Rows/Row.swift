import Tidemark

/// A row that a query has found, with its values.
///
/// Its columns are asked for with the expressions that were selected:
///
/// ```swift
/// for user in try db.prepare(users) {
///   print("id: \(user[id]), email: \(user[email]), name: \(user[name])")
/// }
/// ```
public struct Row: Sendable {
  let layout: ResultRowLayout
  let values: [DatabaseValue]

  /// The value of a column.
  ///
  /// An optional column is nil where it is NULL, and where it has something that is no such value.
  ///
  /// - throws: A `QueryError` when there is no such column, when there are several, or when the column is not optional
  ///   and has no such value; the error of the type when it cannot make a value of what it was given.
  public func get<T: ExpressionDatatype>(_ column: SQLExpression<T>) throws -> T {
    let index = try layout.index(column.template, column.bindings)
    if let value = try T._from(stored: values[index]) { return value }
    throw QueryError.unexpectedNullValue(name: column.template)
  }

  /// The value of a column.
  ///
  /// - precondition: There is one such column, and it has such a value: see `get(_:)`, which throws.
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
      return "no such place"
    }
  }
}

extension Row: CustomStringConvertible {
  /// The columns and their values: `[id:1 email:'alice@mac.com' name:NULL]`.
  public var description: String {
    let columns = zip(layout.names, values).map { "\($0):\(SQLText.literal($1.binding))" }
    return "[\(columns.joined(separator: " "))]"
  }
}

// MARK: - By name

extension Row {
  /// The names of the columns, as SQLite has them.
  public var columnNames: [String] { layout.names }

  /// The values, from left to right: of type `Int64`, `Double`, `String`, `Blob`, nil for NULL.
  public var bindings: [(any Binding)?] { values.map(\.binding) }

  /// The value of the column of a name, whatever its type.
  ///
  /// ```swift
  /// let email = try row.get("email") as? String
  /// ```
  ///
  /// - throws: A `QueryError` when there is no such column, or when there are several.
  public func get(_ name: String) throws -> (any Binding)? {
    values[try layout.index(name.quote(), [])].binding
  }

  /// The value of the column of a name, whatever its type.
  ///
  /// - precondition: There is one such column: see `get(_:)`, which throws.
  public subscript(name: String) -> (any Binding)? {
    do {
      return try get(name)
    } catch {
      fatalError("\(error)")
    }
  }
}
