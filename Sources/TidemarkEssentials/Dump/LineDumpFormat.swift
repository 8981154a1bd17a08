/// A format with one line for each value, and an empty line between two rows.
///
/// It resembles the mode `line` of SQLite's command-line program:
///
/// ```swift
/// //    id = 1
/// //  name = Arthur
/// // score = 1000
/// //
/// //    id = 2
/// //  name = Barbara
/// // score = 500
/// try db.dumpRequest(Player.all(), format: .line())
/// ```
///
/// Blobs are written as texts, up to their first NUL byte.
public struct LineDumpFormat: DumpFormat, Sendable {
  /// The text for NULL.
  public var nullValue: String

  /// The indexes of the columns, and their names, aligned to the right. Nil before the first row.
  private var columns: [(index: Int, title: String)]?

  /// Creates a format.
  ///
  /// - Parameter nullValue: The text for NULL.
  public init(nullValue: String = "") {
    self.nullValue = nullValue
  }

  /// Writes the current row of a statement.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter statement: The statement.
  /// - Parameter stream: The stream to write to.
  public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
    let columns = columns ?? Self.titledColumns(of: statement)
    if self.columns != nil, !columns.isEmpty { stream.write("\n") }
    self.columns = columns
    for column in columns {
      stream.write("\(column.title) = \(statement.dumpedValue(at: column.index).dumpedText(nullValue: nullValue))\n")
    }
  }

  private static func titledColumns(of statement: Statement) -> [(index: Int, title: String)] {
    let columns = statement.dumpedColumns
    let width = columns.map(\.name.count).max() ?? 0
    return columns.map { ($0.index, String(repeating: " ", count: width - $0.name.count) + $0.name) }
  }

  /// Requests an empty line before the next text, if the statement had rows.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter statement: The statement.
  /// - Parameter stream: The stream to write to.
  public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
    if columns != nil { stream.margin() }
  }
}

extension DumpFormat where Self == LineDumpFormat {
  /// A format with one line for each value, and an empty line between two rows.
  ///
  /// ```swift
  /// try db.dumpTables(["player"], format: .line(nullValue: "NULL"))
  /// ```
  ///
  /// - Parameter nullValue: The text for NULL.
  public static func line(nullValue: String = "") -> Self { LineDumpFormat(nullValue: nullValue) }
}
