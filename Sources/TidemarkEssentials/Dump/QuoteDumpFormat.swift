import FoundationEssentials

/// A format with one line for each row, whose values are SQL literals.
///
/// It resembles the mode `quote` of SQLite's command-line program:
///
/// ```swift
/// // 1,'Arthur',1000
/// // 2,'Barbara',NULL
/// try db.dumpRequest(Player.all(), format: .quote())
/// ```
public struct QuoteDumpFormat: DumpFormat, Sendable {
  /// Whether the names of the columns precede the first row. The names are quoted as texts.
  public var header: Bool

  /// The text between two values.
  public var separator: String

  private var lines = DumpedLines()

  /// Creates a format.
  ///
  /// - Parameter header: Whether the names of the columns precede the first row.
  /// - Parameter separator: The text between two values.
  public init(header: Bool = false, separator: String = ",") {
    self.header = header
    self.separator = separator
  }

  /// Writes the current row of a statement, and the header before the first row.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter statement: The statement.
  /// - Parameter stream: The stream to write to.
  public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
    lines.writeRow(of: statement, separator: separator, to: &stream, header: header ? { $0.textLiteral } : nil) {
      $0.literal(db)
    }
  }

  /// Has no effect: the format writes nothing after the last row.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter statement: The statement.
  /// - Parameter stream: The stream to write to.
  public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {}
}

extension DumpFormat where Self == QuoteDumpFormat {
  /// A format with one line for each row, whose values are SQL literals.
  ///
  /// ```swift
  /// try db.dumpTables(["player"], format: .quote(header: true))
  /// ```
  ///
  /// - Parameter header: Whether the names of the columns precede the first row.
  /// - Parameter separator: The text between two values.
  public static func quote(header: Bool = false, separator: String = ",") -> Self {
    QuoteDumpFormat(header: header, separator: separator)
  }
}

// MARK: - Literals

extension DatabaseValue {
  /// Returns the value as an SQL literal.
  fileprivate func literal(_ db: Database) -> String {
    switch storage {
    case .null: "NULL"
    case .int64(let number): "\(number)"
    case .double(let number): number.literal(db)
    case .string(let text):
      // An SQL text cannot contain a NUL character.
      text.utf8.contains(0) ? "CAST(\(Data(text.utf8).blobLiteral) AS TEXT)" : text.textLiteral
    case .blob(let data): data.blobLiteral
    }
  }
}

extension Double {
  /// Returns the number as SQLite writes it.
  fileprivate func literal(_ db: Database) -> String {
    let quoted = try? db.untraced {
      try Row.fetchOne(db.preparedStatement(sql: "SELECT QUOTE(?)"), arguments: [self])?[0] as String?
    }
    // The query fails if the access is interrupted. The next step of the dumped statement throws then.
    return quoted.flatMap { $0 } ?? "\(self)"
  }
}

extension Data {
  /// The bytes as an SQL literal, as in `X'FF00'`.
  var blobLiteral: String {
    let digits = Array("0123456789ABCDEF".utf8)
    let hexadecimal = flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }
    return "X'\(String(decoding: hexadecimal, as: UTF8.self))'"
  }
}
