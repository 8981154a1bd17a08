import Tidemark

extension Connection {
  /// Executes one or several statements.
  public func execute(_ SQL: String) throws {
    try perform { try $0.execute(sql: SQL) }
  }

  // MARK: Preparing

  /// A statement, with values for its parameters if there are any.
  public func prepare(_ statement: String, _ bindings: (any Binding)?...) throws -> Statement {
    try prepare(statement, bindings)
  }

  /// A statement, with values for its parameters if there are any.
  public func prepare(_ statement: String, _ bindings: [(any Binding)?]) throws -> Statement {
    try perform { Statement(self, try $0.ownStatement(sql: statement)) }.bind(bindings)
  }

  /// A statement, with values for its parameters, by their names.
  public func prepare(_ statement: String, _ bindings: [String: (any Binding)?]) throws -> Statement {
    try perform { Statement(self, try $0.ownStatement(sql: statement)) }.bind(bindings)
  }

  // MARK: Running

  /// Runs a statement to its end.
  @discardableResult
  public func run(_ statement: String, _ bindings: (any Binding)?...) throws -> Statement {
    try run(statement, bindings)
  }

  /// Runs a statement to its end.
  @discardableResult
  public func run(_ statement: String, _ bindings: [(any Binding)?]) throws -> Statement {
    try prepare(statement).run(bindings)
  }

  /// Runs a statement to its end.
  @discardableResult
  public func run(_ statement: String, _ bindings: [String: (any Binding)?]) throws -> Statement {
    try prepare(statement).run(bindings)
  }

  // MARK: Values

  /// The first value of the first row; nil where there is none.
  public func scalar(_ statement: String, _ bindings: (any Binding)?...) throws -> (any Binding)? {
    try scalar(statement, bindings)
  }

  /// The first value of the first row; nil where there is none.
  public func scalar(_ statement: String, _ bindings: [(any Binding)?]) throws -> (any Binding)? {
    try prepare(statement).scalar(bindings)
  }

  /// The first value of the first row; nil where there is none.
  public func scalar(_ statement: String, _ bindings: [String: (any Binding)?]) throws -> (any Binding)? {
    try prepare(statement).scalar(bindings)
  }

  // MARK: Rows by name

  /// The rows of some SQL, one after the other, whose columns are read by expression or by name.
  public func prepareRowIterator(_ statement: String, bindings: (any Binding)?...) throws -> RowIterator {
    RowIterator(statement: try prepare(statement, bindings), clauses: nil)
  }
}
