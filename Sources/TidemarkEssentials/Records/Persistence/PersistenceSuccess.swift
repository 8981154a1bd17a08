/// The outcome of an insertion. See `MutablePersistableRecord.didInsert(_:)`.
public struct InsertionSuccess: Sendable {
  /// The row ID of the last row that the connection inserted.
  ///
  /// It is the row ID of the record, except in three cases: the table has no row IDs, the insertion was ignored because
  /// of a conflict, or a trigger on a view inserted another row.
  public var rowID: Int64

  /// The column of an `INTEGER PRIMARY KEY`; nil if there is none.
  public var rowIDColumn: String?

  /// The stored values, with the row ID in its column.
  public var persistenceContainer: PersistenceContainer
}

/// The outcome of an update or a save. See `MutablePersistableRecord.didUpdate(_:)` and
/// `MutablePersistableRecord.didSave(_:)`.
public struct PersistenceSuccess: Sendable {
  /// The stored values.
  public var persistenceContainer: PersistenceContainer

  init(persistenceContainer: PersistenceContainer) {
    self.persistenceContainer = persistenceContainer
  }

  /// Creates the outcome of a save from the outcome of an insertion.
  @inlinable
  init(_ inserted: InsertionSuccess) {
    persistenceContainer = inserted.persistenceContainer
  }
}
