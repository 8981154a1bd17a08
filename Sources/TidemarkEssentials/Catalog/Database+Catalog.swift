// Schema queries.

extension Database {
  /// Returns the columns of a table or view, in their order in the table.
  ///
  /// ```swift
  /// let names = try db.columns(in: "book").map(\.name)
  /// ```
  ///
  /// Hidden columns of virtual tables are not included. The result is cached until the schema changes.
  ///
  /// - Parameter tableName: The name of a table or view. Names are case-insensitive.
  /// - Parameter schemaName: The name of a database, such as `main`, or nil to resolve the name of the table as SQL
  ///   does.
  /// - Returns: The columns.
  /// - Throws: A ``DatabaseError`` if the table does not exist.
  public func columns(in tableName: String, in schemaName: String? = nil) throws -> [ColumnInfo] {
    try existingTable(tableName, in: schemaName).columns
  }

  /// Returns the indexes of a table, except indexes on expressions.
  ///
  /// ```swift
  /// let uniqueIndexes = try db.indexes(on: "book").filter(\.isUnique)
  /// ```
  ///
  /// - Parameter tableName: The name of a table. Names are case-insensitive.
  /// - Parameter schemaName: The name of a database, such as `main`, or nil to resolve the name of the table as SQL
  ///   does.
  /// - Returns: The indexes, including the indexes of `PRIMARY KEY` and `UNIQUE` constraints.
  /// - Throws: A ``DatabaseError`` if the table does not exist.
  public func indexes(on tableName: String, in schemaName: String? = nil) throws -> [IndexInfo] {
    try existingTable(tableName, in: schemaName).indexes(self)
  }

  /// Returns the primary key of a table, or of a view whose key a schema source defines.
  ///
  /// ```swift
  /// let keyColumns = try db.primaryKey("book").columns
  /// ```
  ///
  /// The primary key of a table without an explicit primary key is its hidden row ID.
  ///
  /// - Parameter tableName: The name of a table or view. Names are case-insensitive.
  /// - Parameter schemaName: The name of a database, such as `main`, or nil to resolve the name of the table as SQL
  ///   does.
  /// - Returns: The primary key.
  /// - Throws: A ``DatabaseError`` if the table does not exist, or if it is a view without a primary key.
  public func primaryKey(_ tableName: String, in schemaName: String? = nil) throws -> PrimaryKeyInfo {
    let table = try existingTable(tableName, in: schemaName)
    if let key = try table.primaryKey(self) { return key }
    throw DatabaseError(message: "database view \(tableName) has no primary key")
  }

  /// Returns the foreign keys of a table. The key that was declared last comes first.
  ///
  /// ```swift
  /// let destinations = try db.foreignKeys(on: "book").map(\.destinationTable)
  /// ```
  ///
  /// - Parameter tableName: The name of a table. Names are case-insensitive.
  /// - Parameter schemaName: The name of a database, such as `main`, or nil to resolve the name of the table as SQL
  ///   does.
  /// - Returns: The foreign keys.
  /// - Throws: A ``DatabaseError`` if the table does not exist.
  public func foreignKeys(on tableName: String, in schemaName: String? = nil) throws -> [ForeignKeyInfo] {
    try existingTable(tableName, in: schemaName).foreignKeys(self)
  }

  /// Returns whether columns identify at most one row of a table.
  ///
  /// This is the case if they include all columns of the primary key or of a unique index.
  ///
  /// ```swift
  /// // CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT UNIQUE, pages INTEGER)
  /// try db.table("book", hasUniqueKey: ["id"])              // true
  /// try db.table("book", hasUniqueKey: ["pages"])           // false
  /// try db.table("book", hasUniqueKey: ["pages", "TITLE"])  // true
  /// ```
  ///
  /// - Parameter tableName: The name of a table. Names are case-insensitive.
  /// - Parameter columns: The names of columns.
  /// - Returns: True if the columns contain a unique key.
  /// - Throws: A ``DatabaseError`` if the table does not exist.
  public func table(_ tableName: String, hasUniqueKey columns: some Collection<String>) throws -> Bool {
    try columnsForUniqueKey(columns, in: tableName) != nil
  }

  // MARK: - Whether something exists

  /// Returns whether a table exists.
  ///
  /// ```swift
  /// if try !db.tableExists("book") {
  ///   try db.create(table: "book") { t in t.autoIncrementedPrimaryKey("id") }
  /// }
  /// ```
  ///
  /// - Parameter tableName: The name of a table. Names are case-insensitive.
  /// - Parameter schemaName: The name of a database, such as `main`, or nil to search all databases.
  /// - Returns: True if the table exists.
  /// - Throws: A ``DatabaseError`` if the schema cannot be read.
  public func tableExists(_ tableName: String, in schemaName: String? = nil) throws -> Bool {
    try objectExists(in: schemaName) { $0.relation(tableName)?.type == "table" }
  }

  /// Returns whether a view exists.
  ///
  /// - Parameter viewName: The name of a view. Names are case-insensitive.
  /// - Parameter schemaName: The name of a database, such as `main`, or nil to search all databases.
  /// - Returns: True if the view exists.
  /// - Throws: A ``DatabaseError`` if the schema cannot be read.
  public func viewExists(_ viewName: String, in schemaName: String? = nil) throws -> Bool {
    try objectExists(in: schemaName) { $0.relation(viewName)?.type == "view" }
  }

  /// Returns whether a trigger exists.
  ///
  /// - Parameter triggerName: The name of a trigger. Names are case-insensitive.
  /// - Parameter schemaName: The name of a database, such as `main`, or nil to search all databases.
  /// - Returns: True if the trigger exists.
  /// - Throws: A ``DatabaseError`` if the schema cannot be read.
  public func triggerExists(_ triggerName: String, in schemaName: String? = nil) throws -> Bool {
    try objectExists(in: schemaName) { $0.trigger(triggerName) != nil }
  }

  private func objectExists(in schemaName: String?, _ isFound: (SchemaObjects) -> Bool) throws -> Bool {
    let catalog = try freshCatalog()
    if let schemaName { return try isFound(catalog.objects(in: schema(named: schemaName), self)) }
    func contains(_ schemaID: DatabaseSchemaID) throws -> Bool { try isFound(catalog.objects(in: schemaID, self)) }
    return try contains(.temp) || contains(.main) || attachedSchemas().contains(where: contains)
  }

  /// Returns whether a table belongs to SQLite, because its name starts with `sqlite_` or `pragma_`.
  ///
  /// - Parameter tableName: The name of a table. Names are case-insensitive.
  public static func isSQLiteInternalTable(_ tableName: String) -> Bool {
    let name = tableName.asciiLowercased
    return name.hasPrefix("sqlite_") || name.hasPrefix("pragma_")
  }

  /// Returns whether a table belongs to the library, because its name starts with `grdb_`.
  ///
  /// - Parameter tableName: The name of a table. Names are case-insensitive.
  public static func isGRDBInternalTable(_ tableName: String) -> Bool {
    tableName.asciiLowercased.hasPrefix("grdb_")
  }

  // MARK: - Versions

  /// Returns the schema version of the main database, which SQLite increments with each change of the schema.
  ///
  /// The value is the result of `PRAGMA schema_version`.
  ///
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  public func schemaVersion() throws -> Int32 {
    Int32(truncatingIfNeeded: try mainSchemaVersion())
  }

  /// Clears the schema cache of the connection.
  ///
  /// This is rarely necessary, because the library detects all changes of the schema, from any connection or process.
  public func clearSchemaCache() {
    preconditionAccess()
    moduleState(Catalog.self).forget()
  }
}
