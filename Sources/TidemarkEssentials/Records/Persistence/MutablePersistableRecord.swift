/// A record that can be stored, and that can be modified when it is inserted: usually to receive the ID of its new row.
///
/// ```swift
/// struct Player: Codable, FetchableRecord, MutablePersistableRecord {
///   var id: Int64?
///   var name: String
///   var score: Int
///
///   mutating func didInsert(_ inserted: InsertionSuccess) {
///     id = inserted.rowID
///   }
/// }
///
/// try dbQueue.write { db in
///   var player = Player(id: nil, name: "Arthur", score: 100)
///   try player.insert(db)
///   player.score += 10
///   try player.update(db)
/// }
/// ```
///
/// A record that is not modified by its insertion, because its key is known beforehand or because it is an instance of
/// a class, should adopt ``PersistableRecord``, whose methods are not mutating.
///
/// ## Callbacks
///
/// The record being written receives these callbacks, in this order:
///
/// | `insert`, `upsert` | `update` | `delete` |
/// | --- | --- | --- |
/// | `willSave` | `willSave` | |
/// | `aroundSave`, and inside it: | `aroundSave`, and inside it: | |
/// | `willInsert` | `willUpdate` | `willDelete` |
/// | `aroundInsert`, around the SQL | `aroundUpdate`, around the SQL | `aroundDelete`, around the SQL |
/// | `didInsert` | `didUpdate` | `didDelete` |
/// | `didSave` | `didSave` | |
///
/// `save` first tries an update. If the row does not exist, it continues with the callbacks of an insertion, inside the
/// same `aroundSave`. If a callback throws, the remaining steps are skipped. Updates and deletions that do not involve
/// a record, such as `deleteAll` and SQL statements, do not call any callback.
public protocol MutablePersistableRecord: EncodableRecord, TableRecord {
  /// The conflict resolution of inserts and updates. By default, conflicts throw errors.
  static var persistenceConflictPolicy: PersistenceConflictPolicy { get }

  /// Called before the record is inserted, and before it is encoded. The record may set its own key here.
  ///
  /// ```swift
  /// mutating func willInsert(_ db: Database) throws {
  ///   creationDate = try db.transactionDate
  /// }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Throws: An error, which cancels the insertion.
  mutating func willInsert(_ db: Database) throws

  /// Called around the insertion. It must call the closure exactly once.
  ///
  /// ```swift
  /// func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
  ///   let inserted = try insert()
  ///   logger.info("inserted row \(inserted.rowID)")
  /// }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter insert: A closure that inserts the record.
  /// - Throws: The error of the closure, or any other error.
  func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws

  /// Called after the record was inserted. A record with an autoincremented ID stores it here.
  ///
  /// The transaction may still be rolled back. For work that depends on the commit, see
  /// ``Database/afterNextTransaction(onCommit:onRollback:)``.
  ///
  /// ```swift
  /// mutating func didInsert(_ inserted: InsertionSuccess) {
  ///   id = inserted.rowID
  /// }
  /// ```
  ///
  /// - Parameter inserted: The outcome of the insertion.
  mutating func didInsert(_ inserted: InsertionSuccess)

  /// Called before the record is updated.
  ///
  /// ```swift
  /// func willUpdate(_ db: Database, columns: Set<String>) throws {
  ///   if columns.contains("email") { try validateEmail() }
  /// }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter columns: The names of the columns to update.
  /// - Throws: An error, which cancels the update.
  func willUpdate(_ db: Database, columns: Set<String>) throws

  /// Called around the update. It must call the closure exactly once.
  ///
  /// ```swift
  /// func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
  ///   try Revision(of: self).insert(db)
  ///   _ = try update()
  /// }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter columns: The names of the columns to update.
  /// - Parameter update: A closure that updates the row.
  /// - Throws: The error of the closure, or any other error.
  func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws

  /// Called after the record was updated.
  ///
  /// - Parameter updated: The outcome of the update.
  func didUpdate(_ updated: PersistenceSuccess)

  /// Called before the record is inserted or updated.
  ///
  /// ```swift
  /// func willSave(_ db: Database) throws {
  ///   guard !name.isEmpty else { throw ValidationError.missingName }
  /// }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Throws: An error, which cancels the write.
  func willSave(_ db: Database) throws

  /// Called around the insertion or update. It must call the closure exactly once.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter save: A closure that inserts or updates the record.
  /// - Throws: The error of the closure, or any other error.
  func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws

  /// Called after the record was inserted or updated.
  ///
  /// - Parameter saved: The outcome of the write.
  func didSave(_ saved: PersistenceSuccess)

  /// Called before the record is deleted.
  ///
  /// - Parameter db: A database connection.
  /// - Throws: An error, which cancels the deletion.
  func willDelete(_ db: Database) throws

  /// Called around the deletion. It must call the closure exactly once.
  ///
  /// ```swift
  /// func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
  ///   let isDeleted = try delete()
  ///   if isDeleted { try DeletedPlayer(self).insert(db) }
  /// }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter delete: A closure that deletes the row, and returns whether it existed.
  /// - Throws: The error of the closure, or any other error.
  func aroundDelete(_ db: Database, delete: () throws -> Bool) throws

  /// Called after the deletion was executed.
  ///
  /// - Parameter deleted: Whether there was a row to delete.
  func didDelete(deleted: Bool)
}

// MARK: - Defaults

extension MutablePersistableRecord {
  /// Returns a policy that throws an error for each conflict.
  @inlinable
  public static var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }

  /// Does nothing.
  @inlinable
  public mutating func willInsert(_ db: Database) throws {}

  /// Calls `insert`.
  @inlinable
  public func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws { _ = try insert() }

  /// Does nothing.
  @inlinable
  public mutating func didInsert(_ inserted: InsertionSuccess) {}

  /// Does nothing.
  @inlinable
  public func willUpdate(_ db: Database, columns: Set<String>) throws {}

  /// Calls `update`.
  @inlinable
  public func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
    _ = try update()
  }

  /// Does nothing.
  @inlinable
  public func didUpdate(_ updated: PersistenceSuccess) {}

  /// Does nothing.
  @inlinable
  public func willSave(_ db: Database) throws {}

  /// Calls `save`.
  @inlinable
  public func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws { _ = try save() }

  /// Does nothing.
  @inlinable
  public func didSave(_ saved: PersistenceSuccess) {}

  /// Does nothing.
  @inlinable
  public func willDelete(_ db: Database) throws {}

  /// Calls `delete`.
  @inlinable
  public func aroundDelete(_ db: Database, delete: () throws -> Bool) throws { _ = try delete() }

  /// Does nothing.
  @inlinable
  public func didDelete(deleted: Bool) {}
}
