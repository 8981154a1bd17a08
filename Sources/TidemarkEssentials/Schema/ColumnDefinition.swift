/// A column of a table that is created or altered.
///
/// ```swift
/// try db.create(table: "player") { t in
///   t.autoIncrementedPrimaryKey("id")
///   t.column("name", .text).notNull().collate(.nocase).indexed()
///   t.column("score", .integer).notNull().defaults(to: 0).check { $0 >= 0 }
/// }
/// ```
public final class ColumnDefinition {
  let name: String
  let type: String?

  private var keyClause: String?
  private var notNullClause: String?
  private var uniqueClause: String?
  private var checks: [SQL] = []
  private var defaultValue: SQL?
  private var collation: String?
  private var foreignKeys: [ForeignKeyConstraint] = []
  private var generation: (expression: SQL, qualification: GeneratedColumnQualification)?

  /// Whether the column is to have an index of its own.
  private(set) var isIndexed = false

  init(_ name: String, _ type: String?) {
    self.name = name
    self.type = type?.isEmpty == true ? nil : type
  }

  /// Whether the column says of itself that it is the primary key.
  var isPrimaryKey: Bool { keyClause != nil }

  // MARK: Keys and indexes

  /// Makes the column the primary key.
  ///
  /// - parameter autoincrement: Whether the row id of a deleted row is never given again.
  @discardableResult
  public func primaryKey(onConflict: Database.ConflictResolution? = nil, autoincrement: Bool = false) -> Self {
    keyClause = "PRIMARY KEY\(onConflict.clause)\(autoincrement ? " AUTOINCREMENT" : "")"
    return self
  }

  /// No two rows have the same value in the column.
  @discardableResult
  public func unique(onConflict: Database.ConflictResolution? = nil) -> Self {
    uniqueClause = "UNIQUE\(onConflict.clause)"
    return self
  }

  /// The column has an index, named after the table and the column: `player_on_name`.
  @discardableResult
  public func indexed() -> Self {
    isIndexed = true
    return self
  }

  /// The column refers to a row of another table, by its primary key unless a column is given.
  ///
  /// ```swift
  /// t.column("teamId", .integer).references("team", onDelete: .cascade)
  /// ```
  ///
  /// - parameter deferred: Whether it is checked at the end of the transaction.
  @discardableResult
  public func references(
    _ table: String, column: String? = nil, onDelete deleteAction: Database.ForeignKeyAction? = nil,
    onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false
  ) -> Self {
    references(
      ForeignKeyConstraint(
        table: table, columns: column.map { [$0] }, deleteAction: deleteAction, updateAction: updateAction,
        isDeferred: isDeferred))
  }

  func references(_ foreignKey: ForeignKeyConstraint) -> Self {
    foreignKeys.append(foreignKey)
    return self
  }

  // MARK: Values

  /// The column is never NULL.
  @discardableResult
  public func notNull(onConflict: Database.ConflictResolution? = nil) -> Self {
    notNullClause = "NOT NULL\(onConflict.clause)"
    return self
  }

  /// The values meet a condition.
  ///
  /// ```swift
  /// t.column("name", .text).check { length($0) > 0 }
  /// ```
  @discardableResult
  public func check(_ condition: (Column) -> any SQLExpressible) -> Self {
    checks.append(SQL(expression: condition(Column(name)).sqlExpression))
    return self
  }

  /// The values meet a condition, in raw SQL.
  @discardableResult
  public func check(sql: String) -> Self {
    checks.append(SQL(sql: sql))
    return self
  }

  /// What the column is when a row is inserted without it.
  @discardableResult
  public func defaults(to value: some DatabaseValueConvertible) -> Self {
    defaultValue = SQL(expression: value.databaseValue)
    return self
  }

  /// What the column is when a row is inserted without it, in raw SQL.
  @discardableResult
  public func defaults(sql: String) -> Self {
    defaultValue = SQL(sql: sql)
    return self
  }

  /// How the texts of the column are compared, unless something else is said where they are.
  @discardableResult
  public func collate(_ collation: Database.CollationName) -> Self {
    self.collation = collation.rawValue
    return self
  }

  /// How the texts of the column are compared, unless something else is said where they are.
  ///
  /// - warning: The database cannot be used by a connection without that collation.
  @discardableResult
  public func collate(_ collation: DatabaseCollation) -> Self {
    self.collation = collation.name
    return self
  }

  // MARK: Generated columns

  /// When a generated column is computed.
  public enum GeneratedColumnQualification: Sendable {
    /// When it is read.
    case virtual

    /// When the row is written.
    case stored
  }

  /// The values are computed from other columns, in raw SQL.
  @discardableResult
  public func generatedAs(sql: String, _ qualification: GeneratedColumnQualification = .virtual) -> Self {
    generation = (SQL(sql: sql), qualification)
    return self
  }

  /// The values are computed from other columns.
  ///
  /// ```swift
  /// t.column("total", .integer).generatedAs(Column("score") + Column("bonus"))
  /// ```
  @discardableResult
  public func generatedAs(
    _ expression: some SQLExpressible, _ qualification: GeneratedColumnQualification = .virtual
  ) -> Self {
    generation = (SQL(expression: expression), qualification)
    return self
  }

  // MARK: - SQL

  func sql(in context: TableContext) throws -> String {
    let db = context.db
    var parts = [name.quotedDatabaseIdentifier]
    if let type { parts.append(type) }
    parts += [keyClause, notNullClause, uniqueClause].compactMap { $0 }
    for check in checks { parts.append("CHECK (\(try db.text(of: check)))") }
    if let defaultValue { parts.append("DEFAULT \(try db.text(of: defaultValue))") }
    if let collation { parts.append("COLLATE \(collation.collationSQL)") }
    for foreignKey in foreignKeys { parts.append(try foreignKey.sql(in: context)) }
    if let generation {
      parts.append("GENERATED ALWAYS AS (\(try db.text(of: generation.expression))) \(generation.qualification.sql)")
    }
    return parts.joined(separator: " ")
  }

  /// The statement that makes the index of the column, if it is to have one.
  func indexSQL(ofTable table: String, ifNotExists: Bool) -> String? {
    guard isIndexed else { return nil }
    let index = TableIndexDefinition(
      name: "\(table)_on_\(name)", table: table, terms: [name.quotedDatabaseIdentifier],
      options: ifNotExists ? .ifNotExists : [])
    return index.sql
  }
}

extension ColumnDefinition.GeneratedColumnQualification {
  fileprivate var sql: String {
    switch self {
    case .virtual: "VIRTUAL"
    case .stored: "STORED"
    }
  }
}

/// An index that is created.
struct TableIndexDefinition {
  var name: String
  var table: String

  /// What is indexed, as SQL.
  var terms: [String]
  var options: IndexOptions
  var condition: String?

  static func defaultName(_ table: String, _ columns: [String]) -> String {
    (["index", table, "on"] + columns).joined(separator: "_")
  }

  var sql: String {
    var sql = options.contains(.unique) ? "CREATE UNIQUE INDEX " : "CREATE INDEX "
    if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
    sql += "\(name.quotedDatabaseIdentifier) ON \(table.quotedDatabaseIdentifier)(\(terms.joined(separator: ", ")))"
    if let condition { sql += " WHERE \(condition)" }
    return sql
  }
}
