// Dictionaries of the elements of cursors. Each initializer has a variant with `minimumCapacity`, which reserves
// capacity.

extension Dictionary {
  /// Creates a dictionary that groups the elements of a cursor by key, in order.
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

  /// Creates a dictionary that groups the elements of a cursor by key, in order.
  @inlinable
  public init<Values: Cursor>(
    minimumCapacity: Int, grouping values: Values, by keyForValue: (Values.Element) throws -> Key
  ) throws where Value == [Values.Element] {
    self.init(minimumCapacity: minimumCapacity)
    try values.forEach { self[try keyForValue($0), default: []].append($0) }
  }

  /// Creates a dictionary from a cursor of key-value pairs.
  ///
  /// ```swift
  /// let rows = try Row.fetchCursor(db, sql: "SELECT id, title FROM book")
  /// let titles = try Dictionary(uniqueKeysWithValues: rows.map { ($0["id"] as Int64, $0["title"] as String) })
  /// ```
  ///
  /// - Precondition: All keys are distinct.
  @inlinable
  public init(uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>) throws {
    try self.init(minimumCapacity: 0, uniqueKeysWithValues: keysAndValues)
  }

  /// Creates a dictionary from a cursor of key-value pairs.
  ///
  /// - Precondition: All keys are distinct.
  @inlinable
  public init(minimumCapacity: Int, uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>) throws {
    self.init(minimumCapacity: minimumCapacity)
    try keysAndValues.forEach { key, value in
      guard updateValue(value, forKey: key) == nil else {
        fatalError("Duplicate values for key: '\(key)'. Use init(_:uniquingKeysWith:) for keys that are not unique")
      }
    }
  }

  /// Creates a dictionary from a cursor of key-value pairs. A closure combines the values of equal keys.
  @inlinable
  public init(
    _ keysAndValues: some Cursor<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) throws {
    try self.init(minimumCapacity: 0, keysAndValues, uniquingKeysWith: combine)
  }

  /// Creates a dictionary from a cursor of key-value pairs. A closure combines the values of equal keys.
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
