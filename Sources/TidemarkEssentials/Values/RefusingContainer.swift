/// A container that rejects all keys and elements. Encoders return it where they support neither.
package struct RefusingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol, UnkeyedEncodingContainer {
  /// The encoder returned as super encoder.
  let encoder: any Encoder

  /// Returns the error to throw when a value is encoded.
  let refusal: () -> any Error

  package init(encoder: any Encoder, refusal: @escaping () -> any Error) {
    self.encoder = encoder
    self.refusal = refusal
  }

  package var codingPath: [any CodingKey] { encoder.codingPath }
  package var count: Int { 0 }

  package func encodeNil(forKey key: Key) throws { throw refusal() }
  package func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { throw refusal() }
  package func encodeNil() throws { throw refusal() }
  package func encode<Value: Encodable>(_ value: Value) throws { throw refusal() }

  package func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> { nestedContainer(keyedBy: type) }

  package func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey>
  {
    KeyedEncodingContainer(RefusingContainer<NestedKey>(encoder: encoder, refusal: refusal))
  }

  package func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { self }
  package func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  package func superEncoder(forKey key: Key) -> any Encoder { encoder }
  package func superEncoder() -> any Encoder { encoder }
}

/// The key type of a container without keys.
package enum NoKey: CodingKey {}
