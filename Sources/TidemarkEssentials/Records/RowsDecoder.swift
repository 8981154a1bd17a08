/// Decodes a collection from the prefetched rows of a row.
struct RowsDecoder: Decoder {
  let rows: [Row]

  /// The decoder of the parent row.
  let decoder: RecordDecoder

  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { decoder.userInfo }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { RowsContainer(decoder: self) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw mismatch([String: Any].self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw mismatch(Any.self) }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    .typeMismatch(
      type,
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "Prefetched rows are decoded as a collection: there are \(rows.count)"
      ))
  }
}

/// The unkeyed container of the rows.
private struct RowsContainer: UnkeyedDecodingContainer {
  let decoder: RowsDecoder
  private(set) var currentIndex = 0

  init(decoder: RowsDecoder) {
    self.decoder = decoder
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { decoder.rows.count }
  var isAtEnd: Bool { currentIndex >= decoder.rows.count }

  func decodeNil() -> Bool { false }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let (row, codingPath) = try current(type)
    currentIndex += 1
    // A value is in the first column, unless its type reads whole rows.
    if let valueType = type as? any DatabaseValueConvertible.Type, !(type is any FetchableRecord.Type) {
      return try Self.firstValue(valueType, row, as: type)
    }
    return try decoder.decoder.decode(type, from: row, at: codingPath)
  }

  private static func firstValue<Value: DatabaseValueConvertible, Same>(
    _ type: Value.Type, _ row: Row, as same: Same.Type
  ) throws -> Same {
    sameValue(try row.decode(Value.self, atIndex: 0), as: same)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try superDecoder().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try superDecoder().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder {
    let (row, codingPath) = try current((any Decoder).self)
    currentIndex += 1
    return decoder.decoder.decoder(of: row, at: codingPath)
  }

  private func current(_ type: Any.Type) throws -> (Row, [any CodingKey]) {
    let codingPath = codingPath + [Position(intValue: currentIndex)]
    if isAtEnd {
      throw DecodingError.valueNotFound(
        type, DecodingError.Context(codingPath: codingPath, debugDescription: "All prefetched rows are already decoded")
      )
    }
    return (decoder.rows[currentIndex], codingPath)
  }

  /// The coding key of an element.
  private struct Position: CodingKey {
    let index: Int

    init(intValue: Int) { index = intValue }
    init?(stringValue: String) { nil }

    var intValue: Int? { index }
    var stringValue: String { "Index \(index)" }
  }
}
