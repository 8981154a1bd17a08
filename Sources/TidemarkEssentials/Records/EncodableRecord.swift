public import FoundationEssentials

/// A type that encodes its values into columns.
///
/// An `Encodable` type needs no code. Its coding keys are the column names:
///
/// ```swift
/// struct Player: Codable, EncodableRecord {
///   var id: Int64
///   var name: String
///   var friends: [String]    // stored as JSON
/// }
/// ```
///
/// Other types implement ``encode(to:)``. To store records, adopt ``PersistableRecord`` or
/// ``MutablePersistableRecord``.
public protocol EncodableRecord: SendableEncodingUserInfo {
  /// Encodes the values of the record into columns.
  ///
  /// ```swift
  /// func encode(to container: inout PersistenceContainer) {
  ///   container["id"] = id
  ///   container["name"] = name
  /// }
  /// ```
  ///
  /// - Parameter container: The container that receives the values.
  /// - Throws: An error if a value cannot be encoded. The method that stores the record throws it before it executes
  ///   any statement.
  func encode(to container: inout PersistenceContainer) throws

  /// The content of `encoder.userInfo` in the `Encodable` implementation of the record. By default, it is empty.
  static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { get }

  /// Returns the encoder for properties that are stored as JSON.
  ///
  /// By default, data is encoded in base64 and dates as milliseconds since 1970, infinite and NaN numbers throw an
  /// error, and keys are sorted, so that equal values produce equal texts.
  ///
  /// - Parameter column: The coding key of the property.
  /// - Returns: A JSON encoder.
  static func databaseJSONEncoder(for column: String) -> JSONEncoder

  /// Returns the strategy for the `Data` properties of an `Encodable` record. By default, they are stored as BLOBs.
  ///
  /// ```swift
  /// static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { .text }
  /// ```
  ///
  /// - Parameter column: The coding key of the property.
  /// - Returns: The encoding strategy.
  static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy

  /// Returns the strategy for the `Date` properties of an `Encodable` record. By default, they are stored as TEXT
  /// values in UTC, like `2031-04-09 07:05:03.046`.
  ///
  /// ```swift
  /// static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
  ///   column == "birthday" ? .iso8601 : .timeIntervalSince1970
  /// }
  /// ```
  ///
  /// - Parameter column: The coding key of the property.
  /// - Returns: The encoding strategy.
  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy

  /// Returns the strategy for the `UUID` properties of an `Encodable` record. By default, they are stored as BLOBs of
  /// 16 bytes.
  ///
  /// ```swift
  /// static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .lowercaseString }
  /// ```
  ///
  /// - Parameter column: The coding key of the property.
  /// - Returns: The encoding strategy.
  static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy

  /// The strategy that converts the coding keys of an `Encodable` record to column names. By default, the names are
  /// equal.
  static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { get }
}

// MARK: - Defaults

extension EncodableRecord {
  /// An empty dictionary.
  public static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [:] }

  /// Returns an encoder that writes data in base64, dates in milliseconds since 1970, and sorted keys.
  public static func databaseJSONEncoder(for column: String) -> JSONEncoder {
    let encoder = DatabaseValue.databaseJSONEncoder()
    encoder.userInfo = encodingUserInfo.forFoundation
    return encoder
  }

  /// Returns `deferredToData`: data is stored as BLOBs.
  public static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
    .deferredToData
  }

  /// Returns `deferredToDate`: dates are stored as TEXT values.
  public static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .deferredToDate
  }

  /// Returns `deferredToUUID`: UUIDs are stored as BLOBs.
  public static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
    .deferredToUUID
  }

  /// The column names are equal to the coding keys.
  public static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .useDefaultKeys }
}

extension EncodableRecord where Self: Encodable {
  /// Encodes the properties of the record into the columns named after their coding keys.
  public func encode(to container: inout PersistenceContainer) throws {
    try RecordEncoder.encode(self, to: &container)
  }
}
