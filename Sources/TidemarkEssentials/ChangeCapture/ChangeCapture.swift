// Change capture on a writer connection: follows its statements, keeps the log of the transaction, and publishes
// commits.
//
//    statement ── willStep ──► plan: tables and subscribers ──► hook on or off
//        │  rows ── rowWillChange ──► log
//        └─ didStep ──► cut the log, or deliver to observers
//    commit hook ── willCommit ──► deliver the remaining rows, ask the observers
//    end of the statement ── transactionMayHaveEnded ──► publish or discard the log; notify the observers
//
// Invariants, in addition to the invariants of `ChangeLog` and `ChangeBroker`:
// 1. Without subscribers and observers, nothing is captured, and the hook is off. When the hook is turned on,
// statements that could empty a table without calling it are compiled again.
// 2. Rows that were changed outside of statements of the library make their table coarse: nothing reports whether the
//    changes stay.
// 3. An observer is notified only of transactions that have ended. The statements and errors of `databaseDidCommit`
//    belong to another transaction.
// 4. Schema changes, fallbacks, and changes that are not known exactly widen the report.

/// The state of change capture on a writer connection.
final class ChangeCapture: DatabaseModuleState, ExecutionObserver, RowChangeListener {
  // Set when the connection is opened, and not changed afterwards.
  @exclusivity(unchecked) private(set) var broker = ChangeBroker(listening: RowListening())

  // Not retained: the connection owns this object.
  private(set) unowned(unsafe) var db: Database!  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals

  @exclusivity(unchecked) var log = ChangeLog()

  /// The tables that the records of the log refer to.
  @exclusivity(unchecked) var logTables: [CapturedTable] = []
  @exclusivity(unchecked) var logLayouts: [CaptureLayout] = []
  @exclusivity(unchecked) var logSerial: UInt = 1

  /// The captured tables and columns of `needsVersion`.
  @exclusivity(unchecked) var needs = CaptureNeeds.none
  @exclusivity(unchecked) var needsVersion = 0

  @exclusivity(unchecked) var observations: [TransactionObservation] = []

  /// Plans of another epoch are invalid.
  @exclusivity(unchecked) var epoch: UInt = 1 { didSet { db?.capture.bypass.epoch = 0 } }

  /// The current step, and the steps that enclose it.
  @exclusivity(unchecked) var step: Step?
  @exclusivity(unchecked) private var outerSteps: [Step] = []

  /// Written tables that are not in the plan of their statement. Valid in this epoch and transaction, until a statement
  /// begins that may change the schema.
  @exclusivity(unchecked) var unplannedTables: [TableKey: CapturedTable] = [:]
  @exclusivity(unchecked) var unplannedTablesEffectCount: UInt = 0
  @exclusivity(unchecked) var layouts:
    [TableKey: (source: CatalogTable, needs: CaptureNeeds.TableNeeds, layout: CaptureLayout)] = [:]

  /// Whether this transaction has written a virtual table.
  @exclusivity(unchecked) var hasVirtualWrites = false

  /// Whether the pre-update hook is used.
  @exclusivity(unchecked) var usesRowHook = false

  /// Whether row changes are received, from the pre-update hook or its fallback.
  private(set) var isListening: Bool {
    get { db.capture.isListening }
    set { db.capture.isListening = newValue }
  }

  /// Whether a call of the hook runs. Internal statements in it do not end the transaction in the log.
  @exclusivity(unchecked) var isReceivingRow = false

  /// The number of calls of the hook.
  @exclusivity(unchecked) var signalCount: UInt = 0

  /// The last values of the counters of the connection.
  @exclusivity(unchecked) var foreignControlCount: UInt = 0
  @exclusivity(unchecked) var foreignContentCount: UInt = 0
  @exclusivity(unchecked) var vacuumCount: UInt = 0
  @exclusivity(unchecked) var replacementCount: UInt = 0

  /// The last known schema of a connection that the program also uses directly; nil if it must be read again.
  @exclusivity(unchecked) var sharedGeneration: UInt?

  /// The running statement if its step is not captured, otherwise nil. There is one at most: statements that run inside
  /// of it are captured.
  @exclusivity(unchecked) private(set) var uncapturedStatement: ObjectIdentifier?

  /// The state of a step.
  struct Step {
    let statement: Statement
    let plan: CapturePlan?
    let signalCount: UInt
    let totalChangesCount: Int
    let recompiledWriteCount: UInt
    let recompiledSchemaChangeCount: UInt
    var unobservedRowCount = 0
    var isHookDisabled = false

    /// Whether changed rows of a captured table are not in the log.
    var hasUnrecordedRows = false

    /// Whether a row of one of its own tables has changed.
    var hasOwnRows = false

    /// Whether SQLite has compiled the statement again, so that its plan may be invalid.
    var isStale = false
  }

  init() {}

  /// Begins change capture on a connection.
  ///
  /// - Parameter usesRowHook: Whether the pre-update hook is used where SQLite has one.
  func begin(on db: Database, usesRowHook: Bool, bound: ChangeLog.Bound) {
    self.db = db
    self.usesRowHook = usesRowHook && SQLiteLibrary.hasPreupdateHook
    broker = ChangeBroker(listening: db.capture.rowListening)
    log = ChangeLog(bound: bound)
    db.callbacks.rowChanges = self
    db.setExecutionObserver(self)
  }

  func forgetStatements() {
    unplannedTables = [:]
    layouts = [:]
    epoch &+= 1
  }

  // MARK: - Steps

  func willStep(_ statement: Statement) throws {
    // Loaded once: each use of an unowned reference retains the object.
    let db: Database = self.db
    if db.capture.bypass.current != nil { endCaptureBypass() }
    if db.transaction.ending != .none { transactionMayHaveEnded(after: nil) }
    if !log.isOpen || !log.isInStep && db.isInAutocommitMode && db.handle?.isWriting != true { beginTransaction() }
    noteForeignStatements()
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
      recompiledWriteCount: db.compilation.recompiledWriteCount,
      recompiledSchemaChangeCount: db.compilation.recompiledSchemaChangeCount)
  }

  func didStep(_ statement: Statement, error: DatabaseError?) {
    if uncapturedStatement == ObjectIdentifier(statement) {
      uncapturedStatement = nil
      guard error == nil else { return }
      noteCommit(statement)
      if isListening { allowCaptureBypass(after: nil) }
      return
    }
    let db: Database = self.db
    if step?.isHookDisabled == true { setHook(true) }
    // The step may have changed no row. With the plan of the former table, the next step would read wrong columns.
    if step?.recompiledWriteCount != db.compilation.recompiledWriteCount { statement.writes?.forgetFindings() }
    let outcome: ChangeLog.Outcome = error.map(outcomeOfStep) ?? .succeeded
    // The statement had nothing to do when it was compiled before.
    if step?.recompiledSchemaChangeCount != db.compilation.recompiledSchemaChangeCount { log.becomeUnknown() }
    if step?.signalCount == signalCount, outcome != .undone { detectMissingHookCalls() }
    // Taken without a copy. Internal statements may have run inside this step until now.
    guard let step = self.step.take() else { preconditionFailure("didStep was called without willStep") }
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
      if writes.changesUnreportedContent { log.becomeUnknown() }
      switch writes.savepoint {
      case .open(let name):
        db.transaction.savepointWasOpened()
        log.openSavepoint(name)
      case .release(let name): log.releaseSavepoint(name)
      case .rollback(let name): log.rollBackToSavepoint(name)
      case nil: break
      }
    }
    if db.compilation.vacuumCount != vacuumCount {
      vacuumCount = db.compilation.vacuumCount
      // VACUUM may have changed the row IDs of tables without an INTEGER PRIMARY KEY.
      log.becomeUnknown()
      db.transaction.databaseWasRebuilt()
    }
    if db.isInAutocommitMode, statement.writes?.schemaChanges.contains(where: { $0.kind == .detach }) == true {
      // Outside of a transaction, SQLite calls no hook.
      db.transaction.databaseWasRebuilt()
    }
    noteCommit(statement)
  }

  private func noteCommit(_ statement: Statement) {
    guard statement.effects.contains(.keep) else { return }
    let db: Database = self.db
    db.transaction.commitDidSucceed(isOpen: !db.isInAutocommitMode)
  }

  /// Detects a statement that changed observed tables without a call of the hook.
  private func detectMissingHookCalls() {
    guard let step, let plan = step.plan, !plan.isUnobserved, let handle = db.handle,
      handle.totalChangesCount != step.totalChangesCount
    else { return }
    // The program may have replaced the hook by its own. Virtual tables may have no rows in other tables.
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
    // Loaded once: each use of an unowned reference retains the object.
    let (db, broker): (Database, ChangeBroker) = (self.db, self.broker)
    if broker.version != needsVersion {
      (needs, needsVersion) = broker.current
      epoch &+= 1
    }
    if !unplannedTables.isEmpty { unplannedTables = [:] }
    log.begin(needsVersion: needsVersion)
    forgetLogTables()
    logSerial &+= 1
    db.transaction.captureWillBegin()
    hasVirtualWrites = false
    db.capture.bypass.epoch = 0
    noteForeignStatementsBeforeBegin()
    if !observations.isEmpty {
      removeReleasedObservers()
      for observation in observations { observation.ignoresChanges = false }
      // Observers choose the kinds of events in each transaction.
      epoch &+= 1
    }
    let isOn = broker.listening.isOn
    if isOn != isListening { listen(isOn) }
  }

  func listeningDidChange() {
    // An open transaction continues as it began.
    if db.isInAutocommitMode, !log.isInStep { listen(broker.listening.isOn) }
  }

  /// Begins to receive row changes in the middle of a transaction.
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

  /// Whether a statement commits a transaction that has written nothing. SQLite calls no hook then.
  private func isEmptyCommit(_ statement: Statement) -> Bool {
    if case .release(let name)? = statement.writes?.savepoint {
      guard db.transaction.isBegunBySavepoint, log.isOutermost(name) else { return false }
    }
    return !db.isInAutocommitMode && db.handle?.isWriting == false
  }

  private func willCommitEmptyTransaction() throws {
    do {
      try willCommit()
    } catch {
      // Roll back, as SQLite does when its commit hook refuses.
      do {
        try db.shielded { try db.rollback() }
      } catch {
        Database.log(error, "Could not roll back a transaction that an observer refused")
      }
      throw error
    }
  }

  func willCommit() throws {
    if observations.isEmpty || db.isReadOnlyForObservers { return }
    deliver(log.undelivered)
    for observation in observations { try observation.observer?.databaseWillCommit() }
  }

  func transactionMayHaveEnded(after error: DatabaseError?) {
    let db: Database = self.db
    guard !log.isInStep, !isReceivingRow, db.isAccessible, db.handle != nil else { return }
    db.capture.bypass.epoch = 0
    // No hook reports the end of an empty commit, or of the commit of an incremental blob write.
    db.callbacks.ownCommits.didNotCommit()
    let settlement = db.transaction.settle(
      hasFailed: error != nil, isOpen: !db.isInAutocommitMode, isStopped: !db.settings.health.isUsable)
    switch settlement {
    case .nothing: break
    case .publish(let hasWritten): didCommit(hasWritten: hasWritten)
    case .publishUnknown:
      log.becomeUnknown()
      didCommit()
    case .publishUnknownAndContinue:
      log.becomeUnknown()
      didCommit()
      beginTransaction()
      log.becomeUnknown()
    case .publishRebuild:
      publish(hasWritten: true)
      db.callbacks.ownCommits.didReport()
      log.reset()
    case .discard(let isReported): didRollBack(isReported: isReported)
    case .discardAndContinue(let isReported):
      didRollBack(isReported: isReported)
      beginTransaction()
      // Its first changes were in the log.
      log.becomeUnknown()
    case .forget: log.reset()
    }
  }

  private func didCommit(hasWritten: Bool = true) {
    publish(hasWritten: hasWritten)
    db.callbacks.ownCommits.didReport()
    forgetLogTables()
    log.reset()
    if !observations.isEmpty, !db.isReadOnlyForObservers { notifyObservers { $0.databaseDidCommit($1) } }
  }

  private func didRollBack(isReported: Bool) {
    forgetLogTables()
    log.reset()
    if isReported, !observations.isEmpty, !db.isReadOnlyForObservers { notifyObservers { $0.databaseDidRollback($1) } }
  }

  private func forgetLogTables() {
    if logTables.isEmpty { return }
    logTables.removeAllKeepingCapacity()
    logLayouts.removeAllKeepingCapacity()
  }

  /// Reports that everything in a database has changed, without a statement.
  func databaseWasReplaced() {
    if !log.isOpen { beginTransaction() }
    db.capture.bypass.epoch = 0
    log.becomeUnknown()
    for observation in observations { observation.observer?.databaseDidChange() }
    didCommit()
  }
}
