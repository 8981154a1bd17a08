/// Has a `Decodable` record decode itself from a row, each key from its column.
///
/// A key is looked for among the columns, then among the scopes, then among the rows that were loaded along. One key
/// that is found nowhere decodes itself from the whole row: so the properties of a record can be put together in a
/// structure of their own. With a second one, it is not known which of them is missing, and decoding throws. Super
/// decoders decode from the same row.
///
/// | What is decoded | From what |
/// | --- | --- |
/// | an optional | nil when its column is missing or NULL, or its scope is missing or has nothing but NULL |
/// | `Date`, `Data` | the column, as the strategy of the record says |
/// | a value (`DatabaseValueConvertible`) | the column |
/// | something that decodes itself from one value | the column |
/// | a record | the row of its scope, by `init(row:)` |
/// | anything else | JSON in the column; the row of a scope; rows loaded along |
///
/// One decoder, and one keyed container, serve all the rows that show through a window: it is one object, which both
/// point to, since the standard library copies a container for each key that is decoded.
final class RecordDecoder: Decoder, ReusableDecoder {
  let row: Row
  let plan: RecordDecodingPlan
  let codingPath: [any CodingKey]

  /// The statement, when columns can be read straight from it.
  private let statement: SQLiteStatement?

  /// Where the next key most likely is.
  @exclusivity(unchecked) private var nextIndex = 0

  /// The key that was found nowhere, and was decoded from the whole row.
  @exclusivity(unchecked) private var keyOfRow: String?

  /// A keyed container that was made before, and the type of its keys.
  @exclusivity(unchecked) private var reusableContainer: (key: ObjectIdentifier, container: AnyObject)?
  @exclusivity(unchecked) private var reusesContainer = false

  private init(_ row: Row, _ plan: RecordDecodingPlan, codingPath: [any CodingKey]) {
    self.row = row
    self.plan = plan
    self.codingPath = codingPath
    statement = row.directStatement
  }

  func releaseReferences() {
    reusesContainer = false
    reusableContainer = nil
  }

  /// The decoder of a row for a type of records.
  static func decoder(of row: Row, for recordType: any FetchableRecord.Type) -> RecordDecoder {
    // Nobody else keeps anything there.
    let reusable = row.reusableDecoder.map { unsafeDowncast($0 as AnyObject, to: RecordDecoder.self) }
    if let reusable, reusable.plan.recordID == ObjectIdentifier(recordType) { return reusable }
    let decoder = RecordDecoder(row, RecordDecodingPlan(recordType, row), codingPath: [])
    if reusable == nil, row.reusesDecoder {
      decoder.reusesContainer = true
      row.keep(decoder: decoder)
    }
    return decoder
  }

  /// A decoder of something inside of a record.
  func decoder(of row: Row, at codingPath: [any CodingKey]) -> RecordDecoder {
    RecordDecoder(
      row, row === self.row ? plan : RecordDecodingPlan(plan.recordType, row), codingPath: codingPath)
  }

  var userInfo: [CodingUserInfoKey: Any] { plan.recordType.decodingUserInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    nextIndex = 0
    if keyOfRow != nil { keyOfRow = nil }
    let key = ObjectIdentifier(type)
    if let reusableContainer, reusableContainer.key == key {
      return unsafeDowncast(reusableContainer.container, to: ContainerBox<Key>.self).container
    }
    let container = KeyedDecodingContainer(RowContainer<Key>(decoder: self))
    // It holds this decoder: whoever keeps the decoder lets go of both.
    if reusesContainer { reusableContainer = (key, ContainerBox(container)) }
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

  /// Takes note that a key, which was found nowhere, is decoded from the whole row.
  ///
  /// - throws: A `DecodingError.keyNotFound` when there was such a key before.
  func useRow(for key: some CodingKey) throws {
    guard let other = keyOfRow else {
      keyOfRow = key.stringValue
      return
    }
    let keys = [other, key.stringValue].sorted().joined(separator: " or ")
    throw DecodingError.keyNotFound(
      key, DecodingError.Context(codingPath: codingPath, debugDescription: "No such key: \(keys)"))
  }

  /// What a row becomes that belongs to a key: a record in its own way, anything else by its `Decodable` code, with the
  /// strategies of the record around it.
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

  /// The leftmost column of a key.
  @inline(__always)
  func index(of key: some CodingKey) -> Int? {
    let name = key.stringValue
    let guess = nextIndex
    let columns = plan.columns
    if guess < columns.count, columns[guess].key == name {
      nextIndex = guess &+ 1
      return columns[guess].index
    }
    return searchIndex(of: name)
  }

  @inline(never)
  private func searchIndex(of name: String) -> Int? {
    guard let index = plan.index(of: name, in: row) else { return nil }
    nextIndex = index + 1
    return index
  }

  /// The value in a column.
  @inline(__always)
  func value<Value: DatabaseValueConvertible>(_ type: Value.Type = Value.self, at index: Int) throws -> Value {
    if let statement, let value = Value._fromColumn(statement, CInt(truncatingIfNeeded: index)) { return value }
    // What could not be read says why.
    return try row.decode(type, uncheckedIndex: index)
  }
}

/// A container, as an object.
private final class ContainerBox<Key: CodingKey> {
  let container: KeyedDecodingContainer<Key>

  init(_ container: KeyedDecodingContainer<Key>) {
    self.container = container
  }
}

/// What a record asks for that decodes itself as another one.
private struct WholeRowContainer: SingleValueDecodingContainer {
  let decoder: RecordDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if type is any DatabaseValueConvertible.Type { throw refusal(type) }
    return try decoder.decode(type, from: decoder.row, at: codingPath)
  }

  // They decode themselves by asking for this very function.
  func decode(_ type: Int128.Type) throws -> Int128 { throw refusal(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { throw refusal(type) }

  /// A value that has a key should have had a column.
  private func refusal(_ type: Any.Type) -> any Error {
    if let key = codingPath.last { return key.stringValue._missing(in: decoder.row) }
    return DecodingError.typeMismatch(
      type,
      DecodingError.Context(
        codingPath: [], debugDescription: "single value decoding from database row is not supported"))
  }
}
