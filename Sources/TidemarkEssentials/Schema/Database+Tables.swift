// Tables and views: creating, changing, dropping.

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
  /// Values in default values, checks and generated columns become a part of the text of the table.
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

  /// Changes the columns of a table.
  public func alter(table name: String, body: (TableAlteration) throws -> Void) throws {
    let alteration = TableAlteration(name)
    try body(alteration)
    try alteration.apply(self)
  }

  /// Renames a table, here and wherever the schema mentions it.
  public func rename(table name: String, to newName: String) throws {
    try execute(sql: "ALTER TABLE \([name].quotedList) RENAME TO \([newName].quotedList)")
  }

  /// Drops a table, with its rows, indexes and triggers.
  public func drop(table name: String) throws {
    try execute(sql: "DROP TABLE \([name].quotedList)")
  }

  // MARK: Views

  /// Creates a view of what a request selects.
  ///
  /// ```swift
  /// try db.create(view: "hero", as: Player.filter(Column("isHero")))
  /// ```
  ///
  /// - parameter columns: Other names for the columns.
  public func create(
    view name: String, options: ViewOptions = [], columns: [String]? = nil, as subquery: some SQLSubqueryable
  ) throws {
    try create(
      view: name, options: options, columns: columns, asLiteral: SQL(elements: [.subquery(subquery.sqlSubquery)]))
  }

  /// Creates a view of what SQL selects.
  ///
  /// ```swift
  /// try db.create(view: "hero", asLiteral: "SELECT * FROM player WHERE score > \(1000)")
  /// ```
  ///
  /// - parameter columns: Other names for the columns.
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
  public func drop(view name: String) throws {
    try execute(sql: "DROP VIEW \([name].quotedList)")
  }
}
