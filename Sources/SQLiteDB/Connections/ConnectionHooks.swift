import Tidemark

/// The closures that are told what the connection changes.
///
/// The connection keeps them, and the database borrows them. They are touched inside accesses only.
final class ConnectionHooks: TransactionObserver {
  var update: ((Connection.Operation, _ db: String, _ table: String, _ rowid: Int64) -> Void)?
  var commit: (() throws -> Void)?
  var rollback: (() -> Void)?

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { update != nil }

  func databaseDidChange(with event: DatabaseEvent) {
    update?(Connection.Operation(event.kind), event.databaseName, event.tableName, event.rowID)
  }

  func databaseWillCommit() throws { try commit?() }

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
  /// Has a closure told of the rows that are changed: when their statement has ended, each row once.
  ///
  /// It takes the place of the closure before; nil is none. It must not use the connection.
  ///
  /// - parameter callback: Told what happened, in which database, in which table, to the row of which id.
  public func updateHook(
    _ callback: ((_ operation: Operation, _ db: String, _ table: String, _ rowid: Int64) -> Void)?
  ) {
    access { hooks($0).update = callback }
  }

  /// Has a closure asked before each commit. When it throws, the transaction is undone, and the commit throws its
  /// error.
  ///
  /// It takes the place of the closure before; nil is none. It must not use the connection.
  public func commitHook(_ callback: (() throws -> Void)?) {
    access { hooks($0).commit = callback }
  }

  /// Has a closure told when a transaction was undone.
  ///
  /// It takes the place of the closure before; nil is none.
  public func rollbackHook(_ callback: (() -> Void)?) {
    access { hooks($0).rollback = callback }
  }

  /// Has a closure told the SQL of each statement that runs, with its values.
  ///
  /// ```swift
  /// db.trace { print($0) }
  /// ```
  ///
  /// It takes the place of the closure before; nil is none.
  public func trace(_ callback: ((String) -> Void)?) {
    access { db in
      db.trace(callback.map { callback in { event in callback(event.expandedDescription) } })
    }
  }
}
