// Rows that are changed and fetched by one statement: `… RETURNING …`.

extension QueryInterfaceRequest {
  /// A statement that deletes the rows, and returns something of each: `DELETE FROM … RETURNING …`.
  public func deleteAndFetchStatement(_ db: Database, selection: [any SQLSelectable]) throws -> Statement {
    try db.makeBatch(.delete, relation, returning: Self.checked(selection)).statement
  }

  /// A statement that updates the rows, and returns something of each: `UPDATE … RETURNING …`.
  ///
  /// - precondition: There is an assignment.
  public func updateAndFetchStatement(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment], selection: [any SQLSelectable]
  ) throws -> Statement {
    precondition(
      assignments.contains { $0.value != nil }, "A statement that updates rows needs an assignment: there is none")
    let operation = BatchOperation.update(assignments, conflictResolution, of: RowDecoder.self)
    return try db.makeBatch(operation, relation, returning: Self.checked(selection)).statement
  }

  private static func checked(_ selection: [any SQLSelectable]) -> [any SQLSelectable] {
    precondition(!selection.isEmpty, "A statement that fetches what it changes needs a selection that is not empty")
    return selection
  }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
  /// A statement that deletes the rows, and returns something of each, from the columns of the record.
  ///
  /// ```swift
  /// let statement = try Player.all().deleteAndFetchStatement(db) { [$0.id] }
  /// ```
  public func deleteAndFetchStatement(
    _ db: Database, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Statement {
    try deleteAndFetchStatement(db, selection: selection(RowDecoder.databaseComponents))
  }

  /// A statement that updates the rows, and returns something of each, from the columns of the record.
  public func updateAndFetchStatement(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment],
    select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Statement {
    let components = RowDecoder.databaseComponents
    return try updateAndFetchStatement(
      db, onConflict: conflictResolution, assignments(components), selection: selection(components))
  }
}

// MARK: - Deleting

extension QueryInterfaceRequest where RowDecoder: FetchableRecord & TableRecord {
  /// Deletes the rows when the cursor takes its first step, and shows them.
  public func deleteAndFetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
    try RowDecoder.fetchCursor(deleteAndFetchStatement(db, selection: RowDecoder.databaseSelection))
  }

  /// Deletes the rows, and fetches them.
  ///
  /// ```swift
  /// // DELETE FROM "player" WHERE "score" < 10 RETURNING *
  /// let losers = try Player.filter { $0.score < 10 }.deleteAndFetchAll(db)
  /// ```
  public func deleteAndFetchAll(_ db: Database) throws -> [RowDecoder] { try Array(deleteAndFetchCursor(db)) }

  /// Deletes the rows, and fetches the distinct ones.
  public func deleteAndFetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try Set(deleteAndFetchCursor(db))
  }
}

extension QueryInterfaceRequest
where RowDecoder: TableRecord & Identifiable, RowDecoder.ID: Hashable & DatabaseValueConvertible {
  /// Deletes the rows, and fetches their identifiers.
  public func deleteAndFetchIds(_ db: Database) throws -> Set<RowDecoder.ID> {
    let column = try db.singleKeyColumn(of: databaseTableName, "Fetching identifiers")
    return try RowDecoder.ID.fetchSet(deleteAndFetchStatement(db, selection: [Column(column)]))
  }
}

// MARK: - Updating

extension QueryInterfaceRequest where RowDecoder: FetchableRecord & TableRecord {
  /// Updates the rows when the cursor takes its first step, and shows them.
  public func updateAndFetchCursor(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> RecordCursor<RowDecoder> {
    let selection = RowDecoder.databaseSelection
    return try RowDecoder.fetchCursor(
      updateAndFetchStatement(db, onConflict: conflictResolution, assignments, selection: selection))
  }

  /// Updates the rows, and fetches them.
  ///
  /// ```swift
  /// // UPDATE "player" SET "score" = 0 RETURNING *
  /// let players = try Player.all().updateAndFetchAll(db, [Column("score").set(to: 0)])
  /// ```
  public func updateAndFetchAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> [RowDecoder] { try Array(updateAndFetchCursor(db, onConflict: conflictResolution, assignments)) }

  /// Updates the rows, and fetches the distinct ones.
  public func updateAndFetchSet(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try Set(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
  }

  /// Updates the rows when the cursor takes its first step, from the columns of the record, and shows them.
  public func updateAndFetchCursor(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> RecordCursor<RowDecoder> {
    try updateAndFetchCursor(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
  }

  /// Updates the rows, from the columns of the record, and fetches them.
  public func updateAndFetchAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> [RowDecoder] {
    try Array(updateAndFetchCursor(db, onConflict: conflictResolution, assignments: assignments))
  }

  /// Updates the rows, from the columns of the record, and fetches the distinct ones.
  public func updateAndFetchSet(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try Set(updateAndFetchCursor(db, onConflict: conflictResolution, assignments: assignments))
  }
}
