/// A record that can be stored, and that storing it does not modify.
///
/// ```swift
/// struct Country: Codable, FetchableRecord, PersistableRecord {
///   var code: String
///   var name: String
/// }
///
/// try Country(code: "FR", name: "France").insert(db)
/// ```
///
/// It has all that a `MutablePersistableRecord` has. Classes can take the id of their new row in `didInsert`, too.
public protocol PersistableRecord: MutablePersistableRecord {
  /// Called before the record is inserted, and before it is encoded for it.
  func willInsert(_ db: Database) throws

  /// Called when the record has been inserted.
  func didInsert(_ inserted: InsertionSuccess)
}

extension PersistableRecord {
  /// Does nothing.
  @inlinable
  public func willInsert(_ db: Database) throws {}

  /// Does nothing.
  @inlinable
  public func didInsert(_ inserted: InsertionSuccess) {}
}
