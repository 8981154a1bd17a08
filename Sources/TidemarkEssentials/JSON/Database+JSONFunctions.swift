// SQLite's JSON functions. The document, paths, and the patch are printed as they are. Values that become parts of a
// JSON value are JSON if they are declared as JSON: see `SQLExpression.jsonElement`.

extension SQLExpressible {
  /// The value as a part of a JSON value that a function builds.
  fileprivate var jsonElement: SQLExpression {
    let expression = sqlExpression
    return (self is any SQLJSONExpressible ? expression.markedAsJSON : expression).jsonElement
  }
}

/// Returns the arguments of a function that changes parts of a JSON value: the value, and pairs of paths and elements.
private func arguments(
  _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
) -> [SQLExpression] {
  [value.sqlExpression] + assignments.flatMap { [$0.key.sqlExpression, $0.value.jsonElement] }
}

// MARK: - Reading

extension Database {
  /// Returns an expression that validates and minifies JSON: `JSON(value)`.
  ///
  /// ```swift
  /// Database.json("{\"a\": 1}")   // JSON('{"a": 1}')   {"a":1}
  /// ```
  ///
  /// Malformed JSON is an error when the statement runs.
  ///
  /// - Parameter value: A text that contains JSON.
  /// - Returns: An expression, whose value is JSON.
  public static func json(_ value: some SQLExpressible) -> SQLExpression {
    .function("JSON", [value.sqlExpression])
  }

  /// Returns an expression for the number of elements of a JSON array: `JSON_ARRAY_LENGTH(value)`.
  ///
  /// ```swift
  /// let request = Player.filter(Database.jsonArrayLength(JSONColumn("tags")) > 1)
  /// ```
  ///
  /// - Parameter value: A JSON value.
  /// - Returns: An expression. It is 0 for a value that is not an array.
  public static func jsonArrayLength(_ value: some SQLExpressible) -> SQLExpression {
    .function("JSON_ARRAY_LENGTH", [value.sqlExpression])
  }

  /// Returns an expression for the number of elements of an array in a JSON value: `JSON_ARRAY_LENGTH(value, path)`.
  ///
  /// - Parameter value: A JSON value.
  /// - Parameter path: A path that begins with `$`.
  /// - Returns: An expression. It is 0 for a value that is not an array, and NULL if there is no value at the path.
  public static func jsonArrayLength(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
    .function("JSON_ARRAY_LENGTH", [value.sqlExpression, path.sqlExpression])
  }

  /// Returns an expression for a part of a JSON value, as an SQL value: `JSON_EXTRACT(value, path)`.
  ///
  /// ```swift
  /// Database.jsonExtract(JSONColumn("info"), atPath: "$.city")   // JSON_EXTRACT("info", '$.city')   Rome
  /// ```
  ///
  /// - Parameter value: A JSON value.
  /// - Parameter path: A path that begins with `$`.
  /// - Returns: An expression. Objects and arrays are JSON.
  public static func jsonExtract(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
    .function("JSON_EXTRACT", [value.sqlExpression, path.sqlExpression])
  }

  /// Returns an expression for several parts of a JSON value, as a JSON array: `JSON_EXTRACT(value, path, …)`.
  ///
  /// - Parameter value: A JSON value.
  /// - Parameter paths: Paths that begin with `$`.
  /// - Returns: An expression. With a single path, it is the SQL value of this part.
  public static func jsonExtract(
    _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
  ) -> SQLExpression {
    .function("JSON_EXTRACT", [value.sqlExpression] + paths.map { $0.sqlExpression })
  }

  /// Returns an expression for the type of a JSON value: `JSON_TYPE(value)`.
  ///
  /// - Parameter value: A JSON value.
  /// - Returns: An expression: `object`, `array`, `text`, `integer`, `real`, `true`, `false` or `null`.
  public static func jsonType(_ value: some SQLExpressible) -> SQLExpression {
    .function("JSON_TYPE", [value.sqlExpression])
  }

  /// Returns an expression for the type of a part of a JSON value: `JSON_TYPE(value, path)`.
  ///
  /// ```swift
  /// let request = Player.filter(Database.jsonType(JSONColumn("info"), atPath: "$.city") == "text")
  /// ```
  ///
  /// - Parameter value: A JSON value.
  /// - Parameter path: A path that begins with `$`.
  /// - Returns: An expression, as for ``jsonType(_:)``. It is NULL if there is no value at the path.
  public static func jsonType(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
    .function("JSON_TYPE", [value.sqlExpression, path.sqlExpression])
  }

  /// Returns an expression that is true if a text is valid JSON: `JSON_VALID(value)`.
  ///
  /// ```swift
  /// try db.create(table: "player") { t in
  ///   t.column("info", .jsonText).check { Database.jsonIsValid($0) }   // CHECK (JSON_VALID("info"))
  /// }
  /// ```
  ///
  /// - Parameter value: A text.
  /// - Returns: An expression.
  public static func jsonIsValid(_ value: some SQLExpressible) -> SQLExpression {
    .function("JSON_VALID", [value.sqlExpression])
  }

  /// Returns an expression that converts an SQL value to JSON: `JSON_QUOTE(value)`.
  ///
  /// ```swift
  /// Database.jsonQuote(Column("name"))   // JSON_QUOTE("name")   "Arthur", with the quotes
  /// ```
  ///
  /// - Parameter value: A text or a number, or a JSON value, which remains as it is.
  /// - Returns: An expression, whose value is JSON.
  public static func jsonQuote(_ value: some SQLExpressible) -> SQLExpression {
    .function("JSON_QUOTE", [value.jsonElement])
  }
}

// MARK: - Building

extension Database {
  /// Returns an expression that builds a JSON array: `JSON_ARRAY(value, …)`.
  ///
  /// ```swift
  /// Database.jsonArray([1, 2, 3])                      // JSON_ARRAY(1, 2, 3)
  /// Database.jsonArray([Column("id"), Column("name")]) // JSON_ARRAY("id", "name")
  /// ```
  ///
  /// - Parameter values: The elements. JSON values, such as ``JSONColumn``, are inserted as JSON.
  /// - Returns: An expression, whose value is JSON.
  public static func jsonArray(_ values: some Collection<some SQLExpressible>) -> SQLExpression {
    .function("JSON_ARRAY", values.map { $0.jsonElement })
  }

  /// Returns an expression that builds a JSON array: `JSON_ARRAY(value, …)`.
  ///
  /// ```swift
  /// Database.jsonArray([1, Column("name"), JSONColumn("info")] as [any SQLExpressible])
  /// // JSON_ARRAY(1, "name", JSON("info"))
  /// ```
  ///
  /// - Parameter values: The elements. JSON values, such as ``JSONColumn``, are inserted as JSON.
  /// - Returns: An expression, whose value is JSON.
  public static func jsonArray(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
    .function("JSON_ARRAY", values.map { $0.jsonElement })
  }

  /// Returns an expression that builds a JSON object: `JSON_OBJECT(key, value, …)`.
  ///
  /// ```swift
  /// // JSON_OBJECT('name', "name", 'tags', JSON("tags"))
  /// let elements: [(key: String, value: any SQLExpressible)] = [("name", Column("name")), ("tags", tags)]
  /// let object = Database.jsonObject(elements)
  /// ```
  ///
  /// - Parameter elements: The keys and values. JSON values, such as ``JSONColumn``, are inserted as JSON.
  /// - Returns: An expression, whose value is JSON.
  public static func jsonObject(
    _ elements: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    .function("JSON_OBJECT", elements.flatMap { [$0.key.sqlExpression, $0.value.jsonElement] })
  }

  /// Returns an aggregate expression that builds a JSON array of the values of all rows: `JSON_GROUP_ARRAY(value)`.
  ///
  /// ```swift
  /// // SELECT "teamId", JSON_GROUP_ARRAY("name") FROM "player" GROUP BY "teamId"
  /// let request = Player
  ///   .select(Column("teamId"), Database.jsonGroupArray(Column("name")))
  ///   .group(Column("teamId"))
  /// ```
  ///
  /// - Parameter value: The aggregated expression. A JSON value, such as ``JSONColumn``, is inserted as JSON.
  /// - Parameter filter: The condition of the aggregated rows, or nil for all rows.
  /// - Returns: An expression, whose value is JSON.
  public static func jsonGroupArray(
    _ value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil
  ) -> SQLExpression {
    aggregate("JSON_GROUP_ARRAY", [value.jsonElement], filter)
  }

  /// Returns an aggregate expression that builds a JSON object with a key for each row:
  /// `JSON_GROUP_OBJECT(key, value)`.
  ///
  /// ```swift
  /// // SELECT JSON_GROUP_OBJECT("name", "score") FROM "player"
  /// let request = Player.select(Database.jsonGroupObject(key: Column("name"), value: Column("score")))
  /// ```
  ///
  /// - Parameter key: The keys.
  /// - Parameter value: The values. A JSON value, such as ``JSONColumn``, is inserted as JSON.
  /// - Parameter filter: The condition of the aggregated rows, or nil for all rows.
  /// - Returns: An expression, whose value is JSON.
  public static func jsonGroupObject(
    key: some SQLExpressible, value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil
  ) -> SQLExpression {
    aggregate("JSON_GROUP_OBJECT", [key.sqlExpression, value.jsonElement], filter)
  }

  private static func aggregate(
    _ name: String, _ arguments: [SQLExpression], _ filter: (any SQLSpecificExpressible)?
  ) -> SQLExpression {
    let call = SQLExpression.function(name, arguments, isAggregate: true)
    return filter.map { .operation(.filtered, call, $0.sqlExpression) } ?? call
  }
}

// MARK: - Changing

extension Database {
  /// Returns an expression that adds parts to a JSON value, and does not replace existing ones:
  /// `JSON_INSERT(value, path, part, …)`.
  ///
  /// ```swift
  /// // UPDATE "player" SET "info" = JSON_INSERT("info", '$.city', 'Rome')
  /// let info = JSONColumn("info")
  /// try Player.updateAll(db, info.set(to: Database.jsonInsert(info, ["$.city": "Rome"])))
  /// ```
  ///
  /// - Parameter value: A JSON value.
  /// - Parameter assignments: Paths that begin with `$`, and the new values. JSON values, such as ``JSONColumn``, are
  ///   inserted as JSON. Dictionaries have no order: use a `KeyValuePairs` or an array if the order matters.
  /// - Returns: An expression, whose value is JSON.
  public static func jsonInsert(
    _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    .function("JSON_INSERT", arguments(value, assignments))
  }

  /// Returns an expression that replaces existing parts of a JSON value, and adds none:
  /// `JSON_REPLACE(value, path, part, …)`.
  ///
  /// - Parameter value: A JSON value.
  /// - Parameter assignments: Paths that begin with `$`, and the new values, as for ``jsonInsert(_:_:)``.
  /// - Returns: An expression, whose value is JSON.
  public static func jsonReplace(
    _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    .function("JSON_REPLACE", arguments(value, assignments))
  }

  /// Returns an expression that adds or replaces parts of a JSON value: `JSON_SET(value, path, part, …)`.
  ///
  /// ```swift
  /// // UPDATE "player" SET "info" = JSON_SET("info", '$.city', 'Rome')
  /// let info = JSONColumn("info")
  /// try Player.updateAll(db, info.set(to: Database.jsonSet(info, ["$.city": "Rome"])))
  /// ```
  ///
  /// - Parameter value: A JSON value.
  /// - Parameter assignments: Paths that begin with `$`, and the new values, as for ``jsonInsert(_:_:)``.
  /// - Returns: An expression, whose value is JSON.
  public static func jsonSet(
    _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
  ) -> SQLExpression {
    .function("JSON_SET", arguments(value, assignments))
  }

  /// Returns an expression that merges a JSON value with another one, as RFC 7396 defines it:
  /// `JSON_PATCH(value, patch)`.
  ///
  /// ```swift
  /// // JSON_PATCH("info", '{"city":"Rome","zip":null}')
  /// Database.jsonPatch(JSONColumn("info"), with: #"{"city":"Rome","zip":null}"#)
  /// ```
  ///
  /// - Parameter value: A JSON value.
  /// - Parameter patch: A JSON value. Its nulls remove parts, and its other values add or replace parts.
  /// - Returns: An expression, whose value is JSON.
  public static func jsonPatch(_ value: some SQLExpressible, with patch: some SQLExpressible) -> SQLExpression {
    .function("JSON_PATCH", [value.sqlExpression, patch.sqlExpression])
  }

  /// Returns an expression that removes a part of a JSON value: `JSON_REMOVE(value, path)`.
  ///
  /// - Parameter value: A JSON value.
  /// - Parameter path: A path that begins with `$`.
  /// - Returns: An expression, whose value is JSON.
  public static func jsonRemove(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
    .function("JSON_REMOVE", [value.sqlExpression, path.sqlExpression])
  }

  /// Returns an expression that removes parts of a JSON value: `JSON_REMOVE(value, path, …)`.
  ///
  /// ```swift
  /// Database.jsonRemove(JSONColumn("info"), atPaths: ["$.city", "$.zip"])
  /// ```
  ///
  /// - Parameter value: A JSON value.
  /// - Parameter paths: Paths that begin with `$`.
  /// - Returns: An expression, whose value is JSON.
  public static func jsonRemove(
    _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
  ) -> SQLExpression {
    .function("JSON_REMOVE", [value.sqlExpression] + paths.map { $0.sqlExpression })
  }
}
