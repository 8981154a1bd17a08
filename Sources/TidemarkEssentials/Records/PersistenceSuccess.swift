/// What was inserted. See `MutablePersistableRecord.didInsert(_:)`.
public struct InsertionSuccess: Sendable {
  /// The row id of the last row that the connection inserted.
  ///
  /// It is the one of the record, unless the table has no row ids, or the insert was ignored because of a conflict, or
  /// a trigger on a view inserted something else.
  public var rowID: Int64

  /// The column that is the row id, if there is one: that of an `INTEGER PRIMARY KEY`.
  public var rowIDColumn: String?

  /// What was stored, with the row id in its column.
  public var persistenceContainer: PersistenceContainer
}

/// What was stored. See `MutablePersistableRecord.didUpdate(_:)` and `MutablePersistableRecord.didSave(_:)`.
public struct PersistenceSuccess: Sendable {
  /// What was stored.
  public var persistenceContainer: PersistenceContainer

  init(persistenceContainer: PersistenceContainer) {
    self.persistenceContainer = persistenceContainer
  }

  /// What was inserted was stored.
  @inlinable
  init(_ inserted: InsertionSuccess) {
    persistenceContainer = inserted.persistenceContainer
  }
}
