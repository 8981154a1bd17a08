/// What the inserts and updates of a record type do with rows that break a constraint.
///
/// ```swift
/// struct Player: MutablePersistableRecord {
///   static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .replace)
/// }
///
/// // INSERT OR REPLACE INTO "player" …
/// try player.insert(db)
/// ```
public struct PersistenceConflictPolicy: Sendable {
  /// What inserts do.
  public let conflictResolutionForInsert: Database.ConflictResolution

  /// What updates do.
  public let conflictResolutionForUpdate: Database.ConflictResolution

  /// A policy. By default, a statement that breaks a constraint fails and changes nothing.
  @inlinable
  public init(insert: Database.ConflictResolution = .abort, update: Database.ConflictResolution = .abort) {
    conflictResolutionForInsert = insert
    conflictResolutionForUpdate = update
  }
}
