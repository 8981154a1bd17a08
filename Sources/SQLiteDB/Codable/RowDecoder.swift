import Foundation
import Tidemark

// A property is decoded from the column with its name. The decoder tries, in this order: a `Value`; a single value
// container, as for the raw value of an enumeration; JSON.

extension Row {
  /// Decodes a value from the columns of the row.
  ///
  /// ```swift
  /// let loadedUsers: [User] = try db.prepare(users).map { row in
  ///   try row.decode()
  /// }
  /// ```
  ///
  /// - Parameter userInfo: Contextual information for the decoder.
  /// - Returns: The value.
  /// - Throws: A `DecodingError` if a column is missing or has another type.
  public func decode<V: Decodable>(userInfo: [CodingUserInfoKey: Any] = [:]) throws -> V {
    try V(from: decoder(userInfo: userInfo))
  }

  /// Returns a decoder of the row, for types that are chosen by the value of a column.
  ///
  /// ```swift
  /// let user = try User(from: row.decoder())
  /// ```
  ///
  /// - Parameter userInfo: Contextual information for the decoder.
  /// - Returns: The decoder.
  public func decoder(userInfo: [CodingUserInfoKey: Any] = [:]) -> any Decoder {
    RowDecoder(row: self, userInfo: userInfo)
  }
}

private struct RowDecoder: Decoder {
  let row: Row
  let userInfo: [CodingUserInfoKey: Any]
  var codingPath: [any CodingKey] { [] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowDecodingContainer(row: row, userInfo: userInfo))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw unsupported("decoding an unkeyed container is not supported by the SQLiteDecoder")
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw unsupported("decoding a single value container is not supported by the SQLiteDecoder")
  }
}

private func unsupported(_ description: String) -> DecodingError {
  .dataCorrupted(.init(codingPath: [], debugDescription: description))
}

private struct RowDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: Row
  let userInfo: [CodingUserInfoKey: Any]
  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] { row.columnNames.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool {
    do {
      _ = try stored(key)
      return true
    } catch QueryError.ambiguousColumn {
      // Decoding the key throws an error that explains the ambiguity.
      return true
    } catch {
      return false
    }
  }

  private func stored(_ key: Key) throws -> DatabaseValue {
    row.values[try row.layout.index(key.stringValue.quote(), [])]
  }

  func decodeNil(forKey key: Key) throws -> Bool { try stored(key).isNull }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    let stored: DatabaseValue
    do {
      stored = try self.stored(key)
    } catch QueryError.noSuchColumn(let name, let columns) {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: [key], debugDescription: "No such column `\(name)` in columns \(columns)"))
    }
    let value = StoredValue(stored: stored, path: [key], userInfo: userInfo)
    do {
      return try value.decode(type)
    } catch _ where stored.isNull {
      throw DecodingError.valueNotFound(
        type, .init(codingPath: [key], debugDescription: "Unexpected null value for column `\(key.stringValue)`"))
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    throw unsupported("decoding nested containers is not supported by the SQLiteDecoder")
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw unsupported("decoding unkeyed containers is not supported by the SQLiteDecoder")
  }

  func superDecoder() throws -> any Decoder {
    throw unsupported("decoding super decoders is not supported by the SQLiteDecoder")
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    throw unsupported("decoding super decoders is not supported by the SQLiteDecoder")
  }
}

/// A stored value, with the path and the context of its decoding.
private struct StoredValue: SingleValueSource {
  let stored: DatabaseValue
  let path: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any]

  var isNull: Bool { stored.isNull }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    do {
      return try decodedValue(type)
    } catch let error as ValueError {
      throw DecodingError.dataCorrupted(
        .init(codingPath: path, debugDescription: "\(error)", underlyingError: error))
    }
  }

  private func decodedValue<T: Decodable>(_ type: T.Type) throws -> T {
    if type is any Value.Type, let value = try value(of: type) { return value }
    let decoder = SingleValueDecoder(self, codingPath: path, userInfo: userInfo)
    do {
      return try type.init(from: decoder)
    } catch {
      guard decoder.needsJSON || stored.isText else { throw error }
      guard let json else { throw mismatch(type) }
      do {
        return try jsonDecoder.decode(type, from: json)
      } catch let jsonError {
        // For a string that is not JSON, the first error describes the actual problem.
        guard decoder.needsJSON else { throw error }
        throw (jsonError as? DecodingError)?.prefixed(with: path) ?? jsonError
      }
    }
  }

  func value<Wanted: Decodable>(of type: Wanted.Type) throws -> Wanted? {
    let value: Wanted?
    switch type {
    case let type as any FixedWidthInteger.Type: value = integer(type)
    case is Float.Type: value = Double._from(stored).map { Float($0) } as? Wanted
    case let type as any Value.Type: value = try read(type)
    default: return nil
    }
    if let value { return value }
    throw mismatch(type)
  }

  private func mismatch(_ type: any Decodable.Type) -> DecodingError {
    .typeMismatch(
      type, .init(codingPath: path, debugDescription: "expected \(type), got \(SQLText.literal(stored.binding))"))
  }

  private func integer<I: FixedWidthInteger, Wanted>(_ type: I.Type) -> Wanted? {
    Int64._from(stored).flatMap { I(exactly: $0) as? Wanted }
  }

  private func read<V: Value, Wanted>(_ type: V.Type) throws -> Wanted? { try V._from(stored: stored) as? Wanted }

  private var json: Data? {
    switch stored.storage {
    case .string(let text): Data(text.utf8)
    case .blob(let data): data
    case .int64(let integer): Data("\(integer)".utf8)
    case .double(let double) where double.isFinite: Data("\(double)".utf8)
    case .null, .double: nil
    }
  }

  private var jsonDecoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.userInfo = userInfo.forFoundation
    return decoder
  }
}

extension DatabaseValue {
  fileprivate var isText: Bool { if case .string = storage { true } else { false } }
}

extension DecodingError {
  /// The error of a JSON decoder, whose coding path begins inside the column.
  fileprivate func prefixed(with path: [any CodingKey]) -> DecodingError {
    func context(_ inner: Context) -> Context {
      Context(
        codingPath: path + inner.codingPath, debugDescription: inner.debugDescription,
        underlyingError: inner.underlyingError)
    }
    switch self {
    case .typeMismatch(let type, let inner): return .typeMismatch(type, context(inner))
    case .valueNotFound(let type, let inner): return .valueNotFound(type, context(inner))
    case .keyNotFound(let key, let inner): return .keyNotFound(key, context(inner))
    case .dataCorrupted(let inner): return .dataCorrupted(context(inner))
    @unknown default: return self
    }
  }
}
