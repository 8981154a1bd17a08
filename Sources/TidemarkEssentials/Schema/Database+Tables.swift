// Creating, altering and dropping tables and views.

extension Database {
  // MARK: Tables

  /// Creates a table, and the indexes of its columns.
  ///
  /// ```swift
  /// try db.create(table: "team") { t in
  ///   t.autoIncrementedPrimaryKey("id")
  ///   t.column("name", .text).notNull().unique()
  /// }
  /// ```
  ///
  /// Values in defaults, checks and generated columns become literals in the SQL of the table.
  public func create(
    table name: String, options: TableOptions = [], body: (TableDefinition) throws -> Void
  ) throws {
    let definition = TableDefinition(name, options)
    try body(definition)
    for sql in try definition.statements(self) { try execute(sql: sql) }
  }

  /// Creates a table. Prefer `create(table:options:body:)`.
  @_disfavoredOverload
  public func create(
    table name: String, temporary: Bool = false, ifNotExists: Bool = false, withoutRowID: Bool = false,
    body: (TableDefinition) throws -> Void
  ) throws {
    var options: TableOptions = []
    if temporary { options.insert(.temporary) }
    if ifNotExists { options.insert(.ifNotExists) }
    if withoutRowID { options.insert(.withoutRowID) }
    try create(table: name, options: options, body: body)
  }

  /// Alters the columns of a table.
  ///
  /// ```swift
  /// try db.alter(table: "player") { t in
  ///   t.add(column: "score", .integer).notNull().defaults(to: 0)
  ///   t.rename(column: "url", to: "homepage")
  /// }
  /// ```
  ///
  /// - Parameter name: The name of the table.
  /// - Parameter body: A closure that defines the alterations.
  /// - Throws: A `DatabaseError`, or the error of the closure.
  public func alter(table name: String, body: (TableAlteration) throws -> Void) throws {
    let alteration = TableAlteration(name)
    try body(alteration)
    try alteration.apply(self)
  }

  /// Renames a table, and all references to it in the schema.
  ///
  /// ```swift
  /// try db.rename(table: "player", to: "person")
  /// ```
  ///
  /// - Parameter name: The name of the table.
  /// - Parameter newName: Its new name.
  /// - Throws: A `DatabaseError`.
  public func rename(table name: String, to newName: String) throws {
    try execute(sql: "ALTER TABLE \([name].quotedList) RENAME TO \([newName].quotedList)")
  }

  /// Drops a table with its rows, indexes and triggers.
  ///
  /// - Parameter name: The name of the table.
  /// - Throws: A `DatabaseError`.
  public func drop(table name: String) throws {
    try execute(sql: "DROP TABLE \([name].quotedList)")
  }

  // MARK: Views

  /// Creates a view from a request.
  ///
  /// ```swift
  /// try db.create(view: "hero", as: Player.filter(Column("isHero")))
  /// ```
  ///
  /// - Parameter columns: The names of the columns. By default, they are derived from the selection.
  public func create(
    view name: String, options: ViewOptions = [], columns: [String]? = nil, as subquery: some SQLSubqueryable
  ) throws {
    try create(
      view: name, options: options, columns: columns, asLiteral: SQL(elements: [.subquery(subquery.sqlSubquery)]))
  }

  /// Creates a view from SQL.
  ///
  /// ```swift
  /// try db.create(view: "hero", asLiteral: "SELECT * FROM player WHERE score > \(1000)")
  /// ```
  ///
  /// - Parameter columns: The names of the columns. By default, they are derived from the selection.
  public func create(
    view name: String, options: ViewOptions = [], columns: [String]? = nil, asLiteral sqlLiteral: SQL
  ) throws {
    var sql = options.contains(.temporary) ? "CREATE TEMPORARY VIEW " : "CREATE VIEW "
    if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
    sql += name.quotedDatabaseIdentifier
    if let columns { sql += " (\(columns.quotedList))" }
    sql += " AS \(try text(of: sqlLiteral))"
    try execute(sql: sql)
  }

  /// Drops a view.
  ///
  /// - Parameter name: The name of the view.
  /// - Throws: A `DatabaseError`.
  public func drop(view name: String) throws {
    try execute(sql: "DROP VIEW \([name].quotedList)")
  }
}
