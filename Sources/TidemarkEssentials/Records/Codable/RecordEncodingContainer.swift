/// The keyed container that stores the properties of a record in columns.
struct RecordEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: RecordEncoder

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { encoder.storeNull(for: key) }

  // MARK: Numbers, texts and booleans

  @inline(__always)
  func encode<Value: Encodable & DatabaseValueConvertible>(_ value: Value, forKey key: Key) throws {
    encoder.store(value, for: key)
  }

  // The standard library's default implementations store nothing for nil. These implementations store NULL.
  func encodeIfPresent(_ value: Bool?, forKey key: Key) { store(value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) { store(value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) { store(value, key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) { store(value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) { store(value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) { store(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) { store(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) { store(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) { store(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) { store(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) { store(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) { store(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) { store(value, key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) { store(value, key) }

  @inline(__always)
  private func store(_ value: (some DatabaseValueConvertible)?, _ key: Key) {
    if let value { encoder.store(value, for: key) } else { encoder.storeNull(for: key) }
  }

  // MARK: Everything else

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder.encode(value, for: key) }

  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    if let value { try encoder.encode(value, for: key) } else { encodeNil(forKey: key) }
  }

  // The standard library's default implementations throw an error for these types.
  func encode(_ value: Int128, forKey key: Key) throws { try encoder.encode(value, for: key) }
  func encode(_ value: UInt128, forKey key: Key) throws { try encoder.encode(value, for: key) }

  // MARK: Containers inside

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(refusal(NestedKey.self, key))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { refusal(NoKey.self, key) }

  private func refusal<NestedKey: CodingKey>(_: NestedKey.Type, _ key: Key) -> RefusingContainer<NestedKey> {
    encoder.refusingContainer(
      NestedKey.self, at: [key],
      "a record has no nested containers: encode a value of an Encodable type, which is stored as JSON")
  }

  func superEncoder() -> any Encoder { encoder }
  func superEncoder(forKey key: Key) -> any Encoder { encoder }
}
