#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import CSQLite
import FoundationEssentials

/// A value that belongs to SQLite: of a row that changes, or of a column in the current row.
///
/// A text or blob is not copied. It is valid until the hook that received it returns, or until the statement steps.
enum BorrowedValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(UnsafeRawBufferPointer)
  case blob(UnsafeRawBufferPointer)

  /// Nil if SQLite has no memory for it.
  ///
  /// - Parameter textOf: Returns the bytes of a text.
  @inline(__always)
  init?(
    _ value: ColumnValue,
    _ textOf: (ColumnValue) -> UnsafeRawBufferPointer? = { $0.text.map { UnsafeRawBufferPointer($0) } }
  ) {
    switch value.type {
    case SQLITE_INTEGER: self = .integer(value.integer)
    case SQLITE_FLOAT: self = .real(value.double)
    case SQLITE_TEXT:
      guard let text = textOf(value) else { return nil }
      self = .text(text)
    case SQLITE_BLOB:
      let blob = value.blob
      // SQLite returns a null pointer for an empty blob.
      if blob.baseAddress == nil, value.byteCount > 0 { return nil }
      self = .blob(blob)
    default: self = .null
    }
  }

  var isNull: Bool { if case .null = self { true } else { false } }

  /// The value as a column with REAL affinity returns it. SQLite stores such values as integers where possible.
  var asReal: BorrowedValue { if case .integer(let integer) = self { .real(Double(integer)) } else { self } }

  /// Whether it is a double without a fraction.
  var isIntegralDouble: Bool { if case .real(let real) = self { real == real.rounded(.towardZero) } else { false } }

  /// Whether it is a text that is not UTF-8. Swift replaces such bytes when it reads the text.
  var isInvalidText: Bool { if case .text(let bytes) = self { !bytes.isUTF8 } else { false } }

  /// Whether both values have the same storage class and the same bytes: 0.0 differs from -0.0.
  @inline(__always)
  func hasSameBytes(as other: BorrowedValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.integer(let own), .integer(let other)): own == other
    case (.real(let own), .real(let other)): own.bitPattern == other.bitPattern
    case (.text(let own), .text(let other)), (.blob(let own), .blob(let other)): own.hasSameBytes(as: other)
    default: false
    }
  }
}

extension DatabaseValue {
  init(copying value: BorrowedValue) {
    switch value {
    case .null: self = .null
    case .integer(let integer): self.init(.int64(integer))
    case .real(let double): self.init(.double(double))
    case .text(let bytes): self.init(.string(String(decoding: bytes, as: UTF8.self)))
    case .blob(let bytes): self.init(.blob(.init(bytes)))
    }
  }

  /// Calls a closure with the value, which is not copied.
  func withBorrowedValue<Result>(_ body: (BorrowedValue) -> Result) -> Result {
    switch storage {
    case .null: return body(.null)
    case .int64(let integer): return body(.integer(integer))
    // SQLite stores no NaN: it becomes NULL.
    case .double(let double): return body(double.isNaN ? .null : .real(double))
    case .string(var text): return text.withUTF8 { body(.text(UnsafeRawBufferPointer($0))) }
    case .blob(let data): return data.withUnsafeBytes { body(.blob($0)) }
    }
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    if count != other.count { return false }
    guard let own = baseAddress, let other = other.baseAddress else { return true }
    return memcmp(own, other, count) == 0
  }

  /// Whether the bytes are a text in UTF-8. Most texts are ASCII, and are checked eight bytes at a time.
  var isUTF8: Bool {
    var position = 0
    while position + 8 <= count, loadUnaligned(fromByteOffset: position, as: UInt64.self) & Self.highBits == 0 {
      position += 8
    }
    while position < count, self[position] < 0x80 { position += 1 }
    if position == count { return true }
    return String(validating: self[position...], as: UTF8.self) != nil
  }

  private static var highBits: UInt64 { 0x8080_8080_8080_8080 }
}
