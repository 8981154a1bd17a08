/// The source of a type that decodes a single value.
package protocol SingleValueSource {
  /// Whether the value is NULL.
  var isNull: Bool { get }

  /// Returns the value converted to a type; nil if the type does not convert from a database value, and has to use its
  /// `Decodable` implementation.
  func value<Value: Decodable>(of type: Value.Type) throws -> Value?
}

/// Decodes a type from a single database value, and detects whether it needs JSON instead.
///
/// `needsJSON` stays true even if the type then tries another container.
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

  // The default implementations of these types call this function recursively. The values do not fit in a column.
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
    // `Convertible` and `Value` are the same type.
    Convertible.fromDatabaseValue(self).flatMap { $0 as? Value }
  }
}
