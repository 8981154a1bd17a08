public import FoundationEssentials

/// A type that knows which values it stores in which columns.
///
/// A type that is `Encodable` needs no code: its keys are the columns.
///
/// ```swift
/// struct Player: Codable, EncodableRecord {
///   var id: Int64
///   var name: String
///   var friends: [String]    // stored as JSON
/// }
/// ```
///
/// Any other writes `encode(to:)`. To store records, see `PersistableRecord` and `MutablePersistableRecord`.
public protocol EncodableRecord: SendableEncodingUserInfo {
  /// Gives the values of the record to its columns.
  ///
  /// ```swift
  /// func encode(to container: inout PersistenceContainer) {
  ///   container["id"] = id
  ///   container["name"] = name
  /// }
  /// ```
  ///
  /// What it throws is thrown by the method that stores the record, before anything is stored.
  func encode(to container: inout PersistenceContainer) throws

  /// What the `Encodable` code of the record finds in `encoder.userInfo`. By default, nothing.
  static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { get }

  /// The encoder of what is stored as JSON.
  ///
  /// By default, data is in base64, dates are milliseconds since 1970, doubles that are not finite are refused, and
  /// keys are sorted, so that equal values are equal texts.
  ///
  /// - parameter column: The coding key of the property.
  static func databaseJSONEncoder(for column: String) -> JSONEncoder

  /// How the `Data` properties of an `Encodable` record are stored. By default, as BLOBs.
  static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy

  /// How the `Date` properties of an `Encodable` record are stored. By default, as TEXTs like
  /// `2031-04-09 07:05:03.046`, in UTC.
  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy

  /// How the `UUID` properties of an `Encodable` record are stored. By default, as BLOBs of 16 bytes.
  static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy

  /// How the keys of an `Encodable` record become columns. By default, they are the columns.
  static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { get }
}

// MARK: - Defaults

extension EncodableRecord {
  /// Nothing.
  public static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [:] }

  /// An encoder with data in base64, dates in milliseconds since 1970, and sorted keys.
  public static func databaseJSONEncoder(for column: String) -> JSONEncoder {
    let encoder = DatabaseValue.databaseJSONEncoder()
    encoder.userInfo = encodingUserInfo.forFoundation
    return encoder
  }

  /// As BLOBs.
  public static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
    .deferredToData
  }

  /// As TEXTs.
  public static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .deferredToDate
  }

  /// As BLOBs.
  public static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
    .deferredToUUID
  }

  /// As they are.
  public static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .useDefaultKeys }
}

extension EncodableRecord where Self: Encodable {
  /// Has the record encode itself, each key in its column.
  public func encode(to container: inout PersistenceContainer) throws {
    try RecordEncoder.encode(self, to: &container)
  }
}
