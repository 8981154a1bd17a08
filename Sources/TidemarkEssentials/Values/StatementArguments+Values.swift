import FoundationEssentials

// Creating statement arguments from Swift values.

extension StatementArguments: ExpressibleByArrayLiteral {
  /// Creates positional arguments.
  public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
    self.init(values: PackedValues(capacity: elements.count))
    elements.withUnsafeBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      for index in elements.indices {
        if appendCommonValue(at: UnsafeRawPointer(start + index)) { continue }
        if let value = start[index] { value._append(to: &self) } else { values.appendNull() }
      }
    }
  }

  /// Appends the value of an existential if it has one of the most common types, and returns whether it has.
  ///
  /// To call a method of an existential, Swift copies it, which takes longer than binding the value (Benchmarks:
  /// `insert: prepared statement`). In memory, it is a value of up to three words, or the address of a larger one; then
  /// the address of its type.
  @inline(__always)
  private mutating func appendCommonValue(at address: UnsafeRawPointer) -> Bool {
    let type = address.load(fromByteOffset: 3 * MemoryLayout<UInt>.size, as: UnsafeRawPointer?.self)
    func isValue<Value>(of candidate: Value.Type) -> Bool {
      type == unsafeBitCast(candidate, to: UnsafeRawPointer.self)
    }
    func value<Value>() -> Value { address.assumingMemoryBound(to: Value.self).pointee }
    if isValue(of: Int64.self) {
      values.append(value() as Int64)
    } else if isValue(of: Int.self) {
      values.append(Int64(value() as Int))
    } else if isValue(of: String.self) {
      values.append(value() as String)
    } else if isValue(of: Double.self) {
      values.append(value() as Double)
    } else if isValue(of: Date.self) {
      (value() as Date)._append(to: &self)
    } else if isValue(of: Data.self) {
      values.append(value() as Data)
    } else {
      return false
    }
    return true
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
    self.init(values: PackedValues(capacity: sequence.underestimatedCount))
    for value in sequence { if let value { value._append(to: &self) } else { values.appendNull() } }
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
    self.init(values: PackedValues(capacity: sequence.underestimatedCount))
    for value in sequence { value._append(to: &self) }
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
    self.init(values: PackedValues(), namedValues: dictionary.mapValues { $0?.databaseValue ?? .null })
  }

  /// Creates named arguments. If a name is repeated, its last value is used.
  ///
  /// - Parameter sequence: The names and values of the parameters.
  public init(_ sequence: some Sequence<(String, (any DatabaseValueConvertible)?)>) {
    self.init(
      values: PackedValues(),
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
