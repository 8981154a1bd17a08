// Updating only the columns that have changed.

extension MutablePersistableRecord {
  /// Updates the columns in which the record differs from another record. If there are none, no statement is executed.
  ///
  /// ```swift
  /// let old = player
  /// player.score = 1000
  /// // UPDATE "player" SET "score"=1000 WHERE "id"=1
  /// try player.updateChanges(db, from: old)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: The conflict resolution. By default, it is defined by `persistenceConflictPolicy`.
  /// - Parameter record: The record to compare with.
  /// - Returns: Whether there were changes to update.
  /// - Throws: The errors of `update(_:onConflict:)`.
  @discardableResult
  public func updateChanges(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    from record: some MutablePersistableRecord
  ) throws -> Bool {
    try ifNotEmpty(databaseChanges(from: record)) { columns in
      try update(db, onConflict: conflictResolution, columns: columns)
    } != nil
  }

  /// Modifies the record, and updates the changed columns. If there are none, no statement is executed.
  ///
  /// ```swift
  /// // UPDATE "player" SET "score"=1000 WHERE "id"=1
  /// try player.updateChanges(db) { $0.score = 1000 }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: The conflict resolution. By default, it is defined by `persistenceConflictPolicy`.
  /// - Parameter modify: A closure that modifies the record.
  /// - Returns: Whether there were changes to update.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closure.
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

  /// Modifies the record, updates the changed columns, and fetches the updated row.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: The conflict resolution. By default, it is defined by `persistenceConflictPolicy`.
  /// - Parameter modify: A closure that modifies the record.
  /// - Returns: The fetched record; nil if no column has changed, in which case no statement is executed.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closure.
  public mutating func updateChangesAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    modify: (inout Self) throws -> Void
  ) throws -> Self? where Self: FetchableRecord {
    try updateChangesAndFetch(db, onConflict: conflictResolution, as: Self.self, modify: modify)
  }

  /// Modifies the record, updates the changed columns, and fetches the updated row as a record of another type.
  ///
  /// ```swift
  /// let details = try player.updateChangesAndFetch(db, as: PlayerDetails.self) { $0.score = 1000 }
  /// ```
  ///
  /// - Returns: The fetched record; nil if no column has changed, in which case no statement is executed.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closure.
  public mutating func updateChangesAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: Fetched.Type,
    modify: (inout Self) throws -> Void
  ) throws -> Fetched? {
    try updateChangesAndFetch(
      db, onConflict: conflictResolution, selection: Fetched.databaseSelection, fetch: fetchingOne(returnedType),
      modify: modify)
  }

  /// Modifies the record, updates the changed columns, and fetches selected values of the updated row.
  ///
  /// - Returns: The result of `fetch`; nil if no column has changed, in which case no statement is executed.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closures.
  /// - Precondition: The selection is not empty.
  public mutating func updateChangesAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched, modify: (inout Self) throws -> Void
  ) throws -> Fetched? {
    try ifNotEmpty(databaseChanges(modify: modify)) { columns in
      try updateAndFetch(db, onConflict: conflictResolution, columns: columns, selection: selection, fetch: fetch)
    }
  }

  /// Modifies the record, updates the changed columns, and fetches selected values of the updated row. A closure
  /// selects columns of the record type.
  ///
  /// ```swift
  /// let score = try player.updateChangesAndFetch(db) { statement in
  ///   try Int.fetchOne(statement)
  /// } select: {
  ///   [$0.score]
  /// } modify: {
  ///   $0.score = 1000
  /// }
  /// ```
  ///
  /// - Returns: The result of `fetch`; nil if no column has changed, in which case no statement is executed.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closures.
  /// - Precondition: The selection is not empty.
  public mutating func updateChangesAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    fetch: (Statement) throws -> Fetched, select selection: (DatabaseComponents) throws -> [any SQLSelectable],
    modify: (inout Self) throws -> Void
  ) throws -> Fetched? {
    try updateChangesAndFetch(
      db, onConflict: conflictResolution, selection: selection(Self.databaseComponents), fetch: fetch, modify: modify)
  }

  private func ifNotEmpty<Updated>(
    _ changes: [String: DatabaseValue], _ update: (Set<String>) throws -> Updated
  ) throws -> Updated? {
    changes.isEmpty ? nil : try update(Set(changes.keys))
  }
}

// MARK: - Objects

// A constant can refer to an object that is modified. A variable can be passed to the methods above, too: they are
// preferred, so that a call has one meaning.

extension MutablePersistableRecord where Self: AnyObject {
  /// Modifies the object, and updates the changed columns. If there are none, no statement is executed.
  ///
  /// ```swift
  /// final class Player: Codable, FetchableRecord, PersistableRecord {
  ///   var id: Int64
  ///   var score: Int
  /// }
  ///
  /// // UPDATE "player" SET "score"=1000 WHERE "id"=1
  /// let player = try Player.find(db, key: 1)
  /// try player.updateChanges(db) { $0.score = 1000 }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: The conflict resolution. By default, it is defined by `persistenceConflictPolicy`.
  /// - Parameter modify: A closure that modifies the object.
  /// - Returns: Whether there were changes to update.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closure.
  @_disfavoredOverload
  @discardableResult
  public func updateChanges(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, modify: (Self) throws -> Void
  ) throws -> Bool {
    var object = self
    return try object.updateChanges(db, onConflict: conflictResolution) { (object: inout Self) in try modify(object) }
  }

  /// Modifies the object, updates the changed columns, and fetches the updated row.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: The conflict resolution. By default, it is defined by `persistenceConflictPolicy`.
  /// - Parameter modify: A closure that modifies the object.
  /// - Returns: The fetched record; nil if no column has changed, in which case no statement is executed.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closure.
  @_disfavoredOverload
  public func updateChangesAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, modify: (Self) throws -> Void
  ) throws -> Self? where Self: FetchableRecord {
    var object = self
    return try object.updateChangesAndFetch(db, onConflict: conflictResolution) { (object: inout Self) in
      try modify(object)
    }
  }

  /// Modifies the object, updates the changed columns, and fetches the updated row as a record of another type.
  ///
  /// - Returns: The fetched record; nil if no column has changed, in which case no statement is executed.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closure.
  @_disfavoredOverload
  public func updateChangesAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: Fetched.Type,
    modify: (Self) throws -> Void
  ) throws -> Fetched? {
    var object = self
    return try object.updateChangesAndFetch(db, onConflict: conflictResolution, as: returnedType) {
      (object: inout Self) in try modify(object)
    }
  }

  /// Modifies the object, updates the changed columns, and fetches selected values of the updated row.
  ///
  /// - Returns: The result of `fetch`; nil if no column has changed, in which case no statement is executed.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closures.
  /// - Precondition: The selection is not empty.
  @_disfavoredOverload
  public func updateChangesAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched, modify: (Self) throws -> Void
  ) throws -> Fetched? {
    var object = self
    return try object.updateChangesAndFetch(
      db, onConflict: conflictResolution, selection: selection, fetch: fetch,
      modify: { (object: inout Self) in try modify(object) })
  }

  /// Modifies the object, updates the changed columns, and fetches selected values of the updated row. A closure
  /// selects columns of the record type.
  ///
  /// - Returns: The result of `fetch`; nil if no column has changed, in which case no statement is executed.
  /// - Throws: The errors of `update(_:onConflict:)` and of the closures.
  /// - Precondition: The selection is not empty.
  @_disfavoredOverload
  public func updateChangesAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    fetch: (Statement) throws -> Fetched, select selection: (DatabaseComponents) throws -> [any SQLSelectable],
    modify: (Self) throws -> Void
  ) throws -> Fetched? {
    try updateChangesAndFetch(
      db, onConflict: conflictResolution, selection: selection(Self.databaseComponents), fetch: fetch, modify: modify)
  }
}
