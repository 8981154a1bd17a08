extension Database {
  /// Has an observer told of changes and of the ends of transactions.
  ///
  /// An observer that is added twice is told twice.
  ///
  /// - parameter extent: By default, the observer is told as long as it exists, and is not kept.
  public func add(
    transactionObserver: some TransactionObserver, extent: TransactionObservationExtent = .observerLifetime
  ) {
    preconditionAccess()
    changeCapture.add(TransactionObservation(transactionObserver, extent))
  }

  /// Has an observer told no more. One that was added twice is told once then.
  public func remove(transactionObserver: some TransactionObserver) {
    preconditionAccess()
    changeCapture.remove(transactionObserver)
  }

  /// Has a closure called once, when the current transaction has ended, or the next one when there is none.
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
  /// - precondition: The connection can write here.
  public func afterNextTransaction(
    onCommit: @escaping (Database) -> Void, onRollback: @escaping (Database) -> Void = { _ in }
  ) {
    preconditionAccess()
    precondition(!isReadOnlyForObservers, "Read-only transactions are not notified")
    add(
      transactionObserver: EndObserver(onCommit: onCommit, onRollback: onRollback), extent: .nextTransaction)
  }

  /// Tells observers that something has changed in a region.
  ///
  /// The database tells by itself of what its statements change. Some changes it does not see: those of a virtual table
  /// that keeps its content elsewhere, for instance.
  ///
  /// ```swift
  /// try dbQueue.write { db in
  ///   try db.notifyChanges(in: Table("book"))
  /// }
  /// ```
  ///
  /// Observers that observe changes of this region are told by `TransactionObserver.databaseDidChange()`, at once.
  ///
  /// - throws: The error of the region.
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

  /// The region, with the tables called as they were created: observers compare names as they like.
  private func withNamesAsCreated(_ region: DatabaseRegion) throws -> DatabaseRegion {
    try region.mapTables { key, table in
      guard let found = try catalogTable(key) else { return (key, table) }
      return (TableKey(found.name, in: found.id.schemaID.name), table)
    }
  }

  /// The kinds of events that touch a region.
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
  /// The columns of all pieces, as they are called; nil for all of the table.
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

/// Waits for the end of a transaction.
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
