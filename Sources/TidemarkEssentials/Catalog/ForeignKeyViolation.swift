/// A row that refers to a row that does not exist. See `Database.foreignKeyViolations()`.
public struct ForeignKeyViolation: Sendable {
  /// The table of the row.
  public let originTable: String

  /// The id of the row, or nil in a table without row ids.
  public let originRowID: Int64?

  /// The table that is referred to.
  public let destinationTable: String

  /// The number of the foreign key in the table of the row. See `ForeignKeyInfo.id`.
  public let foreignKeyId: Int

  /// A violation, from a row of `PRAGMA foreign_key_check`.
  public init(row: Row) {
    originTable = row[0]
    originRowID = row[1]
    destinationTable = row[2]
    foreignKeyId = row[3]
  }

  /// What is wrong, with the columns of the foreign key and the values of the row.
  ///
  /// It is found in the database: ask in the transaction that found the violation.
  public func failureDescription(_ db: Database) throws -> String {
    let foreignKey = try db.foreignKeys(on: originTable).first { $0.id == foreignKeyId }
    func place(_ table: String, _ columns: [String]?) -> String {
      guard let columns, !columns.isEmpty else { return table }
      return "\(table)(\(columns.joined(separator: ", ")))"
    }
    var text = "FOREIGN KEY constraint violation - from \(place(originTable, foreignKey?.originColumns))"
    text += " to \(place(destinationTable, foreignKey?.destinationColumns))"
    if let row = try originRow(db) { text += ", in \(row)" }
    return text
  }

  private func originRow(_ db: Database) throws -> Row? {
    guard let originRowID else { return nil }
    let rowID = try db.existingTable(originTable).rowIDName(db) ?? "rowid"
    let table = originTable.quotedDatabaseIdentifier
    return try Row.fetchOne(db, sql: "SELECT * FROM \(table) WHERE \(rowID) = \(originRowID)")
  }

  /// The violation as an error of code `SQLITE_CONSTRAINT_FOREIGNKEY`, with all that can be found of the row.
  public func databaseError(_ db: Database) -> DatabaseError {
    let message: String
    do {
      message = try failureDescription(db)
    } catch {
      // The violation is what counts. The row may be of a table that cannot be read.
      message = description
    }
    return DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: message)
  }
}

extension ForeignKeyViolation: CustomStringConvertible {
  /// The tables and the row.
  public var description: String {
    let place = originRowID.map { ", in rowid \($0)" } ?? ""
    return "FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)\(place)"
  }
}

extension ForeignKeyViolation: RowDecodable {
  /// Not for you to call.
  public static func _decode(_ row: Row) -> ForeignKeyViolation { ForeignKeyViolation(row: row) }
}

extension Database {
  /// A cursor over the rows that refer to rows that do not exist.
  ///
  /// ```swift
  /// while let violation = try violations.next() {
  ///   print(violation)
  /// }
  /// ```
  public func foreignKeyViolations() throws -> WholeRowCursor<ForeignKeyViolation> {
    try ForeignKeyViolation.fetchCursor(self, sql: "PRAGMA foreign_key_check")
  }

  /// A cursor over the rows of a table that refer to rows that do not exist.
  ///
  /// - throws: `no such table` when there is none.
  public func foreignKeyViolations(
    in tableName: String, in schemaName: String? = nil
  ) throws -> WholeRowCursor<ForeignKeyViolation> {
    let id = try existingTable(tableName, in: schemaName).id
    return try ForeignKeyViolation.fetchCursor(
      self, sql: "PRAGMA \(id.schemaID.sql).foreign_key_check(\(id.name.quotedDatabaseIdentifier))")
  }

  /// Throws when a row refers to a row that does not exist.
  ///
  /// - throws: An error of code `SQLITE_CONSTRAINT_FOREIGNKEY` for the first such row.
  public func checkForeignKeys() throws {
    try throwFirst(of: foreignKeyViolations())
  }

  /// Throws when a row of a table refers to a row that does not exist.
  ///
  /// - throws: An error of code `SQLITE_CONSTRAINT_FOREIGNKEY` for the first such row.
  public func checkForeignKeys(in tableName: String, in schemaName: String? = nil) throws {
    try throwFirst(of: foreignKeyViolations(in: tableName, in: schemaName))
  }

  private func throwFirst(of violations: WholeRowCursor<ForeignKeyViolation>) throws {
    if let violation = try violations.next() { throw violation.databaseError(self) }
  }
}
