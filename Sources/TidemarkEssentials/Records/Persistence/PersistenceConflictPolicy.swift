/// The conflict resolution of the inserts and updates of a record type.
///
/// ```swift
/// struct Player: Codable, PersistableRecord {
///   static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .replace)
///   var id: Int64
///   var name: String
/// }
///
/// // INSERT OR REPLACE INTO "player" …
/// try Player(id: 1, name: "Arthur").insert(db)
/// ```
public struct PersistenceConflictPolicy: Sendable {
  /// The conflict resolution of inserts.
  public let conflictResolutionForInsert: Database.ConflictResolution

  /// The conflict resolution of updates.
  public let conflictResolutionForUpdate: Database.ConflictResolution

  /// Creates a policy. By default, a statement that violates a constraint throws an error and changes nothing.
  @inlinable
  public init(insert: Database.ConflictResolution = .abort, update: Database.ConflictResolution = .abort) {
    conflictResolutionForInsert = insert
    conflictResolutionForUpdate = update
  }
}
