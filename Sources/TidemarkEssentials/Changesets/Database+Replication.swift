// The changes of a transaction for other nodes of a cluster.
//
//     node A: BEGIN ── recordingReplicatedChanges, … ── COMMIT
//                                │
//                                ▼ elements, sent to the other nodes
//     node B: BEGIN ── applyReplicatedChanges, … ── COMMIT ── reloadVirtualTables
//
// Unlike a changeset, which is applied to databases that may differ, the elements are applied to a database that is
// equal to the one in which they were recorded, and make it equal again. So they are applied one by one, in the order
// of their execution, and row IDs identify the rows.
//
// Invariants:
// 1. A recording contains all changes of the main database, or throws an error and leaves the database unchanged.
//    Changes of other databases are left out.
// 2. A replicated write neither begins nor ends a transaction.
// 3. After the elements were applied, the schema, the rows with their row IDs, the counters of `AUTOINCREMENT` and
//    `user_version` are equal. Statistics (`ANALYZE`) are not replicated.

extension Database {
  /// Runs a closure in a savepoint of the open transaction, and returns its result and all its changes of the main
  /// database, in the order of their execution.
  ///
  /// Changes of temporary and attached databases are left out. Statements that begin or end transactions fail before
  /// they do anything. The number of rows is not limited: they are kept in memory.
  ///
  /// If SQLite has rolled back the transaction, for instance because the disk is full, no transaction is open
  /// afterwards. Call ``rollback()`` before other statements then.
  ///
  /// - Parameter updates: The closure. If it throws, its changes are rolled back.
  /// - Returns: The result of the closure, and the changes: rows, counters, `user_version` and schema changes.
  /// - Throws: The error of the closure, a ``ChangesetError`` if the changes are not all known, or a
  ///   ``DatabaseError``: with the code `SQLITE_CONSTRAINT_FOREIGNKEY` if the changes violate deferred foreign keys.
  package func recordingReplicatedChanges<Result>(
    _ updates: (Database) throws -> Result
  ) throws -> (result: Result, elements: [TransactionChanges.Element]) {
    preconditionAccess()
    guard isInsideTransaction else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "replicated changes are recorded in a transaction: begin one before")
    }
    try requireOwnTransaction()
    var recording: (result: Result, elements: [TransactionChanges.Element])?
    try inSavepoint {
      recording = try recordingReplicatedChangesInSavepoint(updates)
      return .commit
    }
    guard let recording else { preconditionFailure("A savepoint was released without its closure") }
    return recording
  }

  private func recordingReplicatedChangesInSavepoint<Result>(
    _ updates: (Database) throws -> Result
  ) throws -> (result: Result, elements: [TransactionChanges.Element]) {
    try loadChangedSchemas()
    let formerNumbers = try RecordedNumbers(self, in: ["main"])
    let violatedForeignKeys = violatesDeferredForeignKeys
    let formerNeeds = try changeCapture.beginReplicatedRecording()
    var isRecording = true
    defer { if isRecording { _ = changeCapture.endReplicatedRecording(restoring: formerNeeds) } }
    let result = try asReplicatedWrite { try updates(self) }
    handle?.resetRunningStatements(keepsBlobs: true)
    if isInsideTransaction { try flushVirtualTables() }
    isRecording = false
    guard let recording = changeCapture.endReplicatedRecording(restoring: formerNeeds), isInsideTransaction else {
      throw ChangesetError(
        .transactionEnded,
        "the transaction in which changes are recorded has ended before the closure: SQLite has rolled it back")
    }
    if !violatedForeignKeys, violatesDeferredForeignKeys {
      throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: "FOREIGN KEY constraint failed")
    }
    let changes = try ReplicatedChanges(recording.0, storedVirtualTables: recording.stored, self).elements
    return (result, try changes + RecordedNumbers(self, in: ["main"]).changes(since: formerNumbers).elements)
  }

  /// Runs a closure whose statements must not end the transaction.
  private func asReplicatedWrite<Result>(_ body: () throws -> Result) throws -> Result {
    let (formerRole, formerCheck) = (access.groupRole, access.replicatedWriteCheck)
    let capture = changeCapture
    (access.groupRole, access.replicatedWriteCheck) = (.replicated, { try capture.willReplicate($0) })
    let formerlyKeptWritable = compilation.keepsConnectionWritable
    compilation.keepsConnectionWritable = true
    defer {
      (access.groupRole, access.replicatedWriteCheck) = (formerRole, formerCheck)
      compilation.keepsConnectionWritable = formerlyKeptWritable
    }
    return try body()
  }

  /// Applies the changes that ``recordingReplicatedChanges(_:)`` has returned on another node, in the open transaction.
  ///
  /// Triggers and foreign key actions are not executed, and foreign keys and `CHECK` constraints are not checked: the
  /// other node has done this.
  ///
  /// - Parameter elements: The changes.
  /// - Throws: A ``ChangesetConflict``, or a ``ChangesetError``, if the database is not as it was on the other node, or
  ///   a ``DatabaseError``. None of the changes stays then.
  package func applyReplicatedChanges(_ elements: [TransactionChanges.Element]) throws {
    preconditionAccess()
    guard isInsideTransaction else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "replicated changes are applied in a transaction: begin one before")
    }
    // A defensive connection refuses to change the content of virtual tables.
    let changesVirtualTables = changesVirtualTables(elements)
    if changesVirtualTables { moduleState(ReplicationState.self).mustReloadVirtualTables = true }
    let options: [ConnectionHandle.Option] = [.foreignKeys, .triggers, .legacyAlteration]
    try inSavepoint {
      try withoutOptions(options + (changesVirtualTables ? [.defensive] : [])) {
        try withoutConstraintChecks {
          var application = ChangesetApplication(
            self, triggers: .skip, checksForeignKeys: false, isExact: true, resolve: { throw $0 })
          try application.applyInOrder(elements)
        }
      }
      return .commit
    }
  }

  /// Whether changes may contain rows in which a virtual table stores its content.
  private func changesVirtualTables(_ elements: [TransactionChanges.Element]) -> Bool {
    let changesSchema = elements.contains { if case .schema = $0 { true } else { false } }
    var lastTable: ChangedTable?
    for case .row(let row) in elements where row.table !== lastTable {
      lastTable = row.table
      let key = TableKey(row.table.name, in: row.table.databaseName)
      // A virtual table may get its name by one of the changes.
      if changesSchema && key.name.contains("_") || changeCapture.virtualTable(before: key) != nil { return true }
    }
    return false
  }

  /// Runs a closure that ignores `CHECK` constraints: their functions may be missing, or have another result.
  private func withoutConstraintChecks(_ body: () throws -> Void) throws {
    func set(_ value: Int64) throws { _ = try internalRows("PRAGMA ignore_check_constraints = \(value)") }
    guard case .int64(let former)? = try internalRows("PRAGMA ignore_check_constraints").first?[0].storage, former == 0
    else { return try body() }
    try set(1)
    defer {
      do {
        try shielded { try set(former) }
      } catch {
        Self.log(error, "Could not restore a setting after applying changes")
      }
    }
    try body()
  }

  /// Whether the open transaction violates deferred foreign keys.
  package var violatesDeferredForeignKeys: Bool { handle?.hasUnresolvedForeignKeys == true }

  /// Whether transaction observers wait for the end of the open transaction only, such as the closures of
  /// ``afterNextTransaction(onCommit:onRollback:)``.
  package var hasObserversOfNextTransaction: Bool { changeCapture.hasObserversOfNextTransaction }

  /// Makes virtual tables read their stored content again, after ``applyReplicatedChanges(_:)`` has changed it.
  ///
  /// To be called outside of transactions. Does nothing unless content of virtual tables was applied on this connection
  /// since the last call.
  ///
  /// - Throws: A ``DatabaseError``.
  package func reloadVirtualTables() throws {
    preconditionAccess()
    let state = moduleState(ReplicationState.self)
    if !state.mustReloadVirtualTables { return }
    if isInsideTransaction {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "virtual tables cannot be reloaded in a transaction: end it before")
    }
    // The pragma takes effect when it is compiled: SQLite forgets the schema, and so all virtual tables.
    let reset = try DirectStatement("PRAGMA writable_schema = RESET", on: self)
    defer { reset.reset() }
    _ = try reset.step()
    state.mustReloadVirtualTables = false
  }
}

/// The work after changes were applied on a connection.
private final class ReplicationState: DatabaseModuleState {
  var mustReloadVirtualTables = false

  init() {}
}
