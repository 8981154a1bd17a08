import Tidemark

/// Rows as lines of text.
struct TextTable: CustomStringConvertible {
  let description: String

  /// Reads a cursor, up to some number of rows.
  init(_ rows: RowCursor, rowCountMax: Int) throws {
    var lines = [rows.columnNames]
    var isCut = false
    while let row = try rows.next() {
      guard lines.count <= rowCountMax else {
        isCut = true
        break
      }
      lines.append(row.databaseValues.map(Self.text))
    }
    let widths = rows.columnNames.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    let rendered = lines.map { line in
      "  " + zip(line, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
    }
    description = rendered.joined(separator: "\n") + (isCut ? "\n  … more than \(rowCountMax) rows" : "")
  }

  /// A value without anything that a terminal would obey.
  private static func text(_ value: DatabaseValue) -> String {
    switch value.storage {
    case .null: return "NULL"
    case .int64(let integer): return "\(integer)"
    case .double(let double): return "\(double)"
    case .blob(let data): return "\(data.count) bytes"
    case .string(let string):
      return String(String.UnicodeScalarView(string.unicodeScalars.map { isControl($0) ? "�" : $0 }))
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
