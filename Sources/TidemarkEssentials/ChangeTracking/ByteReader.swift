import FoundationEssentials

/// Reads what ``ByteWriter`` has written, and throws at the first byte that it cannot have written.
///
/// Invariants:
/// 1. No read leaves the bytes, and no length is believed before as many bytes were seen.
/// 2. Whatever is read without an error is written again as the same bytes.
struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  func failure(_ message: String) -> TransactionChanges.DecodingError {
    TransactionChanges.DecodingError(message: message, offset: position)
  }

  /// The bytes since a position.
  func bytes(since start: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[start..<position]) }

  /// Passes bytes if they are the next ones.
  mutating func skip(_ expected: [UInt8]) -> Bool {
    let end = position + expected.count
    guard end <= bytes.count else { return false }
    let next = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
    guard expected.withUnsafeBytes({ next.hasSameBytes(as: $0) }) else { return false }
    position = end
    return true
  }

  mutating func byte() throws(TransactionChanges.DecodingError) -> UInt8 {
    guard position < bytes.count else { throw failure("unexpected end") }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number() throws(TransactionChanges.DecodingError) -> UInt64 {
    // Most numbers are small.
    if position < bytes.count, bytes[position] < 0x80 {
      defer { position += 1 }
      return UInt64(bytes[position])
    }
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      // Of the tenth byte, only one bit is part of the number.
      if shift == 63, byte > 1 { throw failure("number is too large") }
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 {
        if byte == 0, shift > 0 { throw failure("number has superfluous bytes") }
        return number
      }
      shift += 7
    }
  }

  mutating func signedNumber() throws(TransactionChanges.DecodingError) -> Int64 {
    let number = try number()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  /// The number of the bytes that follow, or of elements that have a byte at least.
  mutating func count() throws(TransactionChanges.DecodingError) -> Int {
    // In one expression, `checked` would use the position before the number.
    let number = try number()
    return try checked(number)
  }

  private func checked(_ count: UInt64) throws(TransactionChanges.DecodingError) -> Int {
    guard count <= UInt64(bytes.count - position) else { throw failure("length exceeds the bytes") }
    return Int(count)
  }

  /// An index that is less than a number.
  mutating func index(below bound: Int) throws(TransactionChanges.DecodingError) -> Int {
    let number = try number()
    guard number < UInt64(bound) else { throw failure("index is out of bounds") }
    return Int(number)
  }

  mutating func text() throws(TransactionChanges.DecodingError) -> String {
    let count = try count()
    return try text(count)
  }

  private mutating func text(_ count: Int) throws(TransactionChanges.DecodingError) -> String {
    let part = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    guard part.isUTF8 else { throw failure("text is not UTF-8") }
    position += count
    return String(decoding: part, as: UTF8.self)
  }

  /// Bits, the first one in the lowest bit of a byte.
  struct Bits {
    fileprivate let bytes: UnsafeRawBufferPointer

    subscript(index: Int) -> Bool { bytes[index / 8] & 1 << UInt8(index % 8) != 0 }
  }

  mutating func bits(_ count: Int) throws(TransactionChanges.DecodingError) -> Bits {
    let byteCount = try checked(UInt64((count + 7) / 8))
    let bits = Bits(bytes: UnsafeRawBufferPointer(rebasing: bytes[position..<position + byteCount]))
    if count % 8 != 0, bytes[position + byteCount - 1] >> UInt8(count % 8) != 0 { throw failure("unused bits are set") }
    position += byteCount
    return bits
  }

  mutating func value() throws(TransactionChanges.DecodingError) -> DatabaseValue {
    let head = try number()
    let length = head >> 3
    switch ByteWriter.ValueType(rawValue: UInt8(head & 7)) {
    case .null:
      if length != 0 { throw failure("NULL has a length") }
      return .null
    case .integer: return DatabaseValue(.int64(try integer(length)))
    case .real:
      if length != 0 { throw failure("REAL has a length") }
      let double = Double(bitPattern: try fixed(8))
      if double.isNaN { throw failure("REAL is not a number") }
      return DatabaseValue(.double(double))
    case .text:
      let count = try checked(length)
      return DatabaseValue(.string(try text(count)))
    case .blob:
      let count = try checked(length)
      defer { position += count }
      return DatabaseValue(.blob(Data(bytes[position..<position + count])))
    case nil: throw failure("unknown type of a value")
    }
  }

  private mutating func integer(_ length: UInt64) throws(TransactionChanges.DecodingError) -> Int64 {
    if length > 8 { throw failure("INTEGER is too long") }
    let count = Int(length)
    if count == 0 { return 0 }
    let unused = UInt64(64 - 8 * count)
    let integer = Int64(bitPattern: try fixed(count) << unused) >> Int64(unused)
    if ByteWriter.byteCount(of: integer) != count { throw failure("INTEGER has superfluous bytes") }
    return integer
  }

  private mutating func fixed(_ count: Int) throws(TransactionChanges.DecodingError) -> UInt64 {
    _ = try checked(UInt64(count))
    var bits: UInt64 = 0
    for index in 0..<count { bits |= UInt64(bytes[position + index]) << UInt64(8 * index) }
    position += count
    return bits
  }
}
