public import FoundationEssentials

/// A type that can be decoded from a database row.
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
/// A `Decodable` type needs no code: its coding keys are the column names. A property that is not a database value,
/// such as an array, is decoded from JSON. A property with the name of a row scope is decoded from that scope.
///
/// ```swift
/// struct Book: Decodable, FetchableRecord {
///   var id: Int64
///   var title: String
///   var keywords: [String]    // from JSON
/// }
/// ```
public protocol FetchableRecord: RowDecodable, SendableDecodingUserInfo {
  /// Creates a record from a row.
  ///
  /// The row may be a view of a running statement, valid only during this call. To keep it, call `copy()`.
  ///
  /// ```swift
  /// init(row: Row) throws {
  ///   id = row["id"]
  ///   title = row["title"]
  /// }
  /// ```
  ///
  /// - Parameter row: The row to decode.
  /// - Throws: An error if the row cannot be decoded.
  init(row: Row) throws

  /// The content of `decoder.userInfo` in the `Decodable` implementation of the record. By default, it is empty.
  static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { get }

  /// Returns the decoder for properties that are stored as JSON.
  ///
  /// By default, data is decoded from base64 and dates from milliseconds since 1970, and infinite and NaN numbers throw
  /// an error.
  ///
  /// - Parameter column: The coding key of the property.
  /// - Returns: A JSON decoder.
  static func databaseJSONDecoder(for column: String) -> JSONDecoder

  /// Returns the strategy for the `Data` properties of a `Decodable` record. By default, `Data` decodes the column
  /// value.
  ///
  /// - Parameter column: The coding key of the property.
  /// - Returns: The decoding strategy.
  static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy

  /// Returns the strategy for the `Date` properties of a `Decodable` record. By default, `Date` decodes the column
  /// value.
  ///
  /// ```swift
  /// static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
  ///   .timeIntervalSince1970
  /// }
  /// ```
  ///
  /// - Parameter column: The coding key of the property.
  /// - Returns: The decoding strategy.
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

  /// The strategy that converts column names to the coding keys of a `Decodable` record. By default, the names are
  /// equal.
  static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }
}

// MARK: - Defaults

extension FetchableRecord {
  /// An empty dictionary.
  public static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [:] }

  /// Returns a decoder that reads data in base64, and dates in milliseconds since 1970.
  public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
    let decoder = DatabaseValue.databaseJSONDecoder()
    decoder.userInfo = decodingUserInfo.forFoundation
    return decoder
  }

  /// Returns `deferredToData`.
  public static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
    .deferredToData
  }

  /// Returns `deferredToDate`.
  public static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .deferredToDate
  }

  /// The coding keys are equal to the column names.
  public static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .useDefaultKeys }

  /// Implementation detail of fetching; do not call it.
  @inlinable
  public static func _decode(_ row: Row) throws -> Self {
    let record = try Self(row: row)
    if let checking = row.checking { try checking.throwDeferredError() }
    return record
  }
}

extension FetchableRecord where Self: Decodable {
  /// Decodes the properties of the record from the columns named after their coding keys.
  public init(row: Row) throws {
    try self.init(from: RecordDecoder.decoder(of: row, for: Self.self))
  }
}

/// A decoder of records from rows.
///
/// Use it in a custom `init(row:)` that extends the synthesized `Decodable` implementation:
///
/// ```swift
/// init(row: Row) throws {
///   self = try FetchableRecordDecoder().decode(Player.self, from: row)
///   isNew = false
/// }
/// ```
public final class FetchableRecordDecoder: Sendable {
  /// Creates a decoder.
  public init() {}

  /// Decodes a record with its `Decodable` implementation.
  ///
  /// ```swift
  /// let player = try FetchableRecordDecoder().decode(Player.self, from: ["id": 1, "name": "Arthur"])
  /// ```
  ///
  /// - Parameter type: The record type.
  /// - Parameter row: The row to decode.
  /// - Returns: The decoded record.
  /// - Throws: A `RowDecodingError`, a `DecodingError`, or an error of the record.
  public func decode<Record: FetchableRecord & Decodable>(_ type: Record.Type, from row: Row) throws -> Record {
    try Record(from: RecordDecoder.decoder(of: row, for: type))
  }
}

/// A cursor of records, under its GRDB name.
public typealias RecordCursor<Record: FetchableRecord> = WholeRowCursor<Record>

// Schema information can be fetched like any other record.

extension ColumnInfo: FetchableRecord {}

extension ForeignKeyViolation: FetchableRecord {}
