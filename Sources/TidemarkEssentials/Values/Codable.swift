public import FoundationEssentials

// `Codable` types are values without any code. A type that encodes a single database value is stored as that value, and
// all others as JSON. If there is a raw value, it has precedence.

extension DatabaseValueConvertible {
  /// Returns the decoder of values that are stored as JSON.
  ///
  /// It decodes data from base64 and dates from milliseconds since 1970, and throws an error for infinite and NaN
  /// numbers. A type with other requirements implements this method and `databaseJSONEncoder()`.
  public static func databaseJSONDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dataDecodingStrategy = .base64
    decoder.dateDecodingStrategy = .millisecondsSince1970
    decoder.nonConformingFloatDecodingStrategy = .throw
    return decoder
  }

  /// Returns the encoder of values that are stored as JSON.
  ///
  /// It encodes data in base64 and dates in milliseconds since 1970, and throws an error for infinite and NaN numbers.
  /// Keys are sorted, so that equal values have equal texts.
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
  /// The single value that the type encodes, or else JSON as TEXT.
  ///
  /// - Precondition: The value can be encoded. The default encoder cannot encode infinite numbers. A type whose
  ///   encoding may fail implements its own `databaseValue`.
  public var databaseValue: DatabaseValue {
    do {
      return try encodedDatabaseValue()
    } catch {
      // Not a precondition, because it would have no message in release builds.
      fatalError(
        "A value of type \(Self.self) cannot be stored: encoding it failed: \(error). Implement databaseValue.")
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
  /// Converts the single value that the type decodes, or else JSON in a TEXT or a BLOB.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    let decoder = SingleValueDecoder(dbValue)
    do {
      return try Self(from: decoder)
    } catch {
      guard decoder.needsJSON, let json = Data.fromDatabaseValue(dbValue) else { return nil }
      // Returning nil reports a failed conversion: the caller knows the column and the type.
      return try? databaseJSONDecoder().decode(Self.self, from: json)
    }
  }
}

// MARK: - Raw values

extension DatabaseValueConvertible where Self: Encodable & RawRepresentable, RawValue: DatabaseValueConvertible {
  /// The database value of the raw value.
  public var databaseValue: DatabaseValue { rawValue.databaseValue }
}

extension DatabaseValueConvertible where Self: Decodable & RawRepresentable, RawValue: DatabaseValueConvertible {
  /// Converts the raw value.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    RawValue.fromDatabaseValue(dbValue).flatMap(Self.init(rawValue:))
  }
}
