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
  /// The values of the record.
  public var persistenceContainer: PersistenceContainer

  /// After an update of some columns: the names of these columns and of the key, in lower case. The other values of the
  /// container are not stored.
  @usableFromInline var storedColumns: Set<String>?

  init(persistenceContainer: PersistenceContainer, storedColumns: Set<String>?) {
    self.persistenceContainer = persistenceContainer
    self.storedColumns = storedColumns
  }

  /// Creates the outcome of a save from the outcome of an insertion.
  @inlinable
  init(_ inserted: InsertionSuccess) {
    persistenceContainer = inserted.persistenceContainer
  }
}
