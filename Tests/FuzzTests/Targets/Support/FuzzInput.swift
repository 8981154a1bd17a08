import Foundation
import TidemarkEssentials

/// The bytes of an input, read as choices and values. At its end, it yields zeros and empty texts.
struct FuzzInput {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func byte() -> UInt8 {
    guard position < bytes.count else { return 0 }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func bool() -> Bool { byte() & 1 == 1 }

  /// A number from 0 to less than a bound of at most 256.
  mutating func choice(_ bound: Int) -> Int { Int(byte()) % bound }

  mutating func element<Element>(of elements: [Element]) -> Element { elements[choice(elements.count)] }

  /// Eight bytes, the lowest first.
  mutating func bits() -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(byte()) << UInt64(8 * $1) } }

  /// At most 255 bytes, after their number.
  mutating func part() -> [UInt8] {
    let count = min(Int(byte()), bytes.count - position)
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  /// A short text, after the number of its bytes.
  mutating func text() -> String { String(decoding: part(), as: UTF8.self) }

  mutating func textWithoutNUL() -> String { String(decoding: part().filter { $0 != 0 }, as: UTF8.self) }

  mutating func rest() -> [UInt8] {
    defer { position = bytes.count }
    return Array(bytes[position...])
  }

  mutating func restText() -> String { String(decoding: rest(), as: UTF8.self) }

  mutating func double() -> Double {
    switch choice(4) {
    case 0: Double(bitPattern: bits())
    case 1: Double(Int64(bitPattern: bits()))
    case 2: Double(Int64(bitPattern: bits()) / 1_000_000) / 1000
    default: Double(text()) ?? 0.5
    }
  }

  /// A value of any type.
  mutating func value() -> DatabaseValue {
    switch choice(8) {
    case 0: return .null
    case 1: return Int64(bitPattern: bits()).databaseValue
    case 2: return Int64(Int8(bitPattern: byte())).databaseValue
    case 3:
      let double = double()
      return double.isNaN ? .null : double.databaseValue
    case 4: return Data(part()).databaseValue
    default: return text().databaseValue
    }
  }
}
