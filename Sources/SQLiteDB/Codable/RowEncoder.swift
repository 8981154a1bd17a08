import Foundation
import Tidemark

// A property is encoded as the column with its name. The encoder tries, in this order: a `Value`; a single value
// container, as for the raw value of an enumeration; JSON.

extension Encodable {
  /// Encodes the value as columns.
  ///
  /// - Parameters:
  ///   - userInfo: Contextual information for the encoder.
  ///   - nilIsNull: Whether a property that is nil is encoded as NULL. Otherwise, it is omitted.
  /// - Returns: The columns and their values.
  /// - Throws: An `EncodingError` if the value cannot be encoded as a row.
  func setters(_ userInfo: [CodingUserInfoKey: Any], nilIsNull: Bool = false) throws -> [Setter] {
    let encoder = RowEncoder(userInfo: userInfo, nilIsNull: nilIsNull)
    do {
      try encode(to: encoder)
    } catch let error where encoder.refusal != nil {
      throw encoder.refusal ?? error
    }
    if let refusal = encoder.refusal { throw refusal }
    return encoder.setters
  }
}

private final class RowEncoder: Encoder {
  let userInfo: [CodingUserInfoKey: Any]
  let nilIsNull: Bool
  var setters: [Setter] = []
  var refusal: (any Error)?
  var codingPath: [any CodingKey] { [] }

  init(userInfo: [CodingUserInfoKey: Any], nilIsNull: Bool) {
    self.userInfo = userInfo
    self.nilIsNull = nilIsNull
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(ColumnContainer(encoder: self))
  }

  // An encoder cannot refuse to return a container, so the error is stored and thrown after encoding.
  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    refusing("encoding an unkeyed container is not supported", NoKey.self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    _ = refuse("encoding a single value container is not supported")
    return SingleValueEncoder(userInfo: userInfo) { _ in .null }
  }

  func refusing<Key>(_ description: String, _: Key.Type) -> RefusingContainer<Key> {
    let error = refuse(description)
    return RefusingContainer(encoder: self) { error }
  }

  func refuse(_ description: String) -> any Error {
    let error = EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: description))
    refusal = refusal ?? error
    return error
  }
}

private struct ColumnContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: RowEncoder
  var codingPath: [any CodingKey] { [] }

  private func set(_ key: Key, _ stored: DatabaseValue) {
    encoder.setters.append(
      Setter(SQLExpression<Void>(key.stringValue), to: stored.binding))
  }

  mutating func encodeNil(forKey key: Key) throws { set(key, .null) }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { set(key, try stored(value, key)) }

  private func stored<T: Encodable>(_ value: T, _ key: Key) throws -> DatabaseValue {
    let single = SingleValueEncoder(codingPath: [key], userInfo: encoder.userInfo) { try Self.stored($0, key) }
    if let stored = try Self.stored(value, key) { return stored }
    do {
      try value.encode(to: single)
    } catch {
      guard single.needsJSON else { throw error }
    }
    if !single.needsJSON, let stored = single.databaseValue { return stored }
    let json = JSONEncoder()
    json.userInfo = encoder.userInfo.forFoundation
    return DatabaseValue(.string(String(decoding: try json.encode(value), as: UTF8.self)))
  }

  private static func stored(_ value: any Encodable, _ key: Key) throws -> DatabaseValue? {
    switch value {
    case let value as any Value: return DatabaseValue(value._binding)
    case let value as Float: return DatabaseValue(.double(Double(value)))
    case let value as any FixedWidthInteger:
      guard let integer = Int64(exactly: value) else {
        throw EncodingError.invalidValue(
          value, .init(codingPath: [key], debugDescription: "\(value) does not fit in an INTEGER"))
      }
      return DatabaseValue(.int64(integer))
    default: return nil
    }
  }

  private mutating func encodeOptional<T: Encodable>(_ value: T?, forKey key: Key) throws {
    if let value {
      try encode(value, forKey: key)
    } else if encoder.nilIsNull {
      set(key, .null)
    }
  }

  mutating func encodeIfPresent<T: Encodable>(_ v: T?, forKey key: Key) throws { try encodeOptional(v, forKey: key) }
  mutating func encodeIfPresent(_ v: Bool?, forKey key: Key) throws { try encodeOptional(v, forKey: key) }
  mutating func encodeIfPresent(_ v: String?, forKey key: Key) throws { try encodeOptional(v, forKey: key) }
  mutating func encodeIfPresent(_ v: Double?, forKey key: Key) throws { try encodeOptional(v, forKey: key) }
  mutating func encodeIfPresent(_ v: Float?, forKey key: Key) throws { try encodeOptional(v, forKey: key) }
  mutating func encodeIfPresent(_ v: Int?, forKey key: Key) throws { try encodeOptional(v, forKey: key) }
  mutating func encodeIfPresent(_ v: Int8?, forKey key: Key) throws { try encodeOptional(v, forKey: key) }
  mutating func encodeIfPresent(_ v: Int16?, forKey key: Key) throws { try encodeOptional(v, forKey: key) }
  mutating func encodeIfPresent(_ v: Int32?, forKey key: Key) throws { try encodeOptional(v, forKey: key) }
  mutating func encodeIfPresent(_ v: Int64?, forKey key: Key) throws { try encodeOptional(v, forKey: key) }
  mutating func encodeIfPresent(_ v: UInt?, forKey key: Key) throws { try encodeOptional(v, forKey: key) }
  mutating func encodeIfPresent(_ v: UInt8?, forKey key: Key) throws { try encodeOptional(v, forKey: key) }
  mutating func encodeIfPresent(_ v: UInt16?, forKey key: Key) throws { try encodeOptional(v, forKey: key) }
  mutating func encodeIfPresent(_ v: UInt32?, forKey key: Key) throws { try encodeOptional(v, forKey: key) }
  mutating func encodeIfPresent(_ v: UInt64?, forKey key: Key) throws { try encodeOptional(v, forKey: key) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(encoder.refusing("encoding nested values is not supported", NestedKey.self))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.refusing("encoding nested values is not supported", NoKey.self)
  }

  mutating func superEncoder() -> any Encoder {
    _ = encoder.refuse("encoding super encoders is not supported")
    return encoder
  }

  mutating func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}
