import FoundationEssentials

/// The keyed container of the columns, scopes and prefetched rows of a row.
struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RecordDecoder

  private var row: Row { decoder.row }
  private var plan: RecordDecodingPlan { decoder.plan }

  var codingPath: [any CodingKey] { decoder.codingPath }

  var allKeys: [Key] {
    let names = row.columnNames + row.prefetched.keys.sorted() + row.scopesTree.names.sorted()
    return names.compactMap(Key.init(stringValue:))
  }

  func contains(_ key: Key) -> Bool {
    if decoder.index(of: key) != nil { return true }
    let name = key.stringValue
    return row.scopeForDecoding(name) != nil || row.prefetched[name] != nil
  }

  func decodeNil(forKey key: Key) -> Bool {
    if let index = decoder.index(of: key) { return row.hasNull(atIndex: index) }
    let name = key.stringValue
    if let scope = row.scopeForDecoding(name) { return !scope.containsNonNullValue }
    return row.prefetched[name] == nil
  }

  // MARK: Numbers, texts and booleans

  // One function per type: with a static type, the decoding method is known. A generic function would look it up for
  // each value, which doubles the time (benchmark `read 4 columns: Codable`).
  func decode(_: Bool.Type, forKey key: Key) throws -> Bool { try value(key) }
  func decode(_: String.Type, forKey key: Key) throws -> String { try value(key) }
  func decode(_: Double.Type, forKey key: Key) throws -> Double { try value(key) }
  func decode(_: Float.Type, forKey key: Key) throws -> Float { try value(key) }
  func decode(_: Int.Type, forKey key: Key) throws -> Int { try value(key) }
  func decode(_: Int8.Type, forKey key: Key) throws -> Int8 { try value(key) }
  func decode(_: Int16.Type, forKey key: Key) throws -> Int16 { try value(key) }
  func decode(_: Int32.Type, forKey key: Key) throws -> Int32 { try value(key) }
  func decode(_: Int64.Type, forKey key: Key) throws -> Int64 { try value(key) }
  func decode(_: UInt.Type, forKey key: Key) throws -> UInt { try value(key) }
  func decode(_: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key) }
  func decode(_: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key) }
  func decode(_: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key) }
  func decode(_: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key) }

  @inline(__always)
  private func value<Value: DatabaseValueConvertible>(_ key: Key) throws -> Value {
    guard let index = decoder.index(of: key) else { throw key.stringValue._missing(in: row) }
    return try decoder.value(at: index)
  }

  // The standard library's default implementations look up the column three times.
  func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? { try valueIfPresent(key) }
  func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? { try valueIfPresent(key) }
  func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? { try valueIfPresent(key) }
  func decodeIfPresent(_: Float.Type, forKey key: Key) throws -> Float? { try valueIfPresent(key) }
  func decodeIfPresent(_: Int.Type, forKey key: Key) throws -> Int? { try valueIfPresent(key) }
  func decodeIfPresent(_: Int8.Type, forKey key: Key) throws -> Int8? { try valueIfPresent(key) }
  func decodeIfPresent(_: Int16.Type, forKey key: Key) throws -> Int16? { try valueIfPresent(key) }
  func decodeIfPresent(_: Int32.Type, forKey key: Key) throws -> Int32? { try valueIfPresent(key) }
  func decodeIfPresent(_: Int64.Type, forKey key: Key) throws -> Int64? { try valueIfPresent(key) }
  func decodeIfPresent(_: UInt.Type, forKey key: Key) throws -> UInt? { try valueIfPresent(key) }
  func decodeIfPresent(_: UInt8.Type, forKey key: Key) throws -> UInt8? { try valueIfPresent(key) }
  func decodeIfPresent(_: UInt16.Type, forKey key: Key) throws -> UInt16? { try valueIfPresent(key) }
  func decodeIfPresent(_: UInt32.Type, forKey key: Key) throws -> UInt32? { try valueIfPresent(key) }
  func decodeIfPresent(_: UInt64.Type, forKey key: Key) throws -> UInt64? { try valueIfPresent(key) }

  @inline(__always)
  private func valueIfPresent<Value: DatabaseValueConvertible>(_ key: Key) throws -> Value? {
    guard let index = decoder.index(of: key) else { return nil }
    return try decoder.value(Value?.self, at: index)
  }

  // MARK: Everything else

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decodeAny(type, forKey: key)
  }

  private func decodeAny<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    if let index = decoder.index(of: key) { return try decodeColumn(type, index, key) }
    return try decodeWithoutColumn(type, forKey: key)
  }

  @inline(never)
  private func decodeWithoutColumn<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    if let value = try decodeRows(type, forKey: key) { return value }
    if let optionalType = type as? any OptionalDecodable.Type {
      return try optionalType.decode(type, from: self, forKey: key)
    }
    if type is any DatabaseValueConvertible.Type { throw key.stringValue._missing(in: row) }
    if let scope = row.scopeForDecoding(key.stringValue) {
      // The scope contains only NULL. Decode it anyway: the type either accepts NULL or reports its missing column.
      return try decoder.decode(type, from: scope, at: codingPath + [key])
    }
    if type is any StringKeyed.Type {
      // A dictionary would decode all columns of the row.
      let context = DecodingError.Context(codingPath: codingPath, debugDescription: "column not found")
      throw DecodingError.keyNotFound(key, context)
    }
    try decoder.useRow(for: key)
    return try decoder.decode(type, from: row, at: codingPath + [key])
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let index = decoder.index(of: key) else { return try decodeRows(type, forKey: key) }
    return row.hasNull(atIndex: index) ? nil : try decodeColumn(type, index, key)
  }

  // The standard library's default implementations throw an error for these types.
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decodeAny(type, forKey: key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try decodeAny(type, forKey: key) }

  private func decodeColumn<Value: Decodable>(_ type: Value.Type, _ index: Int, _ key: Key) throws -> Value {
    // Compare the most common types first: for a static type, the decoding method is known.
    if type == Date.self, plan.isPlain(type, at: index, for: key, in: row) {
      return sameValue(try decoder.value(Date.self, at: index), as: type)
    }
    if type == Data.self, plan.isPlain(type, at: index, for: key, in: row) {
      return sameValue(try decoder.value(Data.self, at: index), as: type)
    }
    if type == UUID.self { return sameValue(try decoder.value(UUID.self, at: index), as: type) }
    return try decodeRareColumn(type, index, key)
  }

  @inline(never)
  private func decodeRareColumn<Value: Decodable>(_ type: Value.Type, _ index: Int, _ key: Key) throws -> Value {
    switch plan.reading(of: type, at: index, for: key, in: row) {
    case .date(let strategy): sameValue(try strategy.date(row, index), as: type)
    case .data(let strategy): sameValue(try strategy.data(row, index), as: type)
    case .value(let valueType): try plan.value(of: valueType, as: type, at: index, in: row)
    case .optional(let optionalType): try optionalType.decode(type, from: self, forKey: key)
    case .decoding: try RecordColumn(row: row, index: index, plan: plan, key: key).decode(type, codingPath)
    }
  }

  /// Decodes the scope or the prefetched rows of a key. Returns nil if there are none.
  private func decodeRows<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    if !row.hasRowsInside { return nil }
    let name = key.stringValue
    if let scope = row.scopeForDecoding(name) {
      return scope.containsNonNullValue ? try decoder.decode(type, from: scope, at: codingPath + [key]) : nil
    }
    guard let list = row.prefetched[name] else { return nil }
    if let array = plan.recordArray(type) { return try array.decode(list, in: row, forKey: name, as: type) }
    return try Value(from: RowsDecoder(list: list, key: name, decoder: decoder, codingPath: codingPath + [key]))
  }

  // MARK: Containers inside

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decode(DecoderOfKey.self, forKey: key).decoder.container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decode(DecoderOfKey.self, forKey: key).decoder.unkeyedContainer()
  }

  func superDecoder() -> any Decoder { decoder }
  func superDecoder(forKey key: Key) -> any Decoder { decoder }
}

/// Gives access to an optional of statically unknown type.
protocol OptionalDecodable {
  /// Decodes the optional of a key. `Same` is another name for this type.
  static func decode<Same, Key>(_ type: Same.Type, from container: RowContainer<Key>, forKey key: Key) throws -> Same
}

extension Optional: OptionalDecodable where Wrapped: Decodable {
  static func decode<Same, Key>(
    _ type: Same.Type, from container: RowContainer<Key>, forKey key: Key
  ) throws -> Same {
    sameValue(try container.decodeIfPresent(Wrapped.self, forKey: key), as: type)
  }
}

/// Matches dictionaries with string keys of statically unknown type.
private protocol StringKeyed {}
extension Dictionary: StringKeyed {}

/// Captures the decoder of a key, whose source is a scope, prefetched rows or JSON.
private struct DecoderOfKey: Decodable {
  let decoder: any Decoder

  init(from decoder: any Decoder) throws {
    // A single value has no containers: the call throws, and JSON is decoded instead.
    if decoder is SingleValueDecoder { _ = try decoder.unkeyedContainer() }
    self.decoder = decoder
  }
}

extension Row {
  /// Whether the row may have scopes or prefetched rows.
  fileprivate var hasRowsInside: Bool { layout != nil || !prefetched.isEmpty }
}
