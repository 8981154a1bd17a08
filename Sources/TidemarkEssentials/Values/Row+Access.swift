public import FoundationEssentials

// Other ways to read a row: the first of several columns, bytes without a copy.

extension Row {
  /// The first value that is not NULL among some columns, or nil.
  ///
  /// ```swift
  /// let name: String? = row.coalesce(["nickname", "name"])
  /// ```
  ///
  /// Columns that do not exist are skipped.
  public func coalesce<Value: DatabaseValueConvertible>(_ columns: some Collection<String>) -> Value? {
    for name in columns {
      if let index = name._index(in: self), !hasNull(atIndex: index) { return self[index] as Value }
    }
    return nil
  }

  /// The first value that is not NULL among some columns, or nil.
  public func coalesce<Value: DatabaseValueConvertible>(
    _ columns: some Collection<any ColumnExpression>
  ) -> Value? {
    coalesce(columns.map(\.name))
  }

  // An array literal of columns of several types finds its type here.
  /// The first value that is not NULL among some columns, or nil.
  public func coalesce<Value: DatabaseValueConvertible>(_ columns: [any ColumnExpression]) -> Value? {
    coalesce(columns.map(\.name))
  }
}

// MARK: - Bytes without a copy

extension Row {
  /// What a closure makes of the bytes of a column, without copying them.
  ///
  /// The data must not leave the closure. It is nil for NULL.
  ///
  /// - precondition: There is such a column.
  /// - throws: What the closure throws, and an error when SQLite lacks memory. A number has the bytes of its text
  ///   while the statement runs, and is a `RowDecodingError` once it was copied, or where decoding is strict.
  public func withUnsafeData<Result>(atIndex index: Int, _ body: (Data?) throws -> Result) throws -> Result {
    preconditionIndex(index)
    if let checking, checking.isStrict { _ = try decode(Data?.self, uncheckedIndex: index) }
    guard let statement else { return try body(decode(Data?.self, uncheckedIndex: index)) }
    let result = try withColumnBytes(statement.sqliteStatement, CInt(baseIndex(index))) { bytes in
      guard let bytes else { return try body(nil) }
      guard let start = bytes.baseAddress, bytes.count > 0 else { return try body(Data()) }
      return try body(
        Data(bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count, deallocator: .none))
    }
    guard let result else { throw unreadable(Data.self, at: index) }
    return result
  }

  /// What a closure makes of the bytes of the leftmost column of that name, without copying them.
  ///
  /// The data must not leave the closure. It is nil for NULL and for a missing column.
  public func withUnsafeData<Result>(named name: String, _ body: (Data?) throws -> Result) throws -> Result {
    guard let index = name._index(in: self) else { return try body(nil) }
    return try withUnsafeData(atIndex: index, body)
  }

  /// What a closure makes of the bytes of the leftmost column of that name, without copying them.
  ///
  /// The data must not leave the closure. It is nil for NULL and for a missing column.
  public func withUnsafeData<Result>(name: String, _ body: (Data?) throws -> Result) throws -> Result {
    try withUnsafeData(named: name, body)
  }

  /// What a closure makes of the bytes of a column, without copying them.
  ///
  /// The data must not leave the closure. It is nil for NULL and for a missing column.
  public func withUnsafeData<Result>(
    at column: some ColumnExpression, _ body: (Data?) throws -> Result
  ) throws -> Result {
    try withUnsafeData(named: column.name, body)
  }
}
