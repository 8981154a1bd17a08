import FoundationEssentials

// Rows of connections that want more than SQLite's conversions.

extension Row {
  /// The value of a row whose values are minded.
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
      let stored = values[baseIndex]
      return checking.isStrict ? Value._fromDatabaseValueStrictly(stored) : Value.fromDatabaseValue(stored)
    }
    guard checking.isStrict else { return Value._fromColumn(pointer, CInt(baseIndex)) }
    if let stored = DatabaseValue.read(pointer, CInt(baseIndex)) { return Value._fromDatabaseValueStrictly(stored) }
    // A text that is refused has bytes all the same.
    return Data?._fromColumn(pointer, CInt(baseIndex)) as? Value
  }

  /// What a subscript answers, which cannot throw its error: the value that SQLite makes of the column, when the error
  /// is thrown later.
  @usableFromInline
  func deferring<Value: DatabaseValueConvertible>(
    _ error: any Error, of type: Value.Type, key: some RowKey
  ) -> Value {
    guard let checking, let pointer = statement?.sqliteStatement, error is RowDecodingError,
      let index = key._index(in: self)
    else { Self.trap(error) }
    // What is stored is no error where that is asked for.
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
