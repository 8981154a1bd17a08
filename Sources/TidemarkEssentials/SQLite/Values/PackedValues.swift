import CSQLite
public import FoundationEssentials

/// Database values in one block of memory: the arguments of a statement, or the encoded values of a record.
///
///     header | slot, slot, … | bytes of texts and blobs
///
/// An array of `DatabaseValue` would retain each text and blob, and SQLite would need a copy of its bytes. Here, the
/// bytes are copied when the value is appended, and SQLite reads them where they are (Benchmarks: `insert: record`).
///
/// Invariants:
/// 1. A block is written only while nothing else refers to it. While its values are bound to a statement, the statement
///    refers to it, so that the bytes stay in place.
/// 2. All offsets are inside of the block.
@usableFromInline
struct PackedValues {
  /// The storage class of a value.
  private enum Kind: Int { case null, integer, real, text, blob }

  /// A value. The contents are an integer, the bits of a double, or the offset of the first byte.
  private struct Slot {
    private let kindAndByteCount: Int
    let contents: Int64

    @inline(__always)
    init(_ kind: Kind, _ contents: Int64, byteCount: Int = 0) {
      kindAndByteCount = byteCount << 3 | kind.rawValue
      self.contents = contents
    }

    @inline(__always) var kind: Kind { Kind(rawValue: kindAndByteCount & 7).unsafelyUnwrapped }
    @inline(__always) var byteCount: Int { kindAndByteCount >> 3 }
    @inline(__always) var double: Double { Double(bitPattern: UInt64(bitPattern: contents)) }
  }

  private struct Header {
    var count = 0
    let capacity: Int

    /// The number of bytes of texts and blobs, and the number for which there is room.
    var byteCount = 0
    let byteCapacity: Int
  }

  /// The owner of a block. Its own header is empty: each access to one is checked at run time.
  private final class Owner: ManagedBuffer<Void, UInt64> {}

  /// The contents of a block, while its owner exists.
  private struct Block {
    let header: UnsafeMutablePointer<Header>

    @inline(__always)
    var slots: UnsafeMutablePointer<Slot> { UnsafeMutableRawPointer(header + 1).assumingMemoryBound(to: Slot.self) }

    /// The address after the last byte.
    @inline(__always)
    var end: UnsafeMutableRawPointer { address(offset: header.pointee.byteCount) }

    @inline(__always)
    private func address(offset: Int) -> UnsafeMutableRawPointer {
      UnsafeMutableRawPointer(slots + header.pointee.capacity) + offset
    }

    @inline(__always)
    func bytes(of slot: Slot) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: address(offset: Int(slot.contents)), count: slot.byteCount)
    }

    @inline(__always)
    func add(_ slot: Slot) {
      slots[header.pointee.count] = slot
      header.pointee.count &+= 1
    }

    /// Adds a value whose bytes have been written.
    @inline(__always)
    func add(_ kind: Kind, byteCount: Int) {
      add(Slot(kind, Int64(header.pointee.byteCount), byteCount: byteCount))
      header.pointee.byteCount &+= byteCount
    }

    @inline(__always)
    func add(_ kind: Kind, _ bytes: UnsafeRawBufferPointer) {
      if let start = bytes.baseAddress { end.copyMemory(from: start, byteCount: bytes.count) }
      add(kind, byteCount: bytes.count)
    }

    /// Adds a value of another block.
    func add(_ slot: Slot, of other: Block) {
      switch slot.kind {
      case .null, .integer, .real: add(slot)
      case .text, .blob: add(slot.kind, other.bytes(of: slot))
      }
    }
  }

  /// The owner of the block, and the block; nil in an empty list.
  private var owner: Owner?
  private var block: Block?

  init() {}

  /// Creates an empty list with room for some values.
  init(capacity: Int) {
    // Most texts are short.
    if capacity > 0 { self.init(capacity: capacity, byteCapacity: capacity * 32) } else { self.init() }
  }

  private init(capacity: Int, byteCapacity: Int) {
    let byteCapacity = (byteCapacity + 7) & ~7
    let size = MemoryLayout<Header>.stride + capacity * MemoryLayout<Slot>.stride + byteCapacity
    let owner = unsafeDowncast(Owner.create(minimumCapacity: size / 8) { _ in () }, to: Owner.self)
    let start = owner.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    let header = Header(capacity: capacity, byteCapacity: byteCapacity)
    block = Block(header: start.initializeMemory(as: Header.self, to: header))
    self.owner = owner
  }

  init(_ values: some Collection<DatabaseValue>) {
    self.init(capacity: values.count)
    for value in values { append(value) }
  }

  /// The number of bytes of texts and blobs.
  var byteCount: Int { withExtendedLifetime(owner) { block?.header.pointee.byteCount ?? 0 } }

  // MARK: - Writing

  @usableFromInline mutating func appendNull() { blockWithRoom().add(Slot(.null, 0)) }
  @usableFromInline mutating func append(_ integer: Int64) { blockWithRoom().add(Slot(.integer, integer)) }
  @usableFromInline mutating func append(_ double: Double) {
    blockWithRoom().add(Slot(.real, Int64(bitPattern: double.bitPattern)))
  }

  @usableFromInline mutating func append(_ text: String) {
    text.withUTF8Bytes { blockWithRoom(byteCount: $0.count).add(.text, UnsafeRawBufferPointer($0)) }
  }

  @usableFromInline mutating func append(_ data: Data) { data.withUnsafeBytes { append(blob: $0) } }

  mutating func append(blob bytes: UnsafeRawBufferPointer) { blockWithRoom(byteCount: bytes.count).add(.blob, bytes) }

  /// Appends a text whose bytes a closure writes.
  @inline(__always)
  mutating func appendText(byteCount: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Void) {
    let block = blockWithRoom(byteCount: byteCount)
    write(block.end.assumingMemoryBound(to: UInt8.self))
    block.add(.text, byteCount: byteCount)
  }

  @usableFromInline mutating func append(_ value: DatabaseValue) {
    switch value.storage {
    case .null: appendNull()
    case .int64(let integer): append(integer)
    case .double(let double): append(double)
    case .string(let text): append(text)
    case .blob(let data): append(data)
    }
  }

  /// Appends a value of another list.
  private mutating func append(_ index: Int, of other: PackedValues) {
    let slot = other.slot(at: index)
    guard let source = other.block else { return }
    withExtendedLifetime(other.owner) { blockWithRoom(byteCount: slot.byteCount).add(slot, of: source) }
  }

  mutating func append(contentsOf other: PackedValues) { self = other.appended(to: self) }

  /// Returns the values of another list, followed by these values.
  func appended(to other: PackedValues) -> PackedValues {
    if isEmpty { return other }
    if other.isEmpty { return self }
    var result = other
    for index in indices { result.append(index, of: self) }
    return result
  }

  /// Returns the values at some indexes, and NULL for each nil.
  func selecting(_ indexes: [Int?]) -> PackedValues {
    var result = PackedValues(capacity: indexes.count)
    for index in indexes { if let index { result.append(index, of: self) } else { result.appendNull() } }
    return result
  }

  mutating func replaceValue(at index: Int, with value: DatabaseValue) {
    append(value)
    guard let block else { return }
    block.header.pointee.count &-= 1
    block.slots[index] = block.slots[block.header.pointee.count]
  }

  /// Returns a block that only this list refers to, with room for another value.
  @inline(__always)
  private mutating func blockWithRoom(byteCount: Int = 0) -> Block {
    if isKnownUniquelyReferenced(&owner), let block {
      let header = block.header.pointee
      if header.count < header.capacity, byteCount <= header.byteCapacity &- header.byteCount { return block }
    }
    return copyBlock(addedByteCount: byteCount)
  }

  /// Replaces the block by a larger one. Bytes that no value refers to are left behind.
  @inline(never)
  private mutating func copyBlock(addedByteCount: Int) -> Block {
    let copy = PackedValues(
      capacity: Swift.max(4, count * 2), byteCapacity: Swift.max(64, (byteCount + addedByteCount) * 2))
    guard let target = copy.block else { preconditionFailure("a list with capacity has a block") }
    // In optimized builds, the old owner was released before its values were copied: found by `make fuzz`.
    withExtendedLifetime((owner, copy.owner)) {
      if let block { for index in indices { target.add(block.slots[index], of: block) } }
    }
    self = copy
    return target
  }
}

// A block is only written while a single list refers to it.
extension PackedValues: @unchecked Sendable {}

// MARK: - Reading

extension PackedValues: RandomAccessCollection {
  @usableFromInline var startIndex: Int { 0 }
  @usableFromInline var endIndex: Int { withExtendedLifetime(owner) { block?.header.pointee.count ?? 0 } }

  @inline(__always)
  private func slot(at index: Int) -> Slot {
    withExtendedLifetime(owner) {
      guard let block, index >= 0, index < block.header.pointee.count else { preconditionFailure("index out of range") }
      return block.slots[index]
    }
  }

  private func bytes(of slot: Slot) -> UnsafeRawBufferPointer {
    block?.bytes(of: slot) ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  @usableFromInline
  subscript(index: Int) -> DatabaseValue {
    let slot = slot(at: index)
    // The owner may be released as soon as it is not used any more.
    return withExtendedLifetime(owner) {
      switch slot.kind {
      case .null: .null
      case .integer: DatabaseValue(.int64(slot.contents))
      case .real: DatabaseValue(.double(slot.double))
      case .text: DatabaseValue(.string(String(decoding: bytes(of: slot), as: UTF8.self)))
      case .blob: DatabaseValue(.blob(Data(bytes(of: slot))))
      }
    }
  }

  func isNull(at index: Int) -> Bool { slot(at: index).kind == .null }

  /// The integer at an index; nil if the value is none.
  func integer(at index: Int) -> Int64? {
    let slot = slot(at: index)
    return slot.kind == .integer ? slot.contents : nil
  }
}

extension PackedValues: Hashable {
  @usableFromInline
  static func == (lhs: PackedValues, rhs: PackedValues) -> Bool {
    lhs.owner === rhs.owner || lhs.count == rhs.count && lhs.elementsEqual(rhs)
  }

  @usableFromInline
  func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for value in self { hasher.combine(value) }
  }
}

// MARK: - Binding

extension PackedValues {
  /// Binds all values to the parameters from 1 on. SQLite refers to the bytes of the block, which must stay in memory
  /// until the parameters are bound again.
  ///
  /// - Returns: The code of the first failure, or `SQLITE_OK`.
  func bind(to sqliteStatement: SQLiteStatement) -> CInt {
    withExtendedLifetime(owner) {
      for index in 0..<count {
        let code = bind(index, to: sqliteStatement, at: CInt(truncatingIfNeeded: index &+ 1))
        if code != SQLITE_OK { return code }
      }
      return SQLITE_OK
    }
  }

  /// Binds a value. C: `sqlite3_bind_null` and its siblings.
  @inline(__always)
  private func bind(_ index: Int, to sqliteStatement: SQLiteStatement, at parameter: CInt) -> CInt {
    let slot = slot(at: index)
    switch slot.kind {
    case .null: return sqlite3_bind_null(sqliteStatement, parameter)
    case .integer: return sqlite3_bind_int64(sqliteStatement, parameter, slot.contents)
    case .real: return sqlite3_bind_double(sqliteStatement, parameter, slot.double)
    case .text:
      // The address is never nil, which would bind NULL instead of an empty text.
      let bytes = bytes(of: slot)
      let characters = bytes.assumingMemoryBound(to: CChar.self).baseAddress
      return sqlite3_bind_text64(
        sqliteStatement, parameter, characters, UInt64(bytes.count), tidemark_static(), UInt8(SQLITE_UTF8))
    case .blob:
      let bytes = bytes(of: slot)
      return sqlite3_bind_blob64(
        sqliteStatement, parameter, bytes.baseAddress, UInt64(bytes.count), tidemark_static())
    }
  }
}
