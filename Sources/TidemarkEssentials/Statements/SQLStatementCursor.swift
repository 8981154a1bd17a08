extension Database {
  /// Returns a cursor over all statements of a text, which compiles them one by one.
  ///
  /// ```swift
  /// let statements = try db.allStatements(sql: """
  ///   INSERT INTO book (title) VALUES (?);
  ///   INSERT INTO book (title) VALUES (?);
  ///   """, arguments: ["Dune", "Solaris"])
  /// while let statement = try statements.next() {
  ///   try statement.execute()
  /// }
  /// ```
  ///
  /// A statement is compiled when it is requested, so it may use a table that an earlier statement has
  /// created. Positional arguments are consumed in order, named ones are shared by all. Without arguments,
  /// set the arguments of each statement before it is executed.
  public func allStatements(sql: String, arguments: StatementArguments? = nil) throws -> SQLStatementCursor {
    preconditionAccess()
    return try SQLStatementCursor(database: self, sql: sql, arguments: arguments)
  }
}

/// A cursor over the statements of a text.
public final class SQLStatementCursor {
  private let database: Database
  private var source: SQLSource
  private var rest: StatementArguments?
  private let argumentCount: Int

  init(database: Database, sql: String, arguments: StatementArguments?) throws {
    self.database = database
    source = try SQLSource(sql)
    rest = arguments
    argumentCount = arguments?.values.count ?? 0
  }

  /// The next statement, or nil after the last one.
  ///
  /// - Throws: An error if the statement does not compile, or if there are too few arguments or, at the end,
  ///   too many.
  public func next() throws -> Statement? {
    database.preconditionAccess()
    guard let compiled = try database.compileNext(of: &source, isPersistent: false) else {
      if let rest, !rest.values.isEmpty {
        self.rest = nil
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE, message: ArgumentMismatch.wrongCount(argumentCount).message)
      }
      return nil
    }
    let statement = Statement(database: database, compiled: compiled, isInternal: false)
    if let arguments = try rest?.takeArguments(for: statement) { try statement.setArguments(arguments) }
    return statement
  }
}

@available(*, unavailable)
extension SQLStatementCursor: Sendable {}
