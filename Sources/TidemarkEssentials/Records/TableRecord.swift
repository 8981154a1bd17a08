/// A type that is associated with a table.
///
/// ```swift
/// struct Player: TableRecord {
///   enum Columns {
///     static let name = Column("name")
///     static let score = Column("score")
///   }
/// }
///
/// // SELECT * FROM "player" WHERE "score" > 1000
/// let request = Player.filter { $0.score > 1000 }
/// ```
public protocol TableRecord: GRDBSendableMetatype {
  /// The name of the table, without quotes.
  ///
  /// By default, it is the name of the type with its first word in lowercase: `player` for `Player`, and `httpRequest`
  /// for `HTTPRequest`.
  static var databaseTableName: String { get }

  /// The selection of requests of this type. By default, all columns.
  ///
  /// ```swift
  /// static var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }
  /// ```
  static var databaseSelection: [any SQLSelectable] { get }

  /// The type that declares the columns of the table, usually an enumeration with this name.
  associatedtype Columns = NoColumns

  /// The type of the argument of request closures. By default, `Columns.Type`.
  associatedtype DatabaseComponents = Columns.Type

  /// The argument of request closures, such as `$0` in `Player.filter { $0.score > 1000 }`. By default, `Columns.self`.
  static var databaseComponents: DatabaseComponents { get }
}

/// The column type of a record type that does not declare columns.
public enum NoColumns: Sendable {}

extension TableRecord where DatabaseComponents == Columns.Type {
  /// Returns `Columns.self`.
  public static var databaseComponents: Columns.Type { Columns.self }
}

extension TableRecord {
  /// The name of the type with its first word in lowercase.
  public static var databaseTableName: String { InferredTableNames.name(of: Self.self) }

  /// All columns.
  public static var databaseSelection: [any SQLSelectable] { [.allColumns] }
}

// MARK: - Errors

extension TableRecord {
  /// Returns the error for a missing row, given the columns and values of its key.
  ///
  /// ```swift
  /// guard let player = try Player.fetchOne(db, key: ["email": email]) else {
  ///   throw Player.recordNotFound(key: ["email": email])
  /// }
  /// ```
  ///
  /// - Parameter key: The columns of the key, and their values.
  /// - Returns: A `RecordError.recordNotFound`.
  public static func recordNotFound(key: [String: (any DatabaseValueConvertible)?]) -> RecordError {
    .recordNotFound(databaseTableName: databaseTableName, key: key.mapValues { $0?.databaseValue ?? .null })
  }
}

/// Conforming types can send their metatypes to other isolation domains.
///
/// The name is a requirement of GRDB compatibility.
public typealias GRDBSendableMetatype = SendableMetatype
