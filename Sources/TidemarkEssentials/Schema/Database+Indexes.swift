// Creating, dropping and rebuilding indexes.

extension Database {
  /// Creates an index on columns.
  ///
  /// ```swift
  /// try db.create(
  ///   index: "playerByScore", on: "player", columns: ["score"], options: .ifNotExists,
  ///   condition: Column("score") > 0)
  /// ```
  ///
  /// - Parameter name: The name of the index.
  /// - Parameter table: The name of the table.
  /// - Parameter columns: The names of the columns.
  /// - Parameter options: The options of the index, such as `.unique`.
  /// - Parameter condition: The condition of a partial index. By default, all rows are indexed.
  /// - Throws: A `DatabaseError`.
  public func create(
    index name: String, on table: String, columns: [String], options: IndexOptions = [],
    condition: (any SQLExpressible)? = nil
  ) throws {
    try createIndex(name, on: table, columns.map(\.quotedDatabaseIdentifier), options, condition)
  }

  /// Creates an index on columns. Prefer `create(index:on:columns:options:condition:)`.
  @_disfavoredOverload
  public func create(
    index name: String, on table: String, columns: [String], unique: Bool = false, ifNotExists: Bool = false,
    condition: (any SQLExpressible)? = nil
  ) throws {
    var options: IndexOptions = []
    if unique { options.insert(.unique) }
    if ifNotExists { options.insert(.ifNotExists) }
    try create(index: name, on: table, columns: columns, options: options, condition: condition)
  }

  /// Creates an index named after its table and columns: `index_player_on_teamId_name`.
  ///
  /// ```swift
  /// try db.create(indexOn: "player", columns: ["teamId", "name"])
  /// ```
  public func create(
    indexOn table: String, columns: [String], options: IndexOptions = [], condition: (any SQLExpressible)? = nil
  ) throws {
    let name = TableIndexDefinition.defaultName(table, columns)
    try create(index: name, on: table, columns: columns, options: options, condition: condition)
  }

  /// Creates an index on expressions.
  ///
  /// ```swift
  /// try db.create(index: "playerByName", on: "player", expressions: [Column("name").collating(.nocase)])
  /// ```
  public func create(
    index name: String, on table: String, expressions: [any SQLExpressible], options: IndexOptions = [],
    condition: (any SQLExpressible)? = nil
  ) throws {
    try createIndex(name, on: table, expressions.map { try text(of: $0.sqlExpression) }, options, condition)
  }

  private func createIndex(
    _ name: String, on table: String, _ terms: [String], _ options: IndexOptions, _ condition: (any SQLExpressible)?
  ) throws {
    let condition = try condition.map { try text(of: $0.sqlExpression) }
    let index = TableIndexDefinition(name: name, table: table, terms: terms, options: options, condition: condition)
    try execute(sql: index.sql)
  }

  /// Drops an index.
  ///
  /// - Parameter name: The name of the index.
  /// - Throws: A `DatabaseError`.
  public func drop(index name: String) throws {
    try execute(sql: "DROP INDEX \([name].quotedList)")
  }

  /// Drops the index on exactly these columns. Does nothing unless exactly one index matches.
  ///
  /// ```swift
  /// try db.drop(indexOn: "player", columns: ["teamId", "name"])
  /// ```
  ///
  /// The implicit indexes of primary keys and `UNIQUE` constraints cannot be dropped. They are ignored.
  ///
  /// - Parameter table: The name of the table.
  /// - Parameter columns: The names of the indexed columns, in order.
  /// - Throws: A `DatabaseError`.
  public func drop(indexOn table: String, columns: [String]) throws {
    let wanted = columns.map(\.asciiLowercased)
    let table = try existingTable(table)
    let indexes = try table.indexes(self).filter { index in
      index.origin == .createIndex && index.columns.map(\.asciiLowercased) == wanted
    }
    if indexes.count != 1 { return }
    // Qualify the name: an index is in the database of its table, and another database may have an index with this
    // name.
    let prefix = table.id.schemaID == .main ? "" : "\(table.id.schemaID.sql)."
    try execute(sql: "DROP INDEX \(prefix)\([indexes[0].name].quotedList)")
  }

  /// Rebuilds the indexes that use a collation. Call it after the order of the collation has changed.
  ///
  /// ```swift
  /// try db.reindex(collation: .nocase)
  /// ```
  ///
  /// - Parameter collation: The name of a collation.
  /// - Throws: A `DatabaseError`.
  public func reindex(collation: Database.CollationName) throws {
    try execute(sql: "REINDEX \(collation.rawValue.collationSQL)")
  }

  /// Rebuilds the indexes that use a collation. Call it after the order of the collation has changed.
  ///
  /// ```swift
  /// try db.reindex(collation: .localizedCompare)
  /// ```
  ///
  /// - Parameter collation: A collation.
  /// - Throws: A `DatabaseError`.
  public func reindex(collation: DatabaseCollation) throws {
    try reindex(collation: CollationName(rawValue: collation.name))
  }
}
