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

  /// How the elements are decoded. It is determined once for all elements of the same type in rows of the same query.
  private var element: (type: ObjectIdentifier, columns: ColumnNames, decoding: ElementDecoding)?

  init(decoder: RowsDecoder) {
    self.decoder = decoder
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { decoder.rows.count }
  var isAtEnd: Bool { currentIndex >= decoder.rows.count }

  func decodeNil() -> Bool { false }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let row = try currentRow(type)
    let decoding = decoding(of: type, row)
    defer { currentIndex += 1 }
    switch decoding {
    case .record(let recordType, let shared): return try shared.decoder.decodeRecord(recordType, from: row, as: type)
    case .value(let valueType): return try Self.firstValue(valueType, row, as: type)
    case .decodable(let template): return try Value(from: template.decoder(ofSimilar: row, at: currentPath))
    }
  }

  private mutating func decoding(of type: Any.Type, _ row: Row) -> ElementDecoding {
    if let element, element.type == ObjectIdentifier(type), element.columns === row.columns { return element.decoding }
    let decoding: ElementDecoding =
      if let recordType = type as? any FetchableRecord.Type {
        .record(recordType, SharedDecoder(RecordDecoder.decoder(of: row, for: recordType)))
      } else if let valueType = type as? any DatabaseValueConvertible.Type {
        // A value is in the first column.
        .value(valueType)
      } else {
        .decodable(template: decoder.decoder.decoder(of: row, at: []))
      }
    element = (ObjectIdentifier(type), row.columns, decoding)
    return decoding
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
    let row = try currentRow((any Decoder).self)
    defer { currentIndex += 1 }
    return decoder.decoder.decoder(of: row, at: currentPath)
  }

  private var currentPath: [any CodingKey] { codingPath + [Position(intValue: currentIndex)] }

  private func currentRow(_ type: Any.Type) throws -> Row {
    if isAtEnd {
      throw DecodingError.valueNotFound(
        type,
        DecodingError.Context(codingPath: currentPath, debugDescription: "All prefetched rows are already decoded"))
    }
    return decoder.rows[currentIndex]
  }

  private enum ElementDecoding {
    /// By `init(row:)`, with one decoder for all rows.
    case record(any FetchableRecord.Type, SharedDecoder)

    case value(any DatabaseValueConvertible.Type)

    /// By `init(from:)`. The template is the decoder of the first row.
    case decodable(template: RecordDecoder)
  }

  /// Breaks the reference cycle of a decoder and its container after the last row.
  private final class SharedDecoder {
    let decoder: RecordDecoder

    init(_ decoder: RecordDecoder) {
      self.decoder = decoder
    }

    deinit { decoder.releaseReferences() }
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
