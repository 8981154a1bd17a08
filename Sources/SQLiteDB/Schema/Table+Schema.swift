// The statements that create, change and drop what is in the schema. They are texts: `Connection.run(_:)` runs them.

extension Table {
  /// Creates the table: `CREATE TABLE "users" (…)`.
  ///
  /// - parameter temporary: Whether the table is the connection's own, and goes with it.
  /// - parameter ifNotExists: Whether nothing is done when there is such a table.
  /// - parameter withoutRowid: Whether the rows have no ids, and are stored by their primary key.
  /// - parameter block: Told what collects columns and constraints.
  public func create(
    temporary: Bool = false, ifNotExists: Bool = false, withoutRowid: Bool = false, block: (TableBuilder) -> Void
  ) -> String {
    let builder = TableBuilder()
    block(builder)
    let text = "\(creation(temporary: temporary, ifNotExists)) (\(builder.definitions.joined(separator: ", ")))"
    return withoutRowid ? "\(text) WITHOUT ROWID" : text
  }

  /// Creates the table with the rows of a query: `CREATE TABLE "users" AS SELECT …`.
  public func create(_ query: any QueryType, temporary: Bool = false, ifNotExists: Bool = false) -> String {
    "\(creation(temporary: temporary, ifNotExists)) AS \(query.asSQL())"
  }

  /// Names the table anew: `ALTER TABLE "users" RENAME TO "users_old"`.
  public func rename(_ to: Table) -> String { renaming(to) }

  // MARK: Columns

  /// Adds a column: `ALTER TABLE "users" ADD COLUMN "suffix" TEXT`.
  ///
  /// SQLite asks for a default value where the column is not optional, unless the table is empty.
  public func addColumn<T: ExpressionDatatype>(
    _ name: SQLExpression<T>, check: (any SQLCondition)? = nil, defaultValue: T.WrappedType? = nil
  ) -> String {
    adding(ColumnText(name, check: check).default(defaultValue))
  }

  /// Adds a column of texts that are compared in another way.
  public func addColumn<T: ExpressionDatatype>(
    _ name: SQLExpression<T>, check: (any SQLCondition)? = nil, defaultValue: T.WrappedType? = nil, collate: Collation
  ) -> String where T.WrappedType.Datatype == String {
    adding(ColumnText(name, check: check).default(defaultValue).collating(collate))
  }

  /// Adds a column that finds a row of another table.
  public func addColumn<T: ExpressionDatatype, O: ExpressionDatatype>(
    _ name: SQLExpression<T>, unique: Bool = false, check: (any SQLCondition)? = nil, references table: any QueryType,
    _ other: SQLExpression<O>
  ) -> String where T.WrappedType == O.WrappedType {
    adding(ColumnText(name, check: check).unique(unique).referring(to: table, other))
  }

  /// Adds a column that finds a row of another table: `references: users[id]`.
  public func addColumn<T: ExpressionDatatype, O: ExpressionDatatype>(
    _ name: SQLExpression<T>, unique: Bool = false, check: (any SQLCondition)? = nil, references other: SQLExpression<O>
  ) -> String where T.WrappedType == O.WrappedType {
    adding(ColumnText(name, check: check).unique(unique).referring(to: other))
  }

  private func adding(_ column: ColumnText) -> String {
    "ALTER TABLE \(clauses.source.qualifiedName) ADD COLUMN \(column.sql)"
  }

  // MARK: Indexes

  /// Creates an index, whose name is made of those of the table and the columns:
  /// `CREATE INDEX "index_users_on_email" ON "users" ("email")`.
  public func createIndex(_ columns: any Expressible..., unique: Bool = false, ifNotExists: Bool = false) -> String {
    createIndex(columns, unique: unique, ifNotExists: ifNotExists)
  }

  /// Creates an index, whose name is made of those of the table and the columns.
  public func createIndex(_ columns: [any Expressible], unique: Bool = false, ifNotExists: Bool = false) -> String {
    let list = columns.map { $0.asSQL() }.joined(separator: ", ")
    let words = "CREATE \(unique ? "UNIQUE " : "")INDEX \(ifNotExists ? "IF NOT EXISTS " : "")"
    return "\(words)\(indexName(columns)) ON \(unqualifiedName) (\(list))"
  }

  /// Drops the index that `createIndex` has made for these columns: `DROP INDEX "index_users_on_email"`.
  public func dropIndex(_ columns: any Expressible..., ifExists: Bool = false) -> String {
    dropIndex(columns, ifExists: ifExists)
  }

  /// Drops the index that `createIndex` has made for these columns.
  public func dropIndex(_ columns: [any Expressible], ifExists: Bool = false) -> String {
    "DROP INDEX \(ifExists ? "IF EXISTS " : "")\(indexName(columns))"
  }

  /// `index_users_on_email_name_desc`: letters, digits, and what joins them.
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
  /// Creates the view of a query: `CREATE VIEW "active" AS SELECT …`.
  public func create(_ query: any QueryType, temporary: Bool = false, ifNotExists: Bool = false) -> String {
    "\(creation(temporary: temporary, ifNotExists)) AS \(query.asSQL())"
  }
}

extension VirtualTable {
  /// Creates the table, with the module that makes its rows: `CREATE VIRTUAL TABLE "emails" USING fts4(…)`.
  public func create(_ using: Module, ifNotExists: Bool = false) -> String {
    "\(creation(temporary: false, ifNotExists)) USING \(using.asSQL())"
  }

  /// Names the table anew: `ALTER TABLE "emails" RENAME TO "emails_old"`.
  public func rename(_ to: VirtualTable) -> String { renaming(to) }
}

extension SchemaType {
  /// Drops it: `DROP TABLE "users"`.
  ///
  /// - parameter ifExists: Whether nothing is done when there is none.
  public func drop(ifExists: Bool = false) -> String {
    // A virtual table is one that SQL knows for a table when it is dropped.
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

/// What makes the rows of a virtual table.
public struct Module: Expressible, Sendable {
  /// As SQL writes it: the names of SQLite's own modules have no quotes.
  private let name: String
  private let arguments: [SQLExpression<Void>]

  /// A module of the program, or of an extension, and its arguments: `"custom"("subject", 'en')`.
  ///
  /// - parameter name: The name of the module, which is quoted.
  /// - parameter arguments: The columns and options.
  public init(_ name: String, _ arguments: [any Expressible]) {
    self.init(unquoted: name.quote(), arguments)
  }

  /// A module that SQLite has itself.
  init(unquoted name: String, _ arguments: [any Expressible]) {
    self.name = name
    self.arguments = arguments.map(\.expression)
  }

  /// The module as SQL writes it: `fts4("subject", "body")`.
  public var expression: SQLExpression<Void> { .function(name, arguments) }

  /// A module of ranges: `rtree("id", "minX", "maxX")`.
  public static func RTree<T: Value, U: Value>(
    _ primaryKey: SQLExpression<T>, _ pairs: (SQLExpression<U>, SQLExpression<U>)...
  ) -> Module where T.Datatype == Int64, U.Datatype == Double {
    var columns: [any Expressible] = [primaryKey]
    for pair in pairs { columns += [pair.0, pair.1] as [any Expressible] }
    return Module(unquoted: "rtree", columns)
  }
}
