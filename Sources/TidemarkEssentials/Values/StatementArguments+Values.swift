// Creating statement arguments from Swift values.

extension StatementArguments: ExpressibleByArrayLiteral {
  /// Creates positional arguments.
  public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
    self.init(values: elements.databaseValues)
  }
}

extension [(any DatabaseValueConvertible)?] {
  /// The database value of each element.
  var databaseValues: [DatabaseValue] {
    // Fast path for a single element, usually a key: `reserveCapacity` would take 110 more instructions (benchmark
    // `look up: own statement`).
    if count == 1 { return [self[0]?.databaseValue ?? .null] }
    var values: [DatabaseValue] = []
    values.reserveCapacity(count)
    // The loop copies each element once, which takes longer than the conversion (benchmark `insert: prepared
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
  /// Creates named arguments. Names have no prefix: `["id": 1]` for `:id`. If a name is repeated, its last value is
  /// used.
  public init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
    self.init(elements)
  }
}

extension StatementArguments {
  /// Creates positional arguments.
  ///
  /// ```swift
  /// let values: [(any DatabaseValueConvertible)?] = ["Dune", 412, nil]
  /// try db.execute(sql: "INSERT INTO book VALUES (?, ?, ?)", arguments: StatementArguments(values))
  /// ```
  ///
  /// - Parameter sequence: The values of the parameters, in order.
  public init(_ sequence: some Sequence<(any DatabaseValueConvertible)?>) {
    self.init(values: sequence.map { $0?.databaseValue ?? .null })
  }

  /// Creates positional arguments.
  ///
  /// ```swift
  /// let ids = [1, 2, 3]
  /// let books = try Book.fetchAll(
  ///   db, sql: "SELECT * FROM book WHERE id IN (?, ?, ?)", arguments: StatementArguments(ids))
  /// ```
  ///
  /// - Parameter sequence: The values of the parameters, in order.
  public init<S>(_ sequence: S) where S: Sequence, S.Element: DatabaseValueConvertible {
    self.init(values: sequence.map(\.databaseValue))
  }

  /// Creates positional arguments. Fails if a value is not a database value.
  ///
  /// - Parameter array: The values of the parameters, in order.
  public init?(_ array: [Any]) {
    var values: [DatabaseValue] = []
    for element in array {
      guard let value = DatabaseValue(value: element) else { return nil }
      values.append(value)
    }
    self.init(values: values)
  }

  /// Creates named arguments.
  ///
  /// ```swift
  /// let values: [String: (any DatabaseValueConvertible)?] = ["title": "Dune", "pages": 412]
  /// try db.execute(sql: "INSERT INTO book VALUES (:title, :pages)", arguments: StatementArguments(values))
  /// ```
  ///
  /// - Parameter dictionary: The values by parameter name, without prefix.
  public init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
    self.init(values: [], namedValues: dictionary.mapValues { $0?.databaseValue ?? .null })
  }

  /// Creates named arguments. If a name is repeated, its last value is used.
  ///
  /// - Parameter sequence: The names and values of the parameters.
  public init(_ sequence: some Sequence<(String, (any DatabaseValueConvertible)?)>) {
    self.init(
      values: [],
      namedValues: Dictionary(
        sequence.map { ($0, $1?.databaseValue ?? .null) }, uniquingKeysWith: { _, last in last }))
  }

  /// Creates named arguments. Fails if a key is not a string, or if a value is not a database value.
  ///
  /// - Parameter dictionary: The values by parameter name, without prefix.
  public init?(_ dictionary: [AnyHashable: Any]) {
    guard let values = [String: (any DatabaseValueConvertible)?](loose: dictionary) else { return nil }
    self.init(values)
  }
}

/// Returns a comma-separated list of question marks.
///
/// ```swift
/// let sql = "SELECT * FROM book WHERE id IN (\(databaseQuestionMarks(count: ids.count)))"
/// let rows = try Row.fetchAll(db, sql: sql, arguments: StatementArguments(ids))
/// ```
public func databaseQuestionMarks(count: Int) -> String {
  repeatElement("?", count: count).joined(separator: ",")
}
