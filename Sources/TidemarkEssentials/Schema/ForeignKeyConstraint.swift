/// The referenced table and the actions of a foreign key.
struct ForeignKeyConstraint {
  var table: String

  /// The referenced columns; nil for the primary key of the table.
  var columns: [String]?

  var deleteAction: Database.ForeignKeyAction?
  var updateAction: Database.ForeignKeyAction?

  /// Whether the constraint is checked at the end of the transaction.
  var isDeferred: Bool

  /// Returns the SQL of the constraint, from `REFERENCES` on.
  func sql(in context: TableContext) throws -> String {
    let columns = try columns ?? context.primaryKey(of: table).columns
    var sql = "REFERENCES \(table.quotedDatabaseIdentifier)(\(columns.quotedList))"
    if let deleteAction { sql += " ON DELETE \(deleteAction.rawValue)" }
    if let updateAction { sql += " ON UPDATE \(updateAction.rawValue)" }
    if isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" }
    return sql
  }
}

/// The context of a table definition: the existing tables, and the table being defined.
struct TableContext {
  /// The columns of a primary key and their types.
  struct Key {
    var columns: [String]
    var types: [String]
    var isHiddenRowID = false

    /// Whether the columns are not known yet.
    var isBeingDefined = false

    static let beingDefined = Key(columns: [], types: [], isBeingDefined: true)
    static let rowID = Key(columns: ["rowid"], types: ["INTEGER"], isHiddenRowID: true)
  }

  let db: Database
  let tableName: String

  /// The primary key of the table, if the table does not exist yet.
  var key: Key?

  /// Returns whether a name is the name of the new table being defined.
  func isDefined(_ table: String) -> Bool { key != nil && table.asciiLowercased == tableName.asciiLowercased }

  /// - Throws: A "no such table" error if the table does not exist; an error if the primary key contains the columns
  ///   that refer to it.
  func primaryKey(of table: String) throws -> Key {
    if let key, isDefined(table) {
      if !key.isBeingDefined { return key }
      throw DatabaseError(
        message: """
          the primary key of table \(tableName) cannot contain a reference to itself: define the columns and a \
          foreign key instead
          """)
    }
    let info = try db.primaryKey(table)
    let isHiddenRowID = info.isRowID && info.rowIDColumn == nil
    return Key(columns: info.columns, types: info.types, isHiddenRowID: isHiddenRowID)
  }
}

extension Database.ConflictResolution? {
  /// SQL such as ` ON CONFLICT IGNORE`; empty for SQLite's default.
  var clause: String {
    guard let self, self != .abort else { return "" }
    return " ON CONFLICT \(self.rawValue)"
  }
}
