/// Knows more of the schema than the database does: the primary keys of views.
///
/// SQLite gives no primary key to a view. Records of a view have none, so that they cannot be fetched by key, unless a
/// schema source says what identifies the rows:
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
/// Migrations run without schema source: what they do must not depend on the views that the program has today. One that
/// needs a source asks for it with ``Database/withSchemaSource(_:execute:)``.
public protocol DatabaseSchemaSource: Sendable {
  /// The columns that identify the rows of a view, or nil when the source does not know.
  ///
  /// An empty array says that the view has no primary key: other sources are then not asked.
  ///
  /// The answer is kept until the schema changes. Every column is one of the view: the library traps otherwise.
  func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]?
}

extension DatabaseSchemaSource {
  /// Nil: the source does not know.
  public func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { nil }

  /// A source that asks another one for what this one does not know.
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
  /// Knows more of the schema than the database does, if it was given. See `Configuration.schemaSource`.
  public internal(set) var schemaSource: (any DatabaseSchemaSource)? {
    get { part(SchemaSourcePart.self).source }
    set {
      part(SchemaSourcePart.self).source = newValue
      clearSchemaCache()
    }
  }

  /// Runs a closure with another schema source.
  public func withSchemaSource<T>(
    _ schemaSource: (any DatabaseSchemaSource)?, execute block: () throws -> T
  ) rethrows -> T {
    let previous = self.schemaSource
    self.schemaSource = schemaSource
    defer { self.schemaSource = previous }
    return try block()
  }
}

private final class SchemaSourcePart: DatabasePart {
  var source: (any DatabaseSchemaSource)?
}
