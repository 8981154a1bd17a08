// Dictionaries from the elements of cursors. Each initializer comes in two: with `minimumCapacity`, the dictionary
// has room for that many keys from the start.

extension Dictionary {
  /// A dictionary of arrays: the elements of a cursor, in order, under the key that a function gives to each.
  ///
  /// ```swift
  /// let booksByAuthor = try Dictionary(grouping: Book.fetchCursor(db), by: \.authorID)
  /// ```
  @inlinable
  public init<Values: Cursor>(
    grouping values: Values, by keyForValue: (Values.Element) throws -> Key
  ) throws where Value == [Values.Element] {
    try self.init(minimumCapacity: 0, grouping: values, by: keyForValue)
  }

  /// A dictionary of arrays: the elements of a cursor, in order, under the key that a function gives to each.
  @inlinable
  public init<Values: Cursor>(
    minimumCapacity: Int, grouping values: Values, by keyForValue: (Values.Element) throws -> Key
  ) throws where Value == [Values.Element] {
    self.init(minimumCapacity: minimumCapacity)
    try values.forEach { self[try keyForValue($0), default: []].append($0) }
  }

  /// A dictionary of the pairs of a cursor.
  ///
  /// - Precondition: No key comes twice.
  @inlinable
  public init(uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>) throws {
    try self.init(minimumCapacity: 0, uniqueKeysWithValues: keysAndValues)
  }

  /// A dictionary of the pairs of a cursor.
  ///
  /// - Precondition: No key comes twice.
  @inlinable
  public init(minimumCapacity: Int, uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>) throws {
    self.init(minimumCapacity: minimumCapacity)
    try keysAndValues.forEach { key, value in
      guard updateValue(value, forKey: key) == nil else { fatalError("Duplicate values for key: '\(key)'") }
    }
  }

  /// A dictionary of the pairs of a cursor, where a function chooses between the values of one key.
  @inlinable
  public init(
    _ keysAndValues: some Cursor<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) throws {
    try self.init(minimumCapacity: 0, keysAndValues, uniquingKeysWith: combine)
  }

  /// A dictionary of the pairs of a cursor, where a function chooses between the values of one key.
  @inlinable
  public init(
    minimumCapacity: Int, _ keysAndValues: some Cursor<(Key, Value)>,
    uniquingKeysWith combine: (Value, Value) throws -> Value
  ) throws {
    self.init(minimumCapacity: minimumCapacity)
    try keysAndValues.forEach { key, value in
      if let earlier = updateValue(value, forKey: key) { self[key] = try combine(earlier, value) }
    }
  }
}
