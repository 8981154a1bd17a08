public import FoundationEssentials

// A `Codable` type needs no code to be a value. If it codes itself as one value that has a place in a column, it
// is stored as that one; else as JSON. A raw value, when there is one, comes before either.

extension DatabaseValueConvertible {
  /// The decoder of values that are stored as JSON.
  ///
  /// Data is in base64, dates are milliseconds since 1970, and doubles that are not finite are refused. Write your own
  /// to have it another way, and the encoder along with it.
  public static func databaseJSONDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dataDecodingStrategy = .base64
    decoder.dateDecodingStrategy = .millisecondsSince1970
    decoder.nonConformingFloatDecodingStrategy = .throw
    return decoder
  }

  /// The encoder of values that are stored as JSON.
  ///
  /// Data is in base64, dates are milliseconds since 1970, and doubles that are not finite are refused. Keys are
  /// sorted, so that equal values are equal texts.
  public static func databaseJSONEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dataEncodingStrategy = .base64
    encoder.dateEncodingStrategy = .millisecondsSince1970
    encoder.nonConformingFloatEncodingStrategy = .throw
    encoder.outputFormatting = .sortedKeys
    return encoder
  }
}

extension DatabaseValueConvertible where Self: Encodable {
  /// The single value that the type encodes, as that value is stored; else a TEXT in JSON.
  ///
  /// - Precondition: The value can be encoded. With the encoder that you did not write yourself, an infinite double
  ///   cannot. A type whose values may fail to encode writes its own `databaseValue`, and decides there.
  public var databaseValue: DatabaseValue {
    do {
      return try encodedDatabaseValue()
    } catch {
      // Not a precondition, whose sentence would be missing in release builds.
      fatalError(
        "A value of type \(Self.self) cannot be stored, for its encoding failed: \(error). Write its databaseValue.")
    }
  }

  private func encodedDatabaseValue() throws -> DatabaseValue {
    let encoder = SingleValueEncoder()
    do {
      try encode(to: encoder)
    } catch {
      guard encoder.needsJSON else { throw error }
    }
    if !encoder.needsJSON, let databaseValue = encoder.databaseValue { return databaseValue }
    return DatabaseValue(.string(String(decoding: try Self.databaseJSONEncoder().encode(self), as: UTF8.self)))
  }
}

extension DatabaseValueConvertible where Self: Decodable {
  /// From the single value that the type decodes; else from JSON, in a TEXT or a BLOB.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    let decoder = SingleValueDecoder(dbValue)
    do {
      return try Self(from: decoder)
    } catch {
      guard decoder.needsJSON, let json = Data.fromDatabaseValue(dbValue) else { return nil }
      // Nil is how this function says that the value cannot be read: the caller knows column and type.
      return try? databaseJSONDecoder().decode(Self.self, from: json)
    }
  }
}

// MARK: - Raw values

extension DatabaseValueConvertible where Self: Encodable & RawRepresentable, RawValue: DatabaseValueConvertible {
  /// The raw value, as it is stored.
  public var databaseValue: DatabaseValue { rawValue.databaseValue }
}

extension DatabaseValueConvertible where Self: Decodable & RawRepresentable, RawValue: DatabaseValueConvertible {
  /// From the raw value.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    RawValue.fromDatabaseValue(dbValue).flatMap(Self.init(rawValue:))
  }
}
