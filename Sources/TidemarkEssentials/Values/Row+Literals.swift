// Creating rows from Swift values.

extension Row: ExpressibleByDictionaryLiteral {
  /// Creates a row with the given columns, in order.
  public convenience init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
    self.init(pairs: elements)
  }

  /// Creates a row with the given columns, in arbitrary order.
  ///
  /// ```swift
  /// let row = Row(["id": 1, "title": "Dune"])
  /// ```
  ///
  /// - Parameter dictionary: The values by column name.
  public convenience init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
    self.init(pairs: dictionary.map { ($0.key, $0.value) })
  }

  /// Creates a row with the given columns, in arbitrary order. Fails if a key is not a string, or if a value cannot be
  /// stored.
  ///
  /// - Parameter dictionary: The values by column name.
  public convenience init?(_ dictionary: [AnyHashable: Any]) {
    guard let values = [String: (any DatabaseValueConvertible)?](loose: dictionary) else { return nil }
    self.init(values)
  }

  private convenience init(pairs: [(String, (any DatabaseValueConvertible)?)]) {
    self.init(
      columns: ColumnNames(pairs.map(\.0)), values: pairs.map { $0.1?.databaseValue ?? .null })
  }
}

extension [String: (any DatabaseValueConvertible)?] {
  /// Converts a dictionary to known types. Fails if a key is not a string, or if a value cannot be stored.
  init?(loose dictionary: [AnyHashable: Any]) {
    self = [:]
    for (key, value) in dictionary {
      guard let name = key.base as? String, let value = DatabaseValue(value: value) else { return nil }
      self[name] = .some(value)
    }
  }
}
