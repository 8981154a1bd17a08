/// Has a type decode itself from one database value, and finds out whether it wanted JSON instead.
///
/// `needsJSON` stays true when the type went on to try something else.
final class SingleValueDecoder: Decoder, SingleValueDecodingContainer {
  private let databaseValue: DatabaseValue
  private(set) var needsJSON = false

  init(_ databaseValue: DatabaseValue) {
    self.databaseValue = databaseValue
  }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw wantsJSON()
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw wantsJSON() }

  func decodeNil() -> Bool { databaseValue.isNull }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard let convertibleType = type as? any DatabaseValueConvertible.Type else { return try Value(from: self) }
    guard let value = convert(convertibleType, to: type) else {
      throw DecodingError.typeMismatch(
        type, DecodingError.Context(codingPath: [], debugDescription: "\(databaseValue) is not a \(type)"))
    }
    return value
  }

  // They decode themselves by asking for this very function, and do not fit in a column.
  func decode(_ type: Int128.Type) throws -> Int128 { throw wantsJSON() }
  func decode(_ type: UInt128.Type) throws -> UInt128 { throw wantsJSON() }

  private func convert<Convertible: DatabaseValueConvertible, Value>(
    _ convertibleType: Convertible.Type, to type: Value.Type
  ) -> Value? {
    // Both types are the same.
    Convertible.fromDatabaseValue(databaseValue).flatMap { $0 as? Value }
  }

  private func wantsJSON() -> NeedsJSON {
    needsJSON = true
    return NeedsJSON()
  }
}
