import FoundationEssentials

// Rows of connections that check values more strictly than SQLite.

extension Row {
  /// Decodes a value of a row whose values are checked.
  @usableFromInline
  func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type, _ index: Int, _ baseIndex: Int, _ checking: RowChecking
  ) throws -> Value {
    guard let value = value(type, baseIndex, checking) else { throw unreadable(type, at: index) }
    return value
  }

  private func value<Value: DatabaseValueConvertible>(
    _ type: Value.Type, _ baseIndex: Int, _ checking: RowChecking
  ) -> Value? {
    guard let pointer = statement?.sqliteStatement else {
      let stored = values[window.valuesStart + baseIndex]
      return checking.isStrict ? Value._fromDatabaseValueStrictly(stored) : Value.fromDatabaseValue(stored)
    }
    guard checking.isStrict else { return Value._fromColumn(pointer, CInt(baseIndex)) }
    if let stored = DatabaseValue.read(pointer, CInt(baseIndex)) { return Value._fromDatabaseValueStrictly(stored) }
    // The bytes of rejected text can be read.
    return Data?._fromColumn(pointer, CInt(baseIndex)) as? Value
  }

  /// Returns the value for a subscript, which cannot throw. If the error is thrown later, it is SQLite's conversion of
  /// the column.
  @usableFromInline
  func deferring<Value: DatabaseValueConvertible>(
    _ error: any Error, of type: Value.Type, key: some RowKey
  ) -> Value {
    guard let checking, let pointer = statement?.sqliteStatement, error is RowDecodingError,
      let index = key._index(in: self)
    else { Self.trap(error) }
    // Reading the stored value, without conversion, never fails.
    if let stored = databaseValue(at: index) as? Value { return stored }
    let column = CInt(baseIndex(index))
    let converted =
      Value._fromColumn(pointer, column)
      ?? Value.fromDatabaseValue(DatabaseValue(describing: pointer, index: column))
    guard let converted else { Self.trap(error) }
    checking.deferError(error)
    return converted
  }
}
