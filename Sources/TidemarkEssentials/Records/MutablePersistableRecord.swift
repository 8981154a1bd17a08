/// A record that can be stored, and that may learn from it: above all the id of its new row.
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
/// A record that learns nothing, because it has its key before it is inserted, or because it is a class, is better a
/// `PersistableRecord`: it is inserted without being modified.
///
/// ## Callbacks
///
/// Each is called on the record that is written, in this order:
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
/// `save` updates, and when there is no row to update goes on with the callbacks of an insert, inside the same
/// `aroundSave`. A callback that throws stops everything that would follow. Deletions and updates that do not go
/// through a record, such as `deleteAll` and SQL, call nothing.
public protocol MutablePersistableRecord: EncodableRecord, TableRecord {
  /// What inserts and updates do with rows that break a constraint. By default, they fail.
  static var persistenceConflictPolicy: PersistenceConflictPolicy { get }

  /// Called before the record is inserted, and before it is encoded for it: a record may give itself its key here.
  mutating func willInsert(_ db: Database) throws

  /// Called around the insertion. It must call the closure once, and returns or throws what it likes afterwards.
  func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws

  /// Called when the record has been inserted: the place to take the id that the database gave to the row.
  ///
  /// The transaction may still be undone. See `Database.afterNextTransaction` for what must wait for the commit.
  mutating func didInsert(_ inserted: InsertionSuccess)

  /// Called before the record is updated.
  ///
  /// - parameter columns: The columns that are to be updated.
  func willUpdate(_ db: Database, columns: Set<String>) throws

  /// Called around the update. It must call the closure once.
  func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws

  /// Called when the record has been updated.
  func didUpdate(_ updated: PersistenceSuccess)

  /// Called before the record is inserted or updated.
  func willSave(_ db: Database) throws

  /// Called around the insertion or update. It must call the closure once.
  func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws

  /// Called when the record has been inserted or updated.
  func didSave(_ saved: PersistenceSuccess)

  /// Called before the record is deleted.
  func willDelete(_ db: Database) throws

  /// Called around the deletion. It must call the closure once, which answers whether there was a row.
  func aroundDelete(_ db: Database, delete: () throws -> Bool) throws

  /// Called when the record has been deleted, or when there was nothing to delete.
  func didDelete(deleted: Bool)
}

// MARK: - Defaults

extension MutablePersistableRecord {
  /// A statement that breaks a constraint fails and changes nothing.
  @inlinable
  public static var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }

  /// Does nothing.
  @inlinable
  public mutating func willInsert(_ db: Database) throws {}

  /// Inserts.
  @inlinable
  public func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws { _ = try insert() }

  /// Does nothing.
  @inlinable
  public mutating func didInsert(_ inserted: InsertionSuccess) {}

  /// Does nothing.
  @inlinable
  public func willUpdate(_ db: Database, columns: Set<String>) throws {}

  /// Updates.
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

  /// Saves.
  @inlinable
  public func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws { _ = try save() }

  /// Does nothing.
  @inlinable
  public func didSave(_ saved: PersistenceSuccess) {}

  /// Does nothing.
  @inlinable
  public func willDelete(_ db: Database) throws {}

  /// Deletes.
  @inlinable
  public func aroundDelete(_ db: Database, delete: () throws -> Bool) throws { _ = try delete() }

  /// Does nothing.
  @inlinable
  public func didDelete(deleted: Bool) {}
}
