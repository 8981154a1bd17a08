/// One of the databases of a connection: the main database, the temporary database, or an attached database.
///
/// ```swift
/// try db.execute(sql: "ATTACH ? AS archive", arguments: [path])
/// DatabaseSchemaID.attached("archive").schemaTableName    // "archive".sqlite_master
/// ```
public struct DatabaseSchemaID: Hashable, Sendable {
  /// The name of the database: the part before the dot in `main.book`.
  public let name: String

  private init(name: String) {
    self.name = name
  }

  /// The main database, which the connection opened.
  public static let main = DatabaseSchemaID(name: "main")

  /// The temporary database, which is private to the connection.
  public static let temp = DatabaseSchemaID(name: "temp")

  /// Returns the identifier of an attached database.
  ///
  /// - Parameter name: The name that the `ATTACH` statement assigned to the database.
  public static func attached(_ name: String) -> DatabaseSchemaID { DatabaseSchemaID(name: name) }

  /// The SQL name of the schema table, which lists the tables, views, indexes and triggers of the database.
  public var schemaTableName: String {
    switch self {
    case .main: "sqlite_master"
    case .temp: "sqlite_temp_master"
    default: "\(sql).sqlite_master"
    }
  }

  /// The name in SQL, quoted if necessary.
  var sql: String { self == .main || self == .temp ? name : name.quotedDatabaseIdentifier }
}

/// A table, view, index or trigger of one of the databases of a connection.
public struct DatabaseObjectID: Hashable, Sendable {
  /// The name of the table, view, index or trigger.
  public var name: String

  /// The database that contains it.
  public var schemaID: DatabaseSchemaID

  /// Creates the identifier of a table, view, index or trigger.
  ///
  /// - Parameter name: The name of the table, view, index or trigger.
  /// - Parameter schemaID: The database that contains it.
  public init(name: String, schemaID: DatabaseSchemaID) {
    self.name = name
    self.schemaID = schemaID
  }
}
