public import Foundation

// Functions with the constraint `ExpressionDatatype` apply to expressions that may be NULL and to expressions that may
// not.

extension ExpressionType where UnderlyingType: ExpressionDatatype, UnderlyingType.WrappedType.Datatype: Number {
  /// The absolute value: `abs("balance")`.
  public var absoluteValue: SQLExpression<UnderlyingType> { .function("abs", expression) }
}

extension ExpressionType where UnderlyingType: ExpressionDatatype, UnderlyingType.WrappedType == Double {
  /// Returns the rounded number: `round("balance", 2)`.
  ///
  /// ```swift
  /// let rounded = users.select(balance.round(2))
  /// ```
  ///
  /// - Parameter precision: The number of decimal places; nil for none.
  /// - Returns: The expression.
  public func round(_ precision: Int? = nil) -> SQLExpression<UnderlyingType> {
    .function("round", [expression] + (precision.map { [$0.expression] } ?? []))
  }
}

extension ExpressionType where UnderlyingType: Value, UnderlyingType.Datatype == Int64 {
  /// Returns a random integer: `random()`.
  ///
  /// ```swift
  /// let shuffled = users.order(SQLExpression<Int64>.random())
  /// ```
  ///
  /// - Returns: The expression.
  public static func random() -> SQLExpression<UnderlyingType> { .function("random") }
}

extension ExpressionType where UnderlyingType == Data {
  /// Returns random bytes: `randomblob(16)`.
  ///
  /// ```swift
  /// try db.run(users.update(avatar <- SQLExpression<Data>.random(16)))
  /// ```
  ///
  /// - Parameter length: The number of bytes.
  /// - Returns: The expression.
  public static func random(_ length: Int) -> SQLExpression<UnderlyingType> {
    .function("randomblob", length.expression)
  }

  /// Returns bytes that are 0: `zeroblob(16)`.
  ///
  /// ```swift
  /// try db.run(users.update(avatar <- SQLExpression<Data>.allZeros(16)))
  /// ```
  ///
  /// - Parameter length: The number of bytes.
  /// - Returns: The expression.
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

  /// Returns the text with a collation: `("name" COLLATE NOCASE)`.
  ///
  /// ```swift
  /// let query = users.order(name.collate(.nocase))
  /// ```
  ///
  /// - Parameter collation: The collation.
  /// - Returns: The expression.
  public func collate(_ collation: Collation) -> SQLExpression<UnderlyingType> {
    .infix(typed, "COLLATE", collation.expression)
  }

  /// Returns the text without leading characters: `ltrim("name", 'x')`.
  ///
  /// ```swift
  /// let names = users.select(name.ltrim(["-", "_"]))
  /// ```
  ///
  /// - Parameter characters: The characters to remove; nil for spaces.
  /// - Returns: The expression.
  public func ltrim(_ characters: Set<Character>? = nil) -> SQLExpression<UnderlyingType> {
    trimmed("ltrim", characters)
  }

  /// Returns the text without trailing characters: `rtrim("name", 'x')`.
  ///
  /// ```swift
  /// let names = users.select(name.rtrim([".", "!"]))
  /// ```
  ///
  /// - Parameter characters: The characters to remove; nil for spaces.
  /// - Returns: The expression.
  public func rtrim(_ characters: Set<Character>? = nil) -> SQLExpression<UnderlyingType> {
    trimmed("rtrim", characters)
  }

  /// Returns the text without leading and trailing characters: `trim("name", 'x')`.
  ///
  /// ```swift
  /// let unnamed = users.filter(name.trim() == "")
  /// ```
  ///
  /// - Parameter characters: The characters to remove; nil for spaces.
  /// - Returns: The expression.
  public func trim(_ characters: Set<Character>? = nil) -> SQLExpression<UnderlyingType> {
    trimmed("trim", characters)
  }

  private func trimmed(_ function: String, _ characters: Set<Character>?) -> SQLExpression<UnderlyingType> {
    .function(function, [expression] + (characters.map { [String($0.sorted()).expression] } ?? []))
  }

  /// Returns the text with all occurrences of a part replaced: `replace("email", '@mac.com', '@icloud.com')`.
  ///
  /// ```swift
  /// try db.run(users.update(email <- email.replace("@mac.com", with: "@icloud.com")))
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: The text to replace.
  ///   - replacement: The new text.
  /// - Returns: The expression.
  public func replace(_ pattern: String, with replacement: String) -> SQLExpression<UnderlyingType> {
    .function("replace", expression, pattern.expression, replacement.expression)
  }

  /// Returns a part of the text: `substr("title", 1, 100)`.
  ///
  /// ```swift
  /// let excerpts = posts.select(title.substring(1, length: 100))
  /// ```
  ///
  /// - Parameters:
  ///   - location: The position of the first character, counted from 1.
  ///   - length: The number of characters; nil for all characters to the end.
  /// - Returns: The expression.
  public func substring(_ location: Int, length: Int? = nil) -> SQLExpression<UnderlyingType> {
    .function("substr", [expression, location.expression] + (length.map { [$0.expression] } ?? []))
  }

  /// A part of the text: `substr("title", 1, 100)`.
  ///
  /// ```swift
  /// let excerpts = posts.select(title[1..<101])
  /// ```
  ///
  /// SQLite counts from 1, unlike Swift: `title[1..<101]` contains the first 100 characters. `title[0..<100]` contains
  /// the first 99, because there is no character at position 0.
  ///
  /// - Parameter range: The positions of the characters, counted from 1.
  public subscript(range: Range<Int>) -> SQLExpression<UnderlyingType> {
    substring(range.lowerBound, length: range.count)
  }
}

// MARK: - NULL

/// Returns an expression with a default value for NULL: `ifnull("name", 'unknown')`.
///
/// ```swift
/// let names = users.select(name ?? "unknown")
/// ```
public func ?? <V: Value>(optional: SQLExpression<V?>, defaultValue: V) -> SQLExpression<V> {
  .function("ifnull", optional.expression, defaultValue.expression)
}

/// Returns an expression with a default expression for NULL: `ifnull("name", "email")`.
///
/// ```swift
/// let names = users.select(name ?? email)
/// ```
public func ?? <V: Value>(optional: SQLExpression<V?>, defaultValue: SQLExpression<V>) -> SQLExpression<V> {
  .function("ifnull", optional.expression, defaultValue.expression)
}

/// Returns an expression with a default expression for NULL: `ifnull("name", "nick")`.
///
/// If both are NULL, reading the result with `Row.get(_:)` throws.
///
/// ```swift
/// let displayName: SQLExpression<String> = name ?? nick
/// ```
public func ?? <V: Value>(optional: SQLExpression<V?>, defaultValue: SQLExpression<V?>) -> SQLExpression<V> {
  .function("ifnull", optional.expression, defaultValue.expression)
}

/// Returns an expression with a default expression for NULL, which may be NULL, too: `ifnull("name", "nick")`.
///
/// ```swift
/// let displayName: SQLExpression<String?> = name ?? nick
/// ```
@_disfavoredOverload
public func ?? <V: Value>(optional: SQLExpression<V?>, defaultValue: SQLExpression<V?>) -> SQLExpression<V?> {
  .function("ifnull", optional.expression, defaultValue.expression)
}

// MARK: - Casts

/// Converts an expression to another type: `CAST ("score" AS TEXT)`.
///
/// ```swift
/// let label = title + ": " + cast(score) as SQLExpression<String>
/// ```
///
/// - Parameter expression: The expression.
/// - Returns: The converted expression.
public func cast<T: Value, U: Value>(_ expression: SQLExpression<T>) -> SQLExpression<U> {
  SQLExpression("CAST (\(expression.template) AS \(U.declaredDatatype))", expression.bindings)
}

/// Converts an expression that may be NULL to another type: `CAST ("age" AS TEXT)`.
///
/// ```swift
/// let sentence = name + " is " + cast(age) as SQLExpression<String?> + " years old!"
/// ```
///
/// - Parameter expression: The expression.
/// - Returns: The converted expression.
public func cast<T: Value, U: Value>(_ expression: SQLExpression<T?>) -> SQLExpression<U?> {
  SQLExpression("CAST (\(expression.template) AS \(U.declaredDatatype))", expression.bindings)
}
