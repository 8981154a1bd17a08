/// One of the databases of a connection: the main one, the temporary one, or one that was attached.
///
/// ```swift
/// try db.execute(sql: "ATTACH ? AS archive", arguments: [path])
/// DatabaseSchemaID.attached("archive").schemaTableName    // "archive".sqlite_master
/// ```
public struct DatabaseSchemaID: Hashable, Sendable {
  /// The name, as SQL has it before the dot of `main.book`.
  public let name: String

  private init(name: String) {
    self.name = name
  }

  /// The database that was opened.
  public static let main = DatabaseSchemaID(name: "main")

  /// The temporary database, which this connection alone sees.
  public static let temp = DatabaseSchemaID(name: "temp")

  /// A database that was attached under this name.
  public static func attached(_ name: String) -> DatabaseSchemaID { DatabaseSchemaID(name: name) }

  /// The table that lists what is in the database, as it can stand in SQL.
  public var schemaTableName: String {
    switch self {
    case .main: "sqlite_master"
    case .temp: "sqlite_temp_master"
    default: "\(sql).sqlite_master"
    }
  }

  /// The name, as it can stand in SQL.
  var sql: String { self == .main || self == .temp ? name : name.quotedDatabaseIdentifier }
}

/// A table, a view, an index or a trigger of one of the databases of a connection.
public struct DatabaseObjectID: Hashable, Sendable {
  /// The name of the table, view, index or trigger.
  public var name: String

  /// The database that it is in.
  public var schemaID: DatabaseSchemaID

  /// A table, a view, an index or a trigger.
  public init(name: String, schemaID: DatabaseSchemaID) {
    self.name = name
    self.schemaID = schemaID
  }
}
