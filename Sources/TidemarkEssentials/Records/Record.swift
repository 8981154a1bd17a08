/// A base class for records that know whether they have changed since they were fetched or stored.
///
/// ```swift
/// final class Player: Record {
///   var id: Int64?
///   var name: String
///
///   override class var databaseTableName: String { "player" }
///
///   required init(row: Row) throws {
///     id = row["id"]
///     name = row["name"]
///     try super.init(row: row)
///   }
///
///   override func encode(to container: inout PersistenceContainer) throws {
///     container["id"] = id
///     container["name"] = name
///   }
///
///   override func didInsert(_ inserted: InsertionSuccess) {
///     super.didInsert(inserted)
///     id = inserted.rowID
///   }
/// }
/// ```
///
/// Structures do the same with less: see `MutablePersistableRecord.updateChanges(_:onConflict:modify:)`.
///
/// - note: Whoever overrides a callback calls the one of `super`.
open class Record: FetchableRecord, PersistableRecord {
  /// What the row of the record had when it was fetched or stored, or nil when the record has no row.
  private var reference: Reference?

  private enum Reference {
    case row(Row)
    case container(PersistenceContainer)

    func value(of column: String) -> DatabaseValue? {
      switch self {
      case .row(let row): row.hasColumn(column) ? row[column] : nil
      case .container(let container): container.storedValue(of: column)
      }
    }
  }

  /// A record that has no row.
  public init() {}

  /// A record from a row. Of a row that was made from a literal or a dictionary, and not fetched, all columns count as
  /// changed.
  public required init(row: Row) throws {
    reference = row.isFetched ? .row(try row.checkedCopy()) : nil
  }

  // MARK: What the table is

  /// The name of the table. By default, it follows from that of the class: see `TableRecord`.
  open class var databaseTableName: String { InferredTableNames.name(of: self) }

  /// What inserts and updates do with rows that break a constraint. By default, they fail.
  open class var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }

  /// What requests of this class select. By default, all columns.
  open class var databaseSelection: [any SQLSelectable] { [.allColumns] }

  /// Gives the values of the record to its columns. By default, it stores nothing.
  open func encode(to container: inout PersistenceContainer) throws {}

  // MARK: What has changed

  /// Whether the record stores other values than its row has. True for a record that was neither fetched nor stored,
  /// and for one that cannot be encoded.
  public var hasDatabaseChanges: Bool {
    do {
      return try !databaseChanges.isEmpty
    } catch {
      // Whatever its row has, it is not this.
      return true
    }
  }

  /// The columns whose values are not those of the row any more, and what the row has there: nil when the record was
  /// neither fetched nor stored, or was fetched without that column.
  ///
  /// - throws: What `encode(to:)` throws.
  public var databaseChanges: [String: DatabaseValue?] {
    get throws {
      var changes: [String: DatabaseValue?] = [:]
      for (column, value) in try encoded() {
        let old = reference?.value(of: column)
        if old.map({ !value.isStoredLike($0) }) ?? true { changes[column] = .some(old) }
      }
      return changes
    }
  }

  /// Updates the columns that have changed since the record was fetched or stored. When there are none, nothing is
  /// executed.
  ///
  /// - returns: Whether there was something to update.
  /// - throws: What `update(_:onConflict:)` throws.
  @discardableResult
  public final func updateChanges(_ db: Database) throws -> Bool {
    let columns = try databaseChanges.keys
    if columns.isEmpty { return false }
    try update(db, columns: Set(columns))
    return true
  }

  // MARK: Callbacks

  /// Called before the record is inserted.
  open func willInsert(_ db: Database) throws {}

  /// Called around the insertion. It must call the closure once.
  open func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws { _ = try insert() }

  /// Called when the record has been inserted. Call the one of `super`.
  open func didInsert(_ inserted: InsertionSuccess) { reference = .container(inserted.persistenceContainer) }

  /// Called before the record is updated.
  open func willUpdate(_ db: Database, columns: Set<String>) throws {}

  /// Called around the update. It must call the closure once.
  open func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
    _ = try update()
  }

  /// Called when the record has been updated. Call the one of `super`.
  open func didUpdate(_ updated: PersistenceSuccess) { reference = .container(updated.persistenceContainer) }

  /// Called before the record is inserted or updated.
  open func willSave(_ db: Database) throws {}

  /// Called around the insertion or update. It must call the closure once.
  open func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws { _ = try save() }

  /// Called when the record has been inserted or updated.
  open func didSave(_ saved: PersistenceSuccess) {}

  /// Called before the record is deleted.
  open func willDelete(_ db: Database) throws {}

  /// Called around the deletion. It must call the closure once.
  open func aroundDelete(_ db: Database, delete: () throws -> Bool) throws { _ = try delete() }

  /// Called when the record has been deleted, or when there was nothing to delete. Call the one of `super`.
  open func didDelete(deleted: Bool) { reference = nil }
}
