// SQL in the schema cannot have parameters: values become SQL literals.

extension Database {
  /// Returns the SQL of a literal with its values as SQL literals.
  func text(of literal: SQL) throws -> String {
    let (sql, arguments) = try literal.build(self)
    if arguments.isEmpty { return sql }
    var rest = arguments.values[...]
    var text = ""
    var end = sql.startIndex
    var tokens = SQLTokenizer(sql)
    while let token = tokens.next() {
      guard token == .parameter else { continue }
      let mark = sql[tokens.range]
      let value: DatabaseValue?
      if let number = Int(mark.dropFirst()), mark.first == "?" {
        value = arguments.values.indices.contains(number - 1) ? arguments.values[number - 1] : nil
        rest = rest.dropFirst(max(0, number - rest.startIndex))
      } else {
        value = arguments.namedValues[String(mark.dropFirst())] ?? rest.popFirst()
      }
      guard let value else { throw wrongCount(arguments, sql) }
      text += try sql[end..<tokens.range.lowerBound] + self.text(of: value)
      end = tokens.range.upperBound
    }
    if !rest.isEmpty { throw wrongCount(arguments, sql) }
    return text + sql[end...]
  }

  private func wrongCount(_ arguments: StatementArguments, _ sql: String) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE, message: ArgumentMismatch.wrongCount(arguments.values.count).message, sql: sql)
  }

  /// Returns the SQL of an expression with its values as SQL literals.
  func text(of expression: some SQLExpressible) throws -> String {
    try text(of: SQL(elements: [.expression(expression.sqlExpression)]))
  }

  /// Returns a value as an SQL literal.
  ///
  /// - Throws: An error for a text with a NUL character, which cannot be written in SQL.
  func text(of value: DatabaseValue) throws -> String {
    switch value.storage {
    case .null: return "NULL"
    case .int64(let integer): return "\(integer)"
    case .double(let number):
      // SQLite's `quote` returns an identifier for infinity.
      if number.isInfinite { return number < 0 ? "-9e999" : "9e999" }
    case .string(let string) where string.utf8.contains(0):
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "a text with a NUL character cannot be written in a schema: remove the character")
    case .string, .blob: break
    }
    let statement = try compile("SELECT QUOTE(?)", isInternal: true)
    let row = try untraced { try Row.fetchOne(statement, arguments: [value]) }
    return row?[0] ?? "NULL"
  }
}

extension SQL {
  /// Creates the SQL of an expression.
  init(expression: some SQLExpressible) {
    self.init(elements: [.expression(expression.sqlExpression)])
  }
}

extension [String] {
  /// The quoted names, separated by commas.
  var quotedList: String { map(\.quotedDatabaseIdentifier).joined(separator: ", ") }
}

// Module arguments are not parsed like expressions: each module has its own rules.

extension String {
  /// The text as an argument of a virtual table module, without quotes if the text is a word.
  ///
  /// - Precondition: The text contains no NUL character, which SQL cannot represent.
  var moduleArgument: String { isBareWord ? self : quotedDatabaseIdentifier }

  /// Whether the text consists of letters, digits, underscores and characters outside of ASCII, and does not begin with
  /// a digit.
  var isBareWord: Bool {
    guard let first = utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    return utf8.allSatisfy { $0 >= 0x80 || $0 == UInt8(ascii: "_") || $0.isASCIILetterOrDigit }
  }
}
