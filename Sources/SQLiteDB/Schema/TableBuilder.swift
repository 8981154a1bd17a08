/// Collects the columns and the constraints of a table that is created.
///
/// ```swift
/// try db.run(users.create { t in
///   t.column(id, primaryKey: true)
///   t.column(email, unique: true, check: email.like("%@%"))
///   t.column(name)
/// })
/// ```
public final class TableBuilder {
  /// The columns and constraints, as SQL writes them.
  var definitions: [String] = []

  /// What becomes of a row whose foreign key loses its row.
  public enum Dependency: String, Sendable, Hashable {
    /// Nothing: it is an error when the statement ends.
    case noAction = "NO ACTION"

    /// It is an error at once.
    case restrict = "RESTRICT"

    /// The key becomes NULL.
    case setNull = "SET NULL"

    /// The key becomes its default value.
    case setDefault = "SET DEFAULT"

    /// The row goes, or changes, too.
    case cascade = "CASCADE"
  }

  func add(_ column: ColumnText) { definitions.append(column.sql) }
}

// MARK: - Columns

extension TableBuilder {
  /// A column: `"email" TEXT NOT NULL UNIQUE`.
  ///
  /// - parameter name: The column. It is NOT NULL unless it is one of an optional type.
  /// - parameter unique: Whether each value is there once.
  /// - parameter check: What must hold for each row.
  /// - parameter defaultValue: The value where an insert gives none.
  public func column<T: ExpressionDatatype>(
    _ name: SQLExpression<T>, unique: Bool = false, check: (any SQLCondition)? = nil,
    defaultValue: T.WrappedType? = nil
  ) {
    add(ColumnText(name, check: check).unique(unique).default(defaultValue))
  }

  /// A column whose default value is an expression.
  public func column<T: ExpressionDatatype, D: ExpressionDatatype>(
    _ name: SQLExpression<T>, unique: Bool = false, check: (any SQLCondition)? = nil, defaultValue: SQLExpression<D>
  ) where D.WrappedType == T.WrappedType {
    add(ColumnText(name, check: check).unique(unique).default(defaultValue))
  }

  /// A column of texts that are compared in another way: `"email" TEXT NOT NULL COLLATE NOCASE`.
  public func column<T: ExpressionDatatype>(
    _ name: SQLExpression<T>, unique: Bool = false, check: (any SQLCondition)? = nil,
    defaultValue: T.WrappedType? = nil, collate: Collation
  ) where T.WrappedType.Datatype == String {
    add(ColumnText(name, check: check).unique(unique).default(defaultValue).collating(collate))
  }

  /// A column of texts that are compared in another way, whose default value is an expression.
  public func column<T: ExpressionDatatype, D: ExpressionDatatype>(
    _ name: SQLExpression<T>, unique: Bool = false, check: (any SQLCondition)? = nil, defaultValue: SQLExpression<D>,
    collate: Collation
  ) where D.WrappedType == T.WrappedType, T.WrappedType.Datatype == String {
    add(ColumnText(name, check: check).unique(unique).default(defaultValue).collating(collate))
  }

  /// A column of the primary key: `"id" INTEGER PRIMARY KEY NOT NULL`.
  public func column<T: ExpressionDatatype>(
    _ name: SQLExpression<T>, primaryKey: Bool, check: (any SQLCondition)? = nil, defaultValue: T.WrappedType? = nil
  ) {
    add(ColumnText(name, check: check).primaryKey(primaryKey ? .default : nil).default(defaultValue))
  }

  /// A column of the primary key, whose default value is an expression.
  public func column<T: ExpressionDatatype, D: ExpressionDatatype>(
    _ name: SQLExpression<T>, primaryKey: Bool, check: (any SQLCondition)? = nil, defaultValue: SQLExpression<D>
  ) where D.WrappedType == T.WrappedType {
    add(ColumnText(name, check: check).primaryKey(primaryKey ? .default : nil).default(defaultValue))
  }

  /// The column of an INTEGER primary key: `"id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL`.
  public func column<T: ExpressionDatatype>(
    _ name: SQLExpression<T>, primaryKey: PrimaryKey, check: (any SQLCondition)? = nil
  ) where T.WrappedType.Datatype == Int64 {
    add(ColumnText(name, check: check).primaryKey(primaryKey))
  }

  /// A column of the primary key that finds a row of another table.
  public func column<T: ExpressionDatatype, O: ExpressionDatatype>(
    _ name: SQLExpression<T>, primaryKey: Bool, check: (any SQLCondition)? = nil, references table: any QueryType,
    _ other: SQLExpression<O>
  ) where T.WrappedType == O.WrappedType {
    add(ColumnText(name, check: check).primaryKey(primaryKey ? .default : nil).referring(to: table, other))
  }

  /// A column that finds a row of another table: `"user_id" INTEGER NOT NULL REFERENCES "users" ("id")`.
  public func column<T: ExpressionDatatype, O: ExpressionDatatype>(
    _ name: SQLExpression<T>, unique: Bool = false, check: (any SQLCondition)? = nil, references table: any QueryType,
    _ other: SQLExpression<O>
  ) where T.WrappedType == O.WrappedType {
    add(ColumnText(name, check: check).unique(unique).referring(to: table, other))
  }

  /// A column that finds a row of another table: `t.column(userId, references: users[id])`.
  public func column<T: ExpressionDatatype, O: ExpressionDatatype>(
    _ name: SQLExpression<T>, unique: Bool = false, check: (any SQLCondition)? = nil, references other: SQLExpression<O>
  ) where T.WrappedType == O.WrappedType {
    add(ColumnText(name, check: check).unique(unique).referring(to: other))
  }
}

// MARK: - Constraints

extension TableBuilder {
  /// The primary key: `PRIMARY KEY ("email" ASC, "name")`.
  public func primaryKey(_ column: any Expressible, _ more: any Expressible...) {
    list("PRIMARY KEY", [column] + more)
  }

  /// Values that are there once together: `UNIQUE ("local", "domain")`.
  public func unique(_ columns: any Expressible...) { unique(columns) }

  /// Values that are there once together: `UNIQUE ("local", "domain")`.
  public func unique(_ columns: [any Expressible]) { list("UNIQUE", columns) }

  private func list(_ words: String, _ columns: [any Expressible]) {
    definitions.append("\(words) (\(columns.map { $0.asSQL() }.joined(separator: ", ")))")
  }

  /// What must hold for each row: `CHECK (("balance" >= 0.0))`.
  public func check<T: ExpressionDatatype>(_ condition: SQLExpression<T>) where T.WrappedType == Bool {
    definitions.append("CHECK (\(condition.asSQL()))")
  }

  /// A key that finds a row of another table: `FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE SET NULL`.
  ///
  /// - parameter column: The column of this table.
  /// - parameter table: The other table.
  /// - parameter other: The column of the other table.
  /// - parameter update: What becomes of the row when the key of the other one changes.
  /// - parameter delete: What becomes of the row when the other one is deleted.
  public func foreignKey<T: ExpressionDatatype, A: ExpressionDatatype>(
    _ column: SQLExpression<T>, references table: any QueryType, _ other: SQLExpression<A>,
    update: Dependency? = nil, delete: Dependency? = nil
  ) where T.WrappedType == A.WrappedType {
    foreignKey([column], table, [other], update, delete)
  }

  /// A key of two columns that finds a row of another table.
  public func foreignKey<
    T: ExpressionDatatype, U: ExpressionDatatype, A: ExpressionDatatype, B: ExpressionDatatype
  >(
    _ composite: (SQLExpression<T>, SQLExpression<U>), references table: any QueryType,
    _ other: (SQLExpression<A>, SQLExpression<B>), update: Dependency? = nil, delete: Dependency? = nil
  ) where T.WrappedType == A.WrappedType, U.WrappedType == B.WrappedType {
    foreignKey([composite.0, composite.1], table, [other.0, other.1], update, delete)
  }

  /// A key of three columns that finds a row of another table.
  public func foreignKey<
    T: ExpressionDatatype, U: ExpressionDatatype, V: ExpressionDatatype, A: ExpressionDatatype, B: ExpressionDatatype,
    C: ExpressionDatatype
  >(
    _ composite: (SQLExpression<T>, SQLExpression<U>, SQLExpression<V>), references table: any QueryType,
    _ other: (SQLExpression<A>, SQLExpression<B>, SQLExpression<C>), update: Dependency? = nil,
    delete: Dependency? = nil
  ) where T.WrappedType == A.WrappedType, U.WrappedType == B.WrappedType, V.WrappedType == C.WrappedType {
    foreignKey([composite.0, composite.1, composite.2], table, [other.0, other.1, other.2], update, delete)
  }

  private func foreignKey(
    _ columns: [any Expressible], _ table: any QueryType, _ others: [any Expressible], _ update: Dependency?,
    _ delete: Dependency?
  ) {
    let names = [columns, others].map { $0.map { $0.asSQL() }.joined(separator: ", ") }
    var text = "FOREIGN KEY (\(names[0])) REFERENCES \(table.unqualifiedName) (\(names[1]))"
    if let update { text += " ON UPDATE \(update.rawValue)" }
    if let delete { text += " ON DELETE \(delete.rawValue)" }
    definitions.append(text)
  }
}

extension ColumnText {
  func unique(_ isOn: Bool) -> ColumnText { with { $0.unique = isOn } }

  func primaryKey(_ key: PrimaryKey?) -> ColumnText { with { $0.primaryKey = key } }

  func `default`(_ value: (any Expressible)?) -> ColumnText { with { $0.defaultValue = value?.expression } }

  func collating(_ collation: Collation) -> ColumnText { with { $0.collation = collation } }

  func referring(to table: any QueryType, _ column: any Expressible) -> ColumnText {
    let name = column.expression
    return with { $0.references = (table.unqualifiedName, name.namespaced?.column ?? name.template) }
  }

  func referring<O>(to column: SQLExpression<O>) -> ColumnText {
    // Without a table in front, SQLite says what is wrong.
    with { $0.references = column.namespaced ?? ("", column.template) }
  }
}
