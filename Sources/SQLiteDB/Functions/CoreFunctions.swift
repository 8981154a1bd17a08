public import Foundation

// A function that is written for `ExpressionDatatype` serves expressions that may be NULL, and those that may not.

extension ExpressionType where UnderlyingType: ExpressionDatatype, UnderlyingType.WrappedType.Datatype: Number {
  /// The number without its sign: `abs("balance")`.
  public var absoluteValue: SQLExpression<UnderlyingType> { .function("abs", expression) }
}

extension ExpressionType where UnderlyingType: ExpressionDatatype, UnderlyingType.WrappedType == Double {
  /// The number, rounded: `round("balance")`, `round("balance", 2)`.
  public func round(_ precision: Int? = nil) -> SQLExpression<UnderlyingType> {
    .function("round", [expression] + (precision.map { [$0.expression] } ?? []))
  }
}

extension ExpressionType where UnderlyingType: Value, UnderlyingType.Datatype == Int64 {
  /// Any integer: `random()`.
  public static func random() -> SQLExpression<UnderlyingType> { .function("random") }
}

extension ExpressionType where UnderlyingType == Data {
  /// Any bytes, that many of them: `randomblob(16)`.
  public static func random(_ length: Int) -> SQLExpression<UnderlyingType> {
    .function("randomblob", length.expression)
  }

  /// That many bytes that are 0: `zeroblob(16)`.
  public static func allZeros(_ length: Int) -> SQLExpression<UnderlyingType> {
    .function("zeroblob", length.expression)
  }
}

extension ExpressionType where UnderlyingType: ExpressionDatatype, UnderlyingType.WrappedType == Data {
  /// The number of bytes: `length("data")`.
  public var length: SQLExpression<UnderlyingType.Size> { .function("length", expression) }
}

extension ExpressionType where UnderlyingType: ExpressionDatatype, UnderlyingType.WrappedType == String {
  /// The number of characters, as SQLite counts them: `length("name")`.
  public var length: SQLExpression<UnderlyingType.Size> { .function("length", expression) }

  /// The text in lower case: `lower("name")`.
  public var lowercaseString: SQLExpression<UnderlyingType> { .function("lower", expression) }

  /// The text in upper case: `upper("name")`.
  public var uppercaseString: SQLExpression<UnderlyingType> { .function("upper", expression) }

  /// The text, compared and sorted in another way: `("name" COLLATE NOCASE)`.
  public func collate(_ collation: Collation) -> SQLExpression<UnderlyingType> {
    .infix(typed, "COLLATE", collation.expression)
  }

  /// The text without characters at its beginning, blanks if nothing is said: `ltrim("name", 'x')`.
  public func ltrim(_ characters: Set<Character>? = nil) -> SQLExpression<UnderlyingType> {
    trimmed("ltrim", characters)
  }

  /// The text without characters at its end, blanks if nothing is said: `rtrim("name", 'x')`.
  public func rtrim(_ characters: Set<Character>? = nil) -> SQLExpression<UnderlyingType> {
    trimmed("rtrim", characters)
  }

  /// The text without characters at both ends, blanks if nothing is said: `trim("name", 'x')`.
  public func trim(_ characters: Set<Character>? = nil) -> SQLExpression<UnderlyingType> {
    trimmed("trim", characters)
  }

  private func trimmed(_ function: String, _ characters: Set<Character>?) -> SQLExpression<UnderlyingType> {
    .function(function, [expression] + (characters.map { [String($0.sorted()).expression] } ?? []))
  }

  /// The text with another one in place of a part: `replace("email", '@mac.com', '@icloud.com')`.
  public func replace(_ pattern: String, with replacement: String) -> SQLExpression<UnderlyingType> {
    .function("replace", expression, pattern.expression, replacement.expression)
  }

  /// A part of the text. The first character is at 1: `substr("title", 1, 100)`.
  public func substring(_ location: Int, length: Int? = nil) -> SQLExpression<UnderlyingType> {
    .function("substr", [expression, location.expression] + (length.map { [$0.expression] } ?? []))
  }

  /// A part of the text. As everywhere in Swift, the first character is at 0: `title[0..<100]` is
  /// `substr("title", 1, 100)`.
  public subscript(range: Range<Int>) -> SQLExpression<UnderlyingType> {
    substring(range.lowerBound + 1, length: range.count)
  }
}

// MARK: - NULL

/// The first one, or the second one where that is NULL: `ifnull("name", 'nobody')`.
public func ?? <V: Value>(optional: SQLExpression<V?>, defaultValue: V) -> SQLExpression<V> {
  .function("ifnull", optional.expression, defaultValue.expression)
}

/// The first one, or the second one where that is NULL: `ifnull("name", "email")`.
public func ?? <V: Value>(optional: SQLExpression<V?>, defaultValue: SQLExpression<V>) -> SQLExpression<V> {
  .function("ifnull", optional.expression, defaultValue.expression)
}

/// The first one, or the second one where that is NULL: `ifnull("name", "nick")`.
///
/// Where both are NULL there is no value to be read: `row.get(_:)` throws.
public func ?? <V: Value>(optional: SQLExpression<V?>, defaultValue: SQLExpression<V?>) -> SQLExpression<V> {
  .function("ifnull", optional.expression, defaultValue.expression)
}

/// The first one, or the second one where that is NULL, if it is not NULL, too: `ifnull("name", "nick")`.
@_disfavoredOverload
public func ?? <V: Value>(optional: SQLExpression<V?>, defaultValue: SQLExpression<V?>) -> SQLExpression<V?> {
  .function("ifnull", optional.expression, defaultValue.expression)
}

// MARK: - Casts

/// An expression as one of another type: `CAST ("age" AS TEXT)`.
///
/// ```swift
/// let sentence = name + " is " + cast(age) as SQLExpression<String?> + " years old!"
/// ```
public func cast<T: Value, U: Value>(_ expression: SQLExpression<T>) -> SQLExpression<U> {
  SQLExpression("CAST (\(expression.template) AS \(U.declaredDatatype))", expression.bindings)
}

/// An expression as one of another type: `CAST ("age" AS TEXT)`.
public func cast<T: Value, U: Value>(_ expression: SQLExpression<T?>) -> SQLExpression<U?> {
  SQLExpression("CAST (\(expression.template) AS \(U.declaredDatatype))", expression.bindings)
}
