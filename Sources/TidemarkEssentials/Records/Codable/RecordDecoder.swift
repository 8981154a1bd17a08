/// Decodes a `Decodable` record from a row.
///
/// A key is looked up in the columns, then in the scopes, then in the prefetched rows. One missing key may be decoded
/// from the whole row: this lets a structure group some properties of a record. If a second key is missing, decoding
/// throws, because either of them could be the missing column. Super decoders decode from the same row.
///
/// | Property | Source |
/// | --- | --- |
/// | an optional | nil if the column is missing or NULL, or if the scope is missing or contains only NULL |
/// | `Date`, `Data` | the column, decoded by the strategy of the record |
/// | a value (`DatabaseValueConvertible`) | the column |
/// | a type that decodes a single value | the column |
/// | a record | the row of its scope, with `init(row:)` |
/// | anything else | JSON in the column; the row of a scope; prefetched rows |
///
/// One decoder with one keyed container decodes all rows of a cursor. The container refers to an object, because the
/// standard library copies it for each decoded key.
final class RecordDecoder: Decoder, ReusableDecoder {
  /// The decoded row. It is a window if the decoder decodes several rows.
  let row: Row

  let plan: RecordDecodingPlan
  let codingPath: [any CodingKey]

  /// The statement, if columns can be read from it directly.
  private let statement: SQLiteStatement?

  private struct State {
    /// The most likely index of the next key.
    var nextIndex = 0

    /// The missing key that was decoded from the whole row.
    var keyOfRow: String?

    /// A reusable keyed container, and the type of its keys.
    var reusableContainer: (key: ObjectIdentifier, container: AnyObject)?
    var reusesContainer = false

    /// The decoder of another type of records, for the same row.
    var next: RecordDecoder?
  }

  @exclusivity(unchecked) private var state = State()

  private init(_ row: Row, _ plan: RecordDecodingPlan, codingPath: [any CodingKey]) {
    self.row = row
    self.plan = plan
    self.codingPath = codingPath
    statement = row.directStatement
  }

  func releaseReferences() {
    state.reusesContainer = false
    state.reusableContainer = nil
    state.next?.releaseReferences()
  }

  /// Returns a decoder of the row for a record type.
  static func decoder(of row: Row, for recordType: any FetchableRecord.Type) -> RecordDecoder {
    // Only this function stores a reusable decoder.
    let first = row.reusableDecoder.map { unsafeDowncast($0 as AnyObject, to: RecordDecoder.self) }
    var known = first
    while let decoder = known {
      if decoder.plan.recordID == ObjectIdentifier(recordType) { return decoder }
      known = decoder.state.next
    }
    let decoder = RecordDecoder(row, .plan(of: row, for: recordType), codingPath: [])
    if row.reusesDecoder {
      decoder.state.reusesContainer = true
      decoder.state.next = first
      row.keep(decoder: decoder)
    }
    return decoder
  }

  /// Returns a decoder for a row nested in the record.
  func decoder(of row: Row, at codingPath: [any CodingKey]) -> RecordDecoder {
    let plan = row === self.row ? plan : Self.decoder(of: row, for: plan.recordType).plan
    return RecordDecoder(row, plan, codingPath: codingPath)
  }

  /// Returns a decoder for another row of the same query as the row of this decoder.
  func decoder(ofSimilar row: Row, at codingPath: [any CodingKey]) -> RecordDecoder {
    RecordDecoder(row, plan, codingPath: codingPath)
  }

  var userInfo: [CodingUserInfoKey: Any] { plan.recordType.decodingUserInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    state.nextIndex = 0
    if state.keyOfRow != nil { state.keyOfRow = nil }
    let key = ObjectIdentifier(type)
    if let reusableContainer = state.reusableContainer, reusableContainer.key == key {
      return unsafeDowncast(reusableContainer.container, to: ContainerBox<Key>.self).container
    }
    let container = KeyedDecodingContainer(RowContainer<Key>(decoder: self))
    // The container retains this decoder, and this is a reference cycle. The owner of the decoder breaks it.
    if state.reusesContainer { state.reusableContainer = (key, ContainerBox(container)) }
    return container
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let key = codingPath.last else {
      throw DecodingError.typeMismatch(
        [Any].self,
        DecodingError.Context(
          codingPath: [], debugDescription: "unkeyed decoding from database row is not supported"))
    }
    let keys = row.prefetchedRows.keys.sorted()
    let available =
      keys.isEmpty ? "No available prefetched rows" : "Available keys for prefetched rows: \(keys)"
    throw DecodingError.keyNotFound(
      key, DecodingError.Context(codingPath: codingPath.dropLast(), debugDescription: available))
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { WholeRowContainer(decoder: self) }

  /// Records that a missing key is decoded from the whole row.
  ///
  /// - Throws: A `DecodingError.keyNotFound` if another key is already decoded from the row.
  func useRow(for key: some CodingKey) throws {
    guard let other = state.keyOfRow else {
      state.keyOfRow = key.stringValue
      return
    }
    let keys = [other, key.stringValue].sorted().joined(separator: " or ")
    throw DecodingError.keyNotFound(
      key, DecodingError.Context(codingPath: codingPath, debugDescription: "No such key: \(keys)"))
  }

  /// Decodes the row of a key. Records use `init(row:)`; other types use their `Decodable` implementation, with the
  /// strategies of the enclosing record.
  func decode<Value: Decodable>(_ type: Value.Type, from row: Row, at codingPath: [any CodingKey]) throws -> Value {
    if let recordType = type as? any FetchableRecord.Type {
      return try Self.record(recordType, row, as: type)
    }
    return try Value(from: decoder(of: row, at: codingPath))
  }

  private static func record<Record: FetchableRecord, Value>(
    _ recordType: Record.Type, _ row: Row, as type: Value.Type
  ) throws -> Value {
    sameValue(try Record(row: row), as: type)
  }
}

extension RecordDecoder {
  // MARK: Columns

  /// Returns the index of the leftmost column for a key.
  @inline(__always)
  func index(of key: some CodingKey) -> Int? {
    let name = key.stringValue
    let guess = state.nextIndex
    let columns = plan.columns
    if guess < columns.count, columns[guess].key == name {
      state.nextIndex = guess &+ 1
      return columns[guess].index
    }
    return searchIndex(of: name)
  }

  @inline(never)
  private func searchIndex(of name: String) -> Int? {
    guard let index = plan.index(of: name, in: row) else { return nil }
    state.nextIndex = index + 1
    return index
  }

  /// Returns the value of a column.
  @inline(__always)
  func value<Value: DatabaseValueConvertible>(_ type: Value.Type = Value.self, at index: Int) throws -> Value {
    if let statement, let value = Value._fromColumn(statement, CInt(truncatingIfNeeded: index)) { return value }
    // Decode again with the function that throws a detailed error.
    return try row.decode(type, uncheckedIndex: index)
  }
}

/// A reference to a container.
private final class ContainerBox<Key: CodingKey> {
  let container: KeyedDecodingContainer<Key>

  init(_ container: KeyedDecodingContainer<Key>) {
    self.container = container
  }
}

/// The single value container of a record that forwards to another `Decodable` type.
private struct WholeRowContainer: SingleValueDecodingContainer {
  let decoder: RecordDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if type is any DatabaseValueConvertible.Type { throw refusal(type) }
    return try decoder.decode(type, from: decoder.row, at: codingPath)
  }

  // The default implementations of these types call this function recursively.
  func decode(_ type: Int128.Type) throws -> Int128 { throw refusal(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { throw refusal(type) }

  /// Returns the error of a value that requires a column.
  private func refusal(_ type: Any.Type) -> any Error {
    if let key = codingPath.last { return key.stringValue._missing(in: decoder.row) }
    return DecodingError.typeMismatch(
      type,
      DecodingError.Context(
        codingPath: [], debugDescription: "single value decoding from database row is not supported"))
  }
}
