// Writing the change feed: the entries of transactions, in the transactions themselves.
//
//     statement outside of a transaction ── runs in a transaction of its own: see Statement+OwnTransaction.swift
//     COMMIT, RELEASE ── willCommit ──► the entry is inserted ──► the statement ──► transactionDidEnd
//
// States:
//
//     head: nil ── willCommit reads the last row, and compares it with the state of the file ──► pending
//     head: known ── willCommit, the file has not changed since ──────────────────────────────► pending
//     pending ── COMMIT has succeeded, and the file has changed by one commit ──► head: known
//     pending ── COMMIT has failed, the transaction is open ──► pending: the next COMMIT replaces the rows
//     pending ── rolled back, or others have committed since ──► head: nil
//
// Invariants, in addition to the invariants of the tables:
// 1. A transaction that has changed the content of the main database has an entry, if it was committed by a statement
//    of the library.
// 2. Before a connection adds an entry, it finds out whether the last entry belongs to the last commit. If not, or if
//    this is uncertain, an entry says that anything may have changed.
// 3. If the entry cannot be written, the transaction is not committed.
// 4. An entry is written under the write lock, before the commit begins, and while no statement of the program steps.

/// Writes the change feed on a writer connection.
final class ChangeFeedWriter: DatabaseModuleState, CommitRecorder {
  private var retention = ChangeFeedRetention(ChangeFeedConfiguration())
  private var subscription: ChangeSubscription?

  // Checks of exclusive access would take 2 % of the instructions of a small transaction (Benchmarks: `feed one`).
  @exclusivity(unchecked) private var encoder = ChangeLogEncoder()
  @exclusivity(unchecked) private var progress = Progress()

  /// The known end of the feed, and the work of the open transaction.
  private struct Progress {
    /// The last row, and the state of the file with it.
    var head: (row: ChangeFeedRow, state: CommitState)?

    /// The rows that the open transaction has added, the last row now, and the state of the file before the commit.
    var pending: (ids: ClosedRange<FeedID>?, last: ChangeFeedRow, before: CommitState)?

    /// The version of the open transaction, once its changes are written.
    var pendingVersion: UInt64?

    /// The last row of the transactions that will be committed with the open one, and the state of the file before.
    var completed: (last: ChangeFeedRow, before: CommitState)?

    /// The last row that the open transaction has checked, if it has written none.
    var checked: (row: ChangeFeedRow, state: CommitState)?
  }

  /// The first row that this connection has read: it may be older than the WAL-index.
  private var firstID: FeedID?

  /// Whether a database in memory may have changed without an entry.
  private var isUncertain = false

  /// SQLite's number of changed rows at the end of the last transaction.
  private var totalChangesCount = 0

  /// Whether the database has a write-ahead log; nil if this is unknown.
  private var usesLog: Bool?

  /// The work that the open transaction requires, even if it changes no captured table.
  private var request = Request.none

  private enum Request {
    case none

    /// An entry about unknown commits, if there are any.
    case check

    /// That its commit is known: it has changed tables of the feed.
    case known
  }

  init() {}

  // MARK: - Beginning

  /// Begins to write the feed, and creates its tables if there are none.
  func begin(on db: Database, _ configuration: ChangeFeedConfiguration) throws {
    retention = ChangeFeedRetention(configuration)
    let table = CaptureNeeds.TableNeeds(columns: nil, values: nil, rows: true, storesRows: true)
    subscription = db.changeCapture.broker.subscribe(CaptureNeeds(otherTables: table, storedNumbers: true), nil)
    let willSetJournalMode = db.compilation.willSetJournalMode
    db.compilation.willSetJournalMode = { [unowned self] in
      willSetJournalMode?()
      usesLog = nil
    }
    db.changeCapture.setRecorder(self)
    try noteUnknownCommits(db)
  }

  /// Adds an entry if the last commit has none. Without a feed, creates it.
  func noteUnknownCommits(_ db: Database) throws {
    try db.inTransaction(.immediate) {
      request = .check
      return .commit
    }
  }

  /// Notes that the open transaction changes tables of the feed.
  func feedWillChange() { request = .known }

  // MARK: - Notifications

  /// Adds a notification to the open transaction.
  func notify(_ db: Database, _ channel: String, _ payload: String) throws {
    if db.changeCapture.log.isInStep { throw Self.isInStepError }
    let changesCount = db.changesCount
    do {
      try takeWriteLock(db)
    } catch DatabaseError.SQLITE_ERROR where db.handle?.hasTable(ChangeFeedTables.entries, in: "main") == false {
      // Another connection has removed the feed.
      try db.moduleState(ChangeFeedTables.self).create(db)
      try takeWriteLock(db)
    }
    // The program sees the number of its own statements.
    db.capture.recordedChanges.countBefore = changesCount
    // A step that bypasses the capture is known only now.
    if db.changeCapture.log.isInStep { throw Self.isInStepError }
    db.changeCapture.log.add(.notification(channel: channel, payload: payload))
  }

  /// Lets the commit store an entry. Changes no row.
  private func takeWriteLock(_ db: Database) throws {
    let sql = "DELETE FROM main.\(ChangeFeedTables.entries) WHERE 0"
    try db.untraced { try db.preparedStatement(sql: sql).availableStatement().runToEnd(nil) }
  }

  /// It is uncertain whether the changes of a function stay if its statement fails. And when a commit runs, the entry
  /// is written.
  private static var isInStepError: DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "notify cannot be called while a statement runs, from a function or databaseWillCommit: call it between "
        + "statements")
  }

  // MARK: - Transactions

  func willCommit(_ db: Database) throws {
    guard let handle = db.handle, handle.isWriting("main") else { return }
    let capture = db.changeCapture
    let mayHaveWritten = db.capture.mayHaveWritten || handle.totalChangesCount != totalChangesCount
    if case .none = request, progress.pending == nil, !mayHaveWritten, capture.log.isEmpty, !capture.log.isUncertain {
      return
    }
    do {
      try write(db, handle, capture)
    } catch {
      progress.head = nil
      throw error
    }
  }

  private func write(_ db: Database, _ handle: ConnectionHandle, _ capture: ChangeCapture) throws {
    let tables = db.moduleState(ChangeFeedTables.self)
    if let pending = progress.pending {
      // The commit has failed before.
      if let ids = pending.ids, try ChangeFeedTables.exist(db) { try tables.remove(ids, db) }
      (progress.pending, progress.pendingVersion) = (nil, nil)
    }
    guard let state = handle.commitState(usesLog: usesLog) else {
      throw DatabaseError(
        resultCode: .SQLITE_IOERR, message: "could not determine the state of the file for the change feed")
    }
    if case .log = state, usesLog != true {
      try handle.keepLogOnClose()
      usesLog = true
    }
    let first = try head(state, tables, db)
    try write(db, capture, after: first, state, tables)
  }

  private func write(
    _ db: Database, _ capture: ChangeCapture, after first: (row: ChangeFeedRow, isLast: Bool), _ state: CommitState,
    _ tables: ChangeFeedTables
  ) throws {
    let time = db.settings.wallClock.microsecondsSince1970()
    var last = first.row
    if !first.isLast {
      let id = last.id.next
      last = try Self.unknownChanges(version: id.version, time).withUnsafeBytes { changes in
        try insert(changes, id, after: last, first: first.row, state, tables, db)
      }
    }
    // Read first: the log becomes unknown if they could not be read.
    let numbers = capture.storedNumbers()
    var id = last.id.next
    let head = ChangeLogEncoder.Head(version: id.version, microsecondsSince1970: time)
    try encoder.encode(&capture.log, numbers, head) { changes in
      last = try insert(changes, id, after: last, first: first.row, state, tables, db)
      if progress.pendingVersion == nil {
        capture.broker.recordedVersions.transactionIsStored(id.version, mark: last.digest.low)
      }
      progress.pendingVersion = id.version
      id = id.nextPart
    }
    if progress.pending == nil {
      if case .check = request {
        progress.checked = (first.row, state)
        return
      }
      // The last row now belongs to this commit.
      last.origin = state.origin
      try tables.update(last, db)
      progress.pending = (nil, last, state)
    }
    if let pending = progress.pending, pending.ids != nil {
      try retention.removeEntries(after: first.row, before: pending.last, tables, db)
    }
  }

  /// Adds a row.
  ///
  /// - Parameter first: The last row before the transaction.
  /// - Returns: The row.
  private func insert(
    _ changes: UnsafeRawBufferPointer, _ id: FeedID, after last: ChangeFeedRow, first: ChangeFeedRow,
    _ state: CommitState, _ tables: ChangeFeedTables, _ db: Database
  ) throws -> ChangeFeedRow {
    // Reading the stored numbers may have failed, so that SQLite has rolled back the transaction.
    if db.isInAutocommitMode { throw db.abortedError(db.transaction.abortCause) }
    let row = last.next(id, changes, origin: state.origin)
    try tables.insert(row, changes, db)
    progress.pending = (first.id.next...row.id, row, state)
    return row
  }

  /// The last row, and whether it belongs to the last commit. Without tables, a row that precedes all others.
  private func head(
    _ state: CommitState, _ tables: ChangeFeedTables, _ db: Database
  ) throws -> (row: ChangeFeedRow, isLast: Bool) {
    if let completed = progress.completed { return (completed.last, true) }
    if let head = progress.head, state.hasSameContent(as: head.state) { return (head.row, true) }
    progress.head = nil
    retention.forget()
    if let row = try tables.last(db) {
      let first = firstID ?? row.id
      firstID = first
      let isLast = db.handle?.isLastCommit(row.origin, in: state, isRecent: row.id > first) == true
      if case .memory = state { return (row, isLast && !isUncertain) }
      return (row, isLast)
    }
    if try !ChangeFeedTables.exist(db) { try tables.create(db) }
    firstID = FeedID.none
    guard let history = try tables.history(db) else {
      throw DatabaseError(
        resultCode: .SQLITE_CORRUPT, message: "the table \(ChangeFeedTables.history) of the change feed is empty")
    }
    return (ChangeFeedRow(id: .none, digest: history, byteCount: 0, origin: state.origin), false)
  }

  /// Whether a transaction may have changed the main database.
  private static func mayHaveChanged(_ log: borrowing ChangeLog) -> Bool {
    !log.unreported.subtracting(.settings).isEmpty || log.isUncertain || log.hasChanges(in: "main")
      || log.userVersionDatabases.contains("main")
  }

  private static func unknownChanges(version: UInt64, _ time: Int64) -> [UInt8] {
    let version = DatabaseVersion(version)
    return TransactionChanges(
      versions: version...version, microsecondsSince1970: time, completeness: .incomplete(.unknown)
    ).encoded()
  }

  func transactionDidEnd(_ db: Database, _ settlement: TransactionMachine.Settlement) -> UInt64? {
    noteEndOfTransaction(db)
    let pending = progress.pending.take().map { ($0.last, $0.before) } ?? progress.completed
    let checked = progress.checked.take()
    let version = progress.pendingVersion.take()
    progress.completed = nil
    switch settlement {
    case .publish:
      guard let (last, before) = pending else {
        if Self.mayHaveChanged(db.changeCapture.log) { isUncertain = true }
        if let checked { progress.head = checked }
        return nil
      }
      progress.head = nil
      isUncertain = false
      // If others have committed since, the next transaction reads the last row.
      if let state = db.handle?.commitState(usesLog: usesLog), state.isNext(to: before) {
        progress.head = (last, state)
      }
      return version
    case .publishUnknown, .publishUnknownAndContinue, .publishRebuild, .forget:
      progress.head = nil
      isUncertain = true
    case .discard, .discardAndContinue: if pending != nil { progress.head = nil }
    case .nothing: break
    }
    return nil
  }

  func transactionIsComplete(_ db: Database) -> UInt64? {
    noteEndOfTransaction(db)
    if let pending = progress.pending.take() { progress.completed = (pending.last, pending.before) }
    return progress.pendingVersion.take()
  }

  func transactionWasUndone(_ db: Database) {
    noteEndOfTransaction(db)
    (progress.pending, progress.pendingVersion) = (nil, nil)
    // It may have removed entries.
    retention.forget()
  }

  private func noteEndOfTransaction(_ db: Database) {
    request = .none
    totalChangesCount = db.handle?.totalChangesCount ?? 0
  }

  func contentWasReplaced() {
    progress.head = nil
    isUncertain = true
  }

  func releaseMemory() { encoder = ChangeLogEncoder() }
}

extension Database {
  /// The writer of the change feed; nil if this connection writes none.
  var changeFeedWriter: ChangeFeedWriter? { changeCapture.recorder as? ChangeFeedWriter }
}
