/// A place in the history of a log: the number of an entry, and its digest.
///
/// Positions with equal numbers and different digests belong to different histories. To store a position, store both
/// properties, the digest as its ``LogDigest/bytes`` or its ``LogDigest/description``:
///
/// ```swift
/// let text = "\(position.number)-\(position.digest)"
/// let parts = text.split(separator: "-")
/// if let number = UInt64(parts[0]), let digest = LogDigest(String(parts[1])) {
///   position = LogPosition(number: number, digest: digest)
/// }
/// ```
public struct LogPosition: Hashable, Sendable {
  /// The number of the entry; 0 before the first entry.
  public let number: UInt64

  /// The digest of the entry.
  public let digest: LogDigest

  /// Creates a position.
  ///
  /// - Parameters:
  ///   - number: The number of an entry.
  ///   - digest: The digest of this entry.
  public init(number: UInt64, digest: LogDigest) {
    self.number = number
    self.digest = digest
  }

  /// The position before the first entry of any log.
  public static let start = LogPosition(number: 0, digest: .zero)
}

extension LogPosition: CustomStringConvertible {
  /// The number, and the first digits of the digest, for people.
  public var description: String { "\(number)·\(digest.description.prefix(8))" }
}

/// The SHA-256 digest of an entry.
public struct LogDigest: Hashable, Sendable {
  /// The number of bytes in a digest.
  static let byteCount = 32

  /// The 32 bytes of the digest.
  public let bytes: [UInt8]

  /// Creates a digest.
  ///
  /// - Parameter bytes: The bytes.
  /// - Returns: The digest; nil if there are not exactly 32 bytes.
  public init?(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    if self.bytes.count != Self.byteCount { return nil }
  }

  /// Creates the SHA-256 digest of any bytes.
  init(of message: [UInt8]) { bytes = SHA256.digest(of: message) }

  private init(zeros: Int) { bytes = Array(repeating: 0, count: zeros) }

  /// The digest of ``LogPosition/start``: 32 zeros.
  public static let zero = LogDigest(zeros: byteCount)
}

extension LogDigest: LosslessStringConvertible {
  /// Creates a digest from hexadecimal digits.
  ///
  /// - Parameter description: The ``description`` of a digest.
  /// - Returns: The digest; nil if there are not exactly 64 digits.
  public init?(_ description: String) {
    let values = description.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard values.count == Self.byteCount * 2 else { return nil }
    self.init(
      stride(from: 0, to: values.count, by: 2).compactMap { index in
        guard let high = values[index], let low = values[index + 1] else { return nil }
        return UInt8(high * 16 + low)
      })
  }

  /// The digest in 64 hexadecimal digits.
  public var description: String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension LogPosition {
  /// The position in 40 bytes: the number, most significant byte first, and the digest.
  package var encoded: [UInt8] { number.bigEndianBytes + digest.bytes }

  /// Decodes a position.
  ///
  /// - Throws: ``LogError/corrupted(_:)`` if the bytes are not a position.
  package init(encoded bytes: some Collection<UInt8>) throws(LogError) {
    guard let digest = LogDigest(bytes.dropFirst(8)) else {
      throw .corrupted("a position has 40 bytes, not \(bytes.count)")
    }
    self.init(number: UInt64(bigEndianBytes: bytes.prefix(8)), digest: digest)
  }
}

extension FixedWidthInteger {
  /// The bytes of the integer, most significant byte first.
  var bigEndianBytes: [UInt8] {
    stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
  }

  /// Creates an integer from its bytes, most significant byte first.
  init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
  }
}
