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
  /// - parameter db: A database connection.
  /// - parameter selection: The terms of the `RETURNING` clause. The array must not be empty.
  /// - returns: A statement that is ready to run.
  /// - throws: A ``DatabaseError`` if SQLite cannot compile the statement.
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
  /// - parameter db: A database connection.
  /// - parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - parameter assignments: The changes of columns. At least one assignment must set a value.
  /// - parameter selection: The terms of the `RETURNING` clause. The array must not be empty.
  /// - returns: A statement that is ready to run.
  /// - throws: A ``DatabaseError`` if SQLite cannot compile the statement.
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
  /// Returns a statement that deletes the rows of the request and returns values of the record's columns.
  ///
  /// ```swift
  /// let statement = try Player.all().deleteAndFetchStatement(db) { [$0.id] }
  /// ```
  ///
  /// - parameter db: A database connection.
  /// - parameter selection: A closure that returns the terms of the `RETURNING` clause.
  /// - returns: A statement that is ready to run.
  /// - throws: A ``DatabaseError`` if SQLite cannot compile the statement, or the error that `selection` throws.
  public func deleteAndFetchStatement(
    _ db: Database, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Statement {
    try deleteAndFetchStatement(db, selection: selection(RowDecoder.databaseComponents))
  }

  /// Returns a statement that updates the rows of the request and returns values of the record's columns.
  ///
  /// - parameter db: A database connection.
  /// - parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - parameter assignments: A closure that returns the changes of columns. At least one assignment must set a value.
  /// - parameter selection: A closure that returns the terms of the `RETURNING` clause.
  /// - returns: A statement that is ready to run.
  /// - throws: A ``DatabaseError`` if SQLite cannot compile the statement, or the error that a closure throws.
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
  /// - parameter db: A database connection.
  /// - returns: A cursor over the deleted records. Use it only inside the database access that created it.
  /// - throws: A ``DatabaseError`` if SQLite cannot compile the statement.
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
  /// - parameter db: A database connection.
  /// - returns: The deleted records, in any order.
  /// - throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  public func deleteAndFetchAll(_ db: Database) throws -> [RowDecoder] { try Array(deleteAndFetchCursor(db)) }

  /// Deletes the rows of the request, and returns the set of the deleted records.
  ///
  /// - parameter db: A database connection.
  /// - returns: The deleted records, without duplicates.
  /// - throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
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
  /// - parameter db: A database connection.
  /// - returns: The identifiers of the deleted rows.
  /// - throws: A ``DatabaseError`` if SQLite fails.
  /// - precondition: The primary key of the table has exactly one column, or the table has no primary key and the
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
  /// - parameter db: A database connection.
  /// - parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - parameter assignments: The changes of columns. At least one assignment must set a value.
  /// - returns: A cursor over the updated records. Use it only inside the database access that created it.
  /// - throws: A ``DatabaseError`` if SQLite cannot compile the statement.
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
  /// - parameter db: A database connection.
  /// - parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - parameter assignments: The changes of columns. At least one assignment must set a value.
  /// - returns: The updated records, in any order.
  /// - throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  public func updateAndFetchAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> [RowDecoder] { try Array(updateAndFetchCursor(db, onConflict: conflictResolution, assignments)) }

  /// Updates the rows of the request, and returns the set of the updated records.
  ///
  /// - parameter db: A database connection.
  /// - parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - parameter assignments: The changes of columns. At least one assignment must set a value.
  /// - returns: The updated records, without duplicates.
  /// - throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
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
  /// - parameter db: A database connection.
  /// - parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - parameter assignments: A closure that returns the changes of columns. At least one assignment must set a value.
  /// - returns: A cursor over the updated records. Use it only inside the database access that created it.
  /// - throws: A ``DatabaseError`` if SQLite cannot compile the statement, or the error that `assignments` throws.
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
  /// - parameter db: A database connection.
  /// - parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - parameter assignments: A closure that returns the changes of columns. At least one assignment must set a value.
  /// - returns: The updated records, in any order.
  /// - throws: A ``DatabaseError`` if SQLite fails, or the error that `assignments` throws.
  public func updateAndFetchAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> [RowDecoder] {
    try Array(updateAndFetchCursor(db, onConflict: conflictResolution, assignments: assignments))
  }

  /// Updates the rows with the record's columns, and returns the set of the updated records.
  ///
  /// - parameter db: A database connection.
  /// - parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - parameter assignments: A closure that returns the changes of columns. At least one assignment must set a value.
  /// - returns: The updated records, without duplicates.
  /// - throws: A ``DatabaseError`` if SQLite fails, or the error that `assignments` throws.
  public func updateAndFetchSet(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Set<RowDecoder> where RowDecoder: Hashable {
    try Set(updateAndFetchCursor(db, onConflict: conflictResolution, assignments: assignments))
  }
}
