/// A text format for the rows of a query.
///
/// The methods that dump rows, such as ``DatabaseReader/dumpRequest(_:format:to:)``, accept these formats:
///
/// - ``DumpFormat/debug(header:separator:nullValue:)``: values for people. The default.
/// - ``DumpFormat/json(_:)``: a JSON array of objects.
/// - ``DumpFormat/line(nullValue:)``: one line for each value.
/// - ``DumpFormat/list(header:separator:nullValue:)``: values as text.
/// - ``DumpFormat/quote(header:separator:)``: SQL literals.
///
/// A program can define other formats. Each statement is written with its own copy of the format, which may keep a
/// state from row to row:
///
/// ```swift
/// struct NumberedFormat: DumpFormat {
///   private var count = 0
///
///   mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
///     count += 1
///     stream.write("\(count): \(DatabaseValue(sqliteStatement: statement.sqliteStatement, index: 0))\n")
///   }
///
///   mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
///     stream.write("\(count) rows\n")
///   }
/// }
/// ```
public protocol DumpFormat {
  /// Writes the current row of a statement.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter statement: The statement. Do not step or reset it.
  /// - Parameter stream: The stream to write to.
  /// - Throws: Any error, which ends the dump.
  mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws

  /// Ends the rows of a statement. It is called for statements without rows, too.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter statement: The statement.
  /// - Parameter stream: The stream to write to.
  mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream)
}

// MARK: - Values

extension Statement {
  /// The columns that dumps show: all columns except those that the library added to the query.
  var dumpedColumns: [(index: Int, name: String)] {
    columnNames.enumerated().filter { !$0.element.hasPrefix("grdb_") }.map { ($0.offset, $0.element) }
  }

  /// Returns a value of the current row.
  func dumpedValue(at index: Int) -> DatabaseValue {
    DatabaseValue(describing: sqliteStatement, index: CInt(index))
  }
}

extension DatabaseValue {
  /// Returns the value as a text, as in SQLite: a blob is a text up to its first NUL byte.
  func dumpedText(nullValue: String) -> String {
    switch storage {
    case .null: nullValue
    case .int64(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): text
    case .blob(let data): String(decoding: data.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

// MARK: - Rows in lines

/// The part of a format with one line for each row: the header, and the separators.
struct DumpedLines {
  private var columns: [Int]?

  /// Writes the current row of a statement. A header precedes the first row.
  ///
  /// - Parameters:
  ///   - header: Returns the names as they are written, or nil to write no header.
  ///   - value: Returns a value as it is written.
  mutating func writeRow(
    of statement: Statement, separator: String, to stream: inout DumpStream, header: ((String) -> String)?,
    value: (DatabaseValue) -> String
  ) {
    let isFirst = columns == nil
    let columns = columns ?? statement.dumpedColumns.map(\.index)
    self.columns = columns
    if isFirst, let header { stream.write(statement.columnNames.map(header).joined(separator: separator) + "\n") }
    stream.write(columns.map { value(statement.dumpedValue(at: $0)) }.joined(separator: separator) + "\n")
  }
}
