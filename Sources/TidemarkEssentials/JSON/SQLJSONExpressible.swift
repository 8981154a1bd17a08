/// An SQL expression whose value is JSON: a JSON column, or an expression that the program declares as JSON.
///
/// Such an expression has operators that access the parts of the JSON value:
///
/// ```swift
/// let info = JSONColumn("info")
/// let request = Player.filter(info["city"] == "Rome")   // WHERE ("info" ->> 'city') = 'Rome'
/// ```
///
/// Functions that build JSON, such as `Database.jsonArray`, insert it as JSON. They insert other expressions as
/// strings, numbers or NULL:
///
/// ```swift
/// Database.jsonArray([info])             // JSON_ARRAY(JSON("info"))    [{"city":"Rome"}]
/// Database.jsonArray([Column("info")])   // JSON_ARRAY("info")          ["{\"city\":\"Rome\"}"]
/// ```
///
/// A column that a record type declares becomes a JSON column with the type ``JSONColumn``. An enumeration of columns
/// can adopt this protocol:
///
/// ```swift
/// enum JSONColumns: String, ColumnExpression, SQLJSONExpressible {
///   case info, tags
/// }
/// ```
///
/// The operators `->` and `->>` require SQLite 3.38. With an older library, preparing a request that uses them throws a
/// ``DatabaseError``.
public protocol SQLJSONExpressible: SQLSpecificExpressible {}

extension ColumnExpression where Self: SQLJSONExpressible {
  /// The column as an expression whose value is JSON.
  public var sqlExpression: SQLExpression { .column(name).markedAsJSON }
}

// The raw value of a column is the name of the column, not a value in SQL.
extension ColumnExpression where Self: SQLJSONExpressible & RawRepresentable, RawValue: SQLExpressible {
  /// The column as an expression whose value is JSON.
  public var sqlExpression: SQLExpression { .column(name).markedAsJSON }
}

/// A type-erased expression whose value is JSON.
///
/// ```swift
/// let info = Column("info").asJSON
/// let request = Player.select(info["city"])   // SELECT "info" ->> 'city' FROM "player"
/// ```
public struct AnySQLJSONExpressible: SQLJSONExpressible {
  /// The expression.
  public let sqlExpression: SQLExpression

  /// Creates a type-erased expression.
  ///
  /// ```swift
  /// let documents = [AnySQLJSONExpressible(JSONColumn("info")), Column("tags").asJSON]
  /// ```
  ///
  /// - Parameter base: The expression.
  public init(_ base: some SQLJSONExpressible) {
    sqlExpression = base.sqlExpression.markedAsJSON
  }

  init(declaring expression: SQLExpression) {
    sqlExpression = expression.markedAsJSON
  }
}

extension SQLSpecificExpressible {
  /// This expression, declared as JSON.
  ///
  /// Use it for an expression that contains JSON, but whose type does not say so:
  ///
  /// ```swift
  /// Column("info").asJSON["city"]                               // "info" ->> 'city'
  /// Database.jsonArray([(JSONColumn("info") ?? "{}").asJSON])   // JSON_ARRAY(JSON(IFNULL("info", '{}')))
  /// ```
  public var asJSON: AnySQLJSONExpressible { AnySQLJSONExpressible(declaring: sqlExpression) }
}

// MARK: - Parts of JSON values

extension SQLJSONExpressible {
  /// Returns an expression for a part of the JSON value, as an SQL value: `info ->> path`.
  ///
  /// Texts, numbers and NULL are SQL values. Objects and arrays are JSON texts.
  ///
  /// ```swift
  /// info["city"]       // "info" ->> 'city'
  /// info["$.city"]     // "info" ->> '$.city'
  /// tags[0]            // "tags" ->> 0
  /// info[Column("k")]  // "info" ->> "k"
  /// ```
  ///
  /// - Parameter path: The key of an object, the index of an array, a path that begins with `$`, or an expression.
  public subscript(_ path: some SQLExpressible) -> SQLExpression {
    .binary(.jsonValue, sqlExpression, path.sqlExpression)
  }

  /// Returns an expression for a part of the JSON value, as an SQL value: `JSON_EXTRACT(info, path)`.
  ///
  /// ```swift
  /// info.jsonExtract(atPath: "$.city")   // JSON_EXTRACT("info", '$.city')   Rome
  /// ```
  ///
  /// - Parameter path: A path that begins with `$`.
  /// - Returns: An expression. Objects and arrays are JSON.
  public func jsonExtract(atPath path: some SQLExpressible) -> SQLExpression {
    Database.jsonExtract(self, atPath: path)
  }

  /// Returns an expression for several parts of the JSON value, as a JSON array: `JSON_EXTRACT(info, path, …)`.
  ///
  /// ```swift
  /// info.jsonExtract(atPaths: ["$.city", "$.zip"])   // JSON_EXTRACT("info", '$.city', '$.zip')   ["Rome",3]
  /// ```
  ///
  /// - Parameter paths: Paths that begin with `$`.
  /// - Returns: An expression. With a single path, it is the SQL value of this part.
  public func jsonExtract(atPaths paths: some Collection<some SQLExpressible>) -> SQLExpression {
    Database.jsonExtract(self, atPaths: paths)
  }

  /// Returns an expression for a part of the JSON value, as JSON: `info -> path`.
  ///
  /// ```swift
  /// info.jsonRepresentation(atPath: "city")               // "info" -> 'city'           "Rome", with the quotes
  /// info.jsonRepresentation(atPath: "$.a").asJSON[0]      // ("info" -> '$.a') ->> 0
  /// ```
  ///
  /// - Parameter path: The key of an object, the index of an array, a path that begins with `$`, or an expression.
  /// - Returns: An expression.
  public func jsonRepresentation(atPath path: some SQLExpressible) -> SQLExpression {
    .binary(.jsonPart, sqlExpression, path.sqlExpression)
  }
}
