/// Decodes a collection from the prefetched rows of a row.
struct RowsDecoder: Decoder {
  let list: RowList

  /// The key of the rows.
  let key: String

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
        codingPath: codingPath, debugDescription: "Prefetched rows are decoded as a collection: there are \(list.count)"
      ))
  }
}

/// The unkeyed container of the rows.
private struct RowsContainer: UnkeyedDecodingContainer {
  let decoder: RowsDecoder
  private(set) var currentIndex = 0

  /// The type of the last element, and how it is decoded.
  private var element: (type: ObjectIdentifier, decoding: ElementDecoding)?

  /// The window from which records are decoded.
  private let window: Window

  init(decoder: RowsDecoder) {
    self.decoder = decoder
    window = Window(decoder)
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { decoder.list.count }
  var isAtEnd: Bool { currentIndex >= decoder.list.count }

  func decodeNil() -> Bool { false }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try checkNotAtEnd(type)
    let decoding = decoding(of: type)
    defer { currentIndex += 1 }
    switch decoding {
    case .record(let recordType): return try Self.record(recordType, window.row(at: currentIndex), as: type)
    case .value(let valueType): return try Self.firstValue(valueType, window.row(at: currentIndex), as: type)
    case .decodable(let template):
      return try Value(from: template.decoder(ofSimilar: decoder.list.row(at: currentIndex), at: currentPath))
    }
  }

  private mutating func decoding(of type: Any.Type) -> ElementDecoding {
    if let element, element.type == ObjectIdentifier(type) { return element.decoding }
    let decoding: ElementDecoding =
      if let recordType = type as? any FetchableRecord.Type {
        .record(recordType)
      } else if let valueType = type as? any DatabaseValueConvertible.Type {
        // A value is in the first column.
        .value(valueType)
      } else {
        .decodable(template: decoder.decoder.decoder(of: window.row(at: currentIndex), at: []))
      }
    element = (ObjectIdentifier(type), decoding)
    return decoding
  }

  private static func record<Record: FetchableRecord, Same>(
    _ type: Record.Type, _ row: Row, as same: Same.Type
  ) throws -> Same {
    sameValue(try Record(row: row), as: same)
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
    try checkNotAtEnd((any Decoder).self)
    defer { currentIndex += 1 }
    // The decoder may be used later: it needs a row that keeps its values.
    return decoder.decoder.decoder(of: decoder.list.row(at: currentIndex), at: currentPath)
  }

  private var currentPath: [any CodingKey] { codingPath + [Position(intValue: currentIndex)] }

  private func checkNotAtEnd(_ type: Any.Type) throws {
    if isAtEnd {
      throw DecodingError.valueNotFound(
        type,
        DecodingError.Context(codingPath: currentPath, debugDescription: "All prefetched rows are already decoded"))
    }
  }

  private enum ElementDecoding {
    /// By `init(row:)`.
    case record(any FetchableRecord.Type)

    case value(any DatabaseValueConvertible.Type)

    /// By `init(from:)`. The template is a decoder of a row of the same query.
    case decodable(template: RecordDecoder)
  }

  /// The window on the rows, in a class that releases the decoders of the window if nothing else does.
  private final class Window {
    private let row: Row
    private let list: RowList
    private let isKeptElsewhere: Bool

    init(_ decoder: RowsDecoder) {
      let parent = decoder.decoder.row
      list = decoder.list
      row = parent.windowForDecoding(list, forKey: decoder.key)
      isKeptElsewhere = parent.reusesDecoder
    }

    deinit {
      if !isKeptElsewhere { row.forgetDecoder() }
    }

    func row(at position: Int) -> Row {
      row.move(to: list.indexes[list.indexes.startIndex + position])
      return row
    }
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

/// Decodes arrays of records whose type is not known statically.
protocol RecordArray {
  /// Decodes the records of prefetched rows, as the `Decodable` implementation of arrays does it. `Same` is another
  /// name for this type.
  static func decode<Same>(_ list: RowList, in row: Row, forKey key: String, as type: Same.Type) throws -> Same
}

extension Array: RecordArray where Element: FetchableRecord {
  static func decode<Same>(_ list: RowList, in row: Row, forKey key: String, as type: Same.Type) throws -> Same {
    var records: [Element] = []
    records.reserveCapacity(list.count)
    try row.forEachForDecoding(list, forKey: key) { records.append(try Element(row: $0)) }
    return sameValue(records, as: type)
  }
}
