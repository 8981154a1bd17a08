/// A virtual table module, and its Swift table definition.
///
/// ```swift
/// struct BoxIndex: VirtualTableModule {
///   final class TableDefinition {
///     var columns: [String] = []
///     func column(_ name: String) { columns.append(name) }
///   }
///
///   var moduleName: String { "rtree" }
///
///   func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition { TableDefinition() }
///
///   func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String] { definition.columns }
///
///   func database(_ db: Database, didCreate tableName: String, using definition: TableDefinition) throws {}
/// }
///
/// try db.create(virtualTable: "place", using: BoxIndex()) { t in
///   t.column("id")
///   t.column("minX")
///   t.column("maxX")
/// }
/// ```
///
/// The library has the modules ``FTS5``, ``FTS4``, ``FTS3`` and ``RTree``.
public protocol VirtualTableModule {
  /// The type of the argument of the closure of `create(virtualTable:options:using:_:)`.
  associatedtype TableDefinition

  /// The SQL name of the module.
  var moduleName: String { get }

  /// Returns an empty definition.
  func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition

  /// Returns the arguments of the module, which follow its name in parentheses.
  func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String]

  /// Called after the table is created, in the same transaction. If it throws, the creation is rolled back.
  func database(_ db: Database, didCreate tableName: String, using definition: TableDefinition) throws
}

/// The configuration of a new virtual table.
public struct VirtualTableConfiguration: Sendable {
  /// The options of the table.
  let options: VirtualTableOptions
}

extension Database {
  /// Creates a virtual table without arguments.
  ///
  /// ```swift
  /// try db.create(virtualTable: "vocabulary", using: "fts5vocab(search, row)")
  /// ```
  public func create(virtualTable name: String, options: VirtualTableOptions = [], using module: String) throws {
    try execute(sql: Self.creation(name, options, module))
  }

  /// Creates a virtual table without arguments. Prefer `create(virtualTable:options:using:)`.
  @_disfavoredOverload
  public func create(virtualTable name: String, ifNotExists: Bool = false, using module: String) throws {
    try create(virtualTable: name, options: ifNotExists ? .ifNotExists : [], using: module)
  }

  /// Creates a virtual table, defined by a closure.
  ///
  /// ```swift
  /// try db.create(virtualTable: "place", using: BoxIndex()) { t in
  ///   t.column("id")
  ///   t.column("minX")
  ///   t.column("maxX")
  /// }
  /// ```
  ///
  /// - Parameter module: The module of the table.
  public func create<Module: VirtualTableModule>(
    virtualTable tableName: String, options: VirtualTableOptions = [], using module: Module,
    _ body: ((Module.TableDefinition) throws -> Void)? = nil
  ) throws {
    let definition = module.makeTableDefinition(configuration: VirtualTableConfiguration(options: options))
    try body?(definition)
    try inSavepoint {
      let arguments = try module.moduleArguments(for: definition, in: self)
      let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
      try execute(sql: Self.creation(tableName, options, module.moduleName + list))
      try module.database(self, didCreate: tableName, using: definition)
      return .commit
    }
  }

  /// Creates a virtual table, defined by a closure. Prefer `create(virtualTable:options:using:_:)`.
  @_disfavoredOverload
  public func create<Module: VirtualTableModule>(
    virtualTable tableName: String, ifNotExists: Bool = false, using module: Module,
    _ body: ((Module.TableDefinition) throws -> Void)? = nil
  ) throws {
    try create(virtualTable: tableName, options: ifNotExists ? .ifNotExists : [], using: module, body)
  }

  private static func creation(_ name: String, _ options: VirtualTableOptions, _ module: String) -> String {
    var sql = "CREATE VIRTUAL TABLE "
    if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
    // `CREATE VIRTUAL TABLE` has no `TEMPORARY` keyword: qualify the name instead.
    if options.contains(.temporary) { sql += "temp." }
    return sql + "\(name.quotedDatabaseIdentifier) USING \(module)"
  }
}
