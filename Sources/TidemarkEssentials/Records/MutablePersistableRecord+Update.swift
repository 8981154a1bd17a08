extension MutablePersistableRecord {
  /// Updates the row of the record, in all its columns.
  ///
  /// ```swift
  /// // UPDATE "player" SET "name"='Arthur', "score"=110 WHERE "id"=1
  /// player.score += 10
  /// try player.update(db)
  /// ```
  ///
  /// - parameter conflictResolution: What is done with rows that break a constraint. By default, what
  ///   `persistenceConflictPolicy` says.
  /// - throws: `RecordError.recordNotFound` when the primary key of the record is in no row; a `DatabaseError`; what
  ///   the callbacks and `encode(to:)` throw.
  @inlinable
  public func update(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
    try write(update: conflictResolution, columns: nil, db)
  }

  /// Updates the row of the record, in some columns.
  ///
  /// Case does not count. Columns that the record does not store are left alone.
  ///
  /// - throws: What `update(_:onConflict:)` throws.
  public func update(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<String>
  ) throws {
    try write(update: conflictResolution, columns: Set(columns), db)
  }

  /// Updates the row of the record, in some columns.
  ///
  /// ```swift
  /// try player.update(db, columns: [Column("score")])
  /// ```
  ///
  /// - throws: What `update(_:onConflict:)` throws.
  public func update(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<any ColumnExpression>
  ) throws {
    try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
  }

  /// Updates the row of the record, in some columns.
  ///
  /// - throws: What `update(_:onConflict:)` throws.
  @_disfavoredOverload
  public func update<Columns: Collection>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: Columns
  ) throws where Columns.Element: ColumnExpression {
    try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
  }

  // MARK: - With RETURNING

  /// Updates the row of the record, and fetches it.
  ///
  /// - throws: What `update(_:onConflict:)` throws.
  public func updateAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    try updateAndFetch(db, onConflict: conflictResolution, as: Self.self)
  }

  /// Updates the row of the record, and fetches some values of it.
  ///
  /// ```swift
  /// // UPDATE "player" SET … WHERE "id"=1 RETURNING "modificationDate"
  /// let date = try player.updateAndFetch(db, selection: [Column("modificationDate")]) { statement in
  ///   try Date.fetchOne(statement)
  /// }
  /// ```
  ///
  /// - throws: What `update(_:onConflict:)` and the closure throw.
  /// - precondition: The selection is not empty.
  public func updateAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched
  ) throws -> Fetched {
    try fetching(fetch) {
      try write(update: conflictResolution, columns: nil, db, returning: selection.checkedNotEmpty, $0)
    }
  }

  /// Updates the row of the record in some columns, and fetches some values of it.
  ///
  /// - throws: What `update(_:onConflict:)` and the closure throw.
  /// - precondition: The selection is not empty.
  public func updateAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<String>, selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched
  ) throws -> Fetched {
    try fetching(fetch) {
      try write(update: conflictResolution, columns: Set(columns), db, returning: selection.checkedNotEmpty, $0)
    }
  }

  /// Updates the row of the record in some columns, and fetches some values of it.
  ///
  /// - throws: What `update(_:onConflict:)` and the closure throw.
  /// - precondition: The selection is not empty.
  public func updateAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<any ColumnExpression>, selection: [any SQLSelectable],
    fetch: (Statement) throws -> Fetched
  ) throws -> Fetched {
    try updateAndFetch(
      db, onConflict: conflictResolution, columns: columns.map(\.name), selection: selection, fetch: fetch)
  }

  /// Updates the row of the record in some columns, and fetches some values of it.
  ///
  /// - throws: What `update(_:onConflict:)` and the closure throw.
  /// - precondition: The selection is not empty.
  @_disfavoredOverload
  public func updateAndFetch<Columns: Collection, Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: Columns,
    selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched
  ) throws -> Fetched where Columns.Element: ColumnExpression {
    try updateAndFetch(
      db, onConflict: conflictResolution, columns: columns.map(\.name), selection: selection, fetch: fetch)
  }

  /// Updates the row of the record, and fetches it as a record of another type.
  ///
  /// - throws: What `update(_:onConflict:)` throws.
  public func updateAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: Fetched.Type
  ) throws -> Fetched {
    try updateAndFetch(
      db, onConflict: conflictResolution, selection: Fetched.databaseSelection, fetch: fetchingOne(returnedType))
  }
}
