/// A format with one line for each row, whose values are texts as SQLite converts them.
///
/// It resembles the mode `list` of SQLite's command-line program:
///
/// ```swift
/// // 1|Arthur|1000
/// // 2|Barbara|500
/// try db.dumpRequest(Player.all(), format: .list())
/// ```
///
/// Blobs are written as texts, up to their first NUL byte. ``DebugDumpFormat`` and ``QuoteDumpFormat`` write them
/// completely.
public struct ListDumpFormat: DumpFormat, Sendable {
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
    lines.writeRow(of: statement, separator: separator, to: &stream, header: header ? { $0 } : nil) {
      $0.dumpedText(nullValue: nullValue)
    }
  }

  /// Has no effect: the format writes nothing after the last row.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter statement: The statement.
  /// - Parameter stream: The stream to write to.
  public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {}
}

extension DumpFormat where Self == ListDumpFormat {
  /// A format with one line for each row, whose values are texts as SQLite converts them.
  ///
  /// ```swift
  /// try db.dumpTables(["player"], format: .list(separator: ", "))
  /// ```
  ///
  /// - Parameter header: Whether the names of the columns precede the first row.
  /// - Parameter separator: The text between two values.
  /// - Parameter nullValue: The text for NULL.
  public static func list(header: Bool = false, separator: String = "|", nullValue: String = "") -> Self {
    ListDumpFormat(header: header, separator: separator, nullValue: nullValue)
  }
}
