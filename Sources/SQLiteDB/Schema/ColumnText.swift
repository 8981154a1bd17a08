/// The properties of a column in a statement that creates or changes a table, and their SQL.
struct ColumnText {
  var name: SQLExpression<Void>
  var type: String
  var isNullable: Bool
  var primaryKey: PrimaryKey?
  var unique = false
  var check: SQLExpression<Void>?
  var defaultValue: SQLExpression<Void>?
  var references: (table: String, column: String)?
  var collation: Collation?

  init<T: ExpressionDatatype>(_ column: SQLExpression<T>, check: (any SQLCondition)? = nil) {
    name = column.expression
    type = T.WrappedType.declaredDatatype
    isNullable = T._isOptional
    self.check = check?.expression
  }

  func with(_ change: (inout ColumnText) -> Void) -> ColumnText {
    var column = self
    change(&column)
    return column
  }

  /// `"name" TYPE PRIMARY KEY NOT NULL UNIQUE CHECK (…) DEFAULT (…) REFERENCES … COLLATE …`
  var sql: String {
    var parts = [name.asSQL(), type]
    switch primaryKey {
    case .default: parts.append("PRIMARY KEY")
    case .autoincrement: parts.append("PRIMARY KEY AUTOINCREMENT")
    case nil: break
    }
    if !isNullable { parts.append("NOT NULL") }
    if unique { parts.append("UNIQUE") }
    if let check { parts.append("CHECK \(SQLText.enclosed(check.asSQL()))") }
    if let defaultValue { parts.append("DEFAULT (\(defaultValue.asSQL()))") }
    if let references { parts.append("REFERENCES \(references.table) (\(references.column))") }
    if let collation { parts.append("COLLATE \(collation)") }
    return parts.joined(separator: " ")
  }
}

/// The kind of a primary key.
public enum PrimaryKey: Sendable, Hashable {
  /// A plain primary key. An INTEGER primary key is an alias of the row ID.
  case `default`

  /// An INTEGER primary key whose new values are greater than all earlier ones.
  case autoincrement
}

extension QueryType {
  /// The name of the table, for statements that refer to the database of another table.
  var unqualifiedName: String { clauses.source.name.quote() }
}

extension SQLExpression {
  /// The table and the column of a qualified column (`"users"."id"`); nil if the column is not qualified.
  var namespaced: (table: String, column: String)? {
    var names: [Substring] = []
    var rest = template[...].unicodeScalars
    while rest.first == "\"" {
      guard let end = Self.endOfName(rest) else { return nil }
      names.append(Substring(rest[..<end]))
      rest = rest[end...]
      if rest.first == "." { rest = rest.dropFirst() }
    }
    guard rest.isEmpty, names.count > 1 else { return nil }
    return (String(names[names.count - 2]), String(names[names.count - 1]))
  }

  /// The name of a column, without its qualifier and quotes; for other expressions, their SQL.
  var unquotedName: String {
    let name = namespaced?.column ?? template
    return name.unquoted("\"") ?? name
  }

  private static func endOfName(_ text: Substring.UnicodeScalarView) -> String.Index? {
    var rest = text.dropFirst()
    while let quote = rest.firstIndex(of: "\"") {
      rest = rest[quote...].dropFirst()
      if rest.first != "\"" { return rest.startIndex }
      rest = rest.dropFirst()
    }
    return nil
  }
}
