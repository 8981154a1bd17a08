import Tidemark

extension Connection {
  /// Executes one or several SQL statements.
  ///
  /// ```swift
  /// try db.execute("""
  ///   CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT NOT NULL);
  ///   CREATE INDEX users_email ON users (email);
  ///   """)
  /// ```
  ///
  /// - Parameter SQL: The statements, without parameters.
  /// - Throws: A ``Result`` if a statement fails. The later ones do not run.
  public func execute(_ SQL: String) throws {
    try perform { try $0.execute(sql: SQL) }
  }

  // MARK: Preparing

  /// Prepares a statement, and binds its arguments by position.
  ///
  /// ```swift
  /// let statement = try db.prepare("SELECT email FROM users WHERE id > ?", 10)
  /// for row in statement { print(row[0] as? String ?? "") }
  /// ```
  ///
  /// - Parameters:
  ///   - statement: One SQL statement.
  ///   - bindings: The arguments, in the order of the parameters.
  /// - Returns: The statement, which has not run yet.
  /// - Throws: A ``Result`` if the text is not one valid statement.
  public func prepare(_ statement: String, _ bindings: (any Binding)?...) throws -> Statement {
    try prepare(statement, bindings)
  }

  /// Prepares a statement, and binds its arguments by position.
  ///
  /// ```swift
  /// let bindings: [(any Binding)?] = ["alice@mac.com", nil]
  /// let statement = try db.prepare("INSERT INTO users (email, name) VALUES (?, ?)", bindings)
  /// ```
  ///
  /// - Parameters:
  ///   - statement: One SQL statement.
  ///   - bindings: The arguments, in the order of the parameters.
  /// - Returns: The statement, which has not run yet.
  /// - Throws: A ``Result`` if the text is not one valid statement.
  public func prepare(_ statement: String, _ bindings: [(any Binding)?]) throws -> Statement {
    try compile(statement).bind(bindings)
  }

  /// Prepares a statement, and binds its arguments by name.
  ///
  /// ```swift
  /// let statement = try db.prepare("SELECT * FROM users WHERE email = $email", ["$email": "alice@mac.com"])
  /// ```
  ///
  /// - Parameters:
  ///   - statement: One SQL statement.
  ///   - bindings: The arguments, by the names of the parameters. Parameters without an argument are NULL.
  /// - Returns: The statement, which has not run yet.
  /// - Throws: A ``Result`` if the text is not one valid statement.
  public func prepare(_ statement: String, _ bindings: [String: (any Binding)?]) throws -> Statement {
    try compile(statement).bind(bindings)
  }

  private func compile(_ sql: String) throws -> Statement {
    try perform { db in
      do {
        return Statement(self, try db.exclusiveStatement(sql: sql))
      } catch let error as DatabaseError where Database.isSeveralStatements(error) {
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE,
          message: "expected one statement, got several: use Connection.execute(_:)", sql: error.sql)
      }
    }
  }

  // MARK: Running

  /// Runs a statement to its end.
  ///
  /// ```swift
  /// try db.run("INSERT INTO users (email) VALUES (?)", "alice@mac.com")
  /// ```
  ///
  /// - Parameters:
  ///   - statement: One SQL statement.
  ///   - bindings: The arguments, in the order of the parameters.
  /// - Returns: The statement that ran.
  /// - Throws: A ``Result`` if the statement is not valid or fails.
  @discardableResult
  public func run(_ statement: String, _ bindings: (any Binding)?...) throws -> Statement {
    try run(statement, bindings)
  }

  /// Runs a statement to its end.
  ///
  /// ```swift
  /// let bindings: [(any Binding)?] = ["alice@mac.com", nil]
  /// try db.run("INSERT INTO users (email, name) VALUES (?, ?)", bindings)
  /// ```
  ///
  /// - Parameters:
  ///   - statement: One SQL statement.
  ///   - bindings: The arguments, in the order of the parameters.
  /// - Returns: The statement that ran.
  /// - Throws: A ``Result`` if the statement is not valid or fails.
  @discardableResult
  public func run(_ statement: String, _ bindings: [(any Binding)?]) throws -> Statement {
    try prepare(statement).run(bindings)
  }

  /// Runs a statement to its end.
  ///
  /// ```swift
  /// try db.run("UPDATE users SET name = $name WHERE id = $id", ["$name": "Alice", "$id": 1])
  /// ```
  ///
  /// - Parameters:
  ///   - statement: One SQL statement.
  ///   - bindings: The arguments, by the names of the parameters. Parameters without an argument are NULL.
  /// - Returns: The statement that ran.
  /// - Throws: A ``Result`` if the statement is not valid or fails.
  @discardableResult
  public func run(_ statement: String, _ bindings: [String: (any Binding)?]) throws -> Statement {
    try prepare(statement).run(bindings)
  }

  // MARK: Values

  /// Returns the first value of the first row; nil for NULL, and for an empty result.
  ///
  /// ```swift
  /// let count = try db.scalar("SELECT count(*) FROM users WHERE id > ?", 10) as? Int64
  /// ```
  ///
  /// - Parameters:
  ///   - statement: One SQL statement.
  ///   - bindings: The arguments, in the order of the parameters.
  /// - Returns: An `Int64`, a `Double`, a `String` or a ``Blob``; nil for NULL.
  /// - Throws: A ``Result`` if the statement is not valid or fails.
  public func scalar(_ statement: String, _ bindings: (any Binding)?...) throws -> (any Binding)? {
    try scalar(statement, bindings)
  }

  /// Returns the first value of the first row; nil for NULL, and for an empty result.
  ///
  /// ```swift
  /// let bindings: [(any Binding)?] = ["alice@mac.com"]
  /// let id = try db.scalar("SELECT id FROM users WHERE email = ?", bindings) as? Int64
  /// ```
  ///
  /// - Parameters:
  ///   - statement: One SQL statement.
  ///   - bindings: The arguments, in the order of the parameters.
  /// - Returns: An `Int64`, a `Double`, a `String` or a ``Blob``; nil for NULL.
  /// - Throws: A ``Result`` if the statement is not valid or fails.
  public func scalar(_ statement: String, _ bindings: [(any Binding)?]) throws -> (any Binding)? {
    try prepare(statement).scalar(bindings)
  }

  /// Returns the first value of the first row; nil for NULL, and for an empty result.
  ///
  /// ```swift
  /// let name = try db.scalar("SELECT name FROM users WHERE id = $id", ["$id": 1]) as? String
  /// ```
  ///
  /// - Parameters:
  ///   - statement: One SQL statement.
  ///   - bindings: The arguments, by the names of the parameters. Parameters without an argument are NULL.
  /// - Returns: An `Int64`, a `Double`, a `String` or a ``Blob``; nil for NULL.
  /// - Throws: A ``Result`` if the statement is not valid or fails.
  public func scalar(_ statement: String, _ bindings: [String: (any Binding)?]) throws -> (any Binding)? {
    try prepare(statement).scalar(bindings)
  }

  // MARK: Rows by name

  /// Returns an iterator over the rows of a statement, which decodes columns by expression or by name.
  ///
  /// ```swift
  /// let rows = try db.prepareRowIterator("SELECT id, email FROM users WHERE id > ?", bindings: 10)
  /// while let user = try rows.failableNext() { print(user[email]) }
  /// ```
  ///
  /// - Parameters:
  ///   - statement: One SQL statement.
  ///   - bindings: The arguments, in the order of the parameters.
  /// - Returns: The iterator. The statement has not run yet.
  /// - Throws: A ``Result`` if the text is not one valid statement.
  public func prepareRowIterator(_ statement: String, bindings: (any Binding)?...) throws -> RowIterator {
    try prepareRowIterator(statement, bindings: bindings)
  }

  /// Returns an iterator over the rows of a statement, which decodes columns by expression or by name.
  ///
  /// ```swift
  /// let bindings: [(any Binding)?] = [10]
  /// let ids = try db.prepareRowIterator("SELECT id FROM users WHERE id > ?", bindings: bindings).map { $0[id] }
  /// ```
  ///
  /// - Parameters:
  ///   - statement: One SQL statement.
  ///   - bindings: The arguments, in the order of the parameters.
  /// - Returns: The iterator. The statement has not run yet.
  /// - Throws: A ``Result`` if the text is not one valid statement.
  public func prepareRowIterator(_ statement: String, bindings: [(any Binding)?]) throws -> RowIterator {
    RowIterator(statement: try prepare(statement, bindings), clauses: nil)
  }

  /// Returns an iterator over the rows of a statement, which decodes columns by expression or by name.
  ///
  /// ```swift
  /// let rows = try db.prepareRowIterator("SELECT id FROM users WHERE id > $id", bindings: ["$id": 10])
  /// let ids = try rows.map { $0[id] }
  /// ```
  ///
  /// - Parameters:
  ///   - statement: One SQL statement.
  ///   - bindings: The arguments, by the names of the parameters. Parameters without an argument are NULL.
  /// - Returns: The iterator. The statement has not run yet.
  /// - Throws: A ``Result`` if the text is not one valid statement.
  public func prepareRowIterator(_ statement: String, bindings: [String: (any Binding)?]) throws -> RowIterator {
    RowIterator(statement: try prepare(statement, bindings), clauses: nil)
  }
}
