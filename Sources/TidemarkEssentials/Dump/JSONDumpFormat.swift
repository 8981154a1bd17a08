public import FoundationEssentials

/// A format that writes the rows of a statement as a JSON array of objects.
///
/// ```swift
/// // [{"id":1,"name":"Arthur","score":1000},
/// // {"id":2,"name":"Barbara","score":null}]
/// try db.dumpRequest(Player.all(), format: .json())
/// ```
///
/// The keys are in the order of the columns. A statement without rows is written as `[]`, and a statement without
/// columns is not written.
///
/// The encoder defines how values are written. By default, blobs are base64 strings, and infinite numbers are the
/// strings `inf` and `-inf`. With the output formatting `.prettyPrinted`, each value has its own line:
///
/// ```swift
/// let encoder = JSONDumpFormat.defaultEncoder
/// encoder.outputFormatting.insert(.prettyPrinted)
/// try db.dumpRequest(Player.all(), format: .json(encoder))
/// ```
public struct JSONDumpFormat: DumpFormat, Sendable {
  /// A new encoder with the default settings: slashes are not escaped, blobs are base64 strings, and numbers that JSON
  /// does not have are the strings `inf`, `-inf` and `nan`.
  public static var defaultEncoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    encoder.dataEncodingStrategy = .base64
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }

  /// The encoder of names and values.
  public var encoder: JSONEncoder

  /// The indexes of the columns, and the names as JSON strings. Nil before the first row.
  private var columns: [(index: Int, key: String)]?

  /// Creates a format.
  ///
  /// - Parameter encoder: The encoder of names and values.
  public init(encoder: JSONEncoder = JSONDumpFormat.defaultEncoder) {
    self.encoder = encoder
  }

  /// Writes the current row of a statement.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter statement: The statement.
  /// - Parameter stream: The stream to write to.
  /// - Throws: An `EncodingError` if the encoder refuses a value. The text before this value is written.
  public mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {
    let layout = layout
    if let columns {
      stream.write(",\n")
      try write(columns, of: statement, layout, to: &stream)
    } else {
      let columns = try statement.dumpedColumns.map { ($0.index, try encoded($0.name)) }
      self.columns = columns
      stream.write("[\(layout.afterArrayStart)")
      try write(columns, of: statement, layout, to: &stream)
    }
  }

  /// Ends the array, or writes an empty array if the statement had no rows.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter statement: The statement.
  /// - Parameter stream: The stream to write to.
  public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
    if columns != nil {
      stream.write("\(layout.beforeArrayEnd)]\n")
    } else if statement.columnCount > 0 {
      stream.write("[]\n")
    }
  }

  private func write(
    _ columns: [(index: Int, key: String)], of statement: Statement, _ layout: Layout, to stream: inout DumpStream
  ) throws {
    stream.write(layout.objectStart)
    for (position, column) in columns.enumerated() {
      stream.write("\(position > 0 ? layout.valueSeparator : layout.beforeFirstValue)\(column.key):")
      stream.write(try encoded(statement.dumpedValue(at: column.index)))
    }
    stream.write(layout.objectEnd)
  }

  private func encoded(_ value: DatabaseValue) throws -> String {
    switch value.storage {
    case .null: "null"
    case .int64(let number): try encoded(number)
    case .double(let number): try encoded(number)
    case .string(let text): try encoded(text)
    case .blob(let data): try encoded(data)
    }
  }

  private func encoded(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

extension JSONDumpFormat {
  /// The texts around values.
  private struct Layout {
    var afterArrayStart = ""
    var objectStart = "{"
    var beforeFirstValue = ""
    var valueSeparator = ","
    var objectEnd = "}"
    var beforeArrayEnd = ""
  }

  private var layout: Layout {
    guard encoder.outputFormatting.contains(.prettyPrinted) else { return Layout() }
    return Layout(
      afterArrayStart: "\n", objectStart: "  {", beforeFirstValue: "\n    ", valueSeparator: ",\n    ",
      objectEnd: "\n  }", beforeArrayEnd: "\n")
  }
}

extension DumpFormat where Self == JSONDumpFormat {
  /// A format that writes the rows of a statement as a JSON array of objects.
  ///
  /// ```swift
  /// try db.dumpTables(["player"], format: .json())
  /// ```
  ///
  /// - Parameter encoder: The encoder of names and values.
  public static func json(_ encoder: JSONEncoder = JSONDumpFormat.defaultEncoder) -> Self {
    JSONDumpFormat(encoder: encoder)
  }
}
