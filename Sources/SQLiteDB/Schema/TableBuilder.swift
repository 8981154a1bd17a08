/// Collects the columns and constraints of a new table.
///
/// ```swift
/// try db.run(users.create { t in
///   t.column(id, primaryKey: true)
///   t.column(email, unique: true, check: email.like("%@%"))
///   t.column(name)
/// })
/// ```
public final class TableBuilder {
  /// The SQL of the columns and constraints.
  var definitions: [String] = []

  /// The action on a row whose foreign key references a changed or deleted row.
  public enum Dependency: String, Sendable, Hashable {
    /// No action. The statement fails at its end if the reference is broken.
    case noAction = "NO ACTION"

    /// The change of the referenced row fails immediately.
    case restrict = "RESTRICT"

    /// The foreign key is set to NULL.
    case setNull = "SET NULL"

    /// The foreign key is set to its default value.
    case setDefault = "SET DEFAULT"

    /// The row is deleted, or its foreign key is updated.
    case cascade = "CASCADE"
  }

  func add(_ column: ColumnText) { definitions.append(column.sql) }
}

// MARK: - Columns

extension TableBuilder {
  /// Adds a column: `"email" TEXT NOT NULL UNIQUE`.
  ///
  /// ```swift
  /// try db.run(users.create { t in t.column(email, unique: true, check: email.like("%@%")) })
  /// ```
  ///
  /// - Parameters:
  ///   - name: The column. It is NOT NULL unless its type is optional.
  ///   - unique: Whether the values must be unique.
  ///   - check: A condition that all rows must match; nil for none.
  ///   - defaultValue: The default value; nil for none.
  public func column<T: ExpressionDatatype>(
    _ name: SQLExpression<T>, unique: Bool = false, check: (any SQLCondition)? = nil,
    defaultValue: T.WrappedType? = nil
  ) {
    add(ColumnText(name, check: check).unique(unique).default(defaultValue))
  }

  /// Adds a column whose default value is an expression: `"flags" INTEGER NOT NULL DEFAULT (random())`.
  ///
  /// ```swift
  /// try db.run(users.create { t in t.column(flags, defaultValue: SQLExpression<Int64>.random()) })
  /// ```
  ///
  /// - Parameters:
  ///   - name: The column. It is NOT NULL unless its type is optional.
  ///   - unique: Whether the values must be unique.
  ///   - check: A condition that all rows must match; nil for none.
  ///   - defaultValue: The expression for the default value.
  public func column<T: ExpressionDatatype, D: ExpressionDatatype>(
    _ name: SQLExpression<T>, unique: Bool = false, check: (any SQLCondition)? = nil, defaultValue: SQLExpression<D>
  ) where D.WrappedType == T.WrappedType {
    add(ColumnText(name, check: check).unique(unique).default(defaultValue))
  }

  /// Adds a text column with a collation: `"email" TEXT NOT NULL COLLATE NOCASE`.
  ///
  /// ```swift
  /// try db.run(users.create { t in t.column(email, unique: true, collate: .nocase) })
  /// ```
  ///
  /// - Parameters:
  ///   - name: The column. It is NOT NULL unless its type is optional.
  ///   - unique: Whether the values must be unique.
  ///   - check: A condition that all rows must match; nil for none.
  ///   - defaultValue: The default value; nil for none.
  ///   - collate: The collation.
  public func column<T: ExpressionDatatype>(
    _ name: SQLExpression<T>, unique: Bool = false, check: (any SQLCondition)? = nil,
    defaultValue: T.WrappedType? = nil, collate: Collation
  ) where T.WrappedType.Datatype == String {
    add(ColumnText(name, check: check).unique(unique).default(defaultValue).collating(collate))
  }

  /// Adds a text column with a collation, whose default value is an expression.
  ///
  /// ```swift
  /// let version = SQLExpression<String>(literal: "sqlite_version()")
  /// try db.run(users.create { t in t.column(name, defaultValue: version, collate: .nocase) })
  /// ```
  ///
  /// - Parameters:
  ///   - name: The column. It is NOT NULL unless its type is optional.
  ///   - unique: Whether the values must be unique.
  ///   - check: A condition that all rows must match; nil for none.
  ///   - defaultValue: The expression for the default value.
  ///   - collate: The collation.
  public func column<T: ExpressionDatatype, D: ExpressionDatatype>(
    _ name: SQLExpression<T>, unique: Bool = false, check: (any SQLCondition)? = nil, defaultValue: SQLExpression<D>,
    collate: Collation
  ) where D.WrappedType == T.WrappedType, T.WrappedType.Datatype == String {
    add(ColumnText(name, check: check).unique(unique).default(defaultValue).collating(collate))
  }

  /// Adds a primary key column: `"id" INTEGER PRIMARY KEY NOT NULL`.
  ///
  /// ```swift
  /// try db.run(users.create { t in t.column(id, primaryKey: true) })
  /// ```
  ///
  /// - Parameters:
  ///   - name: The column. It is NOT NULL unless its type is optional.
  ///   - primaryKey: Whether the column is the primary key.
  ///   - check: A condition that all rows must match; nil for none.
  ///   - defaultValue: The default value; nil for none.
  public func column<T: ExpressionDatatype>(
    _ name: SQLExpression<T>, primaryKey: Bool, check: (any SQLCondition)? = nil, defaultValue: T.WrappedType? = nil
  ) {
    add(ColumnText(name, check: check).primaryKey(primaryKey ? .default : nil).default(defaultValue))
  }

  /// Adds a primary key column whose default value is an expression.
  ///
  /// ```swift
  /// let token = SQLExpression<Data>("token")
  /// try db.run(users.create { t in t.column(token, primaryKey: true, defaultValue: SQLExpression<Data>.random(16)) })
  /// ```
  ///
  /// - Parameters:
  ///   - name: The column. It is NOT NULL unless its type is optional.
  ///   - primaryKey: Whether the column is the primary key.
  ///   - check: A condition that all rows must match; nil for none.
  ///   - defaultValue: The expression for the default value.
  public func column<T: ExpressionDatatype, D: ExpressionDatatype>(
    _ name: SQLExpression<T>, primaryKey: Bool, check: (any SQLCondition)? = nil, defaultValue: SQLExpression<D>
  ) where D.WrappedType == T.WrappedType {
    add(ColumnText(name, check: check).primaryKey(primaryKey ? .default : nil).default(defaultValue))
  }

  /// Adds an INTEGER primary key column: `"id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL`.
  ///
  /// ```swift
  /// try db.run(users.create { t in t.column(id, primaryKey: .autoincrement) })
  /// ```
  ///
  /// - Parameters:
  ///   - name: The column.
  ///   - primaryKey: The kind of the primary key.
  ///   - check: A condition that all rows must match; nil for none.
  public func column<T: ExpressionDatatype>(
    _ name: SQLExpression<T>, primaryKey: PrimaryKey, check: (any SQLCondition)? = nil
  ) where T.WrappedType.Datatype == Int64 {
    add(ColumnText(name, check: check).primaryKey(primaryKey))
  }

  /// Adds a primary key column that is also a foreign key.
  ///
  /// ```swift
  /// let profiles = Table("profiles")
  /// try db.run(profiles.create { t in t.column(userId, primaryKey: true, references: users, id) })
  /// ```
  ///
  /// - Parameters:
  ///   - name: The column. It is NOT NULL unless its type is optional.
  ///   - primaryKey: Whether the column is the primary key.
  ///   - check: A condition that all rows must match; nil for none.
  ///   - table: The referenced table.
  ///   - other: The referenced column.
  public func column<T: ExpressionDatatype, O: ExpressionDatatype>(
    _ name: SQLExpression<T>, primaryKey: Bool, check: (any SQLCondition)? = nil, references table: any QueryType,
    _ other: SQLExpression<O>
  ) where T.WrappedType == O.WrappedType {
    add(ColumnText(name, check: check).primaryKey(primaryKey ? .default : nil).referring(to: table, other))
  }

  /// Adds a column with a foreign key: `"user_id" INTEGER NOT NULL REFERENCES "users" ("id")`.
  ///
  /// ```swift
  /// try db.run(posts.create { t in t.column(userId, references: users, id) })
  /// ```
  ///
  /// - Parameters:
  ///   - name: The column. It is NOT NULL unless its type is optional.
  ///   - unique: Whether the values must be unique.
  ///   - check: A condition that all rows must match; nil for none.
  ///   - table: The referenced table.
  ///   - other: The referenced column.
  public func column<T: ExpressionDatatype, O: ExpressionDatatype>(
    _ name: SQLExpression<T>, unique: Bool = false, check: (any SQLCondition)? = nil, references table: any QueryType,
    _ other: SQLExpression<O>
  ) where T.WrappedType == O.WrappedType {
    add(ColumnText(name, check: check).unique(unique).referring(to: table, other))
  }

  /// Adds a column with a foreign key: `"user_id" INTEGER NOT NULL REFERENCES "users" ("id")`.
  ///
  /// ```swift
  /// try db.run(posts.create { t in t.column(userId, references: users[id]) })
  /// ```
  ///
  /// - Parameters:
  ///   - name: The column. It is NOT NULL unless its type is optional.
  ///   - unique: Whether the values must be unique.
  ///   - check: A condition that all rows must match; nil for none.
  ///   - other: The referenced column, qualified with its table.
  public func column<T: ExpressionDatatype, O: ExpressionDatatype>(
    _ name: SQLExpression<T>, unique: Bool = false, check: (any SQLCondition)? = nil, references other: SQLExpression<O>
  ) where T.WrappedType == O.WrappedType {
    add(ColumnText(name, check: check).unique(unique).referring(to: other))
  }
}

// MARK: - Constraints

extension TableBuilder {
  /// Adds a primary key: `PRIMARY KEY ("user_id", "title")`.
  ///
  /// ```swift
  /// try db.run(posts.create { t in
  ///   t.column(userId)
  ///   t.column(title)
  ///   t.primaryKey(userId, title)
  /// })
  /// ```
  ///
  /// - Parameters:
  ///   - column: The first column.
  ///   - more: Further columns.
  public func primaryKey(_ column: any Expressible, _ more: any Expressible...) {
    list("PRIMARY KEY", [column] + more)
  }

  /// Adds a uniqueness constraint: `UNIQUE ("user_id", "title")`.
  ///
  /// ```swift
  /// try db.run(posts.create { t in
  ///   t.column(userId)
  ///   t.column(title)
  ///   t.unique(userId, title)
  /// })
  /// ```
  ///
  /// - Parameter columns: The columns whose values must be unique in combination.
  public func unique(_ columns: any Expressible...) { unique(columns) }

  /// Adds a uniqueness constraint: `UNIQUE ("user_id", "title")`.
  ///
  /// ```swift
  /// let key: [any Expressible] = [userId, title]
  /// try db.run(posts.create { t in
  ///   t.column(userId)
  ///   t.column(title)
  ///   t.unique(key)
  /// })
  /// ```
  ///
  /// - Parameter columns: The columns whose values must be unique in combination.
  public func unique(_ columns: [any Expressible]) { list("UNIQUE", columns) }

  private func list(_ words: String, _ columns: [any Expressible]) {
    definitions.append("\(words) (\(columns.map { $0.asSQL() }.joined(separator: ", ")))")
  }

  /// Adds a check constraint: `CHECK (("balance" >= 0.0))`.
  ///
  /// ```swift
  /// try db.run(users.create { t in
  ///   t.column(balance)
  ///   t.check(balance >= 0)
  /// })
  /// ```
  ///
  /// - Parameter condition: The condition that all rows must match.
  public func check<T: ExpressionDatatype>(_ condition: SQLExpression<T>) where T.WrappedType == Bool {
    definitions.append("CHECK (\(condition.asSQL()))")
  }

  /// Adds a foreign key: `FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE SET NULL`.
  ///
  /// ```swift
  /// try db.run(posts.create { t in
  ///   t.column(userId)
  ///   t.foreignKey(userId, references: users, id, delete: .cascade)
  /// })
  /// ```
  ///
  /// - Parameters:
  ///   - column: The referencing column.
  ///   - table: The referenced table.
  ///   - other: The referenced column.
  ///   - update: The action when the referenced key changes; nil for none.
  ///   - delete: The action when the referenced row is deleted; nil for none.
  public func foreignKey<T: ExpressionDatatype, A: ExpressionDatatype>(
    _ column: SQLExpression<T>, references table: any QueryType, _ other: SQLExpression<A>,
    update: Dependency? = nil, delete: Dependency? = nil
  ) where T.WrappedType == A.WrappedType {
    foreignKey([column], table, [other], update, delete)
  }

  /// Adds a foreign key of two columns.
  ///
  /// ```swift
  /// try db.run(Table("likes").create { t in
  ///   t.column(userId)
  ///   t.column(title)
  ///   t.foreignKey((userId, title), references: posts, (userId, title), delete: .cascade)
  /// })
  /// ```
  ///
  /// - Parameters:
  ///   - composite: The referencing columns.
  ///   - table: The referenced table.
  ///   - other: The referenced columns.
  ///   - update: The action when the referenced key changes; nil for none.
  ///   - delete: The action when the referenced row is deleted; nil for none.
  public func foreignKey<
    T: ExpressionDatatype, U: ExpressionDatatype, A: ExpressionDatatype, B: ExpressionDatatype
  >(
    _ composite: (SQLExpression<T>, SQLExpression<U>), references table: any QueryType,
    _ other: (SQLExpression<A>, SQLExpression<B>), update: Dependency? = nil, delete: Dependency? = nil
  ) where T.WrappedType == A.WrappedType, U.WrappedType == B.WrappedType {
    foreignKey([composite.0, composite.1], table, [other.0, other.1], update, delete)
  }

  /// Adds a foreign key of three columns.
  ///
  /// ```swift
  /// try db.run(Table("likes").create { t in
  ///   t.column(userId)
  ///   t.column(title)
  ///   t.column(date)
  ///   t.foreignKey((userId, title, date), references: posts, (userId, title, date))
  /// })
  /// ```
  ///
  /// - Parameters:
  ///   - composite: The referencing columns.
  ///   - table: The referenced table.
  ///   - other: The referenced columns.
  ///   - update: The action when the referenced key changes; nil for none.
  ///   - delete: The action when the referenced row is deleted; nil for none.
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
    // SQLite reports an error if the column is not qualified.
    with { $0.references = column.namespaced ?? ("", column.template) }
  }
}
