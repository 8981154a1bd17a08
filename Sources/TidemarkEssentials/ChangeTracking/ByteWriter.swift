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
  typealias ValueType = CapturedValues.ValueType

  /// The bytes, and room for more.
  private var storage: [UInt8] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }
  var bytes: [UInt8] { Array(storage[..<count]) }

  /// Removes all bytes, and keeps their memory.
  mutating func removeAll() { count = 0 }

  /// Removes all bytes, and keeps their memory if it is small, or if a quarter of it was used.
  mutating func removeAllForReuse() {
    if storage.count > 65_536, storage.count / 4 > count { storage = [] }
    count = 0
  }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try storage.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
  }

  /// A place for the next bytes.
  struct Cursor {
    fileprivate var pointer: UnsafeMutableRawPointer
  }

  /// Appends what a closure writes.
  ///
  /// - Parameter maximum: The number of bytes that the closure writes at most.
  @inline(__always)
  mutating func write(upTo maximum: Int, _ body: (inout Cursor) -> Void) {
    let end = count + maximum
    if end > storage.count {
      storage.append(contentsOf: repeatElement(0, count: max(end, 2 * storage.count, 128) - storage.count))
    }
    count = storage.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      var cursor = Cursor(pointer: start + count)
      body(&cursor)
      return cursor.pointer - start
    }
    assert(count <= end)
  }

  mutating func append(byte: UInt8) { write(upTo: 1) { $0.append(byte: byte) } }

  /// Appends bytes without their length.
  mutating func append(bytes other: [UInt8]) {
    other.withUnsafeBytes { other in write(upTo: other.count) { $0.append(bytes: other) } }
  }

  mutating func append(contentsOf other: ByteWriter) {
    other.withBytes { other in write(upTo: other.count) { $0.append(bytes: other) } }
  }

  mutating func append(_ number: UInt64) { write(upTo: 10) { $0.append(number) } }

  mutating func append(count: Int) { append(UInt64(count)) }

  mutating func append(signed number: Int64) { write(upTo: 10) { $0.append(signed: number) } }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      write(upTo: 10 + utf8.count) { cursor in
        cursor.append(UInt64(utf8.count))
        cursor.append(bytes: UnsafeRawBufferPointer(utf8))
      }
    }
  }

  /// Appends one bit per element, the first one in the lowest bit.
  mutating func append(bits: [Bool]) {
    write(upTo: (bits.count + 7) / 8) { cursor in
      let field = cursor.appendBits(bits.count)
      for (index, bit) in bits.enumerated() where bit { field.set(index) }
    }
  }

  mutating func append(_ value: DatabaseValue) {
    value.withBorrowedValue { value in
      var length = 10
      if case .text(let bytes) = value { length += bytes.count }
      if case .blob(let bytes) = value { length += bytes.count }
      write(upTo: length) { $0.append(value) }
    }
  }

  /// The number of bytes that an integer needs in two's complement.
  static func byteCount(of integer: Int64) -> Int {
    if integer == 0 { return 0 }
    let bitCount = 65 - (integer < 0 ? ~integer : integer).leadingZeroBitCount
    return (bitCount + 7) / 8
  }
}

extension ByteWriter.Cursor {
  mutating func append(byte: UInt8) {
    pointer.storeBytes(of: byte, as: UInt8.self)
    pointer += 1
  }

  @inline(__always)
  mutating func append(bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    pointer.copyMemory(from: start, byteCount: bytes.count)
    pointer += bytes.count
  }

  @inline(__always)
  mutating func append(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(byte: UInt8(truncatingIfNeeded: rest))
  }

  mutating func append(signed number: Int64) {
    append(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  /// Bits that are written before they are known.
  struct Bits {
    fileprivate let pointer: UnsafeMutableRawPointer

    /// Sets a bit, which is clear at first.
    func set(_ index: Int) {
      let byte = pointer.load(fromByteOffset: index / 8, as: UInt8.self)
      pointer.storeBytes(of: byte | 1 << UInt8(index % 8), toByteOffset: index / 8, as: UInt8.self)
    }
  }

  /// Appends bits, the first one in the lowest bit of a byte.
  mutating func appendBits(_ count: Int) -> Bits {
    let bits = Bits(pointer: pointer)
    for _ in 0..<(count + 7) / 8 { append(byte: 0) }
    return bits
  }

  @inline(__always)
  mutating func append(_ value: BorrowedValue) {
    switch value {
    case .null: append(.null, length: 0)
    case .integer(let integer): append(integer: integer)
    case .real(let double):
      append(.real, length: 0)
      pointer.storeBytes(of: double.bitPattern.littleEndian, as: UInt64.self)
      pointer += 8
    case .text(let content): append(.text, content)
    case .blob(let content): append(.blob, content)
    }
  }

  @inline(__always)
  private mutating func append(integer: Int64) {
    let count = ByteWriter.byteCount(of: integer)
    append(.integer, length: count)
    var rest = UInt64(bitPattern: integer)
    for _ in 0..<count {
      append(byte: UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  @inline(__always)
  private mutating func append(_ type: ByteWriter.ValueType, _ content: UnsafeRawBufferPointer) {
    append(type, length: content.count)
    append(bytes: content)
  }

  @inline(__always)
  private mutating func append(_ type: ByteWriter.ValueType, length: Int) {
    append(UInt64(length) << 3 | UInt64(type.rawValue))
  }
}
