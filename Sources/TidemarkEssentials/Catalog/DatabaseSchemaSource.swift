/// A type that supplies facts about the schema that SQLite does not know: the primary keys of views.
///
/// Views have no primary key in SQLite, so their records cannot be fetched by key. A schema source can define columns
/// that identify their rows:
///
/// ```swift
/// struct ViewKeys: DatabaseSchemaSource {
///   func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
///     view.name == "bookAndAuthor" ? ["bookId"] : nil
///   }
/// }
///
/// var config = Configuration()
/// config.schemaSource = ViewKeys()
/// ```
///
/// Migrations run without the schema source, because they must not depend on the current views of the program. A
/// migration that needs a source calls ``Database/withSchemaSource(_:execute:)``.
public protocol DatabaseSchemaSource: Sendable {
  /// Returns the columns that identify the rows of a view, or nil if the source does not define them.
  ///
  /// An empty array defines that the view has no primary key: other sources are then not queried. The result is cached
  /// until the schema changes.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter view: The identifier of a view.
  /// - Returns: The names of columns. The view must have these columns: otherwise, the program stops with a message.
  func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]?
}

extension DatabaseSchemaSource {
  /// Returns nil.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter view: The identifier of a view.
  public func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { nil }

  /// Returns a schema source that calls another source if this source returns nil.
  ///
  /// ```swift
  /// config.schemaSource = ViewKeys().then(OtherKeys())
  /// ```
  ///
  /// - Parameter other: The source that is called second.
  public func then(_ other: some DatabaseSchemaSource) -> some DatabaseSchemaSource {
    ChainedSchemaSource(first: self, second: other)
  }
}

private struct ChainedSchemaSource<First: DatabaseSchemaSource, Second: DatabaseSchemaSource>: DatabaseSchemaSource {
  let first: First
  let second: Second

  func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
    try first.columnsForPrimaryKey(db, inView: view) ?? second.columnsForPrimaryKey(db, inView: view)
  }
}

extension Database {
  /// The schema source of this connection, which is configured by `Configuration.schemaSource`.
  public internal(set) var schemaSource: (any DatabaseSchemaSource)? {
    get { moduleState(SchemaSourceState.self).source }
    set {
      moduleState(SchemaSourceState.self).source = newValue
      clearSchemaCache()
    }
  }

  /// Runs a closure with another schema source, and then restores the previous one.
  ///
  /// ```swift
  /// try db.withSchemaSource(ViewKeys()) {
  ///   try BookAndAuthor.find(db, key: 1)
  /// }
  /// ```
  ///
  /// Both changes of the source clear the schema cache.
  ///
  /// - Parameter schemaSource: The schema source during the closure, or nil for none.
  /// - Parameter block: The closure to run.
  /// - Returns: The result of the closure.
  /// - Throws: The error that `block` throws.
  public func withSchemaSource<T>(
    _ schemaSource: (any DatabaseSchemaSource)?, execute block: () throws -> T
  ) rethrows -> T {
    let previous = self.schemaSource
    self.schemaSource = schemaSource
    defer { self.schemaSource = previous }
    return try block()
  }
}

private final class SchemaSourceState: DatabaseModuleState {
  var source: (any DatabaseSchemaSource)?
}
