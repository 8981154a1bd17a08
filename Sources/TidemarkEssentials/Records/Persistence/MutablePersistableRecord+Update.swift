extension MutablePersistableRecord {
  /// Updates all columns of the row of the record.
  ///
  /// ```swift
  /// // UPDATE "player" SET "name"='Arthur', "score"=110 WHERE "id"=1
  /// player.score += 10
  /// try player.update(db)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: The conflict resolution. By default, it is defined by `persistenceConflictPolicy`.
  /// - Throws: `RecordError.recordNotFound` if the table has no row with the primary key of the record; a
  ///   `DatabaseError`; or an error of the callbacks or of `encode(to:)`.
  @inlinable
  public func update(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
    try write(update: conflictResolution, columns: nil, db)
  }

  /// Updates some columns of the row of the record.
  ///
  /// Column names are case-insensitive. Columns that the record does not encode are not updated.
  ///
  /// ```swift
  /// try player.update(db, columns: ["score"])
  /// ```
  ///
  /// - Throws: The errors of `update(_:onConflict:)`.
  public func update(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<String>
  ) throws {
    try write(update: conflictResolution, columns: Set(columns), db)
  }

  /// Updates some columns of the row of the record.
  ///
  /// ```swift
  /// try player.update(db, columns: [Column("score")])
  /// ```
  ///
  /// - Throws: The errors of `update(_:onConflict:)`.
  public func update(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<any ColumnExpression>
  ) throws {
    try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
  }

  /// Updates some columns of the row of the record.
  ///
  /// - Throws: The errors of `update(_:onConflict:)`.
  @_disfavoredOverload
  public func update<Columns: Collection>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: Columns
  ) throws where Columns.Element: ColumnExpression {
    try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
  }

  // MARK: - With RETURNING

  /// Updates the row of the record, and fetches it.
  ///
  /// ```swift
  /// // UPDATE "player" SET … WHERE "id"=1 RETURNING *
  /// let updated = try player.updateAndFetch(db)
  /// ```
  ///
  /// - Returns: The fetched record.
  /// - Throws: The errors of `update(_:onConflict:)`.
  public func updateAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    try updateAndFetch(db, onConflict: conflictResolution, as: Self.self)
  }

  /// Updates the row of the record, and fetches selected values of it.
  ///
  /// ```swift
  /// // UPDATE "player" SET … WHERE "id"=1 RETURNING "modificationDate"
  /// let date = try player.updateAndFetch(db, selection: [Column("modificationDate")]) { statement in
  ///   try Date.fetchOne(statement)
  /// }
  /// ```
  ///
  /// - Returns: The result of the closure.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closure.
  /// - Precondition: The selection is not empty.
  public func updateAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched
  ) throws -> Fetched {
    try fetching(fetch) {
      try write(update: conflictResolution, columns: nil, db, returning: selection.checkedNotEmpty, $0)
    }
  }

  /// Updates some columns of the row of the record, and fetches selected values of the row.
  ///
  /// - Returns: The result of the closure.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closure.
  /// - Precondition: The selection is not empty.
  public func updateAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<String>, selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched
  ) throws -> Fetched {
    try fetching(fetch) {
      try write(update: conflictResolution, columns: Set(columns), db, returning: selection.checkedNotEmpty, $0)
    }
  }

  /// Updates some columns of the row of the record, and fetches selected values of the row.
  ///
  /// - Returns: The result of the closure.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closure.
  /// - Precondition: The selection is not empty.
  public func updateAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<any ColumnExpression>, selection: [any SQLSelectable],
    fetch: (Statement) throws -> Fetched
  ) throws -> Fetched {
    try updateAndFetch(
      db, onConflict: conflictResolution, columns: columns.map(\.name), selection: selection, fetch: fetch)
  }

  /// Updates some columns of the row of the record, and fetches selected values of the row.
  ///
  /// - Returns: The result of the closure.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closure.
  /// - Precondition: The selection is not empty.
  @_disfavoredOverload
  public func updateAndFetch<Columns: Collection, Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: Columns,
    selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched
  ) throws -> Fetched where Columns.Element: ColumnExpression {
    try updateAndFetch(
      db, onConflict: conflictResolution, columns: columns.map(\.name), selection: selection, fetch: fetch)
  }

  /// Updates the row of the record, and fetches selected values of it. A closure selects columns of the record type.
  ///
  /// ```swift
  /// let score = try player.updateAndFetch(db) { statement in
  ///   try Int.fetchOne(statement)
  /// } select: {
  ///   [$0.score]
  /// }
  /// ```
  ///
  /// - Returns: The result of `fetch`.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closures.
  /// - Precondition: The selection is not empty.
  public func updateAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    fetch: (Statement) throws -> Fetched, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Fetched {
    try updateAndFetch(db, onConflict: conflictResolution, selection: selection(Self.databaseComponents), fetch: fetch)
  }

  /// Updates some columns of the row of the record, and fetches selected values of the row. A closure selects columns
  /// of the record type.
  ///
  /// ```swift
  /// let score = try player.updateAndFetch(db, columns: ["name"]) { statement in
  ///   try Int.fetchOne(statement)
  /// } select: {
  ///   [$0.score]
  /// }
  /// ```
  ///
  /// - Returns: The result of `fetch`.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closures.
  /// - Precondition: The selection is not empty.
  public func updateAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<String>,
    fetch: (Statement) throws -> Fetched, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Fetched {
    try updateAndFetch(
      db, onConflict: conflictResolution, columns: columns, selection: selection(Self.databaseComponents),
      fetch: fetch)
  }

  /// Updates some columns of the row of the record, and fetches selected values of the row. A closure selects columns
  /// of the record type.
  ///
  /// - Returns: The result of `fetch`.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closures.
  /// - Precondition: The selection is not empty.
  public func updateAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<any ColumnExpression>,
    fetch: (Statement) throws -> Fetched, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Fetched {
    try updateAndFetch(
      db, onConflict: conflictResolution, columns: columns.map(\.name), fetch: fetch, select: selection)
  }

  /// Updates some columns of the row of the record, and fetches selected values of the row. A closure selects columns
  /// of the record type.
  ///
  /// - Returns: The result of `fetch`.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closures.
  /// - Precondition: The selection is not empty.
  @_disfavoredOverload
  public func updateAndFetch<Columns: Collection, Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: Columns,
    fetch: (Statement) throws -> Fetched, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Fetched where Columns.Element: ColumnExpression {
    try updateAndFetch(
      db, onConflict: conflictResolution, columns: columns.map(\.name), fetch: fetch, select: selection)
  }

  /// Updates the row of the record, and fetches it as a record of another type.
  ///
  /// - Returns: The fetched record.
  /// - Throws: The errors of `update(_:onConflict:)`.
  public func updateAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: Fetched.Type
  ) throws -> Fetched {
    try updateAndFetch(
      db, onConflict: conflictResolution, selection: Fetched.databaseSelection, fetch: fetchingOne(returnedType))
  }
}
