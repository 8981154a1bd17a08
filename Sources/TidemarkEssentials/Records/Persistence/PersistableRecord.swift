/// A record that can be stored, and whose write methods do not mutate it.
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
/// It inherits all methods of ``MutablePersistableRecord``. Instances of classes can receive the ID of their new row in
/// `didInsert`.
public protocol PersistableRecord: MutablePersistableRecord {
  /// Called before the record is inserted, and before it is encoded.
  ///
  /// - Parameter db: A database connection.
  /// - Throws: An error, which cancels the insertion.
  func willInsert(_ db: Database) throws

  /// Called after the record was inserted.
  ///
  /// - Parameter inserted: The outcome of the insertion.
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
