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
  /// they do anything. There is no limit for the number of rows.
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
    handle?.resetRunningStatements()
    isRecording = false
    guard let recorded = changeCapture.endReplicatedRecording(restoring: formerNeeds), isInsideTransaction else {
      throw ChangesetError(
        .transactionEnded,
        "the transaction in which changes are recorded has ended before the closure: SQLite has rolled it back")
    }
    if !violatedForeignKeys, violatesDeferredForeignKeys {
      throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: "FOREIGN KEY constraint failed")
    }
    let changes = try ReplicatedChanges(recorded, self).elements
    return (result, try changes + RecordedNumbers(self, in: ["main"]).changes(since: formerNumbers).elements)
  }

  /// Runs a closure whose statements must not end the transaction.
  private func asReplicatedWrite<Result>(_ body: () throws -> Result) throws -> Result {
    let formerRole = access.groupRole
    access.groupRole = .replicated
    defer { access.groupRole = formerRole }
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
    try inSavepoint {
      try withoutOptions([.foreignKeys, .triggers, .legacyAlteration]) {
        var application = ChangesetApplication(
          self, triggers: .skip, checksForeignKeys: false, isExact: true, resolve: { throw $0 })
        try application.applyInOrder(elements)
      }
      return .commit
    }
  }

  /// Whether the open transaction violates deferred foreign keys.
  package var violatesDeferredForeignKeys: Bool { handle?.hasUnresolvedForeignKeys == true }

  /// Makes virtual tables read their stored content again, after ``applyReplicatedChanges(_:)`` has changed it.
  ///
  /// To be called outside of transactions. Does nothing unless content of virtual tables was applied on this connection
  /// since the last call.
  ///
  /// - Throws: A ``DatabaseError``.
  package func reloadVirtualTables() throws {
    preconditionAccess()
  }
}

/// Converts a recording to the changes of the main database.
private struct ReplicatedChanges {
  let elements: [TransactionChanges.Element]

  init(_ recorded: CommittedChanges, _ db: Database) throws {
    var recorded = recorded
    recorded.details = recorded.details.map { details in
      CommittedChanges.Details(
        unreported: details.unreported, isTruncated: details.isTruncated,
        rowlessChanges: details.rowlessChanges.filter(\.isInMain), details.numbers, nil)
    }
    var reader = ChangeReader(region: .fullDatabase)
    guard let changes = reader.changes(of: recorded, isUnknown: false, rowLimit: .max, at: 0, nil) else {
      elements = []
      return
    }
    switch changes.completeness {
    // The tables are elements.
    case .complete, .incomplete(.notReported), .incomplete(.tooManyRows): break
    case .incomplete(let reason):
      throw ChangesetError(
        .incomplete(reason),
        """
        the changes are unknown (\(reason)), and cannot be replicated: the program has used the C interface, or has \
        changed the schema table
        """)
    }
    elements = changes.elements.filter(\.isInMain)
    var lastTable: ChangedTable?
    for element in elements {
      switch element {
      case .row(let row):
        if row.table !== lastTable { try Self.checkRowID(of: row.table) }
        lastTable = row.table
      case .unknownRows(let databaseName, let tableName):
        throw ChangesetError(
          unknownRowsOf: TableKey(tableName, in: databaseName),
          because: changes.completeness == .incomplete(.tooManyRows) ? .tooManyRows : .notReported)
      case .schema, .counter, .userVersion, .notification: break
      }
    }
  }

  /// Throws an error if no statement can contain the row IDs of a table.
  private static func checkRowID(of table: ChangedTable) throws {
    let names = ["rowid", "_rowid_", "oid"]
    if table.rowID == .hidden, names.allSatisfy({ table.index(ofColumn: $0) != nil }) {
      throw ChangesetError(
        .unrepresentable, "table \(table) has columns of the names rowid, _rowid_ and oid, which hide its row IDs")
    }
  }
}

extension ChangeLog.RowlessChange {
  fileprivate var isInMain: Bool {
    if case .schema(_, let isInMain) = content { isInMain } else { false }
  }
}

extension TransactionChanges.Element {
  /// Whether the change belongs to the main database.
  fileprivate var isInMain: Bool {
    switch self {
    case .row(let row): row.table.databaseName.asciiLowercased == "main"
    case .unknownRows(let databaseName, _), .counter(let databaseName, _, _), .userVersion(let databaseName, _):
      databaseName.asciiLowercased == "main"
    case .schema: true
    case .notification: false
    }
  }
}
