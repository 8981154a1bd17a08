/// Finds out what a value encodes itself as: one value that a column can hold, or something for which JSON
/// is needed.
///
/// An encoder hands out its containers without being able to refuse. So a value with keys or elements gets one that
/// refuses all it is given, and `needsJSON` says why, even when the value has nothing to give.
final class SingleValueEncoder: Encoder, SingleValueEncodingContainer {
  private(set) var databaseValue: DatabaseValue?
  private(set) var needsJSON = false

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    needsJSON = true
    return KeyedEncodingContainer(RefusingContainer(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    needsJSON = true
    return RefusingContainer<NoKey>(encoder: self)
  }

  func encodeNil() throws { databaseValue = .null }

  func encode<Value: Encodable>(_ value: Value) throws {
    if let value = value as? any DatabaseValueConvertible {
      databaseValue = value.databaseValue
    } else {
      try value.encode(to: self)
    }
  }

  // They encode themselves by asking for this very function, and do not fit in a column.
  func encode(_ value: Int128) throws { try refuse() }
  func encode(_ value: UInt128) throws { try refuse() }

  fileprivate func refuse() throws {
    needsJSON = true
    throw NeedsJSON()
  }
}

/// Thrown when a value turns out not to be a single one.
struct NeedsJSON: Error {}

/// A container for keys and elements that takes none.
private struct RefusingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol, UnkeyedEncodingContainer {
  let encoder: SingleValueEncoder

  var codingPath: [any CodingKey] { [] }
  var count: Int { 0 }

  func encodeNil(forKey key: Key) throws { try encoder.refuse() }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder.refuse() }
  func encodeNil() throws { try encoder.refuse() }
  func encode<Value: Encodable>(_ value: Value) throws { try encoder.refuse() }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> { encoder.container(keyedBy: type) }

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    encoder.container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
  func superEncoder(forKey key: Key) -> any Encoder { encoder }
  func superEncoder() -> any Encoder { encoder }
}

/// The key of a container without keys.
private enum NoKey: CodingKey {}
