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
/// A parameter takes the value of its name when there is one, else the next positional value. A
/// statement is not run with a value too few, or a positional value too many.
///
/// It stands in this room, below statements, because a `DatabaseError` shows the arguments that were in
/// use. The ways to make one from Swift values are in the room of values.
public struct StatementArguments: Hashable, Sendable {
  var values: [DatabaseValue]
  var namedValues: [String: DatabaseValue]

  /// No arguments.
  public init() {
    self.init(values: [])
  }

  init(values: [DatabaseValue], namedValues: [String: DatabaseValue] = Dictionary()) {
    self.values = values
    self.namedValues = namedValues
  }

  /// Whether there is no value at all.
  public var isEmpty: Bool { values.isEmpty && namedValues.isEmpty }
}

// MARK: - Combining

extension StatementArguments {
  /// Adds arguments: positional values go last, named values replace those of the same name.
  ///
  /// - returns: The values that were replaced.
  @discardableResult
  public mutating func append(contentsOf arguments: StatementArguments) -> [String: DatabaseValue] {
    var replacedValues: [String: DatabaseValue] = [:]
    values.append(contentsOf: arguments.values)
    for (name, value) in arguments.namedValues {
      if let replaced = namedValues.updateValue(value, forKey: name) { replacedValues[name] = replaced }
    }
    return replacedValues
  }

  /// Both arguments together.
  ///
  /// - precondition: No name is given twice. Use `&+` to have the right side win.
  public static func + (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
    var result = lhs
    result += rhs
    return result
  }

  /// Both arguments together. Where a name is given twice, the right side wins.
  public static func &+ (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
    var result = lhs
    result.append(contentsOf: rhs)
    return result
  }

  /// Adds arguments.
  ///
  /// - precondition: No name is given twice. Use `append(contentsOf:)` to have the right side win.
  public static func += (lhs: inout StatementArguments, rhs: StatementArguments) {
    let replacedValues = lhs.append(contentsOf: rhs)
    precondition(
      replacedValues.isEmpty,
      "already defined statement argument: \(replacedValues.keys.sorted().joined(separator: ", "))")
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
