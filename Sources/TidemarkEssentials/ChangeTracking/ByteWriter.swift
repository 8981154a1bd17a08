import FoundationEssentials

/// Appends numbers, texts and SQLite values to bytes, in the form that ``ByteReader`` reads.
///
/// Each value has exactly one form:
///
/// - A number is a sequence of bytes with seven bits each, the lowest first; all but the last byte have the high bit.
///   No number ends with a zero byte, except zero.
/// - A signed number is stored as a number: 0, -1, 1, -2, 2, … become 0, 1, 2, 3, 4, …
/// - A text or a list of bytes is its length, followed by its bytes.
/// - An SQLite value begins with a number. Its lowest three bits are the type, the others the length:
///   NULL (0), INTEGER (1), REAL (2), TEXT (3), BLOB (4). An INTEGER has as few bytes as possible, zero for the number
///   0, the lowest first, in two's complement. A REAL has length zero and eight bytes, the lowest first.
struct ByteWriter {
  enum ValueType: UInt8 {
    case null = 0
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
  }

  private(set) var bytes: [UInt8] = []

  mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  mutating func append(byte: UInt8) { bytes.append(byte) }

  /// Appends bytes without their length.
  mutating func append(bytes other: [UInt8]) { bytes.append(contentsOf: other) }

  mutating func append(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func append(count: Int) { append(UInt64(count)) }

  mutating func append(signed number: Int64) {
    append(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  mutating func append(_ text: String) {
    append(count: text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  /// Appends one bit per element, the first one in the lowest bit.
  mutating func append(bits: some Sequence<Bool>) {
    var byte: UInt8 = 0
    var mask: UInt8 = 1
    for bit in bits {
      if bit { byte |= mask }
      mask <<= 1
      if mask == 0 {
        bytes.append(byte)
        (byte, mask) = (0, 1)
      }
    }
    if mask != 1 { bytes.append(byte) }
  }

  mutating func append(_ value: DatabaseValue) {
    switch value.storage {
    case .null: append(.null, length: 0)
    case .int64(let integer):
      let count = Self.byteCount(of: integer)
      append(.integer, length: count)
      appendBytes(UInt64(bitPattern: integer), count: count)
    // SQLite stores no NaN: it becomes NULL.
    case .double(let double) where double.isNaN: append(.null, length: 0)
    case .double(let double):
      append(.real, length: 0)
      appendBytes(double.bitPattern, count: 8)
    case .string(let text):
      append(.text, length: text.utf8.count)
      bytes.append(contentsOf: text.utf8)
    case .blob(let data):
      append(.blob, length: data.count)
      bytes.append(contentsOf: data)
    }
  }

  private mutating func append(_ type: ValueType, length: Int) {
    append(UInt64(length) << 3 | UInt64(type.rawValue))
  }

  private mutating func appendBytes(_ bits: UInt64, count: Int) {
    var rest = bits
    for _ in 0..<count {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  /// The number of bytes that an integer needs in two's complement.
  static func byteCount(of integer: Int64) -> Int {
    if integer == 0 { return 0 }
    let bitCount = 65 - (integer < 0 ? ~integer : integer).leadingZeroBitCount
    return (bitCount + 7) / 8
  }
}
