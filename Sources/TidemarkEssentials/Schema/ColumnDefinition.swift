/// The definition of a column in a new or altered table.
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

  /// Whether an index on the column is created.
  private(set) var isIndexed = false

  init(_ name: String, _ type: String?) {
    self.name = name
    self.type = type?.isEmpty == true ? nil : type
  }

  /// Whether the column definition has a `PRIMARY KEY` clause.
  var isPrimaryKey: Bool { keyClause != nil }

  // MARK: Keys and indexes

  /// Makes the column the primary key.
  ///
  /// ```swift
  /// t.column("id", .integer).primaryKey()
  /// ```
  ///
  /// - Parameter onConflict: The conflict resolution of the constraint.
  /// - Parameter autoincrement: Whether the row IDs of deleted rows are never reused.
  /// - Returns: This column.
  @discardableResult
  public func primaryKey(onConflict: Database.ConflictResolution? = nil, autoincrement: Bool = false) -> Self {
    keyClause = "PRIMARY KEY\(onConflict.clause)\(autoincrement ? " AUTOINCREMENT" : "")"
    return self
  }

  /// Adds a `UNIQUE` constraint.
  ///
  /// ```swift
  /// t.column("email", .text).unique(onConflict: .replace)
  /// ```
  ///
  /// - Parameter onConflict: The conflict resolution of the constraint.
  /// - Returns: This column.
  @discardableResult
  public func unique(onConflict: Database.ConflictResolution? = nil) -> Self {
    uniqueClause = "UNIQUE\(onConflict.clause)"
    return self
  }

  /// Creates an index on the column, which is named after the table and the column: `player_on_name`.
  ///
  /// ```swift
  /// t.column("name", .text).indexed()
  /// ```
  ///
  /// - Returns: This column.
  @discardableResult
  public func indexed() -> Self {
    isIndexed = true
    return self
  }

  /// Adds a foreign key constraint, which refers to the primary key of another table, or to a given column.
  ///
  /// ```swift
  /// t.column("teamId", .integer).references("team", onDelete: .cascade)
  /// ```
  ///
  /// - Parameter table: The name of the other table.
  /// - Parameter isDeferred: Whether the constraint is checked at the end of the transaction.
  /// - Returns: This column.
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

  /// Adds a `NOT NULL` constraint.
  ///
  /// ```swift
  /// t.column("name", .text).notNull()
  /// ```
  ///
  /// - Parameter onConflict: The conflict resolution of the constraint.
  /// - Returns: This column.
  @discardableResult
  public func notNull(onConflict: Database.ConflictResolution? = nil) -> Self {
    notNullClause = "NOT NULL\(onConflict.clause)"
    return self
  }

  /// Adds a `CHECK` constraint.
  ///
  /// ```swift
  /// t.column("name", .text).check { length($0) > 0 }
  /// ```
  ///
  /// - Parameter condition: A closure that returns the condition for the column.
  /// - Returns: This column.
  @discardableResult
  public func check(_ condition: (Column) -> any SQLExpressible) -> Self {
    checks.append(SQL(expression: condition(Column(name)).sqlExpression))
    return self
  }

  /// Adds a `CHECK` constraint in raw SQL.
  ///
  /// ```swift
  /// t.column("name", .text).check(sql: "length(name) > 0")
  /// ```
  ///
  /// - Parameter sql: An SQL condition.
  /// - Returns: This column.
  @discardableResult
  public func check(sql: String) -> Self {
    checks.append(SQL(sql: sql))
    return self
  }

  /// Sets the default value of the column.
  ///
  /// ```swift
  /// t.column("score", .integer).notNull().defaults(to: 0)
  /// ```
  ///
  /// - Parameter value: The default value.
  /// - Returns: This column.
  @discardableResult
  public func defaults(to value: some DatabaseValueConvertible) -> Self {
    defaultValue = SQL(expression: value.databaseValue)
    return self
  }

  /// Sets the default value of the column in raw SQL.
  ///
  /// ```swift
  /// t.column("creationDate", .datetime).notNull().defaults(sql: "CURRENT_TIMESTAMP")
  /// ```
  ///
  /// - Parameter sql: An SQL expression.
  /// - Returns: This column.
  @discardableResult
  public func defaults(sql: String) -> Self {
    defaultValue = SQL(sql: sql)
    return self
  }

  /// Sets the collation of the column, which compares its text values by default.
  ///
  /// ```swift
  /// t.column("email", .text).collate(.nocase)
  /// ```
  ///
  /// - Parameter collation: The name of a collation.
  /// - Returns: This column.
  @discardableResult
  public func collate(_ collation: Database.CollationName) -> Self {
    self.collation = collation.rawValue
    return self
  }

  /// Sets the collation of the column, which compares its text values by default.
  ///
  /// - Warning: The table cannot be used by connections that do not define this collation.
  ///
  /// ```swift
  /// t.column("name", .text).collate(.localizedCaseInsensitiveCompare)
  /// ```
  ///
  /// - Parameter collation: A collation.
  /// - Returns: This column.
  @discardableResult
  public func collate(_ collation: DatabaseCollation) -> Self {
    self.collation = collation.name
    return self
  }

  // MARK: Generated columns

  /// The time when a generated column is computed.
  public enum GeneratedColumnQualification: Sendable {
    /// The column is computed when it is read.
    case virtual

    /// The column is computed when its row is written.
    case stored
  }

  /// Makes the column a generated column, in raw SQL.
  ///
  /// ```swift
  /// t.column("total", .integer).generatedAs(sql: "score + bonus", .stored)
  /// ```
  ///
  /// - Parameter sql: An SQL expression.
  /// - Parameter qualification: Whether the value is stored.
  /// - Returns: This column.
  @discardableResult
  public func generatedAs(sql: String, _ qualification: GeneratedColumnQualification = .virtual) -> Self {
    generation = (SQL(sql: sql), qualification)
    return self
  }

  /// Makes the column a generated column.
  ///
  /// ```swift
  /// t.column("total", .integer).generatedAs(Column("score") + Column("bonus"))
  /// ```
  ///
  /// - Parameter qualification: Whether the value is stored.
  /// - Returns: This column.
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

  /// Returns the statement that creates the index of the column; nil without an index.
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

/// The definition of a new index.
struct TableIndexDefinition {
  var name: String
  var table: String

  /// The SQL of the indexed columns and expressions.
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
