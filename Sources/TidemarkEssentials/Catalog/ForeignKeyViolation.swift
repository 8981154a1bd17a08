/// A row that refers to a missing row, as returned by ``Database/foreignKeyViolations()``.
public struct ForeignKeyViolation: Sendable {
  /// The table that contains the row.
  public let originTable: String

  /// The row ID of the row, or nil if the table has no row IDs.
  public let originRowID: Int64?

  /// The table that the foreign key refers to.
  public let destinationTable: String

  /// The number of the foreign key in the table of the row. See ``ForeignKeyInfo/id``.
  public let foreignKeyId: Int

  /// Creates a violation from a row of `PRAGMA foreign_key_check`.
  ///
  /// - Parameter row: A row of this pragma.
  public init(row: Row) {
    originTable = row[0]
    originRowID = row[1]
    destinationTable = row[2]
    foreignKeyId = row[3]
  }

  /// Returns a description of the violation, with the columns of the foreign key and the values of the row.
  ///
  /// The method reads the row. Call it in the transaction that found the violation.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: A description for humans.
  /// - Throws: A ``DatabaseError`` if the table or the row cannot be read.
  public func failureDescription(_ db: Database) throws -> String {
    let foreignKey = try db.foreignKeys(on: originTable).first { $0.id == foreignKeyId }
    func location(_ table: String, _ columns: [String]?) -> String {
      guard let columns, !columns.isEmpty else { return table }
      return "\(table)(\(columns.joined(separator: ", ")))"
    }
    var text = "FOREIGN KEY constraint violation - from \(location(originTable, foreignKey?.originColumns))"
    text += " to \(location(destinationTable, foreignKey?.destinationColumns))"
    if let row = try originRow(db) { text += ", in \(row)" }
    return text
  }

  private func originRow(_ db: Database) throws -> Row? {
    guard let originRowID else { return nil }
    let rowID = try db.existingTable(originTable).rowIDName(db) ?? "rowid"
    let table = originTable.quotedDatabaseIdentifier
    return try Row.fetchOne(db, sql: "SELECT * FROM \(table) WHERE \(rowID) = \(originRowID)")
  }

  /// Returns the violation as an error with the code `SQLITE_CONSTRAINT_FOREIGNKEY`.
  ///
  /// The message contains the columns of the foreign key and the values of the row, if they can be read.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: An error that describes the violation.
  public func databaseError(_ db: Database) -> DatabaseError {
    let message: String
    do {
      message = try failureDescription(db)
    } catch {
      // The table may be unreadable. The violation is reported in any case.
      message = description
    }
    return DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: message)
  }
}

extension ForeignKeyViolation: CustomStringConvertible {
  /// The tables and the row ID of the violation.
  public var description: String {
    let location = originRowID.map { ", in rowid \($0)" } ?? ""
    return "FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)\(location)"
  }
}

extension ForeignKeyViolation: RowDecodable {
  /// Do not call this method: it is an implementation detail.
  public static func _decode(_ row: Row) -> ForeignKeyViolation { ForeignKeyViolation(row: row) }
}

extension Database {
  /// Returns a cursor over all foreign key violations of the main database.
  ///
  /// ```swift
  /// let violations = try db.foreignKeyViolations()
  /// while let violation = try violations.next() {
  ///   print(violation)
  /// }
  /// ```
  ///
  /// - Returns: A cursor. Use it only inside the database access that created it.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  public func foreignKeyViolations() throws -> WholeRowCursor<ForeignKeyViolation> {
    try ForeignKeyViolation.fetchCursor(self, sql: "PRAGMA foreign_key_check")
  }

  /// Returns a cursor over the foreign key violations of a table.
  ///
  /// ```swift
  /// let hasViolations = try !db.foreignKeyViolations(in: "book").isEmpty
  /// ```
  ///
  /// - Parameter tableName: The name of the table that declares the foreign keys.
  /// - Parameter schemaName: The name of a database, such as `main`, or nil to resolve the name of the table as SQL
  ///   does.
  /// - Returns: A cursor. Use it only inside the database access that created it.
  /// - Throws: A ``DatabaseError`` if the table does not exist, or SQLite fails.
  public func foreignKeyViolations(
    in tableName: String, in schemaName: String? = nil
  ) throws -> WholeRowCursor<ForeignKeyViolation> {
    let id = try existingTable(tableName, in: schemaName).id
    return try ForeignKeyViolation.fetchCursor(
      self, sql: "PRAGMA \(id.schemaID.sql).foreign_key_check(\(id.name.quotedDatabaseIdentifier))")
  }

  /// Throws an error if a row of the main database refers to a missing row.
  ///
  /// ```swift
  /// try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
  /// try db.execute(sql: "DELETE FROM author WHERE id = 1")
  /// try db.checkForeignKeys()
  /// ```
  ///
  /// - Throws: A ``DatabaseError`` with the code `SQLITE_CONSTRAINT_FOREIGNKEY` for the first violation.
  public func checkForeignKeys() throws {
    try throwFirst(of: foreignKeyViolations())
  }

  /// Throws an error if a row of a table refers to a missing row.
  ///
  /// - Parameter tableName: The name of the table that declares the foreign keys.
  /// - Parameter schemaName: The name of a database, such as `main`, or nil to resolve the name of the table as SQL
  ///   does.
  /// - Throws: A ``DatabaseError`` with the code `SQLITE_CONSTRAINT_FOREIGNKEY` for the first violation, or an error if
  ///   the table does not exist.
  public func checkForeignKeys(in tableName: String, in schemaName: String? = nil) throws {
    try throwFirst(of: foreignKeyViolations(in: tableName, in: schemaName))
  }

  private func throwFirst(of violations: WholeRowCursor<ForeignKeyViolation>) throws {
    if let violation = try violations.next() { throw violation.databaseError(self) }
  }
}
