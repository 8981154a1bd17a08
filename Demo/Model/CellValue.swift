import Tidemark

/// A value of a row, cut to the length that a screen can show.
enum CellValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(byteCount: Int, start: [UInt8])

  /// The number of characters that are kept of a text.
  static let textLengthMax = 500
  static let blobStartCount = 16

  init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let integer): self = .integer(integer)
    case .double(let double): self = .real(double)
    case .string(let string): self = .text(String(string.prefix(Self.textLengthMax)))
    case .blob(let data): self = .blob(byteCount: data.count, start: Array(data.prefix(Self.blobStartCount)))
    }
  }

  var isNumber: Bool {
    switch self {
    case .integer, .real: true
    case .null, .text, .blob: false
    }
  }

  /// The value as a number, if it is one.
  var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    case .null, .text, .blob: nil
    }
  }
}
