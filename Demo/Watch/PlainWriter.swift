import Foundation
import Tidemark

/// Writes changes as lines.
struct PlainWriter: Sendable {
  let format: PlainFormat

  /// Whether the output is a terminal, which would execute control characters in the data.
  var isForTerminal = false

  /// The columns in the last CSV header.
  private var header: [String]?

  init(_ format: PlainFormat, isForTerminal: Bool = false) {
    self.format = format
    self.isForTerminal = isForTerminal
  }

  /// Returns the lines of a change, each with its line feed.
  mutating func lines(for change: PlainChange) -> String {
    switch format {
    case .text: return PlainText.line(for: change)
    case .json: return PlainJSON.line(for: change)
    case .csv: return csv(change)
    }
  }

  /// A record for each row; one without values for a result without rows. A header is written again when the columns
  /// differ from those before, as between two queries.
  private mutating func csv(_ change: PlainChange) -> String {
    var records: [[String]] = []
    if header != change.result.columns {
      header = change.result.columns
      records.append((["change", "query", "time"] + change.result.columns).map { PlainCSV.field(text: $0) })
    }
    let facts = ["\(change.number)", "\(change.query)", change.time]
    let nothing = change.result.columns.map { _ in "" }
    let rows = change.result.rows.map { $0.map(PlainCSV.field) }
    records += (rows.isEmpty ? [nothing] : rows).map { facts + $0 }
    let lines = records.map { record in
      let line = record.joined(separator: ",")
      return (isForTerminal ? line.visible : line) + "\n"
    }
    return lines.joined()
  }
}

/// A line for people: control characters are shown as control pictures, long values are cut.
enum PlainText {
  private static let valueWidthMax = 60

  static func line(for change: PlainChange) -> String {
    let result = change.result
    let count = "\(NumberText.grouped(result.rows.count))\(result.isCut ? "+" : "")"
    let rows = result.rows.map { row in
      zip(result.columns, row).map { column, value in
        "\(column)=\(ValueText(CellValue(value), .plain).text.cut(to: valueWidthMax))"
      }.joined(separator: " ")
    }
    let noun = result.rows.count == 1 && !result.isCut ? "row" : "rows"
    let start = "\(change.time) #\(change.query) \(count) \(noun)"
    let line = rows.isEmpty ? start : "\(start): \(rows.joined(separator: " | "))"
    return "\(line)\(result.isCut ? " | …" : "")".visible + "\n"
  }
}

/// CSV fields as in RFC 4180. NULL is an empty field, and an empty text is two quotes.
///
/// A field that starts with `x'` is a blob. A text that starts with it, or with backslashes and it, has one more
/// backslash at its start.
enum PlainCSV {
  static func field(_ value: DatabaseValue) -> String {
    switch value.storage {
    case .null: ""
    case .int64(let integer): "\(integer)"
    case .double(let double): "\(double)"
    case .string(let string): field(text: (looksLikeBytes(string) ? "\\" : "") + string)
    // The syntax of SQL.
    case .blob(let data): "x'\(hexadecimal(data))'"
    }
  }

  static func field(text: String) -> String {
    let isPlain =
      !text.isEmpty && !text.unicodeScalars.contains { [",", "\"", "\n", "\r"].contains($0) }
      && text.first != " " && text.last != " "
    return isPlain
      ? text : "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  private static func looksLikeBytes(_ text: String) -> Bool {
    text.utf8.drop { $0 == UInt8(ascii: "\\") }.starts(with: "x'".utf8)
  }

  static func hexadecimal(_ data: Data) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in data {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// A JSON object on one line.
enum PlainJSON {
  static func line(for change: PlainChange) -> String {
    let rows = change.result.rows.map { row in "[" + row.map(value).joined(separator: ",") + "]" }
    let members = [
      "\"change\":\(change.number)", "\"query\":\(change.query)", "\"time\":\(string(change.time))",
      "\"columns\":[\(change.result.columns.map(string).joined(separator: ","))]",
      "\"rows\":[\(rows.joined(separator: ","))]", "\"isCut\":\(change.result.isCut)",
    ]
    return "{" + members.joined(separator: ",") + "}\n"
  }

  /// JSON can represent neither infinite numbers nor blobs. Both are written as objects, which no text looks like.
  static func value(_ value: DatabaseValue) -> String {
    switch value.storage {
    case .null: "null"
    case .int64(let integer): "\(integer)"
    case .double(let double): double.isFinite ? "\(double)" : "{\"real\":\(string("\(double)"))}"
    case .string(let text): string(text)
    case .blob(let data): "{\"blob\":\"\(PlainCSV.hexadecimal(data))\"}"
    }
  }

  static func string(_ text: String) -> String {
    var escaped = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": escaped += "\\\""
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\r": escaped += "\\r"
      case "\t": escaped += "\\t"
      // Also escape characters that JSON allows, but terminals execute or some programs take for the end of a line.
      case "\u{0}"..<" ", "\u{7F}"..<"\u{A0}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
        let digits = String(scalar.value, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped + "\""
  }
}
