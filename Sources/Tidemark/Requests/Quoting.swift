// SQL where no parameters are allowed, as in the definition of a table: values are written out, by SQLite itself.

extension SQLExpression {
  /// The SQL, with its values inside.
  func quotedSQL(_ db: Database) throws -> String { try db.quoted { try $0.print(self) } }
}

extension SQLSubqueryable {
  /// The SQL of the query, with its values inside.
  func quotedSQL(_ db: Database) throws -> String { try db.quoted { try $0.print(sqlSubquery) } }
}

extension Database {
  fileprivate func quoted(_ write: (inout SQLPrinter) throws -> Void) throws -> String {
    var printer = SQLPrinter(self) { value in
      try String.fetchOne(self, sql: "SELECT QUOTE(?)", arguments: [value]) ?? "NULL"
    }
    try write(&printer)
    return printer.sql
  }
}
