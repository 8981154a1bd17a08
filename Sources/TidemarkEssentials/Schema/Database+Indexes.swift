// Indexes: creating, dropping, making anew.

extension Database {
  /// Creates an index.
  ///
  /// ```swift
  /// try db.create(
  ///   index: "playerByScore", on: "player", columns: ["score"], options: .ifNotExists,
  ///   condition: Column("score") > 0)
  /// ```
  ///
  /// - parameter condition: The rows that are in the index; all of them by default.
  public func create(
    index name: String, on table: String, columns: [String], options: IndexOptions = [],
    condition: (any SQLExpressible)? = nil
  ) throws {
    try createIndex(name, on: table, columns.map(\.quotedDatabaseIdentifier), options, condition)
  }

  /// Creates an index. Prefer `create(index:on:columns:options:condition:)`.
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

  /// Creates an index that is named after its table and columns: `index_player_on_teamId_name`.
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
  public func drop(index name: String) throws {
    try execute(sql: "DROP INDEX \([name].quotedList)")
  }

  /// Drops the index on these very columns, whatever its name. Nothing is done when there is none, or several.
  ///
  /// The index of a primary key or of a `UNIQUE` constraint cannot be dropped, and does not count.
  public func drop(indexOn table: String, columns: [String]) throws {
    let wanted = columns.map(\.asciiLowercased)
    let table = try existingTable(table)
    let indexes = try table.indexes(self).filter { index in
      index.origin == .createIndex && index.columns.map(\.asciiLowercased) == wanted
    }
    if indexes.count != 1 { return }
    // An index is in the database of its table. Its name alone might stand for one of another database.
    let prefix = table.id.schemaID == .main ? "" : "\(table.id.schemaID.sql)."
    try execute(sql: "DROP INDEX \(prefix)\([indexes[0].name].quotedList)")
  }

  /// Makes the indexes anew that use a collation, to be called when the collation compares otherwise than it did.
  public func reindex(collation: Database.CollationName) throws {
    try execute(sql: "REINDEX \(collation.rawValue)")
  }

  /// Makes the indexes anew that use a collation, to be called when the collation compares otherwise than it did.
  public func reindex(collation: DatabaseCollation) throws {
    try reindex(collation: CollationName(rawValue: collation.name))
  }
}
