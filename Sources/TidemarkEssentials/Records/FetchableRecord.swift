public import FoundationEssentials

/// A type that a whole row can become.
///
/// ```swift
/// struct Book: FetchableRecord {
///   var id: Int64
///   var title: String
///
///   init(row: Row) throws {
///     id = row["id"]
///     title = row["title"]
///   }
/// }
///
/// let books = try dbQueue.read { db in
///   try Book.fetchAll(db, sql: "SELECT * FROM book")
/// }
/// ```
///
/// A type that is `Decodable` needs no code: its keys are the columns. What is no value of a column, such as an array,
/// is read from JSON; what has the name of a scope is read from that scope.
///
/// ```swift
/// struct Book: Decodable, FetchableRecord {
///   var id: Int64
///   var title: String
///   var keywords: [String]    // from JSON
/// }
/// ```
public protocol FetchableRecord: RowDecodable, SendableDecodingUserInfo {
  /// A record from a row.
  ///
  /// The row may be a window on a running statement: do not keep it, keep its `copy()`.
  init(row: Row) throws

  /// What the `Decodable` code of the record finds in `decoder.userInfo`. By default, nothing.
  static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { get }

  /// The decoder of what is stored as JSON.
  ///
  /// By default, data is in base64, dates are milliseconds since 1970, and doubles that are not finite are refused.
  ///
  /// - parameter column: The coding key of the property.
  static func databaseJSONDecoder(for column: String) -> JSONDecoder

  /// How the `Data` properties of a `Decodable` record are read. By default, as `Data` reads itself.
  static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy

  /// How the `Date` properties of a `Decodable` record are read. By default, as `Date` reads itself.
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

  /// How columns become the keys of a `Decodable` record. By default, they are the keys.
  static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }
}

// MARK: - Defaults

extension FetchableRecord {
  /// Nothing.
  public static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [:] }

  /// A decoder with data in base64, and dates in milliseconds since 1970.
  public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
    let decoder = DatabaseValue.databaseJSONDecoder()
    decoder.userInfo = decodingUserInfo.forFoundation
    return decoder
  }

  /// As `Data` reads itself.
  public static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
    .deferredToData
  }

  /// As `Date` reads itself.
  public static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .deferredToDate
  }

  /// As they are.
  public static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .useDefaultKeys }

  /// Not for you to call.
  @inlinable
  public static func _decode(_ row: Row) throws -> Self {
    let record = try Self(row: row)
    if let checking = row.checking { try checking.throwDeferredError() }
    return record
  }
}

extension FetchableRecord where Self: Decodable {
  /// Has the record decode itself, each key from its column.
  public init(row: Row) throws {
    try self.init(from: RecordDecoder.decoder(of: row, for: Self.self))
  }
}

/// Decodes records from rows.
///
/// It is of use where a record has an `init(row:)` of its own, which wants what its `Decodable` code would do:
///
/// ```swift
/// init(row: Row) throws {
///   self = try FetchableRecordDecoder().decode(Player.self, from: row)
///   isNew = false
/// }
/// ```
public final class FetchableRecordDecoder: Sendable {
  /// A decoder of any records.
  public init() {}

  /// A record, from its `Decodable` code.
  ///
  /// - throws: A `RowDecodingError`, a `DecodingError`, or whatever the record throws.
  public func decode<Record: FetchableRecord & Decodable>(_ type: Record.Type, from row: Row) throws -> Record {
    try Record(from: RecordDecoder.decoder(of: row, for: type))
  }
}

/// The name that GRDB gives to a cursor of records.
public typealias RecordCursor<Record: FetchableRecord> = WholeRowCursor<Record>
