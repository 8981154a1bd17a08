// Updates of what has changed, and of nothing else.

extension MutablePersistableRecord {
  /// Updates the columns in which the record differs from another one. When there are none, nothing is executed.
  ///
  /// ```swift
  /// let old = player
  /// player.score = 1000
  /// // UPDATE "player" SET "score"=1000 WHERE "id"=1
  /// try player.updateChanges(db, from: old)
  /// ```
  ///
  /// - returns: Whether there was something to update.
  /// - throws: What `update(_:onConflict:)` throws.
  @discardableResult
  public func updateChanges(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    from record: some MutablePersistableRecord
  ) throws -> Bool {
    try ifNotEmpty(databaseChanges(from: record)) { columns in
      try update(db, onConflict: conflictResolution, columns: columns)
    } != nil
  }

  /// Modifies the record, then updates the columns that are different now. When there are none, nothing is executed.
  ///
  /// ```swift
  /// // UPDATE "player" SET "score"=1000 WHERE "id"=1
  /// try player.updateChanges(db) { $0.score = 1000 }
  /// ```
  ///
  /// - returns: Whether there was something to update.
  /// - throws: What `update(_:onConflict:)` and the closure throw.
  @discardableResult
  public mutating func updateChanges(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    modify: (inout Self) throws -> Void
  ) throws -> Bool {
    try ifNotEmpty(databaseChanges(modify: modify)) { columns in
      try update(db, onConflict: conflictResolution, columns: columns)
    } != nil
  }

  // MARK: - With RETURNING

  /// Modifies the record, then updates the columns that are different now, and fetches the row. When there are none,
  /// nothing is executed, and the answer is nil.
  ///
  /// - throws: What `update(_:onConflict:)` and the closure throw.
  public mutating func updateChangesAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    modify: (inout Self) throws -> Void
  ) throws -> Self? where Self: FetchableRecord {
    try updateChangesAndFetch(db, onConflict: conflictResolution, as: Self.self, modify: modify)
  }

  /// Modifies the record, then updates the columns that are different now, and fetches the row as a record of another
  /// type. When there are none, nothing is executed, and the answer is nil.
  ///
  /// - throws: What `update(_:onConflict:)` and the closure throw.
  public mutating func updateChangesAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: Fetched.Type,
    modify: (inout Self) throws -> Void
  ) throws -> Fetched? {
    try updateChangesAndFetch(
      db, onConflict: conflictResolution, selection: Fetched.databaseSelection, fetch: fetchingOne(returnedType),
      modify: modify)
  }

  /// Modifies the record, then updates the columns that are different now, and fetches some values of the row. When
  /// there are none, nothing is executed, and the answer is nil.
  ///
  /// - throws: What `update(_:onConflict:)` and the closures throw.
  /// - precondition: The selection is not empty.
  public mutating func updateChangesAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched, modify: (inout Self) throws -> Void
  ) throws -> Fetched? {
    try ifNotEmpty(databaseChanges(modify: modify)) { columns in
      try updateAndFetch(db, onConflict: conflictResolution, columns: columns, selection: selection, fetch: fetch)
    }
  }

  private func ifNotEmpty<Updated>(
    _ changes: [String: DatabaseValue], _ update: (Set<String>) throws -> Updated
  ) throws -> Updated? {
    changes.isEmpty ? nil : try update(Set(changes.keys))
  }
}
