/// A table that is created.
///
/// ```swift
/// try db.create(table: "player") { t in
///   t.autoIncrementedPrimaryKey("id")
///   t.belongsTo("team").notNull()
///   t.column("name", .text).notNull()
///   t.uniqueKey(["teamId", "name"])
/// }
/// ```
///
/// See `Database.create(table:options:body:)`.
public final class TableDefinition {
  let name: String
  let options: TableOptions

  /// What stands at the place of columns, in order.
  private enum Item {
    case column(ColumnDefinition)
    case foreignKey(ForeignKeyDefinition)
    case literal(SQL)
  }

  private struct PrimaryKeyDefinition {
    var members: [Item]
    var conflict: Database.ConflictResolution?
  }

  private var items: [Item] = []
  private var primaryKey: PrimaryKeyDefinition?
  private var isInPrimaryKey = false
  private var uniqueKeys: [(columns: [String], conflict: Database.ConflictResolution?)] = []
  private var foreignKeys: [(columns: [String], foreignKey: ForeignKeyConstraint)] = []
  private var checks: [SQL] = []
  private var literalConstraints: [SQL] = []

  init(_ name: String, _ options: TableOptions) {
    self.name = name
    self.options = options
  }

  // MARK: - Columns

  /// Adds the usual primary key: an integer that SQLite chooses, and never gives again.
  @discardableResult
  public func autoIncrementedPrimaryKey(
    _ name: String, onConflict: Database.ConflictResolution? = nil
  ) -> ColumnDefinition {
    column(name, .integer).primaryKey(onConflict: onConflict, autoincrement: true)
  }

  /// Adds a column that is the primary key. It is never NULL.
  ///
  /// ```swift
  /// t.primaryKey("code", .text)
  /// ```
  @discardableResult
  public func primaryKey(
    _ name: String, _ type: Database.ColumnType, onConflict: Database.ConflictResolution? = nil
  ) -> ColumnDefinition {
    let column = column(name, type).primaryKey(onConflict: onConflict)
    // An integer is the row id, which is never NULL.
    return type == .integer ? column : column.notNull()
  }

  /// Makes the columns that a closure adds the primary key. They are never NULL.
  ///
  /// ```swift
  /// t.primaryKey {
  ///   t.belongsTo("player")
  ///   t.column("day", .date)
  /// }
  /// ```
  public func primaryKey(onConflict: Database.ConflictResolution? = nil, body: () throws -> Void) rethrows {
    preconditionNoPrimaryKey()
    primaryKey = PrimaryKeyDefinition(members: [], conflict: onConflict)
    isInPrimaryKey = true
    defer { isInPrimaryKey = false }
    try body()
  }

  /// Adds a column. Without a type, values stay as they are.
  @discardableResult
  public func column(_ name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
    let column = ColumnDefinition(name, type?.rawValue)
    if isInPrimaryKey { column.notNull() }
    add(.column(column))
    return column
  }

  /// Adds a column in raw SQL: `t.column(sql: "score INTEGER NOT NULL")`.
  public func column(sql: String) {
    add(.literal(SQL(sql: sql)))
  }

  /// Adds a column in SQL: `t.column(literal: "score INTEGER DEFAULT \(score)")`.
  public func column(literal: SQL) {
    add(.literal(literal))
  }

  /// Adds the columns that refer to the primary key of another table.
  ///
  /// ```swift
  /// t.belongsTo("team")                      // teamId, refers to the table team, or teams
  /// t.belongsTo("captain", inTable: "player")  // captainId
  /// ```
  ///
  /// The columns are named after the given name and the columns of the primary key, whose types they have.
  ///
  /// - parameter name: What the row that is referred to is called.
  /// - parameter table: The table. By default, the one of that name, or of its plural.
  /// - parameter isDeferred: Whether it is checked at the end of the transaction.
  /// - parameter isIndexed: Whether the columns have an index.
  @discardableResult
  public func belongsTo(
    _ name: String, inTable table: String? = nil, onDelete deleteAction: Database.ForeignKeyAction? = nil,
    onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false,
    indexed isIndexed: Bool = true
  ) -> ForeignKeyDefinition {
    let definition = ForeignKeyDefinition(
      name, inTable: table, onDelete: deleteAction, onUpdate: updateAction, deferred: isDeferred, indexed: isIndexed)
    if isInPrimaryKey { definition.becomePartOfPrimaryKey() }
    add(.foreignKey(definition))
    return definition
  }

  private func add(_ item: Item) {
    items.append(item)
    if isInPrimaryKey {
      if case .literal = item {
        preconditionFailure(
          "The name of a column in raw SQL is not known: give it with primaryKey(_:) after the column")
      }
      primaryKey?.members.append(item)
    }
  }

  // MARK: - Constraints

  /// Makes columns the primary key.
  public func primaryKey(_ columns: [String], onConflict: Database.ConflictResolution? = nil) {
    preconditionNoPrimaryKey()
    primaryKey = PrimaryKeyDefinition(members: columns.map { .column(ColumnDefinition($0, nil)) }, conflict: onConflict)
  }

  /// No two rows have the same values in the columns.
  public func uniqueKey(_ columns: [String], onConflict: Database.ConflictResolution? = nil) {
    uniqueKeys.append((columns, onConflict))
  }

  /// Columns refer to a row of another table, by its primary key unless other columns are given.
  ///
  /// - parameter isDeferred: Whether it is checked at the end of the transaction.
  public func foreignKey(
    _ columns: [String], references table: String, columns destinationColumns: [String]? = nil,
    onDelete deleteAction: Database.ForeignKeyAction? = nil, onUpdate updateAction: Database.ForeignKeyAction? = nil,
    deferred isDeferred: Bool = false
  ) {
    foreignKeys.append(
      (
        columns,
        ForeignKeyConstraint(
          table: table, columns: destinationColumns, deleteAction: deleteAction, updateAction: updateAction,
          isDeferred: isDeferred)
      ))
  }

  /// The rows meet a condition.
  ///
  /// ```swift
  /// t.check(Column("first") < Column("last"))
  /// ```
  public func check(_ condition: some SQLExpressible) {
    checks.append(SQL(expression: condition))
  }

  /// The rows meet a condition, in raw SQL.
  public func check(sql: String) {
    checks.append(SQL(sql: sql))
  }

  /// Adds a constraint in raw SQL: `t.constraint(sql: "CHECK (a < b)")`.
  public func constraint(sql: String) {
    literalConstraints.append(SQL(sql: sql))
  }

  /// Adds a constraint in SQL: `t.constraint(literal: "CHECK (a < \(bound))")`.
  public func constraint(literal: SQL) {
    literalConstraints.append(literal)
  }

  private func preconditionNoPrimaryKey() {
    precondition(primaryKey == nil, "can't define several primary keys")
  }
}

// MARK: - SQL

extension TableDefinition {
  /// The statements that create the table and its indexes.
  func statements(_ db: Database) throws -> [String] {
    let context = TableContext(db: db, tableName: name, key: try definedKey(db))
    var columns: [ColumnDefinition] = []
    var parts: [String] = []
    var foreignKeys = foreignKeys
    var indexes: [String] = []
    for item in items {
      switch item {
      case .column(let column):
        columns.append(column)
        parts.append(try column.sql(in: context))
      case .literal(let literal):
        parts.append(try db.text(of: literal))
      case .foreignKey(let definition):
        let expansion = try definition.expanded(in: context)
        columns += expansion.columns
        parts += try expansion.columns.map { try $0.sql(in: context) }
        if let constraint = expansion.constraint { foreignKeys.append(constraint) }
        indexes += index(of: expansion).map { [$0] } ?? []
      }
    }
    if let primaryKey {
      let members = try memberColumns(primaryKey, context).map(\.name)
      if !members.isEmpty { parts.append("PRIMARY KEY (\(members.quotedList))\(primaryKey.conflict.clause)") }
    }
    for key in uniqueKeys { parts.append("UNIQUE (\(key.columns.quotedList))\(key.conflict.clause)") }
    for key in foreignKeys {
      parts.append("FOREIGN KEY (\(key.columns.quotedList)) \(try key.foreignKey.sql(in: context))")
    }
    for check in checks { parts.append("CHECK (\(try db.text(of: check)))") }
    for literal in literalConstraints { parts.append(try db.text(of: literal)) }
    let isConditional = options.contains(.ifNotExists)
    indexes += columns.compactMap { $0.indexSQL(ofTable: name, ifNotExists: isConditional) }
    return [creation(parts)] + indexes
  }

  private func creation(_ parts: [String]) -> String {
    var sql = options.contains(.temporary) ? "CREATE TEMPORARY TABLE " : "CREATE TABLE "
    if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
    sql += "\(name.quotedDatabaseIdentifier) (\(parts.joined(separator: ", ")))"
    let suffixes = [
      options.contains(.strict) ? "STRICT" : nil, options.contains(.withoutRowID) ? "WITHOUT ROWID" : nil,
    ]
    let suffix = suffixes.compactMap { $0 }.joined(separator: ", ")
    return suffix.isEmpty ? sql : "\(sql) \(suffix)"
  }

  private func index(of expansion: ForeignKeyDefinition.Expansion) -> String? {
    guard var options = expansion.indexOptions, let columns = expansion.constraint?.columns else { return nil }
    if self.options.contains(.ifNotExists) { options.insert(.ifNotExists) }
    return TableIndexDefinition(
      name: TableIndexDefinition.defaultName(name, columns), table: name,
      terms: columns.map(\.quotedDatabaseIdentifier),
      options: options
    ).sql
  }

  /// The primary key that is defined here, for the columns that refer to the table itself.
  private func definedKey(_ db: Database) throws -> TableContext.Key {
    var columns = items.compactMap { item in
      if case .column(let column) = item, column.isPrimaryKey { column } else { nil }
    }
    precondition(columns.count + (primaryKey == nil ? 0 : 1) < 2, "can't define several primary keys")
    if let primaryKey {
      columns = try memberColumns(primaryKey, TableContext(db: db, tableName: name, key: .beingDefined))
    }
    if columns.isEmpty { return .rowID }
    let types = columns.map { column in column.type ?? declaredType(of: column.name) ?? "" }
    return TableContext.Key(columns: columns.map(\.name), types: types)
  }

  private func memberColumns(_ key: PrimaryKeyDefinition, _ context: TableContext) throws -> [ColumnDefinition] {
    try key.members.flatMap { member -> [ColumnDefinition] in
      switch member {
      case .column(let column): [column]
      case .foreignKey(let definition): try definition.expanded(in: context).columns
      case .literal: []
      }
    }
  }

  private func declaredType(of name: String) -> String? {
    items.lazy.compactMap { item in
      if case .column(let column) = item, column.name.asciiLowercased == name.asciiLowercased {
        column.type
      } else {
        nil
      }
    }.first
  }
}
