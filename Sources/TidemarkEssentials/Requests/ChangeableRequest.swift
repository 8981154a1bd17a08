/// Rows that can be updated and deleted all at once: those of a request, or of a table.
///
/// No record is made of them: what a record does when it is saved or deleted does not happen.
public protocol ChangeableRequest: TypedRequest {
  /// The rows.
  func all() -> QueryInterfaceRequest<RowDecoder>
}

extension QueryInterfaceRequest: ChangeableRequest {}

extension Table: ChangeableRequest {}

extension ChangeableRequest {
  /// Deletes the rows.
  ///
  /// ```swift
  /// // DELETE FROM "player" WHERE "score" < 10
  /// let count = try Player.filter { $0.score < 10 }.deleteAll(db)
  /// ```
  ///
  /// - returns: The number of rows that were deleted.
  @discardableResult
  public func deleteAll(_ db: Database) throws -> Int { try db.runBatch(.delete, all().relation) }

  /// Updates the rows.
  ///
  /// ```swift
  /// // UPDATE "player" SET "score" = 0, "bonus" = "bonus" + 10
  /// try Player.all().updateAll(db, [Column("score").set(to: 0), Column("bonus") += 10])
  /// ```
  ///
  /// Without any assignment, nothing is executed.
  ///
  /// - parameter conflictResolution: What is done about rows that break a constraint. By default, what the record type
  ///   says.
  /// - returns: The number of rows that were updated.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Int {
    guard assignments.contains(where: { $0.value != nil }) else { return 0 }
    return try db.runBatch(.update(assignments, conflictResolution, of: RowDecoder.self), all().relation)
  }

  /// Updates the rows.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: ColumnAssignment...
  ) throws -> Int { try updateAll(db, onConflict: conflictResolution, assignments) }
}

extension ChangeableRequest where RowDecoder: TableRecord {
  /// Updates the rows, from the columns of the record.
  ///
  /// ```swift
  /// try Player.all().updateAll(db) { $0.score += 10 }
  /// ```
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignment: (RowDecoder.DatabaseComponents) throws -> ColumnAssignment
  ) throws -> Int { try updateAll(db, onConflict: conflictResolution, [assignment(RowDecoder.databaseComponents)]) }

  /// Updates the rows, from the columns of the record.
  ///
  /// ```swift
  /// try Player.all().updateAll(db) { [$0.score.set(to: 0), $0.bonus += 10] }
  /// ```
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Int { try updateAll(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents)) }
}
