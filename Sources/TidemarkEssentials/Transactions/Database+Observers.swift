extension Database {
  /// Adds an observer that is notified of changes and of the ends of transactions.
  ///
  /// An observer that is added twice is notified twice.
  ///
  /// - Parameter transactionObserver: The observer.
  /// - Parameter extent: How long the observation lasts. By default, it ends when the observer is released: the
  ///   database does not retain it.
  public func add(
    transactionObserver: some TransactionObserver, extent: TransactionObservationExtent = .observerLifetime
  ) {
    preconditionAccess()
    changeCapture.add(TransactionObservation(transactionObserver, extent))
  }

  /// Removes an observer. If it was added twice, it is notified once from then on.
  public func remove(transactionObserver: some TransactionObserver) {
    preconditionAccess()
    changeCapture.remove(transactionObserver)
  }

  /// Calls a closure once, after the current transaction has ended. If no transaction is open, the closure waits for
  /// the next one.
  ///
  /// ```swift
  /// try dbQueue.write { db in
  ///   try db.execute(sql: "INSERT INTO book (title) VALUES ('Dune')")
  ///   db.afterNextTransaction { _ in
  ///     print("Dune is in the library")
  ///   }
  /// }
  /// ```
  ///
  /// The closures are called on the connection, outside of the transaction.
  ///
  /// - Precondition: The connection can write here.
  public func afterNextTransaction(
    onCommit: @escaping (Database) -> Void, onRollback: @escaping (Database) -> Void = { _ in }
  ) {
    preconditionAccess()
    precondition(!isReadOnlyForObservers, "Read-only transactions are not notified: call this method in a write")
    add(
      transactionObserver: EndObserver(onCommit: onCommit, onRollback: onRollback), extent: .nextTransaction)
  }

  /// Notifies observers of a change in a region.
  ///
  /// The database reports the changes of its statements automatically. It does not detect some other changes, such as
  /// changes of a virtual table that stores its content elsewhere.
  ///
  /// ```swift
  /// try dbQueue.write { db in
  ///   try db.notifyChanges(in: Table("book"))
  /// }
  /// ```
  ///
  /// Observers of this region receive `TransactionObserver.databaseDidChange()` immediately.
  ///
  /// - Throws: The error of resolving the region.
  public func notifyChanges(in region: some DatabaseRegionConvertible) throws {
    preconditionAccess()
    if isReadOnlyForObservers { return }
    try changeCapture.noteChange(in: region.databaseRegion(self))
  }
}

extension ChangeCapture {
  fileprivate func noteChange(in region: DatabaseRegion) throws {
    let region = try withNamesAsCreated(region)
    let kinds = try eventKinds(of: region)
    let isAlone = db.isInAutocommitMode && !log.isInStep
    if isAlone || !log.isOpen { beginTransaction() }
    if let tables = region.tables {
      for (key, table) in tables {
        log.addCoarse(key, .insert)
        log.addCoarse(key, .delete)
        log.addCoarse(key, .update, table.updatedColumns.map { Set($0.map(\.asciiLowercased)) })
      }
    } else {
      log.becomeUnknown()
    }
    notifyUnspecifiedChange { observer in kinds.contains(where: observer.observes) }
    if isAlone {
      publish(hasWritten: true)
      log.reset()
    }
  }

  /// Returns the region with table names as they were created. Observers may compare names case by case.
  private func withNamesAsCreated(_ region: DatabaseRegion) throws -> DatabaseRegion {
    try region.mapTables { key, table in
      guard let found = try catalogTable(key) else { return (key, table) }
      return (TableKey(found.name, in: found.id.schemaID.name), table)
    }
  }

  /// Returns the kinds of events that can affect a region.
  private func eventKinds(of region: DatabaseRegion) throws -> [DatabaseEventKind] {
    if let tables = region.tables {
      return try tables.flatMap { key, table in
        try kinds(key.name, table.updatedColumns ?? columnNames(key))
      }
    }
    return try db.allTables().flatMap { try kinds($0.name, columnNames($0)) }
  }

  private func columnNames(_ key: TableKey) throws -> Set<String> {
    try Set(db.catalogTable(key.name, in: key.database)?.allColumns.map(\.name) ?? [])
  }

  private func kinds(_ name: String, _ columns: Set<String>) throws -> [DatabaseEventKind] {
    [.delete(tableName: name), .insert(tableName: name), .update(tableName: name, columnNames: columns)]
  }
}

extension TableRegion {
  /// The columns of all parts of the region, as written; nil for the whole table.
  fileprivate var updatedColumns: Set<String>? {
    parts.reduce(Set()) { columns, part in
      columns.flatMap { columns in part.columns.map { columns.union($0.values) } }
    }
  }
}

extension Database {
  fileprivate func allTables() throws -> [TableKey] {
    let catalog = try freshCatalog()
    return try ([.main, .temp] + attachedSchemas()).flatMap { schemaID in
      try catalog.objects(in: schemaID, self).all
        .filter { $0.type == "table" && !Self.isSQLiteInternalTable($0.name) }
        .map { TableKey($0.name, in: schemaID.name) }
    }
  }
}

/// An observer that waits for the end of a transaction.
private final class EndObserver: TransactionObserver {
  private let onCommit: (Database) -> Void
  private let onRollback: (Database) -> Void

  init(onCommit: @escaping (Database) -> Void, onRollback: @escaping (Database) -> Void) {
    self.onCommit = onCommit
    self.onRollback = onRollback
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidCommit(_ db: Database) { onCommit(db) }
  func databaseDidRollback(_ db: Database) { onRollback(db) }
}
