/// Finds out what a value encodes itself as: one value that a column can hold, or something for which JSON
/// is needed.
///
/// An encoder hands out its containers without being able to refuse. So a value with keys or elements gets one that
/// refuses all it is given, and `needsJSON` says why, even when the value has nothing to give.
package final class SingleValueEncoder: Encoder, SingleValueEncodingContainer {
  /// What a value is stored as; nil when it is no value of a column.
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

  // They encode themselves by asking for this very function, and do not fit in a column.
  package func encode(_ value: Int128) throws { throw refusal() }
  package func encode(_ value: UInt128) throws { throw refusal() }

  private func refusal() -> any Error {
    needsJSON = true
    return NeedsJSON()
  }
}

/// Thrown when a value turns out not to be a single one.
package struct NeedsJSON: Error {}
