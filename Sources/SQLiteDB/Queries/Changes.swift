/// An INSERT statement.
public struct Insert: WriteStatement, Sendable {
  // The SQL of a row is built on demand: a connection that inserted a similar row before has it already.
  private enum Content {
    case text(SQLExpression<Void>)
    case row(InsertedRow)
  }

  private var content: Content

  /// The single row of values to insert; nil if the statement inserts anything else.
  var row: InsertedRow? {
    if case .row(let row) = content { row } else { nil }
  }

  private var text: SQLExpression<Void> {
    switch content {
    case .text(let text): text
    case .row(let row): row.text
    }
  }

  /// The SQL, with a question mark for each argument.
  public var template: String {
    get { text.template }
    set { content = .text(SQLExpression(newValue, bindings)) }
  }

  /// The arguments, in the order of their question marks.
  public var bindings: [(any Binding)?] {
    get { text.bindings }
    set { content = .text(SQLExpression(template, newValue)) }
  }

  /// The statement as an expression.
  public var expression: SQLExpression<Void> { text }

  /// Creates a statement from SQL and its arguments.
  ///
  /// ```swift
  /// let insert = Insert("INSERT INTO users (email) VALUES (?)", ["alice@mac.com"])
  /// ```
  ///
  /// - Parameters:
  ///   - template: The SQL, with a question mark for each argument.
  ///   - bindings: The arguments.
  public init(_ template: String, _ bindings: [(any Binding)?]) {
    self.init(SQLExpression(template, bindings))
  }

  init(_ text: SQLExpression<Void>) {
    content = .text(text)
  }

  init(_ row: InsertedRow) {
    content = .row(row)
  }
}

/// An UPDATE statement.
public struct Update: WriteStatement, Sendable {
  /// The SQL, with a question mark for each argument.
  public var template: String

  /// The arguments, in the order of their question marks.
  public var bindings: [(any Binding)?]

  /// Creates a statement from SQL and its arguments.
  ///
  /// ```swift
  /// let update = Update("UPDATE users SET name = ?", [nil])
  /// ```
  ///
  /// - Parameters:
  ///   - template: The SQL, with a question mark for each argument.
  ///   - bindings: The arguments.
  public init(_ template: String, _ bindings: [(any Binding)?]) {
    self.template = template
    self.bindings = bindings
  }
}

/// A DELETE statement.
public struct Delete: WriteStatement, Sendable {
  /// The SQL, with a question mark for each argument.
  public var template: String

  /// The arguments, in the order of their question marks.
  public var bindings: [(any Binding)?]

  /// Creates a statement from SQL and its arguments.
  ///
  /// ```swift
  /// let delete = Delete("DELETE FROM users WHERE id = ?", [1])
  /// ```
  ///
  /// - Parameters:
  ///   - template: The SQL, with a question mark for each argument.
  ///   - bindings: The arguments.
  public init(_ template: String, _ bindings: [(any Binding)?]) {
    self.template = template
    self.bindings = bindings
  }
}

/// A statement that changes rows and returns columns of the changed rows.
///
/// ```swift
/// let rows = try db.run(users.filter(id > 10).delete().returning(id, email))
/// ```
public struct Returning: ExpressionType, Sendable {
  /// The SQL, with a question mark for each argument.
  public var template: String

  /// The arguments, in the order of their question marks.
  public var bindings: [(any Binding)?]

  /// The columns that are returned for each row.
  var columns: [SQLExpression<Void>] = []

  /// Creates a statement from SQL and its arguments.
  ///
  /// - Parameters:
  ///   - template: The SQL, with a question mark for each argument.
  ///   - bindings: The arguments.
  public init(_ template: String, _ bindings: [(any Binding)?]) {
    self.template = template
    self.bindings = bindings
  }

  fileprivate init(_ change: some ExpressionType, _ columns: [any Expressible]) {
    var writer = SQLWriter()
    writer.write(change)
    writer.write(" RETURNING ")
    writer.writeList(columns.map(\.expression))
    self.init(writer.template, writer.bindings)
    self.columns = columns.map(\.expression)
  }
}

/// A statement that changes rows, and that can return columns of these rows.
public protocol WriteStatement: ExpressionType {}

extension WriteStatement {
  /// Returns a statement that also returns columns of the changed rows: `INSERT … RETURNING "id"`.
  ///
  /// ```swift
  /// let rows = try db.run(users.insert(email <- "alice@mac.com").returning(id))
  /// ```
  ///
  /// - Parameters:
  ///   - column: A column to return.
  ///   - more: Further columns.
  /// - Returns: The statement. `Connection.run(_:)` returns its rows.
  public func returning(_ column: any Expressible, _ more: any Expressible...) -> Returning {
    Returning(self, [column] + more)
  }

  /// Returns a statement that also returns all columns of the changed rows: `INSERT … RETURNING *`.
  ///
  /// ```swift
  /// let rows = try db.run(users.filter(!verified).delete().returning(*))
  /// ```
  ///
  /// - Parameter star: `*`.
  /// - Returns: The statement. `Connection.run(_:)` returns its rows.
  public func returning(_ star: Star) -> Returning { Returning(self, [star(nil, nil)]) }
}

extension Insert {
  /// Returns a statement that skips rows that violate a uniqueness constraint: `INSERT … ON CONFLICT ("email") DO
  /// NOTHING`.
  ///
  /// ```swift
  /// try db.run(users.insert(email <- "alice@mac.com").onConflictDoNothing(of: email))
  /// ```
  ///
  /// - Parameter columns: The columns of the constraint. Without any, all constraints are considered.
  /// - Returns: The statement.
  public func onConflictDoNothing(of columns: any Expressible...) -> Insert {
    var writer = SQLWriter()
    writer.write(self)
    writer.write(" ON CONFLICT ")
    if !columns.isEmpty {
      writer.write("(")
      writer.writeList(columns.map(\.expression))
      writer.write(") ")
    }
    writer.write("DO NOTHING")
    return Insert(writer.template, writer.bindings)
  }
}

extension ExpressionType {
  /// Returns the expression with a name, for a query that selects it: `("balance" * 2) AS "double"`.
  ///
  /// The row is read with the expression, or with an expression of that name: `SQLExpression<Double>("double")`.
  ///
  /// ```swift
  /// let double = (balance * 2).alias("double")
  /// for user in try db.prepare(users.select(id, double)) { print(user[double]) }
  /// ```
  ///
  /// - Parameter name: The name.
  /// - Returns: An expression of the same type.
  public func alias(_ name: String) -> SQLExpression<UnderlyingType> {
    SQLExpression("\(template) AS \(name.quote())", bindings)
  }
}
