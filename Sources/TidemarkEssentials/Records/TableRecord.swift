/// A type that is tied to a table.
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
  /// By default it is the name of the type, whose first word is written in lower case: the table of `Player` is
  /// `player`, that of `HTTPRequest` is `httpRequest`.
  static var databaseTableName: String { get }

  /// What requests of this type select. By default, all columns.
  ///
  /// ```swift
  /// static var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }
  /// ```
  static var databaseSelection: [any SQLSelectable] { get }

  /// The type in which the columns of the table are found, most often an enumeration of that name.
  associatedtype Columns = NoColumns

  /// The type of what closures of requests are given: by default, `Columns.Type`.
  associatedtype DatabaseComponents = Columns.Type

  /// What closures of requests are given: in `Player.filter { $0.score > 1000 }`, it is `$0`. By default,
  /// `Columns.self`.
  static var databaseComponents: DatabaseComponents { get }
}

/// The columns of a record type that lists none.
public enum NoColumns: Sendable {}

extension TableRecord where DatabaseComponents == Columns.Type {
  /// `Columns.self`.
  public static var databaseComponents: Columns.Type { Columns.self }
}

extension TableRecord {
  /// The name of the type, whose first word is written in lower case.
  public static var databaseTableName: String { InferredTableNames.name(of: Self.self) }

  /// All columns.
  public static var databaseSelection: [any SQLSelectable] { [.allColumns] }
}

// MARK: - Errors

extension TableRecord {
  /// The error of a row that is not there, from the columns of its key.
  public static func recordNotFound(key: [String: (any DatabaseValueConvertible)?]) -> RecordError {
    .recordNotFound(databaseTableName: databaseTableName, key: key.mapValues { $0?.databaseValue ?? .null })
  }
}

/// The metatypes of types that conform may be sent to other isolation domains.
///
/// The name is that of GRDB.
public typealias GRDBSendableMetatype = SendableMetatype
