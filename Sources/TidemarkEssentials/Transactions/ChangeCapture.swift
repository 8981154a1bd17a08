// Capture, on a connection that writes: follows its statements, keeps the log of the transaction, and tells the commit.
//
//    statement ── willStep ──► plan: which tables, who wants to know ──► hook on or off
//        │  rows ── rowWillChange ──► log
//        └─ didStep ──► cut, or deliver to observers
//    commit hook ── willCommit ──► deliver the rest, ask the observers
//    end of the statement ── settle ──► what became of the transaction: publish, or forget; tell the observers
//
// Invariants, beside those of `ChangeLog` and `ChangeBroker`:
// 1. Nothing is captured, and the hook is off, as long as nobody listens. When it is turned on, statements that may
//    empty a table without telling are compiled again.
// 2. Rows that no statement of the library has changed are told as coarse: nobody tells whether they stay.
// 3. An observer never sees a transaction end that is not over. Its errors and its statements are its own: what it does
//    in `databaseDidCommit` is another transaction.
// 4. Schema, fallback, and whatever cannot be told exactly widen.

/// What a connection that writes keeps to tell its changes.
final class ChangeCapture: DatabaseModuleState, ExecutionObserver, RowChangeListener {
  // Set when the connection is opened, and never after.
  @exclusivity(unchecked) private(set) var broker = ChangeBroker(listening: RowListening())

  // Borrowed: the connection owns this.
  private(set) unowned(unsafe) var db: Database!  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals

  @exclusivity(unchecked) var log = ChangeLog()

  /// The tables of the records of the log.
  @exclusivity(unchecked) var logTables: [CapturedTable] = []
  @exclusivity(unchecked) var logLayouts: [CaptureLayout] = []
  @exclusivity(unchecked) var logSerial: UInt = 1

  /// What is wanted, in this version.
  @exclusivity(unchecked) var needs = CaptureNeeds.none
  @exclusivity(unchecked) var needsVersion = 0

  @exclusivity(unchecked) var observations: [TransactionObservation] = []

  /// Plans of another epoch do not hold.
  @exclusivity(unchecked) var epoch: UInt = 1 { didSet { db?.captureBypass.epoch = 0 } }

  /// The plan of the step that runs, and those around it.
  @exclusivity(unchecked) var step: Step?
  @exclusivity(unchecked) private var outerSteps: [Step] = []

  /// Tables that a statement was not known to write, in this epoch and transaction, as long as nothing has begun that
  /// may change the schema.
  @exclusivity(unchecked) var unplannedTables: [TableKey: CapturedTable] = [:]
  @exclusivity(unchecked) var unplannedTablesEffectCount: UInt = 0
  @exclusivity(unchecked) var layouts:
    [TableKey: (source: CatalogTable, needs: CaptureNeeds.TableNeeds, layout: CaptureLayout)] = [:]

  /// Whether a virtual table was written in this transaction.
  @exclusivity(unchecked) var hasVirtualWrites = false

  /// Whether the pre-update hook is used.
  @exclusivity(unchecked) var usesRowHook = false

  /// Whether rows are listened to, by the pre-update hook or what stands for it.
  private(set) var isListening: Bool {
    get { db.isListeningToRows }
    set { db.isListeningToRows = newValue }
  }

  /// How many times the hook was called.
  @exclusivity(unchecked) var signalCount: UInt = 0

  /// What was last seen of the connection.
  @exclusivity(unchecked) var foreignControlCount: UInt = 0
  @exclusivity(unchecked) var vacuumCount: UInt = 0
  @exclusivity(unchecked) var replacementCount: UInt = 0

  /// The schema that was last seen of a connection that the program uses without the library; nil when it has to be
  /// looked at.
  @exclusivity(unchecked) var sharedGeneration: UInt?

  @exclusivity(unchecked) private var isSavepointTransaction = false
  @exclusivity(unchecked) private var hasCommittedEmptyTransaction = false
  @exclusivity(unchecked) private var hasRefused = false
  @exclusivity(unchecked) private var hasRebuilt = false

  /// The statement whose step runs, when nothing is to be noted of it; nil for all others. One at most: those that run
  /// inside of it are followed.
  @exclusivity(unchecked) private(set) var uncapturedStatement: ObjectIdentifier?

  /// What a step needs to know.
  struct Step {
    let statement: Statement
    let plan: CapturePlan?
    let signalCount: UInt
    let totalChangesCount: Int
    var recompiledWriteCount: UInt
    var unobservedRowCount = 0
    var isHookDisabled = false

    /// Whether a row of one of the tables that it writes has changed.
    var hasOwnRows = false

    /// Whether the statement was compiled again, so that its plan may not hold.
    var isStale = false
  }

  init() {}

  /// Begins to follow a connection.
  ///
  /// - parameter usesRowHook: Whether the pre-update hook is used where SQLite has one.
  func begin(on db: Database, usesRowHook: Bool, bound: ChangeLog.Bound) {
    self.db = db
    self.usesRowHook = usesRowHook && SQLiteLibrary.hasPreupdateHook
    broker = ChangeBroker(listening: db.rowListening)
    log = ChangeLog(bound: bound)
    db.callbacks.rowChanges = self
    db.executionObserver = self
  }

  func forgetStatements() {
    unplannedTables = [:]
    layouts = [:]
    epoch &+= 1
  }

  // MARK: - Steps

  func willStep(_ statement: Statement) throws {
    // Once: each use of what is borrowed holds it.
    let db: Database = self.db
    if db.captureBypass.current != nil { endCaptureBypass() }
    if db.callbacks.hasTransactionEnded { transactionMayHaveEnded(after: nil) }
    if !log.isOpen || !log.isInStep && db.isInAutocommitMode && db.handle?.isWriting != true { beginTransaction() }
    if db.compilation.foreignControlCount != foreignControlCount {
      foreignControlCount = db.compilation.foreignControlCount
      log.becomeUncertain()
    }
    if needsNoCapture(statement, on: db) {
      uncapturedStatement = ObjectIdentifier(statement)
      return
    }
    if statement.effects.contains(.keep), isEmptyCommit(statement) { try willCommitEmptyTransaction() }
    var plan: CapturePlan?
    if let writes = statement.writes, broker.listening.isOn { plan = self.plan(for: writes) }
    if let outer = step {
      outerSteps.append(outer)
      if outer.isHookDisabled { setHook(true) }
    }
    log.willStep()
    step = Step(
      statement: statement, plan: plan, signalCount: signalCount,
      totalChangesCount: plan?.isUnobserved == false ? db.handle?.totalChangesCount ?? 0 : 0,
      recompiledWriteCount: db.compilation.recompiledWriteCount)
  }

  func didStep(_ statement: Statement, error: DatabaseError?) {
    if uncapturedStatement == ObjectIdentifier(statement) {
      uncapturedStatement = nil
      guard error == nil else { return }
      noteEmptyCommit(statement)
      if isListening { allowCaptureBypass(after: nil) }
      return
    }
    let db: Database = self.db
    if step?.isHookDisabled == true { setHook(true) }
    // No row may have told: a plan for the old shape of a table would have the next step read its columns wrongly.
    if step?.recompiledWriteCount != db.compilation.recompiledWriteCount { statement.writes?.forgetFindings() }
    let outcome: ChangeLog.Outcome = error.map(outcomeOfStep) ?? .succeeded
    if step?.signalCount == signalCount, outcome != .undone { detectMissingHookCalls() }
    // Taken out, and not copied. Until here, statements of our own may have run inside of it.
    guard let step = self.step.take() else { preconditionFailure("A statement ended its step that did not begin it") }
    if !outerSteps.isEmpty { self.step = outerSteps.removeLast() }
    log.didStep(outcome) { record in logTables[Int(record.table)].key }
    if outcome == .succeeded { didSucceed(statement) }
    if !observations.isEmpty { deliver(log.deliverable) }
    if outcome == .succeeded { allowCaptureBypass(after: step) }
  }

  private func didSucceed(_ statement: Statement) {
    let db: Database = self.db
    if let writes = statement.writes {
      if !writes.schemaChanges.isEmpty { for change in writes.schemaChanges { log.add(change) } }
      if writes.changesUntoldContent { log.becomeUnknown() }
      switch writes.savepoint {
      case .open(let name):
        isSavepointTransaction = !db.wasInsideTransaction || isSavepointTransaction
        log.openSavepoint(name)
      case .release(let name): log.releaseSavepoint(name)
      case .rollback(let name): log.rollBackToSavepoint(name)
      case nil: break
      }
    }
    if db.compilation.vacuumCount != vacuumCount {
      vacuumCount = db.compilation.vacuumCount
      // Rows that have no id of their own may have others now.
      log.becomeUnknown()
      hasRebuilt = true
      db.callbacks.hasTransactionEnded = true
    }
    if db.isInAutocommitMode, statement.writes?.schemaChanges.contains(where: { $0.kind == .detach }) == true {
      // SQLite calls no hook: there is no transaction.
      hasRebuilt = true
      db.callbacks.hasTransactionEnded = true
    }
    noteEmptyCommit(statement)
  }

  private func noteEmptyCommit(_ statement: Statement) {
    guard statement.effects.contains(.keep) else { return }
    let db: Database = self.db
    if db.isInAutocommitMode, !db.callbacks.hasTransactionEnded {
      // SQLite calls no hook where nothing was written.
      hasCommittedEmptyTransaction = true
      db.callbacks.hasTransactionEnded = true
    }
  }

  /// A statement of which no row was told may have changed tables that somebody wants to know of.
  private func detectMissingHookCalls() {
    guard let step, let plan = step.plan, !plan.isUnobserved, let handle = db.handle,
      handle.totalChangesCount != step.totalChangesCount
    else { return }
    // Who has put a hook of his own in the place of ours keeps it. A virtual table may have no rows in others.
    if usesRowHook, isOrdinary(step.statement) { hookWasLost() }
    for table in step.statement.writes?.tables ?? [] where needs.needs(of: table.key) != nil {
      if table.inserts { log.addCoarse(table.key, .insert) }
      if table.deletes { log.addCoarse(table.key, .delete) }
      if !table.updatedColumns.isEmpty {
        log.addCoarse(table.key, .update, Set(table.updatedColumns.map(\.asciiLowercased)))
      }
    }
  }

  // MARK: - Listening

  func beginTransaction() {
    // Once: each use of what is borrowed holds it.
    let (db, broker): (Database, ChangeBroker) = (self.db, self.broker)
    if broker.version != needsVersion {
      (needs, needsVersion) = broker.current
      epoch &+= 1
    }
    if !unplannedTables.isEmpty { unplannedTables = [:] }
    log.begin(needsVersion: needsVersion)
    forgetLogTables()
    logSerial &+= 1
    isSavepointTransaction = false
    hasVirtualWrites = false
    db.captureBypass.epoch = 0
    hasRefused = false
    foreignControlCount = db.compilation.foreignControlCount
    if !observations.isEmpty {
      removeReleasedObservers()
      for observation in observations { observation.ignoresChanges = false }
      // They are asked again in each transaction.
      epoch &+= 1
    }
    let isOn = broker.listening.isOn
    if isOn != isListening { listen(isOn) }
  }

  func listeningDidChange() {
    // A transaction that was left open goes on as it began.
    if db.isInAutocommitMode, !log.isInStep { listen(broker.listening.isOn) }
  }

  /// Begins to listen to rows in the middle of a transaction.
  func listenNow() {
    if log.isOpen, !isListening { listen(true) }
  }

  private func listen(_ isOn: Bool) {
    isListening = isOn
    if usesRowHook {
      setHook(isOn)
      if isOn, db.compilation.hasUnhookedDeletes { expireStatements() }
      if !isOn { db.compilation.hasUnhookedDeletes = false }
    } else if isOn {
      listenWithoutHook()
    } else {
      db.handle?.setUpdateHook(db.callbacks, isOn: false)
      db.compilation.deletesRowByRow = false
    }
  }

  // MARK: - Ends

  /// Whether a statement commits a transaction that has written nothing, of which SQLite does not tell.
  private func isEmptyCommit(_ statement: Statement) -> Bool {
    if case .release(let name)? = statement.writes?.savepoint {
      guard isSavepointTransaction, log.isOutermost(name) else { return false }
    }
    return !db.isInAutocommitMode && db.handle?.isWriting == false
  }

  private func willCommitEmptyTransaction() throws {
    do {
      try willCommit()
    } catch {
      // As SQLite does when its hook refuses.
      do {
        hasRefused = true
        try db.shielded { try db.rollback() }
      } catch {
        Database.log(error, "A transaction that an observer refused could not be undone")
      }
      throw error
    }
  }

  func willCommit() throws {
    if observations.isEmpty || db.isReadOnlyForObservers { return }
    deliver(log.undelivered)
    do {
      for observation in observations { try observation.observer?.databaseWillCommit() }
    } catch {
      hasRefused = true
      throw error
    }
  }

  func transactionMayHaveEnded(after error: DatabaseError?) {
    let db: Database = self.db
    guard !log.isInStep, db.isAccessible, db.handle != nil else { return }
    let callbacks = db.callbacks
    db.captureBypass.epoch = 0
    let (hasCommitted, hasRolledBack) = (callbacks.hasCommitted, callbacks.hasRolledBack)
    let isUnobserved = db.isInAutocommitMode
    let (hasCommittedEmptyTransaction, hasRebuilt) = (hasCommittedEmptyTransaction, hasRebuilt)
    (self.hasCommittedEmptyTransaction, self.hasRebuilt) = (false, false)
    callbacks.hasTransactionEnded = false
    // A commit of nothing, or of a blob, has no hook that tells of its end.
    callbacks.ownCommits.didNotCommit()
    callbacks.hasCommitted = false
    callbacks.hasRolledBack = false
    if hasCommitted, hasRolledBack, error == nil, !hasRefused {
      // Several transactions of the program's own have ended, and nobody knows which changes are whose.
      log.becomeUnknown()
      didCommit()
    } else if hasRolledBack {
      didRollBack(isReported: db.wasInsideTransaction || hasRefused)
    } else if hasCommitted, !isUnobserved {
      // A commit that has failed leaves its transaction open; else, there is another one that nobody told of.
      guard error == nil else { return }
      log.becomeUnknown()
      didCommit()
      beginTransaction()
      log.becomeUnknown()
    } else if hasCommitted || hasCommittedEmptyTransaction {
      // Of a commit whose outcome is unknown, nobody can say anything.
      if db.settings.health.isUsable { didCommit(hasWritten: hasCommitted) } else { log.reset() }
    } else if hasRebuilt {
      publish(hasWritten: true)
      callbacks.ownCommits.didReport()
      log.reset()
    }
  }

  private func didCommit(hasWritten: Bool = true) {
    publish(hasWritten: hasWritten)
    db.callbacks.ownCommits.didReport()
    forgetLogTables()
    log.reset()
    hasRefused = false
    if !observations.isEmpty, !db.isReadOnlyForObservers { notifyObservers { $0.databaseDidCommit($1) } }
  }

  private func didRollBack(isReported: Bool) {
    forgetLogTables()
    log.reset()
    hasRefused = false
    if isReported, !observations.isEmpty, !db.isReadOnlyForObservers { notifyObservers { $0.databaseDidRollback($1) } }
  }

  private func forgetLogTables() {
    if logTables.isEmpty { return }
    logTables.removeAllKeepingCapacity()
    logLayouts.removeAllKeepingCapacity()
  }

  /// Everything in a database has changed, without a statement.
  func databaseWasReplaced() {
    if !log.isOpen { beginTransaction() }
    db.captureBypass.epoch = 0
    log.becomeUnknown()
    for observation in observations { observation.observer?.databaseDidChange() }
    didCommit()
  }
}
