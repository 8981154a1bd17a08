public import FoundationEssentials

// The binary form of changesets: two transactions in the form of `TransactionChanges.encoded()`, the former values of
// numbers and the changes. `Documentation/ChangeEncoding.md` describes it.

extension Changeset {
  /// The version of the format. It differs from the version of transactions, so that neither is taken for the other.
  private static let formatVersion: UInt8 = 0x81

  /// Returns the changes as bytes.
  ///
  /// Equal changesets have equal bytes. The form is documented, and later versions of the library can read it.
  ///
  /// ```swift
  /// let bytes = changes.encoded()
  /// let same = try Changeset(decoding: bytes)
  /// ```
  ///
  /// - Returns: The bytes.
  public func encoded() -> [UInt8] {
    let former = TransactionChanges(microsecondsSince1970: 0, elements: formerNumbers).encoded()
    var writer = ByteWriter()
    writer.append(byte: Self.formatVersion)
    writer.append(count: former.count)
    return writer.bytes + former + TransactionChanges(microsecondsSince1970: 0, elements: elements).encoded()
  }

  /// Decodes a changeset from the bytes of ``encoded()``.
  ///
  /// ```swift
  /// func read(_ data: Data) throws -> [ChangedRow] {
  ///   try Changeset(decoding: data).rows
  /// }
  /// ```
  ///
  /// - Parameter bytes: The bytes.
  /// - Throws: A ``TransactionChanges/DecodingError`` if they are not the bytes of a changeset.
  public init(decoding bytes: some ContiguousBytes) throws {
    self = try bytes.withUnsafeBytes { try Changeset($0) }
  }

  private init(_ bytes: UnsafeRawBufferPointer) throws {
    var reader = ByteReader(bytes)
    guard try reader.byte() == Self.formatVersion else { throw reader.failure("unknown version of the format") }
    let count = try reader.count()
    let start = reader.position
    let former = try Self.part(bytes[start..<start + count])
    let changes = try Self.part(bytes[(start + count)...])
    var keys: Set<NumberChanges.Key> = []
    for element in former {
      guard let key = NumberChanges.Key(element), keys.insert(key).inserted else {
        throw reader.failure("impossible former value")
      }
    }
    let hasUnknownRows = changes.contains { if case .unknownRows = $0 { true } else { false } }
    if hasUnknownRows { throw reader.failure("a changeset has no unknown rows") }
    if changes.contains(where: \.isNotification) { throw reader.failure("a changeset has no notifications") }
    self.init(known: changes, formerNumbers: former)
  }

  private static func part(_ bytes: Slice<UnsafeRawBufferPointer>) throws -> [Element] {
    let offset = bytes.startIndex
    do {
      let changes = try TransactionChanges(decoding: UnsafeRawBufferPointer(rebasing: bytes))
      guard changes.versions == nil, changes.microsecondsSince1970 == 0, changes.isComplete, !changes.isContinued else {
        throw TransactionChanges.DecodingError(message: "a changeset has no version and no time", offset: 0)
      }
      return changes.elements
    } catch let error as TransactionChanges.DecodingError {
      throw TransactionChanges.DecodingError(message: error.message, offset: error.offset + offset)
    }
  }
}
