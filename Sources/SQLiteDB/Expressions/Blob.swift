import Foundation
public import Tidemark

/// A sequence of bytes.
///
/// ```swift
/// let blob = Blob(bytes: [0x0a, 0x0b])
/// print(blob)            // x'0a0b'
/// print(blob.toHex())    // 0a0b
/// ```
public struct Blob: Sendable {
  // `Data` is bound without being copied to an array.
  private enum Storage {
    case bytes([UInt8])
    case data(Data)
  }

  private let storage: Storage

  /// The bytes as an array.
  public var bytes: [UInt8] {
    switch storage {
    case .bytes(let bytes): bytes
    case .data(let data): [UInt8](data)
    }
  }

  /// Creates a blob from bytes.
  ///
  /// ```swift
  /// let blob = Blob(bytes: [0x0a, 0x0b])
  /// ```
  ///
  /// - Parameter bytes: The bytes.
  public init(bytes: [UInt8]) {
    storage = .bytes(bytes)
  }

  init(_ data: Data) {
    storage = .data(data)
  }

  /// Creates a blob by copying bytes from memory.
  ///
  /// ```swift
  /// let bytes: [UInt8] = [0x0a, 0x0b]
  /// let blob = bytes.withUnsafeBytes { Blob(bytes: $0.baseAddress!, length: $0.count) }
  /// ```
  ///
  /// - Parameters:
  ///   - bytes: The address of the first byte.
  ///   - length: The number of bytes. It may be 0.
  public init(bytes: UnsafeRawPointer, length: Int) {
    self.init(bytes: [UInt8](UnsafeRawBufferPointer(start: bytes, count: length)))
  }

  /// Returns the bytes as lowercase hexadecimal digits.
  ///
  /// ```swift
  /// print(Blob(bytes: [0x0a, 0x0b]).toHex())    // 0a0b
  /// ```
  ///
  /// - Returns: Two digits for each byte.
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
  /// Returns whether both blobs have the same bytes.
  public static func == (lhs: Blob, rhs: Blob) -> Bool { lhs.bytes == rhs.bytes }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension Blob: CustomStringConvertible {
  /// The blob as an SQL literal: `x'0a0b'`.
  public var description: String { "x'\(toHex())'" }
}

extension Blob: Binding, Value {
  /// The type itself.
  public typealias Datatype = Blob

  /// The declared type of a column: `BLOB`.
  public static var declaredDatatype: String { "BLOB" }

  /// Not part of the public interface: the BLOB.
  public var _databaseValue: DatabaseValue {
    switch storage {
    case .bytes(let bytes): DatabaseValue(.blob(Data(bytes)))
    case .data(let data): DatabaseValue(.blob(data))
    }
  }

  /// Not part of the public interface: decodes a BLOB.
  public static func _from(_ stored: DatabaseValue) -> Blob? {
    if case .blob(let data) = stored.storage { Blob(bytes: [UInt8](data)) } else { nil }
  }

  /// Not part of the public interface: decodes the bytes of a string or a number, in SQLite's text representation.
  public static func _converted(_ statement: SQLiteStatement, _ index: CInt) -> Blob? {
    Data(sqliteStatement: statement, index: index).map { Blob(bytes: [UInt8]($0)) }
  }
}
