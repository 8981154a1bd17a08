extension TableRecord {
  /// Returns the number of columns that requests of this type select.
  ///
  /// Use it to split the rows of a query that joins several tables:
  ///
  /// ```swift
  /// let adapters = try splittingRowAdapters(columnCounts: [
  ///   Player.numberOfSelectedColumns(db),
  ///   Team.numberOfSelectedColumns(db),
  /// ])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The number of columns in the selection of `all()`.
  /// - Throws: A ``DatabaseError`` if the table does not exist, or SQLite fails.
  public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
    try db.columnCount(of: all().relation)
  }

  /// Returns the error that reports a missing row, from its primary key.
  ///
  /// ```swift
  /// guard let player = try Player.fetchOne(db, key: id) else {
  ///   throw Player.recordNotFound(db, key: id)
  /// }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter key: The primary key.
  /// - Returns: A `RecordError.recordNotFound`, or a ``DatabaseError`` if the primary key of the table cannot be
  ///   determined.
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
  /// Returns the error that reports a missing row, from its identifier.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter id: The identifier.
  /// - Returns: A `RecordError.recordNotFound`, or a ``DatabaseError`` if the primary key of the table cannot be
  ///   determined.
  public static func recordNotFound(_ db: Database, id: ID) -> any Error { recordNotFound(db, key: id) }
}
