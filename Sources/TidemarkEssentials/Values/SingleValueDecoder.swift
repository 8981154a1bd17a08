/// Where a type that is one value is decoded from.
package protocol SingleValueSource {
  /// Whether the value is NULL.
  var isNull: Bool { get }

  /// The value as a type, or nil when the type is no value of a column, and has to decode itself.
  func value<Value: Decodable>(of type: Value.Type) throws -> Value?
}

/// Has a type decode itself from one database value, and finds out whether it wanted JSON instead.
///
/// `needsJSON` stays true when the type went on to try something else.
package final class SingleValueDecoder: Decoder, SingleValueDecodingContainer {
  private let source: any SingleValueSource
  package private(set) var needsJSON = false

  package let codingPath: [any CodingKey]
  package let userInfo: [CodingUserInfoKey: Any]

  package init(
    _ source: any SingleValueSource, codingPath: [any CodingKey] = [], userInfo: [CodingUserInfoKey: Any] = [:]
  ) {
    self.source = source
    self.codingPath = codingPath
    self.userInfo = userInfo
  }

  package func singleValueContainer() -> any SingleValueDecodingContainer { self }

  package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw wantsJSON()
  }

  package func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw wantsJSON() }

  package func decodeNil() -> Bool { source.isNull }

  package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try source.value(of: type) ?? Value(from: self)
  }

  // They decode themselves by asking for this very function, and do not fit in a column.
  package func decode(_ type: Int128.Type) throws -> Int128 { throw wantsJSON() }
  package func decode(_ type: UInt128.Type) throws -> UInt128 { throw wantsJSON() }

  private func wantsJSON() -> NeedsJSON {
    needsJSON = true
    return NeedsJSON()
  }
}

extension DatabaseValue: SingleValueSource {
  package func value<Value: Decodable>(of type: Value.Type) throws -> Value? {
    guard let convertibleType = type as? any DatabaseValueConvertible.Type else { return nil }
    guard let value = convert(convertibleType, to: type) else {
      throw DecodingError.typeMismatch(
        type, DecodingError.Context(codingPath: [], debugDescription: "\(self) is not a \(type)"))
    }
    return value
  }

  private func convert<Convertible: DatabaseValueConvertible, Value>(
    _ convertibleType: Convertible.Type, to type: Value.Type
  ) -> Value? {
    // Both types are the same.
    Convertible.fromDatabaseValue(self).flatMap { $0 as? Value }
  }
}
