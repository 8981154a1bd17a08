extension TableRecord {
  /// The number of columns that requests of this type select.
  ///
  /// It helps to split the rows of a query that joins several tables:
  ///
  /// ```swift
  /// let adapters = try splittingRowAdapters(columnCounts: [
  ///   Player.numberOfSelectedColumns(db),
  ///   Team.numberOfSelectedColumns(db),
  /// ])
  /// ```
  public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
    try db.columnCount(of: all().relation)
  }

  /// The error of a row that is not there, from its primary key.
  ///
  /// - returns: A `RecordError.recordNotFound`, or the error of the database when it cannot tell what the key is.
  public static func recordNotFound(_ db: Database, key: some DatabaseValueConvertible) -> any Error {
    do {
      let column = try db.singleKeyColumn(of: databaseTableName, "Naming a record by key")
      return recordNotFound(key: [column: try db.databaseValue(ofKey: KeyValue(key), for: self)])
    } catch {
      return error
    }
  }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// The error of a row that is not there, from its identifier.
  public static func recordNotFound(_ db: Database, id: ID) -> any Error { recordNotFound(db, key: id) }
}
