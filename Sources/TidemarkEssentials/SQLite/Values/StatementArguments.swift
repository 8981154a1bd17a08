/// The values of the parameters of a statement: positional (`?`), named (`:name`, `@name`, `$name`), or both.
///
/// ```swift
/// try db.execute(
///   sql: "INSERT INTO book (title, pages) VALUES (?, ?)",
///   arguments: ["Dune", 412])
///
/// try db.execute(
///   sql: "UPDATE book SET pages = :pages WHERE title = :title",
///   arguments: ["title": "Dune", "pages": 896])
/// ```
///
/// A parameter uses the value with its name if there is one, otherwise the next positional value. A
/// statement with missing values, or with too many positional values, does not run.
///
/// This type is in the lowest module, because a `DatabaseError` contains the arguments of the failed
/// statement. The initializers from Swift values are in the module `Values`.
public struct StatementArguments: Hashable, Sendable {
  @usableFromInline var values: PackedValues
  var namedValues: [String: DatabaseValue]

  /// Empty arguments.
  public init() {
    self.init(values: PackedValues())
  }

  init(values: PackedValues, namedValues: [String: DatabaseValue] = Dictionary()) {
    self.values = values
    self.namedValues = namedValues
  }

  init(values: some Collection<DatabaseValue>) { self.init(values: PackedValues(values)) }

  /// Whether there is neither a positional nor a named value.
  public var isEmpty: Bool { values.isEmpty && namedValues.isEmpty }
}

// MARK: - Combining

extension StatementArguments {
  /// Appends positional values, and adds named values, which replace those with the same names.
  ///
  /// - Returns: The replaced values.
  @discardableResult
  public mutating func append(contentsOf arguments: StatementArguments) -> [String: DatabaseValue] {
    var replacedValues: [String: DatabaseValue] = [:]
    values.append(contentsOf: arguments.values)
    for (name, value) in arguments.namedValues {
      if let replaced = namedValues.updateValue(value, forKey: name) { replacedValues[name] = replaced }
    }
    return replacedValues
  }

  /// Concatenates arguments: positional values are appended, and named values are combined.
  ///
  /// ```swift
  /// let arguments = StatementArguments(["min": 100]) + ["max": 500]
  /// ```
  ///
  /// - Precondition: The names are distinct. With `&+`, the right side replaces values with the same names.
  public static func + (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
    var result = lhs
    result += rhs
    return result
  }

  /// Concatenates arguments. Named values of the right side replace values of the left side with the same names.
  ///
  /// ```swift
  /// let arguments = StatementArguments(["min": 100]) &+ ["min": 200]    // min: 200
  /// ```
  public static func &+ (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
    var result = lhs
    result.append(contentsOf: rhs)
    return result
  }

  /// Appends arguments.
  ///
  /// - Precondition: The names are distinct. `append(contentsOf:)` replaces values with the same names.
  public static func += (lhs: inout StatementArguments, rhs: StatementArguments) {
    let replacedValues = lhs.append(contentsOf: rhs)
    precondition(
      replacedValues.isEmpty,
      """
      already defined statement argument: \(replacedValues.keys.sorted().joined(separator: ", ")). Give each name one \
      value, or replace values with &+
      """)
  }
}

// MARK: - Text

extension StatementArguments: CustomStringConvertible {
  /// Named values, then positional values: `["id": 3, 1, "x"]`.
  public var description: String {
    let named = namedValues.sorted { $0.key < $1.key }.map { "\(String(reflecting: $0.key)): \($0.value)" }
    return "[" + (named + values.map(\.description)).joined(separator: ", ") + "]"
  }
}
