/// A base class for records that detect whether they have changed since they were fetched or stored.
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
/// Structures can do the same without a base class: see `MutablePersistableRecord.updateChanges(_:onConflict:modify:)`.
///
/// - Note: An overridden callback must call `super`.
open class Record: FetchableRecord, PersistableRecord {
  /// The values of the record's row when it was fetched or stored; nil if the record has no row.
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

  /// Creates a record without a row.
  public init() {}

  /// Creates a record from a row. If the row was not fetched, but created from a literal or a dictionary, all columns
  /// count as changed.
  ///
  /// - Parameter row: A row.
  /// - Throws: An error of a subclass that cannot decode the row.
  public required init(row: Row) throws {
    reference = row.isFetched ? .row(try row.checkedCopy()) : nil
  }

  // MARK: The table

  /// The name of the table. By default, it is derived from the name of the class: see `TableRecord`.
  open class var databaseTableName: String { InferredTableNames.name(of: self) }

  /// The conflict resolution of inserts and updates. By default, conflicts throw errors.
  open class var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }

  /// The selection of requests of this class. By default, all columns.
  open class var databaseSelection: [any SQLSelectable] { [.allColumns] }

  /// Encodes the values of the record. By default, it encodes nothing.
  ///
  /// - Parameter container: The container of the columns and values.
  /// - Throws: An error if a value cannot be encoded.
  open func encode(to container: inout PersistenceContainer) throws {}

  // MARK: Changes

  /// Whether the values of the record differ from its row. True for a record that was neither fetched nor stored, and
  /// for a record that cannot be encoded.
  public var hasDatabaseChanges: Bool {
    do {
      return try !databaseChanges.isEmpty
    } catch {
      // A record that cannot be encoded differs from any row.
      return true
    }
  }

  /// The columns whose values differ from the row, with the values of the row. A value is nil if the record was neither
  /// fetched nor stored, or was fetched without that column.
  ///
  /// - Throws: The error of `encode(to:)`.
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

  /// Updates the columns that have changed since the record was fetched or stored. If there are none, no statement is
  /// executed.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: Whether there were changes.
  /// - Throws: The errors of `update(_:onConflict:)`.
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

  /// Called after the record was inserted. Overrides must call `super`.
  open func didInsert(_ inserted: InsertionSuccess) { reference = .container(inserted.persistenceContainer) }

  /// Called before the record is updated.
  open func willUpdate(_ db: Database, columns: Set<String>) throws {}

  /// Called around the update. It must call the closure once.
  open func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
    _ = try update()
  }

  /// Called after the record was updated. Overrides must call `super`.
  open func didUpdate(_ updated: PersistenceSuccess) {
    var stored = updated.persistenceContainer
    if let storedColumns = updated.storedColumns {
      stored = PersistenceContainer()
      for (column, value) in updated.persistenceContainer {
        let isStored = storedColumns.contains(column.asciiLowercased)
        if let known = isStored ? value : reference?.value(of: column) { stored.store(known, in: column) }
      }
    }
    reference = .container(stored)
  }

  /// Called before the record is inserted or updated.
  open func willSave(_ db: Database) throws {}

  /// Called around the insertion or update. It must call the closure once.
  open func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws { _ = try save() }

  /// Called after the record was inserted or updated.
  open func didSave(_ saved: PersistenceSuccess) {}

  /// Called before the record is deleted.
  open func willDelete(_ db: Database) throws {}

  /// Called around the deletion. It must call the closure once.
  open func aroundDelete(_ db: Database, delete: () throws -> Bool) throws { _ = try delete() }

  /// Called after the deletion was executed, even if the row did not exist. Overrides must call `super`.
  open func didDelete(deleted: Bool) { reference = nil }
}
