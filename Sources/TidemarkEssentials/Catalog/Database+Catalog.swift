// What the schema is.

extension Database {
  /// The columns of a table or of a view, in order.
  ///
  /// ```swift
  /// let names = try db.columns(in: "book").map(\.name)
  /// ```
  ///
  /// The columns that a virtual table hides are not among them.
  ///
  /// - parameter schemaName: The name of a database, such as `main`. By default, the table is the one that SQL means by
  ///   its name alone.
  /// - throws: `no such table` when there is none.
  public func columns(in tableName: String, in schemaName: String? = nil) throws -> [ColumnInfo] {
    try existingTable(tableName, in: schemaName).columns
  }

  /// The indexes of a table, but for those on expressions.
  ///
  /// - throws: `no such table` when there is none.
  public func indexes(on tableName: String, in schemaName: String? = nil) throws -> [IndexInfo] {
    try existingTable(tableName, in: schemaName).indexes(self)
  }

  /// The primary key of a table, or of a view that a schema source knows.
  ///
  /// - throws: `no such table` when there is none, and an error for a view without primary key.
  public func primaryKey(_ tableName: String, in schemaName: String? = nil) throws -> PrimaryKeyInfo {
    let table = try existingTable(tableName, in: schemaName)
    if let key = try table.primaryKey(self) { return key }
    throw DatabaseError(message: "database view \(tableName) has no primary key")
  }

  /// The foreign keys of a table. The one that was declared last comes first.
  ///
  /// - throws: `no such table` when there is none.
  public func foreignKeys(on tableName: String, in schemaName: String? = nil) throws -> [ForeignKeyInfo] {
    try existingTable(tableName, in: schemaName).foreignKeys(self)
  }

  /// Whether columns identify one row of a table at most: the primary key, or the columns of a unique index, are among
  /// them.
  ///
  /// ```swift
  /// // CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT UNIQUE, pages INTEGER)
  /// try db.table("book", hasUniqueKey: ["id"])              // true
  /// try db.table("book", hasUniqueKey: ["pages"])           // false
  /// try db.table("book", hasUniqueKey: ["pages", "TITLE"])  // true
  /// ```
  public func table(_ tableName: String, hasUniqueKey columns: some Collection<String>) throws -> Bool {
    try columnsForUniqueKey(columns, in: tableName) != nil
  }

  // MARK: - Whether something exists

  /// Whether there is a table of that name. Case does not count.
  ///
  /// - parameter schemaName: The name of a database, such as `main`. By default, all are searched.
  public func tableExists(_ tableName: String, in schemaName: String? = nil) throws -> Bool {
    try objectExists(in: schemaName) { $0.relation(tableName)?.type == "table" }
  }

  /// Whether there is a view of that name. Case does not count.
  public func viewExists(_ viewName: String, in schemaName: String? = nil) throws -> Bool {
    try objectExists(in: schemaName) { $0.relation(viewName)?.type == "view" }
  }

  /// Whether there is a trigger of that name. Case does not count.
  public func triggerExists(_ triggerName: String, in schemaName: String? = nil) throws -> Bool {
    try objectExists(in: schemaName) { $0.trigger(triggerName) != nil }
  }

  private func objectExists(in schemaName: String?, _ isFound: (SchemaObjects) -> Bool) throws -> Bool {
    let catalog = try freshCatalog()
    if let schemaName { return try isFound(catalog.objects(in: schema(named: schemaName), self)) }
    func contains(_ schemaID: DatabaseSchemaID) throws -> Bool { try isFound(catalog.objects(in: schemaID, self)) }
    return try contains(.temp) || contains(.main) || attachedSchemas().contains(where: contains)
  }

  /// Whether a table belongs to SQLite: its name begins with `sqlite_` or `pragma_`.
  public static func isSQLiteInternalTable(_ tableName: String) -> Bool {
    let name = tableName.asciiLowercased
    return name.hasPrefix("sqlite_") || name.hasPrefix("pragma_")
  }

  /// Whether a table belongs to the library: its name begins with `grdb_`.
  public static func isGRDBInternalTable(_ tableName: String) -> Bool {
    tableName.asciiLowercased.hasPrefix("grdb_")
  }

  // MARK: - Versions

  /// The number that SQLite changes with each change of the schema. C: `PRAGMA schema_version`.
  public func schemaVersion() throws -> Int32 {
    Int32(truncatingIfNeeded: try mainSchemaVersion())
  }

  /// Forgets what is known of the schema.
  ///
  /// There is seldom a reason to call it: changes of the schema are noticed, whoever makes them.
  public func clearSchemaCache() {
    preconditionAccess()
    part(Catalog.self).forget()
  }
}
