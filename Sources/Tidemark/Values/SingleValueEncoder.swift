/// Finds out what a value encodes itself as: one value that a column can hold, or something for which JSON
/// is needed.
///
/// An encoder hands out its containers without being able to refuse. So a value with keys or elements gets one that
/// refuses all it is given, and `needsJSON` says why, even when the value has nothing to give.
final class SingleValueEncoder: Encoder, SingleValueEncodingContainer {
  /// What a value is stored as; nil when it is no value of a column.
  typealias Storing = (any Encodable) throws -> DatabaseValue?

  private(set) var databaseValue: DatabaseValue?
  private(set) var needsJSON = false

  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any]
  private let storing: Storing

  init(
    codingPath: [any CodingKey] = [], userInfo: [CodingUserInfoKey: Any] = [:],
    storing: @escaping Storing = { ($0 as? any DatabaseValueConvertible)?.databaseValue }
  ) {
    self.codingPath = codingPath
    self.userInfo = userInfo
    self.storing = storing
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    needsJSON = true
    return KeyedEncodingContainer(RefusingContainer(encoder: self, refusal: refusal))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    needsJSON = true
    return RefusingContainer<NoKey>(encoder: self, refusal: refusal)
  }

  func encodeNil() throws { databaseValue = .null }

  func encode<Value: Encodable>(_ value: Value) throws {
    if let databaseValue = try storing(value) {
      self.databaseValue = databaseValue
    } else {
      try value.encode(to: self)
    }
  }

  // They encode themselves by asking for this very function, and do not fit in a column.
  func encode(_ value: Int128) throws { throw refusal() }
  func encode(_ value: UInt128) throws { throw refusal() }

  private func refusal() -> any Error {
    needsJSON = true
    return NeedsJSON()
  }
}

/// Thrown when a value turns out not to be a single one.
struct NeedsJSON: Error {}
