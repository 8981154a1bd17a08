/// A value as the schema has it.
public enum LiteralValue: Hashable, Sendable, CustomStringConvertible {
  /// A number, as it is written.
  case numericLiteral(String)

  /// A text.
  case stringLiteral(String)

  /// Bytes, two hexadecimal digits each.
  case blobLiteral(String)

  /// NULL
  case NULL

  /// TRUE
  case TRUE

  /// FALSE
  case FALSE

  /// The time of the insert.
  case CURRENT_TIME

  /// The date of the insert.
  case CURRENT_DATE

  /// The date and the time of the insert.
  case CURRENT_TIMESTAMP

  /// The value that is written so; NULL where nothing is written.
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
    } else if let text = Self.unquoted(sql, "'") ?? Self.unquoted(sql, "\"") {
      self = .stringLiteral(text)
    } else if sql.first == "x" || sql.first == "X", let digits = Self.unquoted(String(sql.dropFirst()), "'") {
      self = .blobLiteral(digits)
    } else {
      self = .numericLiteral(sql)
    }
  }

  private static func unquoted(_ sql: String, _ mark: Character) -> String? {
    guard sql.count > 1, sql.first == mark, sql.last == mark else { return nil }
    let parts = sql.dropFirst().dropLast().split(separator: "\(mark)\(mark)", omittingEmptySubsequences: false)
    // A mark that is not doubled ends the text: it is more than one value.
    return parts.contains { $0.contains(mark) } ? nil : parts.joined(separator: "\(mark)")
  }

  /// The value as SQL writes it.
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
