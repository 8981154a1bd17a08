// Functions of SQLite, with the names that Swift uses.

/// Returns the absolute value of an expression: `ABS(a)`.
///
/// ```swift
/// let request = Player.order(abs(Column("balance")))
/// ```
///
/// - Parameter value: An expression with a numeric value.
public func abs(_ value: some SQLSpecificExpressible) -> SQLExpression {
  .function("ABS", [value.sqlExpression])
}

/// Returns the number of characters of a text, or the number of bytes of a blob: `LENGTH(a)`.
///
/// ```swift
/// let request = Player.filter(length(Column("name")) > 10)
/// ```
///
/// - Parameter value: An expression.
public func length(_ value: some SQLSpecificExpressible) -> SQLExpression {
  .function("LENGTH", [value.sqlExpression])
}

/// Returns an expression that converts a value to another storage class: `CAST(a AS INTEGER)`.
///
/// ```swift
/// cast(Column("score"), as: .text)
/// ```
///
/// - Parameter expression: The expression to convert.
/// - Parameter storageClass: The type that SQLite converts the value to.
public func cast(_ expression: some SQLSpecificExpressible, as storageClass: Database.StorageClass) -> SQLExpression {
  .operation(.cast(storageClass), expression.sqlExpression)
}

/// Returns the first of several values that is not NULL: `COALESCE(a, b)`.
///
/// ```swift
/// coalesce([Column("nickname"), Column("name"), "anonymous"])
/// ```
///
/// A collection of one value returns this value. An empty collection returns NULL.
///
/// - Parameter values: The expressions and values, in order of preference.
public func coalesce(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
  let values = values.map { $0.sqlExpression }
  switch values.count {
  case 0: return .value(.null)
  case 1: return values[0]
  default: return .function("COALESCE", values)
  }
}

/// Returns the left operand, or the right operand if the left one is NULL: `IFNULL(a, b)`.
///
/// ```swift
/// Column("nickname") ?? Column("name")   // IFNULL("nickname", "name")
/// ```
///
/// - Parameter lhs: The preferred expression.
/// - Parameter rhs: The expression or value that replaces NULL.
public func ?? (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .function("IFNULL", [lhs.sqlExpression, rhs.sqlExpression])
}

/// Returns the greatest of several values of a row, or NULL if one of them is NULL: `MAX(a, b)`.
///
/// ```swift
/// max(Column("score"), Column("bonus"), 10)
/// ```
///
/// - Parameter value1: An expression.
/// - Parameter value2: An expression or a value.
/// - Parameter values: More expressions and values.
public func max(
  _ value1: any SQLSpecificExpressible, _ value2: any SQLExpressible, _ values: any SQLExpressible...
) -> SQLExpression {
  .function("MAX", [value1.sqlExpression, value2.sqlExpression] + values.map { $0.sqlExpression })
}

/// Returns the smallest of several values of a row, or NULL if one of them is NULL: `MIN(a, b)`.
///
/// ```swift
/// min(Column("score"), Column("bonus"), 10)
/// ```
///
/// - Parameter value1: An expression.
/// - Parameter value2: An expression or a value.
/// - Parameter values: More expressions and values.
public func min(
  _ value1: any SQLSpecificExpressible, _ value2: any SQLExpressible, _ values: any SQLExpressible...
) -> SQLExpression {
  .function("MIN", [value1.sqlExpression, value2.sqlExpression] + values.map { $0.sqlExpression })
}

// MARK: - Functions added to the connection

extension DatabaseFunction {
  /// Returns an expression that calls this function.
  ///
  /// ```swift
  /// let slug = DatabaseFunction("slug", argumentCount: 1, pure: true) { values in
  ///   String.fromDatabaseValue(values[0])?.lowercased().replacing(" ", with: "-")
  /// }
  /// let request = Book.select(slug(Column("title")))   // SELECT slug("title") FROM "book"
  /// ```
  ///
  /// The function must be added to each connection that runs the request.
  ///
  /// - Parameter arguments: The arguments of the call.
  public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
    .function(name, arguments.map { $0.sqlExpression }, isAggregate: isAggregate)
  }
}

extension SQLSpecificExpressible {
  /// The text with the first letter of each word in upper case, as converted by Swift.
  public var capitalized: SQLExpression { DatabaseFunction.capitalize(sqlExpression) }

  /// The text in lower case, as converted by Swift.
  public var lowercased: SQLExpression { DatabaseFunction.lowercase(sqlExpression) }

  /// The text in upper case, as converted by Swift.
  public var uppercased: SQLExpression { DatabaseFunction.uppercase(sqlExpression) }
}
