/// A literal in the schema, such as a default value.
public enum LiteralValue: Hashable, Sendable, CustomStringConvertible {
  /// A number, as text.
  case numericLiteral(String)

  /// A string.
  case stringLiteral(String)

  /// Bytes, as hexadecimal digits.
  case blobLiteral(String)

  /// NULL.
  case NULL

  /// TRUE.
  case TRUE

  /// FALSE.
  case FALSE

  /// The time of the insertion.
  case CURRENT_TIME

  /// The date of the insertion.
  case CURRENT_DATE

  /// The date and the time of the insertion.
  case CURRENT_TIMESTAMP

  /// Parses an SQL literal; nil is NULL.
  init(_ sql: String?) {
    guard let sql else {
      self = .NULL
      return
    }
    let words: [String: LiteralValue] = [
      "NULL": .NULL, "TRUE": .TRUE, "FALSE": .FALSE, "CURRENT_TIME": .CURRENT_TIME, "CURRENT_DATE": .CURRENT_DATE,
      "CURRENT_TIMESTAMP": .CURRENT_TIMESTAMP,
    ]
    if let word = words[sql.uppercased()] {
      self = word
    } else if let text = sql.unquoted("'") ?? sql.unquoted("\"") {
      self = .stringLiteral(text)
    } else if sql.first == "x" || sql.first == "X", let digits = sql.dropFirst().unquoted("'") {
      self = .blobLiteral(digits)
    } else {
      self = .numericLiteral(sql)
    }
  }

  /// The value for a DEFAULT clause, which needs parentheses around an expression.
  ///
  /// The schema contains such an expression without them, and is read as a number.
  var defaultText: String {
    guard case .numericLiteral(let text) = self else { return description }
    let tokens = SQLWords(text).tokens.map(\.text)
    let isSigned = tokens.first == "-" || tokens.first == "+"
    return tokens.count > (isSigned ? 2 : 1) ? "(\(text))" : text
  }

  /// The value as an SQL literal.
  public var description: String {
    switch self {
    case .numericLiteral(let number): number
    case .stringLiteral(let text): SQLText.literal(text)
    case .blobLiteral(let digits): "X\(digits.quote("'"))"
    case .NULL: "NULL"
    case .TRUE: "TRUE"
    case .FALSE: "FALSE"
    case .CURRENT_TIME: "CURRENT_TIME"
    case .CURRENT_DATE: "CURRENT_DATE"
    case .CURRENT_TIMESTAMP: "CURRENT_TIMESTAMP"
    }
  }
}
