import Foundation
public import Tidemark

/// Bytes.
///
/// ```swift
/// let blob = Blob(bytes: [0x0a, 0x0b])
/// print(blob)            // x'0a0b'
/// print(blob.toHex())    // 0a0b
/// ```
public struct Blob: Sendable {
  // `Data` that goes to SQLite is not copied into an array on its way.
  private enum Storage {
    case bytes([UInt8])
    case data(Data)
  }

  private let storage: Storage

  /// The bytes.
  public var bytes: [UInt8] {
    switch storage {
    case .bytes(let bytes): bytes
    case .data(let data): [UInt8](data)
    }
  }

  /// A blob of these bytes.
  public init(bytes: [UInt8]) {
    storage = .bytes(bytes)
  }

  init(_ data: Data) {
    storage = .data(data)
  }

  /// A copy of bytes in memory. There may be none of them.
  public init(bytes: UnsafeRawPointer, length: Int) {
    self.init(bytes: [UInt8](UnsafeRawBufferPointer(start: bytes, count: length)))
  }

  /// Two lowercase hexadecimal digits for each byte.
  public func toHex() -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
      for (index, byte) in bytes.enumerated() {
        buffer[2 * index] = Self.digits[Int(byte >> 4)]
        buffer[2 * index + 1] = Self.digits[Int(byte & 15)]
      }
      return bytes.count * 2
    }
  }

  private static let digits = Array("0123456789abcdef".utf8)
}

extension Blob: Hashable {
  /// Whether both have the same bytes.
  public static func == (lhs: Blob, rhs: Blob) -> Bool { lhs.bytes == rhs.bytes }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension Blob: CustomStringConvertible {
  /// The blob as SQL writes it: `x'0a0b'`.
  public var description: String { "x'\(toHex())'" }
}

extension Blob: Binding, Value {
  /// The type itself.
  public typealias Datatype = Blob

  /// `BLOB`
  public static var declaredDatatype: String { "BLOB" }

  /// Not for you to call: the BLOB.
  public var _databaseValue: DatabaseValue {
    switch storage {
    case .bytes(let bytes): DatabaseValue(.blob(Data(bytes)))
    case .data(let data): DatabaseValue(.blob(data))
    }
  }

  /// Not for you to call: a BLOB.
  public static func _from(_ stored: DatabaseValue) -> Blob? {
    if case .blob(let data) = stored.storage { Blob(bytes: [UInt8](data)) } else { nil }
  }

  /// Not for you to call: the bytes of a text or of a number, as SQLite writes it.
  public static func _converted(_ statement: SQLiteStatement, _ index: CInt) -> Blob? {
    Data(sqliteStatement: statement, index: index).map { Blob(bytes: [UInt8]($0)) }
  }
}
