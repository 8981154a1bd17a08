// The functions of SQLite. They are named as in Swift.

/// The value without its sign: `ABS(a)`.
public func abs(_ value: some SQLSpecificExpressible) -> SQLExpression {
  .function("ABS", [value.sqlExpression])
}

/// The number of characters of a text, or of bytes of a blob: `LENGTH(a)`.
public func length(_ value: some SQLSpecificExpressible) -> SQLExpression {
  .function("LENGTH", [value.sqlExpression])
}

/// The value converted to a type: `CAST(a AS INTEGER)`.
///
/// ```swift
/// cast(Column("score"), as: .text)
/// ```
public func cast(_ expression: some SQLSpecificExpressible, as storageClass: Database.StorageClass) -> SQLExpression {
  .operation(.cast(storageClass), expression.sqlExpression)
}

/// The first of several values that is not NULL: `COALESCE(a, b)`.
///
/// ```swift
/// coalesce([Column("nickname"), Column("name"), "anonymous"])
/// ```
///
/// Of one value, it is that value; of none, NULL.
public func coalesce(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
  let values = values.map { $0.sqlExpression }
  switch values.count {
  case 0: return .value(.null)
  case 1: return values[0]
  default: return .function("COALESCE", values)
  }
}

/// The left value, or the right one where the left one is NULL: `IFNULL(a, b)`.
public func ?? (lhs: some SQLSpecificExpressible, rhs: some SQLExpressible) -> SQLExpression {
  .function("IFNULL", [lhs.sqlExpression, rhs.sqlExpression])
}

/// The greatest of several values, or NULL when one of them is: `MAX(a, b)`.
public func max(
  _ value1: any SQLSpecificExpressible, _ value2: any SQLExpressible, _ values: any SQLExpressible...
) -> SQLExpression {
  .function("MAX", [value1.sqlExpression, value2.sqlExpression] + values.map { $0.sqlExpression })
}

/// The smallest of several values, or NULL when one of them is: `MIN(a, b)`.
public func min(
  _ value1: any SQLSpecificExpressible, _ value2: any SQLExpressible, _ values: any SQLExpressible...
) -> SQLExpression {
  .function("MIN", [value1.sqlExpression, value2.sqlExpression] + values.map { $0.sqlExpression })
}

// MARK: - Functions added to the connection

extension DatabaseFunction {
  /// The call of the function.
  ///
  /// ```swift
  /// let slug = DatabaseFunction("slug", argumentCount: 1, pure: true) { … }
  /// let request = Book.select(slug(Column("title")))   // SELECT slug("title") FROM "book"
  /// ```
  public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
    .function(name, arguments.map { $0.sqlExpression })
  }
}

extension SQLSpecificExpressible {
  /// The text with the first letter of each word in upper case, by Swift.
  public var capitalized: SQLExpression { DatabaseFunction.capitalize(sqlExpression) }

  /// The text in lower case, by Swift.
  public var lowercased: SQLExpression { DatabaseFunction.lowercase(sqlExpression) }

  /// The text in upper case, by Swift.
  public var uppercased: SQLExpression { DatabaseFunction.uppercase(sqlExpression) }
}
