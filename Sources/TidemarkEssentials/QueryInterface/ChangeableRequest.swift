/// A request or table whose rows can be updated and deleted by one statement.
///
/// Batch operations create no records. Persistence callbacks of the record type, such as `willDelete(_:)`, do not run.
public protocol ChangeableRequest: TypedRequest {
  /// Returns a request of the rows to change.
  func all() -> QueryInterfaceRequest<RowDecoder>
}

extension QueryInterfaceRequest: ChangeableRequest {}

extension Table: ChangeableRequest {}

extension ChangeableRequest {
  /// Deletes all rows of the request.
  ///
  /// ```swift
  /// // DELETE FROM "player" WHERE "score" < 10
  /// let count = try Player.filter { $0.score < 10 }.deleteAll(db)
  /// ```
  ///
  /// A limit requires an SQLite library that is compiled with `SQLITE_ENABLE_UPDATE_DELETE_LIMIT`.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The number of deleted rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails, for example because of a foreign key.
  /// - Precondition: The request is not grouped, or is grouped by the columns of a unique key.
  @discardableResult
  public func deleteAll(_ db: Database) throws -> Int { try db.runBatch(.delete, all().relation) }

  /// Updates all rows of the request.
  ///
  /// ```swift
  /// // UPDATE "player" SET "score" = 0, "bonus" = "bonus" + 10
  /// try Player.all().updateAll(db, [Column("score").set(to: 0), Column("bonus") += 10])
  /// ```
  ///
  /// If no assignment sets a value, nothing is executed and the method returns 0. A limit requires an SQLite library
  /// that is compiled with `SQLITE_ENABLE_UPDATE_DELETE_LIMIT`.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - Parameter assignments: The changes of columns.
  /// - Returns: The number of updated rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails, for example because of a constraint.
  /// - Precondition: The request is not grouped, or is grouped by the columns of a unique key.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Int {
    guard assignments.contains(where: { $0.value != nil }) else { return 0 }
    return try db.runBatch(.update(assignments, conflictResolution, of: RowDecoder.self), all().relation)
  }

  /// Updates all rows of the request.
  ///
  /// ```swift
  /// try Player.all().updateAll(db, Column("score").set(to: 0), Column("bonus") += 10)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - Parameter assignments: The changes of columns.
  /// - Returns: The number of updated rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails, for example because of a constraint.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: ColumnAssignment...
  ) throws -> Int { try updateAll(db, onConflict: conflictResolution, assignments) }
}

extension ChangeableRequest where RowDecoder: TableRecord {
  /// Updates one of the record's columns in all rows of the request.
  ///
  /// ```swift
  /// try Player.all().updateAll(db) { $0.score += 10 }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - Parameter assignment: A closure that returns the change of a column.
  /// - Returns: The number of updated rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or the error that `assignment` throws.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignment: (RowDecoder.DatabaseComponents) throws -> ColumnAssignment
  ) throws -> Int { try updateAll(db, onConflict: conflictResolution, [assignment(RowDecoder.databaseComponents)]) }

  /// Updates some of the record's columns in all rows of the request.
  ///
  /// ```swift
  /// try Player.all().updateAll(db) { [$0.score.set(to: 0), $0.bonus += 10] }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - Parameter assignments: A closure that returns the changes of columns.
  /// - Returns: The number of updated rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or the error that `assignments` throws.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Int { try updateAll(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents)) }
}
