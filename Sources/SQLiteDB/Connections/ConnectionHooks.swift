import Tidemark

/// The closures that are notified of the changes of a connection.
///
/// The connection owns the hooks, and the database references them as a transaction observer. They are used inside
/// accesses only.
final class ConnectionHooks: TransactionObserver {
  var update: ((Connection.Operation, _ db: String, _ table: String, _ rowid: Int64) -> Void)?
  var commit: (() throws -> Void)?
  var rollback: (() -> Void)?
  private unowned let db: Database

  init(_ db: Database) {
    self.db = db
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { update != nil }

  func databaseDidChange(with event: DatabaseEvent) {
    update?(Connection.Operation(event.kind), event.databaseName, event.tableName, event.rowID)
  }

  // SQLite calls no hook for a transaction that has written nothing.
  func databaseWillCommit() throws { if db.isWriting { try commit?() } }

  func databaseDidCommit(_ db: Database) {}

  func databaseDidRollback(_ db: Database) { rollback?() }
}

extension Connection.Operation {
  fileprivate init(_ kind: DatabaseEvent.Kind) {
    switch kind {
    case .insert: self = .insert
    case .delete: self = .delete
    case .update: self = .update
    }
  }
}

extension Connection {
  /// Sets a closure that is notified of changed rows.
  ///
  /// The closure is called once for each row, when the statement that changed it has ended. It replaces the previous
  /// closure; nil removes it. It must not use the connection.
  ///
  /// ```swift
  /// db.updateHook { operation, database, table, rowid in
  ///   print("\(operation) in \(database).\(table), row \(rowid)")
  /// }
  /// ```
  ///
  /// - Parameter callback: Receives the kind of the change, the names of the database and of the table, and the row ID.
  public func updateHook(
    _ callback: ((_ operation: Operation, _ db: String, _ table: String, _ rowid: Int64) -> Void)?
  ) {
    access { hooks($0).update = callback }
  }

  /// Sets a closure that runs before each commit.
  ///
  /// If the closure throws, the transaction is rolled back, and the commit throws its error. The closure replaces the
  /// previous one; nil removes it. It must not use the connection.
  ///
  /// ```swift
  /// struct MaintenanceError: Error {}
  /// let isUnderMaintenance = false
  /// db.commitHook { if isUnderMaintenance { throw MaintenanceError() } }
  /// ```
  ///
  /// - Parameter callback: The closure.
  public func commitHook(_ callback: (() throws -> Void)?) {
    access { hooks($0).commit = callback }
  }

  /// Sets a closure that is notified when a transaction has been rolled back.
  ///
  /// The closure replaces the previous one; nil removes it.
  ///
  /// ```swift
  /// db.rollbackHook { print("rolled back") }
  /// ```
  ///
  /// - Parameter callback: The closure.
  public func rollbackHook(_ callback: (() -> Void)?) {
    access { hooks($0).rollback = callback }
  }

  /// Sets a closure that receives the SQL of each statement that runs, including its arguments.
  ///
  /// The closure replaces the previous one; nil removes it.
  ///
  /// ```swift
  /// db.trace { print($0) }
  /// ```
  ///
  /// - Parameter callback: The closure.
  public func trace(_ callback: ((String) -> Void)?) {
    access { db in
      db.trace(callback.map { callback in { event in callback(event.expandedDescription) } })
    }
  }
}
