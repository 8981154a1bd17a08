/// A statement that inserts rows.
public struct Insert: WriteStatement, Sendable {
  // The text of a row is not made before somebody wants it: a connection that has inserted such a row has it.
  private enum Content {
    case text(SQLExpression<Void>)
    case row(InsertedRow)
  }

  private var content: Content

  /// The one row of values that is inserted, if the statement is nothing else.
  var row: InsertedRow? {
    if case .row(let row) = content { row } else { nil }
  }

  private var text: SQLExpression<Void> {
    switch content {
    case .text(let text): text
    case .row(let row): row.text
    }
  }

  /// The SQL.
  public var template: String {
    get { text.template }
    set { content = .text(SQLExpression(newValue, bindings)) }
  }

  /// The values bound to it.
  public var bindings: [(any Binding)?] {
    get { text.bindings }
    set { content = .text(SQLExpression(template, newValue)) }
  }

  /// It as an expression.
  public var expression: SQLExpression<Void> { text }

  /// A statement of some SQL and its values.
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

/// A statement that updates rows.
public struct Update: WriteStatement, Sendable {
  /// The SQL.
  public var template: String

  /// The values bound to it.
  public var bindings: [(any Binding)?]

  /// A statement of some SQL and its values.
  public init(_ template: String, _ bindings: [(any Binding)?]) {
    self.template = template
    self.bindings = bindings
  }
}

/// A statement that deletes rows.
public struct Delete: WriteStatement, Sendable {
  /// The SQL.
  public var template: String

  /// The values bound to it.
  public var bindings: [(any Binding)?]

  /// A statement of some SQL and its values.
  public init(_ template: String, _ bindings: [(any Binding)?]) {
    self.template = template
    self.bindings = bindings
  }
}

/// A statement that changes rows, and answers columns of those that it has changed.
///
/// ```swift
/// let rows = try db.run(users.filter(id > 10).delete().returning(id, email))
/// ```
public struct Returning: ExpressionType, Sendable {
  /// The SQL.
  public var template: String

  /// The values bound to it.
  public var bindings: [(any Binding)?]

  /// What is answered of each row.
  var columns: [SQLExpression<Void>] = []

  /// A statement of some SQL and its values.
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

/// A statement that changes rows, and can answer them.
public protocol WriteStatement: ExpressionType {}

extension WriteStatement {
  /// The statement, with columns of the rows that it changes: `INSERT … RETURNING "id"`.
  public func returning(_ column: any Expressible, _ more: any Expressible...) -> Returning {
    Returning(self, [column] + more)
  }

  /// The statement, with all columns of the rows that it changes: `INSERT … RETURNING *`.
  public func returning(_ star: Star) -> Returning { Returning(self, [star(nil, nil)]) }
}

extension Insert {
  /// The statement, which does nothing with a row that is there already: `INSERT … ON CONFLICT ("email") DO NOTHING`.
  ///
  /// - parameter columns: The columns that make a row be there already. Without any, it is those of any constraint.
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
  /// The expression under another name, for a query that selects it: `("balance" * 2) AS "double"`.
  ///
  /// The row is read with the expression, or with one of that name: `SQLExpression<Double>("double")`.
  public func alias(_ name: String) -> SQLExpression<UnderlyingType> {
    SQLExpression("\(template) AS \(name.quote())", bindings)
  }
}
