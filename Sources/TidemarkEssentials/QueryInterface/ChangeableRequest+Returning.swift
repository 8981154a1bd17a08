// Statements that change rows and fetch them: `… RETURNING …`.

extension QueryInterfaceRequest {
  /// Returns a statement that deletes the rows of the request and returns values of the deleted rows.
  ///
  /// The statement has the form `DELETE FROM … RETURNING …`, which requires SQLite 3.35 or later. Its arguments are
  /// set.
  ///
  /// ```swift
  /// let statement = try Player.all().deleteAndFetchStatement(db, selection: [Column("id")])
  /// let ids = try Int64.fetchAll(statement)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter selection: The terms of the `RETURNING` clause. The array must not be empty.
  /// - Returns: A statement that is ready to run.
  /// - Throws: A ``DatabaseError`` if SQLite cannot compile the statement.
  public func deleteAndFetchStatement(_ db: Database, selection: [any SQLSelectable]) throws -> Statement {
    try db.makeBatch(.delete, relation, returning: Self.checked(selection)).statement
  }

  /// Returns a statement that updates the rows of the request and returns values of the updated rows.
  ///
  /// The statement has the form `UPDATE … RETURNING …`, which requires SQLite 3.35 or later. Its arguments are set.
  ///
  /// ```swift
  /// let statement = try Player.all().updateAndFetchStatement(
  ///   db, [Column("score") += 10], selection: [Column("score")])
  /// let scores = try Int.fetchAll(statement)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - Parameter assignments: The changes of columns. At least one assignment must set a value.
  /// - Parameter selection: The terms of the `RETURNING` clause. The array must not be empty.
  /// - Returns: A statement that is ready to run.
  /// - Throws: A ``DatabaseError`` if SQLite cannot compile the statement.
  public func updateAndFetchStatement(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment], selection: [any SQLSelectable]
  ) throws -> Statement {
    precondition(
      assignments.contains { $0.value != nil },
      "an UPDATE statement needs at least one assignment that changes a column")
    let operation = BatchOperation.update(assignments, conflictResolution, of: RowDecoder.self)
    return try db.makeBatch(operation, relation, returning: Self.checked(selection)).statement
  }

  private static func checked(_ selection: [any SQLSelectable]) -> [any SQLSelectable] {
    precondition(
      !selection.isEmpty, "the selection is empty: select at least one column, or use a method that does not fetch")
    return selection
  }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
  /// Returns a statement that deletes the rows of the request and returns values of the record's columns.
  ///
  /// ```swift
  /// let statement = try Player.all().deleteAndFetchStatement(db) { [$0.id] }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter selection: A closure that returns the terms of the `RETURNING` clause.
  /// - Returns: A statement that is ready to run.
  /// - Throws: A ``DatabaseError`` if SQLite cannot compile the statement, or the error that `selection` throws.
  public func deleteAndFetchStatement(
    _ db: Database, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Statement {
    try deleteAndFetchStatement(db, selection: selection(RowDecoder.databaseComponents))
  }

  /// Returns a statement that updates the rows of the request and returns values of the record's columns.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - Parameter assignments: A closure that returns the changes of columns. At least one assignment must set a value.
  /// - Parameter selection: A closure that returns the terms of the `RETURNING` clause.
  /// - Returns: A statement that is ready to run.
  /// - Throws: A ``DatabaseError`` if SQLite cannot compile the statement, or the error that a closure throws.
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
  /// Returns a cursor that deletes the rows of the request and iterates over the deleted records.
  ///
  /// All rows are deleted by the first step of the cursor.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: A cursor over the deleted records. Use it only inside the database access that created it.
  /// - Throws: A ``DatabaseError`` if SQLite cannot compile the statement.
  public func deleteAndFetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
    try RowDecoder.fetchCursor(deleteAndFetchStatement(db, selection: RowDecoder.databaseSelection))
  }

  /// Deletes the rows of the request, and returns the deleted records.
  ///
  /// ```swift
  /// // DELETE FROM "player" WHERE "score" < 10 RETURNING *
  /// let losers = try Player.filter { $0.score < 10 }.deleteAndFetchAll(db)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The deleted records, in any order.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  public func deleteAndFetchAll(_ db: Database) throws -> [RowDecoder] { try Array(deleteAndFetchCursor(db)) }

  /// Deletes the rows of the request, and returns the set of the deleted records.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The deleted records, without duplicates.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  public func deleteAndFetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try Set(deleteAndFetchCursor(db))
  }
}

extension QueryInterfaceRequest
where RowDecoder: TableRecord & Identifiable, RowDecoder.ID: Hashable & DatabaseValueConvertible {
  /// Deletes the rows of the request, and returns the identifiers of the deleted rows.
  ///
  /// ```swift
  /// let ids = try Player.filter { $0.score < 10 }.deleteAndFetchIds(db)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The identifiers of the deleted rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  /// - Precondition: The primary key of the table has exactly one column, or the table has no primary key and the
  ///   identifiers are row IDs.
  public func deleteAndFetchIds(_ db: Database) throws -> Set<RowDecoder.ID> {
    let column = try db.singleKeyColumn(of: databaseTableName, "Fetching identifiers")
    return try RowDecoder.ID.fetchSet(deleteAndFetchStatement(db, selection: [Column(column)]))
  }
}

// MARK: - Updating

extension QueryInterfaceRequest where RowDecoder: FetchableRecord & TableRecord {
  /// Returns a cursor that updates the rows of the request and iterates over the updated records.
  ///
  /// All rows are updated by the first step of the cursor.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - Parameter assignments: The changes of columns. At least one assignment must set a value.
  /// - Returns: A cursor over the updated records. Use it only inside the database access that created it.
  /// - Throws: A ``DatabaseError`` if SQLite cannot compile the statement.
  public func updateAndFetchCursor(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> RecordCursor<RowDecoder> {
    let selection = RowDecoder.databaseSelection
    return try RowDecoder.fetchCursor(
      updateAndFetchStatement(db, onConflict: conflictResolution, assignments, selection: selection))
  }

  /// Updates the rows of the request, and returns the updated records.
  ///
  /// ```swift
  /// // UPDATE "player" SET "score" = 0 RETURNING *
  /// let players = try Player.all().updateAndFetchAll(db, [Column("score").set(to: 0)])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - Parameter assignments: The changes of columns. At least one assignment must set a value.
  /// - Returns: The updated records, in any order.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  public func updateAndFetchAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> [RowDecoder] { try Array(updateAndFetchCursor(db, onConflict: conflictResolution, assignments)) }

  /// Updates the rows of the request, and returns the set of the updated records.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - Parameter assignments: The changes of columns. At least one assignment must set a value.
  /// - Returns: The updated records, without duplicates.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  public func updateAndFetchSet(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try Set(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
  }

  /// Returns a cursor that updates the rows with the record's columns and iterates over the updated records.
  ///
  /// All rows are updated by the first step of the cursor.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - Parameter assignments: A closure that returns the changes of columns. At least one assignment must set a value.
  /// - Returns: A cursor over the updated records. Use it only inside the database access that created it.
  /// - Throws: A ``DatabaseError`` if SQLite cannot compile the statement, or the error that `assignments` throws.
  public func updateAndFetchCursor(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> RecordCursor<RowDecoder> {
    try updateAndFetchCursor(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
  }

  /// Updates the rows with the record's columns, and returns the updated records.
  ///
  /// ```swift
  /// let players = try Player.all().updateAndFetchAll(db) { [$0.score += 10] }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - Parameter assignments: A closure that returns the changes of columns. At least one assignment must set a value.
  /// - Returns: The updated records, in any order.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or the error that `assignments` throws.
  public func updateAndFetchAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> [RowDecoder] {
    try Array(updateAndFetchCursor(db, onConflict: conflictResolution, assignments: assignments))
  }

  /// Updates the rows with the record's columns, and returns the set of the updated records.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - Parameter assignments: A closure that returns the changes of columns. At least one assignment must set a value.
  /// - Returns: The updated records, without duplicates.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or the error that `assignments` throws.
  public func updateAndFetchSet(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try Set(updateAndFetchCursor(db, onConflict: conflictResolution, assignments: assignments))
  }
}
