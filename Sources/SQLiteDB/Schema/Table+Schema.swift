// Methods that return the SQL of schema changes. `Connection.run(_:_:)` runs it.

extension Table {
  /// Returns the statement that creates the table: `CREATE TABLE "users" (…)`.
  ///
  /// ```swift
  /// try db.run(users.create(ifNotExists: true) { t in
  ///   t.column(id, primaryKey: true)
  ///   t.column(email, unique: true)
  /// })
  /// ```
  ///
  /// - Parameters:
  ///   - temporary: Whether the table belongs to the connection, and is dropped when it closes.
  ///   - ifNotExists: Whether an existing table is left unchanged without an error.
  ///   - withoutRowid: Whether the rows do not have row IDs, and are stored by their primary key.
  ///   - block: A closure that defines the columns and constraints.
  /// - Returns: The statement.
  public func create(
    temporary: Bool = false, ifNotExists: Bool = false, withoutRowid: Bool = false, block: (TableBuilder) -> Void
  ) -> String {
    let builder = TableBuilder()
    block(builder)
    let text = "\(creation(temporary: temporary, ifNotExists)) (\(builder.definitions.joined(separator: ", ")))"
    return withoutRowid ? "\(text) WITHOUT ROWID" : text
  }

  /// Returns the statement that creates the table with the rows of a query: `CREATE TABLE "archive" AS SELECT …`.
  ///
  /// ```swift
  /// try db.run(Table("archive").create(users.filter(!verified)))
  /// ```
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - temporary: Whether the table belongs to the connection, and is dropped when it closes.
  ///   - ifNotExists: Whether an existing table is left unchanged without an error.
  /// - Returns: The statement.
  public func create(_ query: any QueryType, temporary: Bool = false, ifNotExists: Bool = false) -> String {
    "\(creation(temporary: temporary, ifNotExists)) AS \(query.asSQL())"
  }

  /// Returns the statement that renames the table: `ALTER TABLE "users" RENAME TO "users_old"`.
  ///
  /// ```swift
  /// try db.run(users.rename(Table("users_old")))
  /// ```
  ///
  /// - Parameter to: The table with the new name.
  /// - Returns: The statement.
  public func rename(_ to: Table) -> String { renaming(to) }

  // MARK: Columns

  /// Returns the statement that adds a column: `ALTER TABLE "users" ADD COLUMN "suffix" TEXT`.
  ///
  /// ```swift
  /// try db.run(users.addColumn(SQLExpression<Int>("visits"), defaultValue: 0))
  /// ```
  ///
  /// - Parameters:
  ///   - name: The column. It is NOT NULL unless its type is optional.
  ///   - check: A condition that all rows must match; nil for none.
  ///   - defaultValue: The default value. SQLite requires it for NOT NULL columns, unless the table is empty.
  /// - Returns: The statement.
  public func addColumn<T: ExpressionDatatype>(
    _ name: SQLExpression<T>, check: (any SQLCondition)? = nil, defaultValue: T.WrappedType? = nil
  ) -> String {
    adding(ColumnText(name, check: check).default(defaultValue))
  }

  /// Returns the statement that adds a text column with a collation.
  ///
  /// ```swift
  /// try db.run(users.addColumn(nick, collate: .nocase))
  /// ```
  ///
  /// - Parameters:
  ///   - name: The column. It is NOT NULL unless its type is optional.
  ///   - check: A condition that all rows must match; nil for none.
  ///   - defaultValue: The default value. SQLite requires it for NOT NULL columns, unless the table is empty.
  ///   - collate: The collation.
  /// - Returns: The statement.
  public func addColumn<T: ExpressionDatatype>(
    _ name: SQLExpression<T>, check: (any SQLCondition)? = nil, defaultValue: T.WrappedType? = nil, collate: Collation
  ) -> String where T.WrappedType.Datatype == String {
    adding(ColumnText(name, check: check).default(defaultValue).collating(collate))
  }

  /// Returns the statement that adds a column with a foreign key.
  ///
  /// ```swift
  /// try db.run(users.addColumn(managerId, references: users, id))
  /// ```
  ///
  /// - Parameters:
  ///   - name: The column. It is NOT NULL unless its type is optional.
  ///   - unique: Whether the values must be unique.
  ///   - check: A condition that all rows must match; nil for none.
  ///   - table: The referenced table.
  ///   - other: The referenced column.
  /// - Returns: The statement.
  public func addColumn<T: ExpressionDatatype, O: ExpressionDatatype>(
    _ name: SQLExpression<T>, unique: Bool = false, check: (any SQLCondition)? = nil, references table: any QueryType,
    _ other: SQLExpression<O>
  ) -> String where T.WrappedType == O.WrappedType {
    adding(ColumnText(name, check: check).unique(unique).referring(to: table, other))
  }

  /// Returns the statement that adds a column with a foreign key.
  ///
  /// ```swift
  /// try db.run(users.addColumn(managerId, references: users[id]))
  /// ```
  ///
  /// - Parameters:
  ///   - name: The column. It is NOT NULL unless its type is optional.
  ///   - unique: Whether the values must be unique.
  ///   - check: A condition that all rows must match; nil for none.
  ///   - other: The referenced column, qualified with its table.
  /// - Returns: The statement.
  public func addColumn<T: ExpressionDatatype, O: ExpressionDatatype>(
    _ name: SQLExpression<T>, unique: Bool = false, check: (any SQLCondition)? = nil, references other: SQLExpression<O>
  ) -> String where T.WrappedType == O.WrappedType {
    adding(ColumnText(name, check: check).unique(unique).referring(to: other))
  }

  private func adding(_ column: ColumnText) -> String {
    "ALTER TABLE \(clauses.source.qualifiedName) ADD COLUMN \(column.sql)"
  }

  // MARK: Indexes

  /// Returns the statement that creates an index: `CREATE INDEX "index_users_on_email" ON "users" ("email")`.
  ///
  /// The name of the index consists of the names of the table and the columns.
  ///
  /// ```swift
  /// try db.run(users.createIndex(email, unique: true))
  /// ```
  ///
  /// - Parameters:
  ///   - columns: The columns or expressions.
  ///   - unique: Whether the values must be unique.
  ///   - ifNotExists: Whether an existing index is left unchanged without an error.
  /// - Returns: The statement.
  public func createIndex(_ columns: any Expressible..., unique: Bool = false, ifNotExists: Bool = false) -> String {
    createIndex(columns, unique: unique, ifNotExists: ifNotExists)
  }

  /// Returns the statement that creates an index, whose name consists of the names of the table and the columns.
  ///
  /// ```swift
  /// try db.run(posts.createIndex([userId, date.desc]))
  /// ```
  ///
  /// - Parameters:
  ///   - columns: The columns or expressions.
  ///   - unique: Whether the values must be unique.
  ///   - ifNotExists: Whether an existing index is left unchanged without an error.
  /// - Returns: The statement.
  public func createIndex(_ columns: [any Expressible], unique: Bool = false, ifNotExists: Bool = false) -> String {
    let list = columns.map { $0.asSQL() }.joined(separator: ", ")
    let words = "CREATE \(unique ? "UNIQUE " : "")INDEX \(ifNotExists ? "IF NOT EXISTS " : "")"
    return "\(words)\(indexName(columns)) ON \(unqualifiedName) (\(list))"
  }

  /// Returns the statement that drops an index that `createIndex` named: `DROP INDEX "index_users_on_email"`.
  ///
  /// ```swift
  /// try db.run(users.dropIndex(email, ifExists: true))
  /// ```
  ///
  /// - Parameters:
  ///   - columns: The columns of the index.
  ///   - ifExists: Whether a missing index is ignored.
  /// - Returns: The statement.
  public func dropIndex(_ columns: any Expressible..., ifExists: Bool = false) -> String {
    dropIndex(columns, ifExists: ifExists)
  }

  /// Returns the statement that drops an index that `createIndex` named.
  ///
  /// ```swift
  /// try db.run(posts.dropIndex([userId, date.desc]))
  /// ```
  ///
  /// - Parameters:
  ///   - columns: The columns of the index.
  ///   - ifExists: Whether a missing index is ignored.
  /// - Returns: The statement.
  public func dropIndex(_ columns: [any Expressible], ifExists: Bool = false) -> String {
    "DROP INDEX \(ifExists ? "IF EXISTS " : "")\(indexName(columns))"
  }

  /// Returns the name of an index: `index_users_on_email_name_desc`. Characters other than letters and digits become
  /// underscores, as in SQLite.swift: a name must find the index that another program has created.
  private func indexName(_ columns: [any Expressible]) -> String {
    let words = ["index", clauses.source.name, "on"] + columns.map(\.expression.template)
    let name = words.joined(separator: " ").lowercased().reduce(into: "") { name, character in
      switch character {
      case "\"": break
      case "a"..."z", "0"..."9": name.append(character)
      default: name.append("_")
      }
    }
    return clauses.source.database.map { "\($0.quote()).\(name.quote())" } ?? name.quote()
  }
}

extension View {
  /// Returns the statement that creates the view of a query: `CREATE VIEW "adults" AS SELECT …`.
  ///
  /// ```swift
  /// try db.run(View("adults").create(users.filter(age >= 18)))
  /// ```
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - temporary: Whether the view belongs to the connection, and is dropped when it closes.
  ///   - ifNotExists: Whether an existing view is left unchanged without an error.
  /// - Returns: The statement.
  public func create(_ query: any QueryType, temporary: Bool = false, ifNotExists: Bool = false) -> String {
    "\(creation(temporary: temporary, ifNotExists)) AS \(query.asSQL())"
  }
}

extension VirtualTable {
  /// Returns the statement that creates the virtual table: `CREATE VIRTUAL TABLE "emails" USING fts4(…)`.
  ///
  /// ```swift
  /// try db.run(emails.create(.FTS4(subject, body)))
  /// ```
  ///
  /// - Parameters:
  ///   - using: The module of the table.
  ///   - ifNotExists: Whether an existing table is left unchanged without an error.
  /// - Returns: The statement.
  public func create(_ using: Module, ifNotExists: Bool = false) -> String {
    "\(creation(temporary: false, ifNotExists)) USING \(using.asSQL())"
  }

  /// Returns the statement that renames the table: `ALTER TABLE "emails" RENAME TO "emails_old"`.
  ///
  /// ```swift
  /// try db.run(emails.rename(VirtualTable("emails_old")))
  /// ```
  ///
  /// - Parameter to: The table with the new name.
  /// - Returns: The statement.
  public func rename(_ to: VirtualTable) -> String { renaming(to) }
}

extension SchemaType {
  /// Returns the statement that drops the table or the view: `DROP TABLE "users"`.
  ///
  /// ```swift
  /// try db.run(users.drop(ifExists: true))
  /// ```
  ///
  /// - Parameter ifExists: Whether a missing table or view is ignored.
  /// - Returns: The statement.
  public func drop(ifExists: Bool = false) -> String {
    // SQL drops virtual tables with DROP TABLE.
    let identifier = Self.identifier == VirtualTable.identifier ? Table.identifier : Self.identifier
    return "DROP \(identifier) \(ifExists ? "IF EXISTS " : "")\(clauses.source.qualifiedName)"
  }

  fileprivate func creation(temporary: Bool, _ ifNotExists: Bool) -> String {
    let words = "CREATE \(temporary ? "TEMPORARY " : "")\(Self.identifier)"
    return "\(words) \(ifNotExists ? "IF NOT EXISTS " : "")\(clauses.source.qualifiedName)"
  }

  fileprivate func renaming(_ other: Self) -> String {
    "ALTER TABLE \(clauses.source.qualifiedName) RENAME TO \(other.unqualifiedName)"
  }
}

/// A module, which implements a virtual table.
public struct Module: Expressible, Sendable {
  /// The name in SQL. SQLite's own modules are not quoted.
  private let name: String
  private let arguments: [SQLExpression<Void>]

  /// Creates a module with arguments: `"custom"("subject", 'en')`.
  ///
  /// ```swift
  /// let module = Module("custom", [subject, "en"])
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the module, which is quoted.
  ///   - arguments: The columns and options.
  public init(_ name: String, _ arguments: [any Expressible]) {
    self.init(unquoted: name.quote(), arguments)
  }

  /// Creates one of SQLite's own modules.
  init(unquoted name: String, _ arguments: [any Expressible]) {
    self.name = name
    self.arguments = arguments.map(\.expression)
  }

  /// The module as SQL: `fts4("subject", "body")`.
  public var expression: SQLExpression<Void> { .function(name, arguments) }

  /// Returns an R-tree module, for range queries: `rtree("id", "minX", "maxX")`.
  ///
  /// ```swift
  /// let (minX, maxX) = (SQLExpression<Double>("minX"), SQLExpression<Double>("maxX"))
  /// try db.run(VirtualTable("areas").create(.RTree(id, (minX, maxX))))
  /// ```
  ///
  /// - Parameters:
  ///   - primaryKey: The column of the row IDs.
  ///   - pairs: The columns of the lower and the upper bound, for each dimension.
  /// - Returns: The module.
  public static func RTree<T: Value, U: Value>(
    _ primaryKey: SQLExpression<T>, _ pairs: (SQLExpression<U>, SQLExpression<U>)...
  ) -> Module where T.Datatype == Int64, U.Datatype == Double {
    var columns: [any Expressible] = [primaryKey]
    for pair in pairs { columns += [pair.0, pair.1] as [any Expressible] }
    return Module(unquoted: "rtree", columns)
  }
}
