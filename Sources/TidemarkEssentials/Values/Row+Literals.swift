// Rows made from Swift values.

extension Row: ExpressibleByDictionaryLiteral {
  /// A row with these columns, in this order.
  public convenience init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
    self.init(pairs: elements)
  }

  /// A row with these columns, in no particular order.
  public convenience init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
    self.init(pairs: dictionary.map { ($0.key, $0.value) })
  }

  /// A row with these columns, in no particular order; nil when a key is not a string, or a value cannot be
  /// stored.
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
  /// The same dictionary with its types known; nil when a key is not a string, or a value cannot be stored.
  init?(loose dictionary: [AnyHashable: Any]) {
    self = [:]
    for (key, value) in dictionary {
      guard let name = key.base as? String, let value = DatabaseValue(value: value) else { return nil }
      self[name] = .some(value)
    }
  }
}
