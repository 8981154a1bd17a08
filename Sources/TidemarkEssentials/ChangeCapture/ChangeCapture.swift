// Change capture on a writer connection. The module has one entry: step events come in, and committed changes go out.
//
//    in     ChangeObserver, a StepObserver     the first steps of statements that may change the database
//           RowChangeListener                  the rows that change in them
//           TransactionMachine                 the transactions that have ended
//    out    ChangeBroker                       CommittedChanges, to the subscribers
//           TransactionObserver                events, to the observers
//
// The needs decide how much is done. Subscribers state theirs (`CaptureNeeds`), and observers need each event that they
// observe. From both follow:
//
//    RowNeeds                      whether the connection reports rows at all
//    CapturePlan, CapturedTable    the tables of a statement whose changes are needed, and their observers
//    CaptureLayout                 the needed values of a table
//    CaptureBypass                 the steps whose rows are not needed: they cost nothing
//
// The flow of a transaction:
//
//    statement ── willStep ──► plan
//        │  rows ── rowWillChange ──► log
//        └─ didStep ──► cut the log, or deliver to observers
//    commit hook ── willCommit ──► deliver the remaining rows, ask the observers
//    end of the statement ── transactionMayHaveEnded ──► publish or discard the log; notify the observers
//
// Invariants, in addition to the invariants of `ChangeLog` and `ChangeBroker`:
// 1. If no rows are needed, nothing is captured, and the hook is off. When the hook is turned on, statements that could
//    empty a table without calling it are compiled again.
// 2. Rows that were changed outside of statements of the library make their table coarse: nothing reports whether the
//    changes stay.
// 3. An observer is notified only of transactions that have ended. The statements and errors of `databaseDidCommit`
//    belong to another transaction.
// 4. Schema changes, fallbacks, and changes that are not known exactly widen the report.

/// The state of change capture on a writer connection.
final class ChangeCapture: DatabaseModuleState, ChangeObserver, RowChangeListener {
  let broker = ChangeBroker()

  // Not retained: the connection owns this object.
  private(set) unowned(unsafe) var db: Database!  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals

  @exclusivity(unchecked) var log = ChangeLog()
  @exclusivity(unchecked) var needs = Needs()
  @exclusivity(unchecked) var steps = Steps()

  var group = Group()

  /// Stores the changes of transactions; nil if nothing is stored. And whether it does this now.
  var recorder: (any CommitRecorder)?
  var isRecording = false

  /// The recording for other nodes, if there is one.
  var replication: Replication?

  /// Whether the pre-update hook is used.
  var usesRowHook = false

  /// The last known schemas of a connection that the program also uses directly; nil if they are not known.
  var sharedSchemas: [SharedSchema]?

  /// Whether the library has changed a schema since they were read, so that they must be read again when the
  /// transaction ends.
  var hasChangedSharedSchema = false

  /// The needs, and what follows from them.
  struct Needs {
    /// The needs of the subscribers in the current transaction, with their version.
    var ofSubscribers = CaptureNeeds.none
    var version = 0

    var observations: [TransactionObservation] = []

    /// Plans of another epoch are invalid.
    fileprivate(set) var epoch: UInt = 1

    /// Written tables that are not in the plan of their statement. Valid in this epoch and transaction, until a
    /// statement begins that may change the schema.
    var unplannedTables: [TableKey: CapturedTable] = [:]
    var unplannedTablesEffectCount: UInt = 0

    var layouts: [TableKey: (source: CatalogTable, needs: CaptureNeeds.TableNeeds, layout: CaptureLayout)] = [:]

    /// Whether this transaction has written a virtual table.
    var haveVirtualWrites = false
  }

  /// The steps of running statements.
  struct Steps {
    /// The current step, and the steps that enclose it.
    var current: Step?
    fileprivate var outer: [Step] = []

    /// The running statement if its step is not recorded, otherwise nil. There is one at most: statements that run
    /// inside of it are recorded.
    fileprivate(set) var unrecorded: ObjectIdentifier?

    /// The number of calls of the hook, and whether one runs. Internal statements in it do not end the transaction in
    /// the log.
    var signalCount: UInt = 0
    var isReceivingRow = false

    /// The compilations that were taken into account.
    var compiled = CompilationRecorder.Counts()
  }

  /// The state of a step.
  struct Step {
    let statement: Statement
    let plan: CapturePlan?
    let signalCount: UInt
    let totalChangesCount: Int
    let recompiledWriteCount: UInt
    let recompiledSchemaChangeCount: UInt
    var unneededRowCount = 0

    /// Whether changed rows of a captured table are not in the log.
    var hasUnrecordedRows = false

    /// Whether a row of one of its own tables has changed.
    var hasOwnRows = false

    /// Whether SQLite has compiled the statement again, so that its plan may be invalid.
    var isStale = false

    /// The version of the schema before a statement with `IF NOT EXISTS`.
    var schemaVersion: Int64?
  }

  init() {}

  /// Begins change capture on a connection.
  ///
  /// - Parameter usesRowHook: Whether the pre-update hook is used where SQLite has one.
  func begin(on db: Database, usesRowHook: Bool, bound: ChangeLog.Bound) {
    self.db = db
    self.usesRowHook = usesRowHook && SQLiteLibrary.hasPreupdateHook
    db.capture.rowNeeds = broker.rowNeeds
    log = ChangeLog(bound: bound)
    db.callbacks.rowChanges = self
    db.setChangeObserver(self)
  }

  func forgetStatements() {
    needs.layouts = [:]
    forgetPlans()
  }

  /// Discards all plans: the needs may have changed, or the schema.
  func forgetPlans() {
    needs.epoch &+= 1
    if !needs.unplannedTables.isEmpty { needs.unplannedTables = [:] }
    db?.capture.bypass.epoch = 0
  }

  // MARK: - Steps

  func willStep(_ statement: Statement) throws {
    let db = statement.database
    if db.capture.bypass.current != nil { endCaptureBypass() }
    if db.transaction.ending != .none { transactionMayHaveEnded(on: db, after: nil) }
    if !log.isOpen || !log.isInStep && db.isInAutocommitMode && db.handle?.isWriting != true {
      beginTransaction(on: db)
    }
    noteForeignStatements(on: db)
    if let recorder, commits(statement), !statement.isExplanation { try record(with: recorder) }
    if needsNoCapture(statement, on: db) {
      steps.unrecorded = ObjectIdentifier(statement)
      return
    }
    if sharedSchemas != nil, statement.writes?.schemaChanges.isEmpty == false { sharedSchemaWillChange() }
    if statement.effects.contains(.keep), isEmptyCommit(statement) { try willCommitEmptyTransaction() }
    var plan: CapturePlan?
    if let writes = statement.writes, broker.rowNeeds.exist { plan = self.plan(for: writes) }
    if let outer = steps.current { steps.outer.append(outer) }
    log.willStep()
    steps.current = Step(
      statement: statement, plan: plan, signalCount: steps.signalCount,
      totalChangesCount: plan?.isNeeded == true ? db.handle?.totalChangesCount ?? 0 : 0,
      recompiledWriteCount: db.compilation.counts.recompiledWrites,
      recompiledSchemaChangeCount: db.compilation.counts.recompiledSchemaChanges,
      schemaVersion: statement.writes.flatMap { schemaVersion(before: statement, $0) })
  }

  func didStep(_ statement: Statement, _ result: StepResult) {
    let (db, error) = (statement.database, result.error)
    if steps.unrecorded == ObjectIdentifier(statement) {
      steps.unrecorded = nil
      guard error == nil else { return }
      noteCommit(statement)
      if db.capture.receivesRows, canBypassCapture(on: db) { allowCaptureBypass(on: db) }
      return
    }
    if db.capture.bypass.current != nil { endCaptureBypass() }
    // The step may have changed no row. With the plan of the former table, the next step would read wrong columns.
    if steps.current?.recompiledWriteCount != db.compilation.counts.recompiledWrites {
      statement.writes?.forgetFindings()
    }
    let outcome: ChangeLog.Outcome = error.map(outcomeOfStep) ?? .succeeded
    if steps.current?.recompiledSchemaChangeCount != db.compilation.counts.recompiledSchemaChanges {
      // The statement had nothing to do when it was compiled before, for instance.
      if outcome != .undone, hasCompiledOtherSchemaChanges(statement), !removeNestedChanges(of: statement) {
        log.becomeUnknown()
      }
      if steps.outer.isEmpty { db.compilation.recompiledSchemaChanges = [] }
    }
    if steps.current?.signalCount == steps.signalCount, outcome != .undone { detectMissingHookCalls() }
    // Taken without a copy. Internal statements may have run inside this step until now.
    guard let step = steps.current.take() else { preconditionFailure("didStep was called without willStep") }
    if !steps.outer.isEmpty { steps.current = steps.outer.removeLast() }
    // Before the end of the step: afterwards, the first internal statement would end the transaction in the log.
    let hasCreatedRows = outcome == .succeeded && addCreatedRows(statement, step)
    log.didStep(outcome)
    if outcome == .succeeded { didSucceed(statement, step, hasCreatedRows: hasCreatedRows) }
    if !needs.observations.isEmpty { deliver(log.deliverable) }
    guard outcome == .succeeded, canBypassCapture(on: db) else { return }
    if let plan = step.plan, !plan.isAlwaysReported, !plan.tables.isEmpty { updateBypass(step, plan) }
    allowCaptureBypass(on: db)
  }

  private func didSucceed(_ statement: Statement, _ step: Step, hasCreatedRows: Bool) {
    let db = statement.database
    if let writes = statement.writes {
      if needs.ofSubscribers.storedNumbers { noteCounters(writes) }
      if !writes.schemaChanges.isEmpty, !hasCreatedRows, hasChangedSchema(step, writes) {
        log.add(writes.schemaChanges, by: statement.expandedSQL)
      }
      if writes.changesSettings { log.becomeUnknown(.settings) }
      if let database = writes.userVersionDatabase { log.noteUserVersion(of: database) }
      if writes.changesSchemaTableOnly { log.becomeUnknown() }
      switch writes.savepoint {
      case .open(let name):
        db.transaction.savepointWasOpened()
        log.openSavepoint(name)
      case .release(let name): log.releaseSavepoint(name)
      case .rollback(let name): log.rollBackToSavepoint(name)
      case nil: break
      }
    }
    if db.compilation.counts.vacuums != steps.compiled.vacuums {
      steps.compiled.vacuums = db.compilation.counts.vacuums
      // VACUUM may have changed the row IDs of tables without an INTEGER PRIMARY KEY.
      log.becomeUnknown(.database)
      db.transaction.databaseWasRebuilt()
    }
    if db.isInAutocommitMode, statement.writes?.schemaChanges.contains(where: { $0.subject == .database }) == true {
      // Outside of a transaction, SQLite calls no hook.
      db.transaction.databaseWasRebuilt()
    }
    noteCommit(statement)
  }

  private func noteCommit(_ statement: Statement) {
    let db = statement.database
    if statement.effects.contains(.keep) { db.transaction.commitDidSucceed(isOpen: !db.isInAutocommitMode) }
  }

  /// Detects a statement that changed observed tables without a call of the hook.
  private func detectMissingHookCalls() {
    guard let step = steps.current, let plan = step.plan, plan.isNeeded, let writes = step.statement.writes,
      let handle = db.handle, handle.totalChangesCount != step.totalChangesCount
    else { return }
    // The program may have replaced the hook by its own. Virtual tables may have no rows in other tables.
    if usesRowHook, isOrdinary(step.statement) { hookWasLost() }
    for table in writes.tables where needs.ofSubscribers.needs(of: table.key) != nil {
      if table.inserts { log.addCoarse(table.key, .insert) }
      if table.deletes { log.addCoarse(table.key, .delete) }
      if !table.updatedColumns.isEmpty {
        log.addCoarse(table.key, .update, Set(table.updatedColumns.map(\.asciiLowercased)))
      }
    }
  }

  // MARK: - The hook

  func beginTransaction() { beginTransaction(on: db) }

  /// - Parameter db: The connection. Each use of the unowned reference retains the object.
  private func beginTransaction(on db: Database) {
    if broker.version != needs.version {
      (needs.ofSubscribers, needs.version) = broker.current
      forgetPlans()
    }
    if !needs.unplannedTables.isEmpty { needs.unplannedTables = [:] }
    log.begin(needsVersion: needs.version)
    db.transaction.captureWillBegin()
    needs.haveVirtualWrites = false
    db.capture.bypass.epoch = 0
    noteForeignStatementsBeforeBegin(on: db)
    if !needs.observations.isEmpty {
      removeReleasedObservers()
      for observation in needs.observations { observation.ignoresChanges = false }
      // Observers choose the kinds of events in each transaction.
      forgetPlans()
    }
    let areNeeded = broker.rowNeeds.exist
    if areNeeded != receivesRows { receiveRows(areNeeded) }
  }

  // MARK: - Ends

  /// Whether a statement commits a transaction that has written nothing. SQLite calls no hook then.
  private func isEmptyCommit(_ statement: Statement) -> Bool {
    commits(statement) && db.handle?.isWriting == false
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
    if needs.observations.isEmpty || db.isReadOnlyForObservers { return }
    deliver(log.undelivered)
    for observation in needs.observations { try observation.observer?.databaseWillCommit() }
  }

  func transactionMayHaveEnded(on db: Database, after error: DatabaseError?) {
    guard !log.isInStep, !steps.isReceivingRow, db.isAccessible, db.handle != nil else { return }
    db.capture.bypass.epoch = 0
    // No hook reports the end of an empty commit, or of the commit of an incremental blob write.
    db.callbacks.ownCommits.didNotCommit()
    let settlement = db.transaction.settle(
      hasFailed: error != nil, isOpen: !db.isInAutocommitMode, isStopped: !db.settings.health.isUsable)
    if case .publish = settlement { noteForeignCommit(on: db) }
    var recordedVersion: UInt64?
    if let recorder, settlement != .nothing {
      recordedVersion = recorder.transactionDidEnd(db, settlement)
      broker.recordedVersions.transactionDidEnd(recordedVersion, and: group.recordedVersions(settlement))
      db.access.transactionOwner = nil
      db.capture.mayHaveWritten = false
    }
    if !group.isEmpty { group.transactionDidEnd(settlement) }
    switch settlement {
    case .nothing: break
    case .publish(let hasWritten):
      if hasWritten { noteRedefinedFunctions() }
      didCommit(on: db, hasWritten: hasWritten, recordedVersion)
    case .publishUnknown:
      log.becomeUnknown()
      didCommit(on: db)
    case .publishUnknownAndContinue:
      log.becomeUnknown()
      didCommit(on: db)
      beginTransaction(on: db)
      log.becomeUnknown()
    case .publishRebuild:  // `ATTACH` and `DETACH` change no content.
      if log.isUnknown { anythingMayHaveChanged() } else { didCommit(on: db, notifiesObservers: false) }
      if !db.isInAutocommitMode { foreignTransactionContinues() }
    case .discard(let isReported): didRollBack(isReported: isReported)
    case .discardAndContinue(let isReported):
      didRollBack(isReported: isReported)
      beginTransaction(on: db)
      // Its first changes were in the log.
      log.becomeUnknown()
    case .forget: log.reset()
    }
    if hasChangedSharedSchema { sharedSchemaDidChange() }
  }

  private func didCommit(
    on db: Database, hasWritten: Bool = true, _ recordedVersion: UInt64? = nil, notifiesObservers: Bool = true
  ) {
    if group.isEmpty { publish(hasWritten: hasWritten, recordedVersion) } else { publishGroup(recordedVersion) }
    db.callbacks.ownCommits.didReport()
    log.reset()
    if notifiesObservers, !needs.observations.isEmpty { notifyObservers { $0.databaseDidCommit($1) } }
  }

  private func didRollBack(isReported: Bool) {
    log.reset()
    if isReported { notifyObservers { $0.databaseDidRollback($1) } }
  }

  func anythingMayHaveChanged() {
    for observation in needs.observations { observation.observer?.databaseDidChange() }
    didCommit(on: db)
  }
}

extension Database {
  /// Whether observers are not notified of the ends of transactions, which change nothing.
  var isReadOnlyForObservers: Bool { settings.isReadonly || access.readOnlyDepth > 0 }

  /// The change capture of this connection.
  var changeCapture: ChangeCapture { moduleState() }

  /// Starts to capture the changes of the connection.
  func beginCapture(usesRowHook: Bool, bound: ChangeLog.Bound = ChangeLog.Bound()) {
    changeCapture.begin(on: self, usesRowHook: usesRowHook, bound: bound)
  }
}
