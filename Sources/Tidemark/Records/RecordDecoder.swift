/// Has a `Decodable` record decode itself from a row, each key from its column.
///
/// A key is looked for among the columns, then among the scopes, then among the rows that were loaded along. What is
/// found nowhere decodes itself from the whole row: so the properties of a record can be put together in a structure
/// of their own. Super decoders decode from the same row.
///
/// | What is decoded | From what |
/// | --- | --- |
/// | an optional | nil when its column is missing or NULL, or its scope is missing or has nothing but NULL |
/// | `Date`, `Data` | the column, as the strategy of the record says |
/// | a value (`DatabaseValueConvertible`) | the column |
/// | something that decodes itself from one value | the column |
/// | a record | the row of its scope, by `init(row:)` |
/// | anything else | JSON in the column; the row of a scope; rows loaded along |
struct RecordDecoder: Decoder {
  // Three words: an existential holds them without a box.
  let row: Row
  let plan: RecordDecodingPlan
  let codingPath: [any CodingKey]

  init(_ row: Row, for recordType: any FetchableRecord.Type, codingPath: [any CodingKey] = []) {
    self.row = row
    plan = .plan(of: row, for: recordType)
    self.codingPath = codingPath
  }

  var userInfo: [CodingUserInfoKey: Any] { plan.recordType.decodingUserInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowContainer(decoder: self))
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

  /// What a row becomes that belongs to a key: a record in its own way, anything else by its `Decodable` code, with the
  /// strategies of the record around it.
  func decode<Value: Decodable>(_ type: Value.Type, from row: Row, at codingPath: [any CodingKey]) throws -> Value {
    if let recordType = type as? any FetchableRecord.Type {
      return try Self.record(recordType, row, as: type)
    }
    return try Value(from: RecordDecoder(row, for: plan.recordType, codingPath: codingPath))
  }

  private static func record<Record: FetchableRecord, Value>(
    _ recordType: Record.Type, _ row: Row, as type: Value.Type
  ) throws -> Value {
    sameValue(try Record(row: row), as: type)
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
