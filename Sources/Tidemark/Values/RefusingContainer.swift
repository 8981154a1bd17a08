/// A container for keys and elements that takes none: what an encoder hands out that has no place for them.
struct RefusingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol, UnkeyedEncodingContainer {
  /// The encoder of what asks for a super encoder.
  let encoder: any Encoder

  /// The error of what is encoded all the same.
  let refusal: () -> any Error

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { 0 }

  func encodeNil(forKey key: Key) throws { throw refusal() }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { throw refusal() }
  func encodeNil() throws { throw refusal() }
  func encode<Value: Encodable>(_ value: Value) throws { throw refusal() }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> { nestedContainer(keyedBy: type) }

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(RefusingContainer<NestedKey>(encoder: encoder, refusal: refusal))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { self }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder(forKey key: Key) -> any Encoder { encoder }
  func superEncoder() -> any Encoder { encoder }
}

/// The key of a container without keys.
enum NoKey: CodingKey {}
