public import Foundation
import Tidemark

/// Changes tables: adds, renames and drops columns, renames and drops tables.
///
/// ```swift
/// let schemaChanger = SchemaChanger(connection: db)
/// try schemaChanger.alter(table: "users") { table in
///   table.rename(column: "old_name", to: "new_name")
///   table.drop(column: "age")
/// }
/// ```
///
/// All changes of an `alter` are made, or none. Triggers, checks, indexes and collations of the table are kept, and a
/// change that would break one of them throws an error. If the SQLite version does not support a change, the table is
/// rebuilt.
public final class SchemaChanger: CustomStringConvertible {
  /// The reason why a table was not changed.
  public enum Error: LocalizedError, Sendable {
    /// A column that cannot be added, with the reason.
    case invalidColumnDefinition(String)

    /// Rows whose foreign keys would reference missing rows.
    case foreignKeyError([ForeignKeyError])

    /// A description of the error.
    public var errorDescription: String? {
      switch self {
      case .invalidColumnDefinition(let message): "Invalid column definition: \(message)"
      case .foreignKeyError(let errors): "Foreign key errors: \(errors)"
      }
    }
  }

  /// A change of a table.
  public enum Operation: Sendable {
    /// Adds a column.
    case addColumn(ColumnDefinition)

    /// Drops a column.
    case dropColumn(String)

    /// Renames a column.
    case renameColumn(String, String)

    /// Renames the table.
    case renameTable(String)

    /// Adds an index.
    case addIndex(IndexDefinition, ifNotExists: Bool)

    /// Drops an index.
    case dropIndex(String, ifExists: Bool)

    /// Creates the table.
    case createTable(columns: [ColumnDefinition], ifNotExists: Bool)

    func sql(_ table: String) -> String {
      let words = "ALTER TABLE \(table.quote())"
      return switch self {
      case .addColumn(let column): "\(words) ADD COLUMN \(column.toSQL())"
      case .dropColumn(let column): "\(words) DROP COLUMN \(column.quote())"
      case .renameColumn(let old, let new): "\(words) RENAME COLUMN \(old.quote()) TO \(new.quote())"
      case .renameTable(let name): "\(words) RENAME TO \(name.quote())"
      case .addIndex(let index, let ifNotExists): index.toSQL(ifNotExists: ifNotExists)
      case .dropIndex(let name, let ifExists): "DROP INDEX \(ifExists ? "IF EXISTS " : "")\(name.quote())"
      case .createTable(let columns, let ifNotExists):
        "CREATE TABLE \(ifNotExists ? "IF NOT EXISTS " : "")\(table.quote()) "
          + "(\(columns.map { $0.toSQL() }.joined(separator: ", ")))"
      }
    }

    func validate() throws {
      if case .createTable(columns: let columns, ifNotExists: _) = self, columns.isEmpty {
        throw Error.invalidColumnDefinition("a table must have at least one column")
      }
      guard case .addColumn(let column) = self else { return }
      if column.unique {
        throw Error.invalidColumnDefinition("can not add unique column")
      }
      if column.primaryKey != nil {
        throw Error.invalidColumnDefinition("can not add primary key column")
      }
      if [.CURRENT_TIME, .CURRENT_DATE, .CURRENT_TIMESTAMP].contains(column.defaultValue) {
        throw Error.invalidColumnDefinition("Invalid default value")
      }
      if !column.nullable, column.defaultValue == .NULL {
        throw Error.invalidColumnDefinition("NOT NULL columns must have a default value other than NULL")
      }
    }
  }

  /// Collects the changes of a table.
  public final class AlterTableDefinition {
    fileprivate var operations: [Operation] = []

    /// The name of the table.
    public let name: String

    fileprivate init(name: String) {
      self.name = name
    }

    /// Adds a column: `ALTER TABLE "users" ADD COLUMN "suffix" TEXT`.
    ///
    /// ```swift
    /// try schemaChanger.alter(table: "users") { table in
    ///   table.add(column: ColumnDefinition(name: "suffix", type: .TEXT))
    /// }
    /// ```
    ///
    /// - Parameter column: The column.
    public func add(column: ColumnDefinition) { operations.append(.addColumn(column)) }

    /// Adds an index: `CREATE INDEX "users_email" ON "users" ("email")`.
    ///
    /// ```swift
    /// try schemaChanger.alter(table: "users") { table in
    ///   table.add(index: IndexDefinition(table: "users", name: "users_email", columns: ["email"]))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - ifNotExists: Whether an existing index is left unchanged without an error.
    public func add(index: IndexDefinition, ifNotExists: Bool = false) {
      operations.append(.addIndex(index, ifNotExists: ifNotExists))
    }

    /// Drops an index: `DROP INDEX "users_email"`.
    ///
    /// ```swift
    /// try schemaChanger.alter(table: "users") { table in
    ///   table.drop(index: "users_email", ifExists: true)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - index: The name of the index.
    ///   - ifExists: Whether a missing index is ignored.
    public func drop(index: String, ifExists: Bool = false) {
      operations.append(.dropIndex(index, ifExists: ifExists))
    }

    /// Drops a column: `ALTER TABLE "users" DROP COLUMN "age"`.
    ///
    /// ```swift
    /// try schemaChanger.alter(table: "users") { table in
    ///   table.drop(column: "age")
    /// }
    /// ```
    ///
    /// - Parameter column: The name of the column.
    public func drop(column: String) { operations.append(.dropColumn(column)) }

    /// Renames a column: `ALTER TABLE "users" RENAME COLUMN "old_name" TO "new_name"`.
    ///
    /// ```swift
    /// try schemaChanger.alter(table: "users") { table in
    ///   table.rename(column: "old_name", to: "new_name")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - column: The name of the column.
    ///   - to: The new name.
    public func rename(column: String, to: String) { operations.append(.renameColumn(column, to)) }
  }

  /// A closure that defines the changes of a table.
  public typealias AlterTableDefinitionBlock = (AlterTableDefinition) -> Void

  /// Collects the columns of a new table.
  public final class CreateTableDefinition {
    fileprivate var columns: [ColumnDefinition] = []

    /// The name of the table.
    public let name: String

    fileprivate init(name: String) {
      self.name = name
    }

    /// Adds a column.
    ///
    /// ```swift
    /// try schemaChanger.create(table: "users") { table in
    ///   table.add(column: ColumnDefinition(name: "email", type: .TEXT, nullable: false))
    /// }
    /// ```
    ///
    /// - Parameter column: The column.
    public func add(column: ColumnDefinition) { columns.append(column) }

    /// Adds a column with the type of an expression: `"name" TEXT`, `"id" INTEGER NOT NULL`.
    ///
    /// ```swift
    /// try schemaChanger.create(table: "users") { table in
    ///   table.add(expression: email)
    /// }
    /// ```
    ///
    /// - Parameter expression: The column. It is NOT NULL unless its type is optional.
    public func add<T: ExpressionDatatype>(expression: SQLExpression<T>) {
      columns.append(
        ColumnDefinition(
          name: expression.unquotedName, type: .init(T.WrappedType.declaredDatatype), nullable: T._isOptional))
    }
  }

  /// A closure that defines the columns of a new table.
  public typealias CreateTableDefinitionBlock = (CreateTableDefinition) -> Void

  private let connection: Connection
  private let version: SQLiteVersion

  /// Creates a schema changer for a connection.
  ///
  /// ```swift
  /// let schemaChanger = SchemaChanger(connection: db)
  /// ```
  ///
  /// - Parameter connection: The connection.
  public convenience init(connection: Connection) {
    self.init(connection: connection, version: connection.sqliteVersion)
  }

  /// Creates a schema changer that is limited to the features of an SQLite version.
  init(connection: Connection, version: SQLiteVersion) {
    self.connection = connection
    self.version = version
  }

  /// Changes a table, completely or not at all.
  ///
  /// ```swift
  /// try schemaChanger.alter(table: "users") { table in
  ///   table.rename(column: "old_name", to: "new_name")
  ///   table.drop(column: "age")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - block: A closure that defines the changes.
  /// - Throws: A ``Result`` if SQLite rejects a change; `SchemaChanger.Error` if a column cannot be added, or if a
  ///   change would break foreign keys.
  public func alter(table: String, block: AlterTableDefinitionBlock) throws {
    let definition = AlterTableDefinition(name: table)
    block(definition)
    try run(definition.operations, table)
  }

  /// Creates a table: `CREATE TABLE "users" ("id" INTEGER NOT NULL, "name" TEXT)`.
  ///
  /// ```swift
  /// try schemaChanger.create(table: "users") { table in
  ///   table.add(column: .init(name: "id", primaryKey: .init(autoIncrement: true), type: .INTEGER))
  ///   table.add(expression: name)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - ifNotExists: Whether an existing table is left unchanged without an error.
  ///   - block: A closure that defines the columns.
  /// - Throws: A ``Result`` if the table exists; `SchemaChanger.Error` if the definition has no columns.
  public func create(table: String, ifNotExists: Bool = false, block: CreateTableDefinitionBlock) throws {
    let definition = CreateTableDefinition(name: table)
    block(definition)
    try run([.createTable(columns: definition.columns, ifNotExists: ifNotExists)], table)
  }

  /// Runs SQL for a change that the schema changer does not support.
  ///
  /// ```swift
  /// try schemaChanger.run("UPDATE users SET name = ? WHERE name IS NULL", "unknown")
  /// ```
  ///
  /// - Parameters:
  ///   - sql: One SQL statement.
  ///   - bindings: The arguments, in the order of the parameters.
  /// - Returns: The statement that ran.
  /// - Throws: A ``Result`` if the statement is not valid or fails.
  @discardableResult
  public func run(_ sql: String, _ bindings: (any Binding)?...) throws -> Statement {
    try connection.run(sql, bindings)
  }

  /// Drops a table, including its indexes and triggers.
  ///
  /// ```swift
  /// try schemaChanger.drop(table: "users")
  /// ```
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - ifExists: Whether a missing table is ignored.
  /// - Throws: A ``Result`` if the table cannot be dropped.
  public func drop(table: String, ifExists: Bool = true) throws {
    try connection.run(Table(table).drop(ifExists: ifExists))
  }

  /// Renames a table.
  ///
  /// ```swift
  /// try schemaChanger.rename(table: "users", to: "members")
  /// ```
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - to: The new name.
  /// - Throws: A ``Result`` if the table cannot be renamed.
  public func rename(table: String, to: String) throws { try run([.renameTable(to)], table) }

  private func run(_ operations: [Operation], _ table: String) throws {
    try operations.forEach { try $0.validate() }
    if operations.isEmpty { return }
    if operations.allSatisfy(version.offers) {
      try connection.savepoint("schema_changer") {
        for operation in operations { try connection.run(operation.sql(table)) }
      }
    } else {
      try connection.rebuildingTables {
        for operation in operations {
          if version.offers(operation) {
            try connection.run(operation.sql(table))
          } else {
            try connection.rebuild(table, operation)
          }
        }
      }
    }
  }

  /// A description with the connection.
  public var description: String { "SQLiteSchemaChanger: \(connection.description)" }
}
