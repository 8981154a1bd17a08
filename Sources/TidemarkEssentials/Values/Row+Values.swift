// All value accessors of rows call `decode(_:uncheckedIndex:)`.

extension Row {
  @inlinable
  func decode<Value: DatabaseValueConvertible>(_ type: Value.Type, uncheckedIndex index: Int) throws -> Value {
    if let directStatement {
      guard let value = Value._fromColumn(directStatement, CInt(index)) else { throw unreadable(type, at: index) }
      return value
    }
    return try decodeIndirectly(type, index)
  }

  /// Decodes a value of a copied row, of an adapted row, or of a row whose values are checked.
  @inlinable
  func decodeIndirectly<Value: DatabaseValueConvertible>(_ type: Value.Type, _ index: Int) throws -> Value {
    let baseIndex = baseIndex(index)
    if let checking { return try decode(type, index, baseIndex, checking) }
    let value =
      if let statement {
        Value._fromColumn(statement.sqliteStatement, CInt(baseIndex))
      } else {
        Value.fromDatabaseValue(values[window.valuesStart &+ baseIndex])
      }
    guard let value else { throw unreadable(type, at: index) }
    return value
  }

  /// Decodes the leftmost value. It exists, unless an adapter has removed all columns.
  @inlinable
  func decodeFirst<Value: DatabaseValueConvertible>(_ type: Value.Type) throws -> Value {
    if directStatement == nil, count == 0 { throw 0._missing(in: self) }
    return try decode(type, uncheckedIndex: 0)
  }

  @inlinable
  func decode<Value: DatabaseValueConvertible>(_ type: Value.Type, key: some RowKey) throws -> Value {
    if let index = key._index(in: self) { return try decode(type, uncheckedIndex: index) }
    guard let value = Value.fromMissingColumn() else { throw key._missing(in: self) }
    return value
  }

  @inlinable
  func decodeOrTrap<Value: DatabaseValueConvertible>(_ type: Value.Type, key: some RowKey) -> Value {
    do {
      return try decode(type, key: key)
    } catch {
      return deferring(error, of: type, key: key)
    }
  }

  @usableFromInline
  static func trap(_ error: any Error) -> Never { fatalError("\(error)") }
}

// MARK: - Throwing access

extension Row {
  /// Decodes the value at an index, where the leftmost column has index 0.
  ///
  /// - Throws: A `RowDecodingError` if the index is out of range, or if the value cannot be converted.
  @inlinable
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, atIndex index: Int
  ) throws -> Value {
    guard index >= 0, index < count else { throw index._missing(in: self) }
    return try decode(type, uncheckedIndex: index)
  }

  /// Decodes the value of the leftmost column with a name. Column names are case-insensitive.
  ///
  /// - Throws: A `RowDecodingError` if the column is missing and the type is not optional, or if the value cannot be
  ///   converted.
  @inlinable
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, forColumn columnName: String
  ) throws -> Value {
    try decode(type, key: columnName)
  }

  /// Decodes the value of a column.
  ///
  /// - Throws: A `RowDecodingError` if the column is missing and the type is not optional, or if the value cannot be
  ///   converted.
  @inlinable
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
  ) throws -> Value {
    try decode(type, key: column.name)
  }
}

// MARK: - Subscripts

extension Row {
  /// The value at an index, where the leftmost column has index 0.
  ///
  /// - Precondition: The column exists, and its value can be converted to the type. Optional types accept NULL.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
    preconditionIndex(index)
    return decodeOrTrap(Value.self, key: index)
  }

  /// The value of the leftmost column with a name. Column names are case-insensitive.
  ///
  /// ```swift
  /// let title: String = row["title"]
  /// let subtitle: String? = row["subtitle"]
  /// ```
  ///
  /// - Precondition: The column exists, and its value can be converted to the type. Optional types accept NULL and a
  ///   missing column.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
    decodeOrTrap(Value.self, key: columnName)
  }

  /// The value of a column.
  ///
  /// - Precondition: The column exists, and its value can be converted to the type. Optional types accept NULL and a
  ///   missing column.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ column: some ColumnExpression) -> Value {
    decodeOrTrap(Value.self, key: column.name)
  }

  /// The stored value at an index: `Int64`, `Double`, `String`, `Data`, or nil for NULL.
  ///
  /// - Precondition: The column exists.
  public subscript(_ index: Int) -> (any DatabaseValueConvertible)? {
    preconditionIndex(index)
    return databaseValue(at: index).storage.value
  }

  /// The stored value of the leftmost column with a name: `Int64`, `Double`, `String`, `Data`, or nil for NULL and for
  /// a missing column.
  public subscript(_ columnName: String) -> (any DatabaseValueConvertible)? {
    columnName._index(in: self).flatMap { databaseValue(at: $0).storage.value }
  }

  /// The stored value of a column: `Int64`, `Double`, `String`, `Data`, or nil for NULL and for a missing column.
  public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
    self[column.name]
  }
}
