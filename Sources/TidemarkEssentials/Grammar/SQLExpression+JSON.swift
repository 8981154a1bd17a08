// JSON values in SQL.
//
// SQLite stores JSON as text. A function that builds JSON inserts such a text as a string, unless the text is the
// result of a function that returns JSON. So the expressions of columns that contain JSON carry a mark, and where a
// function builds JSON from a marked expression, `JSON(…)` is added.

extension SQLExpression {
  /// The expression as a part of a JSON value that a function builds.
  var jsonElement: SQLExpression { jsonElement(for: SQLiteLibrary.versionNumber) }

  /// Returns the expression as a part of a JSON value that a function builds.
  ///
  /// - Parameter libraryVersion: The version of SQLite.
  func jsonElement(for libraryVersion: CInt) -> SQLExpression {
    guard isDeclaredAsJSON, !isJSONForSQLite else { return self }
    // The binary form spares the function from parsing the text again.
    return .function(SQLiteFeature.binaryJSON.isAvailable(in: libraryVersion) ? "JSONB" : "JSON", [self])
  }

  /// Whether the expression, or the collated expression, is marked as JSON.
  private var isDeclaredAsJSON: Bool {
    if isMarkedAsJSON { return true }
    guard case .operation(.collated, let operands) = node else { return false }
    return operands[0].isDeclaredAsJSON
  }

  /// Whether SQLite inserts the value as JSON on its own.
  private var isJSONForSQLite: Bool {
    switch node {
    case .value(let value): return value.isNull
    case .operation(.binary(.jsonPart), _): return true
    case .operation(.collated, let operands), .operation(.filtered, let operands): return operands[0].isJSONForSQLite
    case .operation(.function(let name, _), let arguments):
      // With a single path, the value may be a string or a number.
      return Self.jsonFunctions.contains(name)
        || ((name == "JSON_EXTRACT" || name == "JSONB_EXTRACT") && arguments.count > 2)
    case .column, .literal, .subquery, .operation, .deferred, .table: return false
    }
  }

  /// The functions whose results are JSON.
  private static let jsonFunctions: Set = [
    "JSON", "JSON_ARRAY", "JSON_GROUP_ARRAY", "JSON_GROUP_OBJECT", "JSON_INSERT", "JSON_OBJECT", "JSON_PATCH",
    "JSON_QUOTE", "JSON_REMOVE", "JSON_REPLACE", "JSON_SET",
    "JSONB", "JSONB_ARRAY", "JSONB_GROUP_ARRAY", "JSONB_GROUP_OBJECT", "JSONB_INSERT", "JSONB_OBJECT", "JSONB_PATCH",
    "JSONB_REMOVE", "JSONB_REPLACE", "JSONB_SET",
  ]
}
