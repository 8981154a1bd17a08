// Arguments made from Swift values.

extension StatementArguments: ExpressibleByArrayLiteral {
  /// Positional arguments.
  public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
    self.init(values: elements.databaseValues)
  }
}

extension [(any DatabaseValueConvertible)?] {
  /// What is stored for each element.
  var databaseValues: [DatabaseValue] {
    // A key, most often. An array that is asked to have room makes it in a general way, which takes 110 instructions
    // more (Benchmarks: `look up: own statement`).
    if count == 1 { return [self[0]?.databaseValue ?? .null] }
    var values: [DatabaseValue] = []
    values.reserveCapacity(count)
    // Each element is copied once, which takes longer than to ask for its value (Benchmarks: `insert: prepared
    // statement`). `map` would copy it twice.
    for element in self {
      switch consume element {
      case .some(let value): values.append(value.databaseValue)
      case .none: values.append(.null)
      }
    }
    return values
  }
}

extension StatementArguments: ExpressibleByDictionaryLiteral {
  /// Named arguments, without the mark: `["id": 1]` for `:id`. When a name comes twice, the last value
  /// counts.
  public init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
    self.init(elements)
  }
}

extension StatementArguments {
  /// Positional arguments.
  public init(_ sequence: some Sequence<(any DatabaseValueConvertible)?>) {
    self.init(values: sequence.map { $0?.databaseValue ?? .null })
  }

  /// Positional arguments.
  public init<S>(_ sequence: S) where S: Sequence, S.Element: DatabaseValueConvertible {
    self.init(values: sequence.map(\.databaseValue))
  }

  /// Positional arguments, or nil when a value cannot be stored.
  public init?(_ array: [Any]) {
    var values: [DatabaseValue] = []
    for element in array {
      guard let value = DatabaseValue(value: element) else { return nil }
      values.append(value)
    }
    self.init(values: values)
  }

  /// Named arguments.
  public init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
    self.init(values: [], namedValues: dictionary.mapValues { $0?.databaseValue ?? .null })
  }

  /// Named arguments. When a name comes twice, the last value counts.
  public init(_ sequence: some Sequence<(String, (any DatabaseValueConvertible)?)>) {
    self.init(
      values: [],
      namedValues: Dictionary(
        sequence.map { ($0, $1?.databaseValue ?? .null) }, uniquingKeysWith: { _, last in last }))
  }

  /// Named arguments, or nil when a key is not a string, or a value cannot be stored.
  public init?(_ dictionary: [AnyHashable: Any]) {
    guard let values = [String: (any DatabaseValueConvertible)?](loose: dictionary) else { return nil }
    self.init(values)
  }
}

/// As many question marks as there are arguments, separated by commas.
///
/// ```swift
/// let sql = "SELECT * FROM book WHERE id IN (\(databaseQuestionMarks(count: ids.count)))"
/// let rows = try Row.fetchAll(db, sql: sql, arguments: StatementArguments(ids))
/// ```
public func databaseQuestionMarks(count: Int) -> String {
  repeatElement("?", count: count).joined(separator: ",")
}
