/// The definition of a new table.
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

  /// An item in the list of columns.
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

  /// Adds an integer primary key that SQLite assigns, and never reuses.
  ///
  /// ```swift
  /// t.autoIncrementedPrimaryKey("id")
  /// ```
  @discardableResult
  public func autoIncrementedPrimaryKey(
    _ name: String, onConflict: Database.ConflictResolution? = nil
  ) -> ColumnDefinition {
    column(name, .integer).primaryKey(onConflict: onConflict, autoincrement: true)
  }

  /// Adds a column that is the primary key and has a `NOT NULL` constraint.
  ///
  /// ```swift
  /// t.primaryKey("code", .text)
  /// ```
  @discardableResult
  public func primaryKey(
    _ name: String, _ type: Database.ColumnType, onConflict: Database.ConflictResolution? = nil
  ) -> ColumnDefinition {
    let column = column(name, type).primaryKey(onConflict: onConflict)
    // An integer primary key is the row ID, which is never NULL.
    return type == .integer ? column : column.notNull()
  }

  /// Adds the columns of a closure, which become the primary key. They have `NOT NULL` constraints.
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

  /// Adds a column. Values of a column without a type are not converted.
  ///
  /// ```swift
  /// t.column("name", .text).notNull()
  /// t.column("score", .integer).notNull().defaults(to: 0)
  /// ```
  ///
  /// - Parameter name: The name of the column.
  /// - Parameter type: The declared type, which determines the affinity of the column.
  /// - Returns: The column, to add constraints.
  @discardableResult
  public func column(_ name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
    let column = ColumnDefinition(name, type?.rawValue)
    if isInPrimaryKey { column.notNull() }
    add(.column(column))
    return column
  }

  /// Adds a column in raw SQL.
  ///
  /// ```swift
  /// t.column(sql: "score INTEGER NOT NULL")
  /// ```
  ///
  /// - Parameter sql: An SQL column definition.
  public func column(sql: String) {
    add(.literal(SQL(sql: sql)))
  }

  /// Adds a column as an SQL literal, with interpolated values.
  ///
  /// ```swift
  /// t.column(literal: "score INTEGER DEFAULT \(score)")
  /// ```
  ///
  /// - Parameter literal: An SQL column definition.
  public func column(literal: SQL) {
    add(.literal(literal))
  }

  /// Adds columns that refer to the primary key of another table, with a foreign key constraint.
  ///
  /// ```swift
  /// t.belongsTo("team")                      // teamId, refers to the table team, or teams
  /// t.belongsTo("captain", inTable: "player")  // captainId
  /// ```
  ///
  /// The columns are named after the association and the columns of the primary key, and have the types of those
  /// columns.
  ///
  /// - Parameter name: The name of the association.
  /// - Parameter table: The name of the other table. By default, the name of the association or its plural.
  /// - Parameter isDeferred: Whether the constraint is checked at the end of the transaction.
  /// - Parameter isIndexed: Whether an index on the columns is created.
  /// - Returns: The columns, to add constraints.
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
          "A raw SQL column has no known name: define the primary key with primaryKey(_:) after the column")
      }
      primaryKey?.members.append(item)
    }
  }

  // MARK: - Constraints

  /// Makes columns the primary key.
  ///
  /// ```swift
  /// t.column("playerId", .integer)
  /// t.column("day", .date)
  /// t.primaryKey(["playerId", "day"])
  /// ```
  ///
  /// - Parameter columns: The names of the columns.
  /// - Parameter onConflict: The conflict resolution of the constraint.
  public func primaryKey(_ columns: [String], onConflict: Database.ConflictResolution? = nil) {
    preconditionNoPrimaryKey()
    primaryKey = PrimaryKeyDefinition(members: columns.map { .column(ColumnDefinition($0, nil)) }, conflict: onConflict)
  }

  /// Adds a `UNIQUE` constraint on several columns.
  ///
  /// ```swift
  /// t.uniqueKey(["teamId", "name"], onConflict: .replace)
  /// ```
  ///
  /// - Parameter columns: The names of the columns.
  /// - Parameter onConflict: The conflict resolution of the constraint.
  public func uniqueKey(_ columns: [String], onConflict: Database.ConflictResolution? = nil) {
    uniqueKeys.append((columns, onConflict))
  }

  /// Adds a foreign key constraint, which refers to the primary key of another table, or to given columns.
  ///
  /// ```swift
  /// t.foreignKey(["country", "zip"], references: "city", onDelete: .cascade)
  /// ```
  ///
  /// - Parameter columns: The names of the columns of this table.
  /// - Parameter table: The name of the other table.
  /// - Parameter isDeferred: Whether the constraint is checked at the end of the transaction.
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

  /// Adds a `CHECK` constraint on the rows.
  ///
  /// ```swift
  /// t.check(Column("first") < Column("last"))
  /// ```
  public func check(_ condition: some SQLExpressible) {
    checks.append(SQL(expression: condition))
  }

  /// Adds a `CHECK` constraint in raw SQL.
  ///
  /// ```swift
  /// t.check(sql: "first < last")
  /// ```
  ///
  /// - Parameter sql: An SQL condition.
  public func check(sql: String) {
    checks.append(SQL(sql: sql))
  }

  /// Adds a constraint in raw SQL.
  ///
  /// ```swift
  /// t.constraint(sql: "CHECK (a < b)")
  /// ```
  ///
  /// - Parameter sql: An SQL table constraint.
  public func constraint(sql: String) {
    literalConstraints.append(SQL(sql: sql))
  }

  /// Adds a constraint as an SQL literal, with interpolated values.
  ///
  /// ```swift
  /// t.constraint(literal: "CHECK (a < \(bound))")
  /// ```
  ///
  /// - Parameter literal: An SQL table constraint.
  public func constraint(literal: SQL) {
    literalConstraints.append(literal)
  }

  private func preconditionNoPrimaryKey() {
    precondition(
      primaryKey == nil, "can't define several primary keys: name all columns of the key in one primaryKey(_:)")
  }
}

// MARK: - SQL

extension TableDefinition {
  /// Returns the statements that create the table and its indexes.
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

  /// Returns the primary key of this definition, for columns that refer to the table itself.
  private func definedKey(_ db: Database) throws -> TableContext.Key {
    var columns = items.compactMap { item in
      if case .column(let column) = item, column.isPrimaryKey { column } else { nil }
    }
    precondition(
      columns.count + (primaryKey == nil ? 0 : 1) < 2,
      "can't define several primary keys: name all columns of the key in one primaryKey(_:)")
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
