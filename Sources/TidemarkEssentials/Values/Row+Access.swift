public import FoundationEssentials

// Reading the first non-NULL column, and reading bytes without a copy.

extension Row {
  /// Returns the first value among some columns that is not NULL, or nil.
  ///
  /// ```swift
  /// let name: String? = row.coalesce(["nickname", "name"])
  /// ```
  ///
  /// - Parameter columns: The names of the columns. Missing columns are skipped.
  public func coalesce<Value: DatabaseValueConvertible>(_ columns: some Collection<String>) -> Value? {
    for name in columns {
      if let index = name._index(in: self), !hasNull(atIndex: index) { return self[index] as Value }
    }
    return nil
  }

  /// Returns the first value among some columns that is not NULL, or nil.
  public func coalesce<Value: DatabaseValueConvertible>(
    _ columns: some Collection<any ColumnExpression>
  ) -> Value? {
    coalesce(columns.map(\.name))
  }

  // This overload infers the element type of an array literal with columns of several types.
  /// Returns the first value among some columns that is not NULL, or nil.
  public func coalesce<Value: DatabaseValueConvertible>(_ columns: [any ColumnExpression]) -> Value? {
    coalesce(columns.map(\.name))
  }
}

// MARK: - Bytes without a copy

extension Row {
  /// Calls a closure with the bytes of a column, without copying them.
  ///
  /// ```swift
  /// let checksum = try row.withUnsafeData(atIndex: 0) { data in data.map(crc32) }
  /// ```
  ///
  /// - Parameter index: The index of the column. It must exist.
  /// - Parameter body: A closure that receives the data, or nil for NULL. The data is valid only during the call.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, or an out of memory error. For a number: while the statement runs, the bytes
  ///   of its text are returned; in a copied row, or with strict decoding, a `RowDecodingError` is thrown.
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

  /// Calls a closure with the bytes of the leftmost column with a name, without copying them.
  ///
  /// - Parameter name: The name of the column.
  /// - Parameter body: A closure that receives the data, or nil for NULL and for a missing column. The data is valid
  ///   only during the call.
  /// - Returns: The result of the closure.
  public func withUnsafeData<Result>(named name: String, _ body: (Data?) throws -> Result) throws -> Result {
    guard let index = name._index(in: self) else { return try body(nil) }
    return try withUnsafeData(atIndex: index, body)
  }

  /// Calls a closure with the bytes of the leftmost column with a name, without copying them.
  ///
  /// - Parameter name: The name of the column.
  /// - Parameter body: A closure that receives the data, or nil for NULL and for a missing column. The data is valid
  ///   only during the call.
  /// - Returns: The result of the closure.
  public func withUnsafeData<Result>(name: String, _ body: (Data?) throws -> Result) throws -> Result {
    try withUnsafeData(named: name, body)
  }

  /// Calls a closure with the bytes of a column, without copying them. The data is valid only during the call. It is
  /// nil for NULL and for a missing column.
  public func withUnsafeData<Result>(
    at column: some ColumnExpression, _ body: (Data?) throws -> Result
  ) throws -> Result {
    try withUnsafeData(named: column.name, body)
  }
}
