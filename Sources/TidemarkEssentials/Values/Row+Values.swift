// The one way out of a row: everything that reads a value ends in `decode(_:uncheckedIndex:)`.

extension Row {
  @inlinable
  func decode<Value: DatabaseValueConvertible>(_ type: Value.Type, uncheckedIndex index: Int) throws -> Value {
    if let directStatement {
      guard let value = Value._fromColumn(directStatement, CInt(index)) else { throw unreadable(type, at: index) }
      return value
    }
    return try decodeIndirectly(type, index)
  }

  /// The value of a copy, of a row seen through an adapter, or of a row whose values are minded.
  @inlinable
  func decodeIndirectly<Value: DatabaseValueConvertible>(_ type: Value.Type, _ index: Int) throws -> Value {
    let baseIndex = baseIndex(index)
    if let checking { return try decode(type, index, baseIndex, checking) }
    let value =
      if let statement {
        Value._fromColumn(statement.sqliteStatement, CInt(baseIndex))
      } else {
        Value.fromDatabaseValue(values[baseIndex])
      }
    guard let value else { throw unreadable(type, at: index) }
    return value
  }

  /// The leftmost value. It exists, unless an adapter shows no column.
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
  /// The value at an index; the leftmost column is 0.
  ///
  /// - throws: A `RowDecodingError` when there is no such column, or when the value is not of that type.
  @inlinable
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, atIndex index: Int
  ) throws -> Value {
    guard index >= 0, index < count else { throw index._missing(in: self) }
    return try decode(type, uncheckedIndex: index)
  }

  /// The value of the leftmost column of that name. Case does not count.
  ///
  /// - throws: A `RowDecodingError` when there is no such column and the type is not optional, or when the
  ///   value is not of that type.
  @inlinable
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, forColumn columnName: String
  ) throws -> Value {
    try decode(type, key: columnName)
  }

  /// The value of a column.
  ///
  /// - throws: A `RowDecodingError` when there is no such column and the type is not optional, or when the
  ///   value is not of that type.
  @inlinable
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
  ) throws -> Value {
    try decode(type, key: column.name)
  }
}

// MARK: - Subscripts

extension Row {
  /// The value at an index; the leftmost column is 0.
  ///
  /// - precondition: There is such a column, and its value is of that type. Optional types accept NULL.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
    preconditionIndex(index)
    return decodeOrTrap(Value.self, key: index)
  }

  /// The value of the leftmost column of that name. Case does not count.
  ///
  /// - precondition: There is such a column, and its value is of that type. Optional types accept NULL and
  ///   a missing column.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
    decodeOrTrap(Value.self, key: columnName)
  }

  /// The value of a column.
  ///
  /// - precondition: There is such a column, and its value is of that type. Optional types accept NULL and
  ///   a missing column.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ column: some ColumnExpression) -> Value {
    decodeOrTrap(Value.self, key: column.name)
  }

  /// The value at an index, as it is stored: `Int64`, `Double`, `String`, `Data`, or nil for NULL.
  ///
  /// - precondition: There is such a column.
  public subscript(_ index: Int) -> (any DatabaseValueConvertible)? {
    preconditionIndex(index)
    return databaseValue(at: index).storage.value
  }

  /// The value of the leftmost column of that name, as it is stored: `Int64`, `Double`, `String`, `Data`, or
  /// nil for NULL and for a missing column.
  public subscript(_ columnName: String) -> (any DatabaseValueConvertible)? {
    columnName._index(in: self).flatMap { databaseValue(at: $0).storage.value }
  }

  /// The value of a column, as it is stored: `Int64`, `Double`, `String`, `Data`, or nil for NULL and for a
  /// missing column.
  public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
    self[column.name]
  }
}
