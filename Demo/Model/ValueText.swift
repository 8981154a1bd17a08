/// Formats a value as one line of text.
struct ValueText {
  let text: String
  let role: Role

  init(_ value: CellValue, _ format: ColumnFormat) {
    switch value {
    case .null: (text, role) = ("NULL", .null)
    case .text(let string): (text, role) = (string, .text)
    case .blob(let count, let start): (text, role) = (Self.blob(count, start), .faint)
    case .integer(let integer): (text, role) = (Self.integer(integer, format), .number)
    case .real(let real): (text, role) = (Self.real(real, format), .number)
    }
  }

  private static func integer(_ integer: Int64, _ format: ColumnFormat) -> String {
    switch format {
    case .text, .plain: "\(integer)"
    case .number(0): NumberText.grouped(integer)
    default: real(Double(integer), format)
    }
  }

  private static func real(_ real: Double, _ format: ColumnFormat) -> String {
    switch format {
    case .text, .plain: "\(real)"
    case .number(let decimals): NumberText.fixed(real, decimals: decimals)
    case .percent(let decimals): NumberText.fixed(real, decimals: decimals) + " %"
    case .bytes: NumberText.bytes(real)
    case .duration(let unit): NumberText.seconds(real * unit)
    }
  }

  /// Formats the first bytes in hexadecimal, and the number of bytes.
  private static func blob(_ count: Int, _ start: [UInt8]) -> String {
    let digits = start.prefix(8).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    let ellipsis = count > 8 ? "…" : ""
    return "x'\(digits.joined())\(ellipsis)' \(NumberText.bytes(Double(count)))"
  }
}
