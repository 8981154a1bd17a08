import FoundationEssentials

/// A format with one line for each row, whose values are made for people.
///
/// ```swift
/// // 1|Arthur|1000
/// // 2|Barbara|500
/// try db.dumpRequest(Player.all())
///
/// // id|name|score
/// // 1|Arthur|1000
/// // 2|Barbara|500
/// try db.dumpRequest(Player.all(), format: .debug(header: true))
/// ```
///
/// A blob is written as text if it is valid UTF-8, as a UUID if it has 16 bytes, and as an SQL literal such as
/// `X'FF00'` otherwise. Texts are written as they are: they may contain separators and newlines.
public struct DebugDumpFormat: DumpFormat, Sendable {
  /// Whether the names of the columns precede the first row.
  public var header: Bool

  /// The text between two values.
  public var separator: String

  /// The text for NULL.
  public var nullValue: String

  private var lines = DumpedLines()

  /// Creates a format.
  ///
  /// - Parameter header: Whether the names of the columns precede the first row.
  /// - Parameter separator: The text between two values.
  /// - Parameter nullValue: The text for NULL.
  public init(header: Bool = false, separator: String = "|", nullValue: String = "") {
    self.header = header
    self.separator = separator
    self.nullValue = nullValue
  }

  /// Writes the current row of a statement, and the header before the first row.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter statement: The statement.
  /// - Parameter stream: The stream to write to.
  public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
    lines.writeRow(of: statement, separator: separator, to: &stream, header: header ? { $0 } : nil) { value in
      guard case .blob(let data) = value.storage else { return value.dumpedText(nullValue: nullValue) }
      return String(validating: data, as: UTF8.self) ?? UUID.fromDatabaseValue(value)?.uuidString ?? data.blobLiteral
    }
  }

  /// Has no effect: the format writes nothing after the last row.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter statement: The statement.
  /// - Parameter stream: The stream to write to.
  public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {}
}

extension DumpFormat where Self == DebugDumpFormat {
  /// A format with one line for each row, whose values are made for people.
  ///
  /// ```swift
  /// try db.dumpTables(["player"], format: .debug(header: true))
  /// ```
  ///
  /// - Parameter header: Whether the names of the columns precede the first row.
  /// - Parameter separator: The text between two values.
  /// - Parameter nullValue: The text for NULL.
  public static func debug(header: Bool = false, separator: String = "|", nullValue: String = "") -> Self {
    DebugDumpFormat(header: header, separator: separator, nullValue: nullValue)
  }
}
