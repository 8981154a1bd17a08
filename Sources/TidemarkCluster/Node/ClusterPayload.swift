import Foundation
import TidemarkEssentials

/// What an entry of the log contains: transactions, a part of a large group of transactions, or a reference to a
/// snapshot.
///
/// | Bytes | Field |
/// | --- | --- |
/// | 1 | version: 1 |
/// | 1 | kind: 0 transactions, 1 part, 2 end of parts, 3 snapshot |
/// | 2, … | length of the name of the author, most significant byte first; the name in UTF-8 |
/// | 8, 16 | number of the author's incarnation, its identity |
/// | … | the content |
///
/// Transactions: their number in 4 bytes; for each, its identity in 16 bytes, the length of its changes in 4, and the
/// changes (`Documentation/ChangeEncoding.md`). A part: the identity of the group in 16 bytes, the index of the part in
/// 4, and its bytes. An end: the identity of the group, the number of parts in 4 bytes, and the SHA-256 digest of the
/// joined parts, which have the form of transactions. A snapshot is the first entry of a cluster that has begun with
/// the contents of a database: its identity in 16 bytes.
struct ClusterPayload: Hashable, Sendable {
  static let version: UInt8 = 1

  /// The node that has written the entry.
  struct Author: Hashable, Sendable {
    var node: String

    /// How often the node was opened, and the identity of this opening.
    var incarnation: UInt64
    var id: UUID

    /// Whether this is a later opening of the node than another one. If two processes have begun with copies of one
    /// file, the identities decide.
    func isLater(than other: Author) -> Bool {
      if incarnation != other.incarnation { return incarnation > other.incarnation }
      return id.uuidString > other.id.uuidString
    }
  }

  struct Transaction: Hashable, Sendable {
    var id: UUID
    var changes: TransactionChanges
  }

  enum Content: Hashable, Sendable {
    case transactions([Transaction])
    case part(group: UUID, index: UInt32, bytes: [UInt8])
    case end(group: UUID, partCount: UInt32, digest: LogDigest)

    /// The contents of the database are the snapshot of the entry's position.
    case snapshot(id: UUID)
  }

  var author: Author
  var content: Content
}

// MARK: - Encoding

extension ClusterPayload {
  /// The payload as bytes.
  var encoded: [UInt8] {
    switch content {
    case .transactions(let transactions): header(0) + Self.encoded(transactions)
    case .part(let group, let index, let bytes): header(1) + group.bytes + index.bigEndianBytes + bytes
    case .end(let group, let partCount, let digest):
      header(2) + group.bytes + partCount.bigEndianBytes + digest.bytes
    case .snapshot(let id): header(3) + id.bytes
    }
  }

  private func header(_ kind: UInt8) -> [UInt8] {
    let name = Array(author.node.utf8)
    return [Self.version, kind] + UInt16(name.count).bigEndianBytes + name + author.incarnation.bigEndianBytes
      + author.id.bytes
  }

  static func encoded(_ transactions: [Transaction]) -> [UInt8] {
    encoded(transactions.map { ($0.id, $0.changes.encoded()) })
  }

  /// The bytes of transactions whose changes are encoded already.
  static func encoded(_ transactions: [(id: UUID, changes: [UInt8])]) -> [UInt8] {
    var bytes = UInt32(transactions.count).bigEndianBytes
    for (id, changes) in transactions { bytes += id.bytes + UInt32(changes.count).bigEndianBytes + changes }
    return bytes
  }

  /// The payload of transactions whose encoded form is known.
  static func payload(author: Author, transactions bytes: [UInt8]) -> [UInt8] {
    ClusterPayload(author: author, content: .transactions([])).header(0) + bytes
  }

  /// The largest number of bytes of a payload beside its transactions, or beside the bytes of a part.
  static func overhead(_ author: Author) -> Int { 4 + author.node.utf8.count + 8 + 16 + 16 + 4 + LogDigest.byteCount }
}

// MARK: - Decoding

extension ClusterPayload {
  /// Decodes a payload. The decoder accepts any bytes.
  ///
  /// - Throws: ``ClusterError/unsupportedEntry(version:)``, or ``ClusterError/historyDiverged(_:)`` for other bytes
  ///   than the bytes of a payload.
  init(decoding bytes: [UInt8]) throws(ClusterError) {
    var reader = PayloadReader(bytes)
    let version = try reader.take(1).first ?? 0
    if version > Self.version { throw .unsupportedEntry(version: Int(version)) }
    guard version == Self.version else { throw PayloadReader.failure("an entry has the version \(version)") }
    let kind = try reader.take(1).first
    guard let name = String(validating: try reader.take(Int(try reader.integer(UInt16.self))), as: UTF8.self) else {
      throw PayloadReader.failure("the name of a node is not UTF-8")
    }
    author = Author(node: name, incarnation: try reader.integer(), id: try reader.uuid())
    switch kind {
    case 0: content = .transactions(try Self.transactions(&reader))
    case 1: content = .part(group: try reader.uuid(), index: try reader.integer(), bytes: reader.rest())
    case 2:
      let (group, count): (UUID, UInt32) = (try reader.uuid(), try reader.integer())
      guard let digest = LogDigest(reader.rest()) else { throw PayloadReader.failure("an entry has a wrong length") }
      content = .end(group: group, partCount: count, digest: digest)
    case 3:
      content = .snapshot(id: try reader.uuid())
      try reader.finish()
    default: throw PayloadReader.failure("an entry has an unknown kind")
    }
  }

  /// Decodes the joined parts of a group.
  static func transactions(decoding bytes: [UInt8]) throws(ClusterError) -> [Transaction] {
    var reader = PayloadReader(bytes)
    return try transactions(&reader)
  }

  private static func transactions(_ reader: inout PayloadReader) throws(ClusterError) -> [Transaction] {
    let count = try reader.integer(UInt32.self)
    var transactions: [Transaction] = []
    for _ in 0..<count {
      let id = try reader.uuid()
      let bytes = Array(try reader.take(Int(try reader.integer(UInt32.self))))
      do {
        transactions.append(Transaction(id: id, changes: try TransactionChanges(decoding: bytes)))
      } catch {
        throw PayloadReader.failure("the changes of a transaction cannot be decoded: \(error)")
      }
    }
    try reader.finish()
    return transactions
  }
}

/// Reads the fields of a payload.
private struct PayloadReader {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  static func failure(_ reason: String) -> ClusterError { .historyDiverged(reason) }

  mutating func take(_ count: Int) throws(ClusterError) -> ArraySlice<UInt8> {
    guard bytes.count >= count else { throw Self.failure("an entry is too short") }
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }

  mutating func integer<Integer: FixedWidthInteger>(
    _ type: Integer.Type = Integer.self
  ) throws(ClusterError) -> Integer {
    Integer(bigEndianBytes: try take(Integer.bitWidth / 8))
  }

  mutating func uuid() throws(ClusterError) -> UUID {
    UUID(bytes: try take(16))
  }

  mutating func rest() -> [UInt8] {
    defer { bytes = [] }
    return Array(bytes)
  }

  /// Throws if there are further bytes.
  func finish() throws(ClusterError) {
    if !bytes.isEmpty { throw Self.failure("an entry has a wrong length") }
  }
}
