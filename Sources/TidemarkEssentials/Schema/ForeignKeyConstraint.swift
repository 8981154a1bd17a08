/// What a foreign key refers to, and what it does.
struct ForeignKeyConstraint {
  var table: String

  /// The columns that are referred to; nil for the primary key of the table.
  var columns: [String]?

  var deleteAction: Database.ForeignKeyAction?
  var updateAction: Database.ForeignKeyAction?

  /// Whether the constraint is checked at the end of the transaction.
  var isDeferred: Bool

  /// The constraint, from `REFERENCES` on.
  func sql(in context: TableContext) throws -> String {
    let columns = try columns ?? context.primaryKey(of: table).columns
    var sql = "REFERENCES \(table.quotedDatabaseIdentifier)(\(columns.quotedList))"
    if let deleteAction { sql += " ON DELETE \(deleteAction.rawValue)" }
    if let updateAction { sql += " ON UPDATE \(updateAction.rawValue)" }
    if isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" }
    return sql
  }
}

/// What must be known to print the definition of a table: the tables that exist, and the one that is defined.
struct TableContext {
  /// The columns of a primary key, with their types.
  struct Key {
    var columns: [String]
    var types: [String]
    var isHiddenRowID = false

    /// Whether the columns are being found out.
    var isBeingDefined = false

    static let beingDefined = Key(columns: [], types: [], isBeingDefined: true)
    static let rowID = Key(columns: ["rowid"], types: ["INTEGER"], isHiddenRowID: true)
  }

  let db: Database
  let tableName: String

  /// The primary key of the table, when it does not exist yet.
  var key: Key?

  /// Whether a name is that of the table that is defined and does not exist yet.
  func isDefined(_ table: String) -> Bool { key != nil && table.asciiLowercased == tableName.asciiLowercased }

  /// - throws: `no such table` when there is none, and an error when the key that is asked for contains the columns
  ///   that refer to it.
  func primaryKey(of table: String) throws -> Key {
    if let key, isDefined(table) {
      if !key.isBeingDefined { return key }
      throw DatabaseError(
        message: """
          the primary key of table \(tableName) cannot contain a reference to that primary key: define the columns, \
          and a foreign key
          """)
    }
    let info = try db.primaryKey(table)
    let isHiddenRowID = info.isRowID && info.rowIDColumn == nil
    return Key(columns: info.columns, types: info.types, isHiddenRowID: isHiddenRowID)
  }
}

extension Database.ConflictResolution? {
  /// ` ON CONFLICT IGNORE`, or nothing where it is what SQLite does anyway.
  var clause: String {
    guard let self, self != .abort else { return "" }
    return " ON CONFLICT \(self.rawValue)"
  }
}
