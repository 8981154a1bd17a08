public import Foundation

/// An entry of a replicated log.
///
/// An entry is immutable. Its digest covers everything else in it, and so, through the digest of its predecessor, all
/// earlier entries.
///
/// ```swift
/// let entry = LogEntry(after: .start, payload: Array("Hello".utf8))
/// let next = LogEntry(after: entry.position, payload: Array("World".utf8))
/// let decoded = try LogEntry(encoded: next.encoded)
/// ```
public struct LogEntry: Hashable, Sendable, Identifiable {
  /// The identity of the entry. Appending an entry is idempotent by it.
  public let id: UUID

  /// The position of the entry before this one.
  public let predecessor: LogPosition

  /// The contents, which the log does not interpret.
  public let payload: [UInt8]

  /// The SHA-256 digest of the other fields, as they are encoded.
  public let digest: LogDigest

  /// Creates an entry.
  ///
  /// - Parameters:
  ///   - id: The identity. Entries that differ in anything else have different identities.
  ///   - predecessor: The position that the log must have when the entry is appended.
  ///   - payload: The contents, of less than 4 GB.
  public init(id: UUID = UUID(), after predecessor: LogPosition, payload: [UInt8]) {
    precondition(predecessor.number < .max, "A log has no entry after the number UInt64.max")
    precondition(payload.count <= Int(UInt32.max), "The payload of an entry has less than 4 GB")
    self.id = id
    self.predecessor = predecessor
    self.payload = payload
    digest = LogDigest(of: Self.encodedFields(id: id, after: predecessor, payload: payload))
  }

  /// The number of the entry; the first one is 1.
  public var number: UInt64 { predecessor.number + 1 }

  /// The position of the entry itself.
  public var position: LogPosition { LogPosition(number: number, digest: digest) }
}

// MARK: - Encoding

// | Bytes | Field |
// | --- | --- |
// | 1 | version: 1 |
// | 8 | number, most significant byte first; not 0 |
// | 32 | digest of the predecessor |
// | 16 | identity |
// | 4 | length of the payload, most significant byte first |
// | … | payload |
// | 32 | SHA-256 of all bytes above |
extension LogEntry {
  private static let version: UInt8 = 1
  private static let headerByteCount = 1 + 8 + LogDigest.byteCount + 16 + 4

  /// The entry as bytes. `Documentation/ReplicatedLog.md` describes the format.
  public var encoded: [UInt8] {
    Self.encodedFields(id: id, after: predecessor, payload: payload) + digest.bytes
  }

  private static func encodedFields(id: UUID, after predecessor: LogPosition, payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headerByteCount + payload.count + LogDigest.byteCount)
    bytes.append(version)
    bytes += (predecessor.number + 1).bigEndianBytes
    bytes += predecessor.digest.bytes
    bytes += withUnsafeBytes(of: id.uuid, Array.init)
    bytes += UInt32(payload.count).bigEndianBytes
    bytes += payload
    return bytes
  }

  /// Decodes an entry.
  ///
  /// The decoder accepts any bytes: it never traps, and throws an error unless they are exactly what ``encoded`` has
  /// written.
  ///
  /// - Parameter bytes: The result of ``encoded``.
  /// - Throws: ``LogError/corrupted(_:)`` if the bytes are not an entry, or were changed.
  public init(encoded bytes: [UInt8]) throws(LogError) {
    guard bytes.first == Self.version else {
      throw .corrupted(
        "expected an entry of version \(Self.version), found \(bytes.first.map(String.init) ?? "nothing")")
    }
    guard bytes.count >= Self.headerByteCount + LogDigest.byteCount else {
      throw .corrupted("an entry has more than \(bytes.count) bytes")
    }
    var reader = bytes[1...]
    func take(_ count: Int) -> ArraySlice<UInt8> {
      defer { reader = reader.dropFirst(count) }
      return reader.prefix(count)
    }
    let number = UInt64(bigEndianBytes: take(8))
    let predecessorDigest = LogDigest(take(LogDigest.byteCount))
    let id = UUID(bytes: take(16))
    let payloadByteCount = Int(UInt32(bigEndianBytes: take(4)))
    guard reader.count == payloadByteCount + LogDigest.byteCount else {
      throw .corrupted("expected \(payloadByteCount) bytes of payload, found \(reader.count - LogDigest.byteCount)")
    }
    let payload = Array(take(payloadByteCount))
    guard number > 0, let predecessorDigest else { throw .corrupted("an entry has the number 0") }
    let predecessor = LogPosition(number: number - 1, digest: predecessorDigest)
    self.init(id: id, after: predecessor, payload: payload)
    guard digest.bytes.elementsEqual(reader) else { throw .corrupted("entry \(number) has another digest") }
  }
}
