/// Encodes a value that encodes itself as a single database value, and detects values that need JSON.
///
/// An encoder cannot refuse to return a container. So a value with keys or elements receives a container that rejects
/// everything. `needsJSON` is then true, even if the value encodes nothing.
package final class SingleValueEncoder: Encoder, SingleValueEncodingContainer {
  /// Returns the stored value; nil if the type does not convert to a database value.
  package typealias Storing = (any Encodable) throws -> DatabaseValue?

  package private(set) var databaseValue: DatabaseValue?
  package private(set) var needsJSON = false

  package let codingPath: [any CodingKey]
  package let userInfo: [CodingUserInfoKey: Any]
  private let storing: Storing

  package init(
    codingPath: [any CodingKey] = [], userInfo: [CodingUserInfoKey: Any] = [:],
    storing: @escaping Storing
  ) {
    self.codingPath = codingPath
    self.userInfo = userInfo
    self.storing = storing
  }

  convenience init(codingPath: [any CodingKey] = [], userInfo: [CodingUserInfoKey: Any] = [:]) {
    self.init(codingPath: codingPath, userInfo: userInfo) { ($0 as? any DatabaseValueConvertible)?.databaseValue }
  }

  package func singleValueContainer() -> any SingleValueEncodingContainer { self }

  package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    needsJSON = true
    return KeyedEncodingContainer(RefusingContainer(encoder: self, refusal: refusal))
  }

  package func unkeyedContainer() -> any UnkeyedEncodingContainer {
    needsJSON = true
    return RefusingContainer<NoKey>(encoder: self, refusal: refusal)
  }

  package func encodeNil() throws { databaseValue = .null }

  package func encode<Value: Encodable>(_ value: Value) throws {
    if let databaseValue = try storing(value) {
      self.databaseValue = databaseValue
    } else {
      try value.encode(to: self)
    }
  }

  // The default implementations of these types call this function recursively. The values do not fit in a column.
  package func encode(_ value: Int128) throws { throw refusal() }
  package func encode(_ value: UInt128) throws { throw refusal() }

  private func refusal() -> any Error {
    needsJSON = true
    return NeedsJSON()
  }
}

/// Thrown if a value does not encode itself as a single value.
package struct NeedsJSON: Error {}
