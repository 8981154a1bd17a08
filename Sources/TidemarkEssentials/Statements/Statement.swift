public import CSQLite

/// A prepared statement.
///
/// ```swift
/// try dbQueue.write { db in
///   let statement = try db.makeStatement(sql: "INSERT INTO book (title, pages) VALUES (?, ?)")
///   try statement.execute(arguments: ["Dune", 412])
///   try statement.execute(arguments: ["Solaris", 204])
/// }
/// ```
///
/// A statement must be used in the access that created it. Programs rarely need statements for performance: the library
/// caches the statements of `execute` and of all fetches.
///
/// States:
///
///     idle --start--> running --step: row--> running
///      ^                 |
///      +---- finish -----+---- step: done, failure
///
/// `execute` and cursors call `start` and `finish`.
public final class Statement {
  /// The raw `sqlite3_stmt` pointer.
  public let sqliteStatement: SQLiteStatement

  /// The SQL text, without surrounding blanks and semicolons.
  public let sql: String

  @usableFromInline let database: Database
  let effects: StatementEffects

  /// The tables that the statement writes, and its other stored effects; nil if there are none.
  let writes: StatementWrites?

  /// Whether the statement may write, although it names no table: a `VACUUM`, or a schema change with `IF EXISTS` or
  /// `IF NOT EXISTS` that had nothing to do when it was compiled.
  let mayWriteUnnamed: Bool

  /// Whether an observer follows the next step. The first step is followed by the execution observer, because a
  /// statement makes all its changes in its first step.
  @usableFromInline @exclusivity(unchecked) private(set) var isNextStepObserved = false

  /// The number of rows before the row that bounds the result; zero if the result has no bound.
  @exclusivity(unchecked) private var rowCountToBound = 0

  /// Whether a digest of the result is computed. All steps are followed then.
  @exclusivity(unchecked) private var isDigested = false

  /// Whether the digest includes the column names.
  @exclusivity(unchecked) private var hasDigestedNames = false

  /// The number of parameters. C: `sqlite3_bind_parameter_count`.
  let parameterCount: Int

  /// Whether the library compiled the statement for its own use, so that its arguments are meaningless after the run.
  let isInternal: Bool

  /// The arguments of the next run.
  @exclusivity(unchecked) var currentArguments = StatementArguments()

  /// Whether these arguments are bound. If not, or if SQLite refused some of them, they are bound before the next run.
  @exclusivity(unchecked) var hasBoundArguments: Bool

  /// The memory of the texts and blobs of the arguments.
  let argumentBytes = ArgumentBytes()

  /// Whether the number and the names of the arguments are checked.
  @exclusivity(unchecked) var checksArguments = true

  /// Whether the statement is running, and the number of the run.
  @exclusivity(unchecked) private(set) var isRunning = false
  @usableFromInline @exclusivity(unchecked) private(set) var run: UInt = 0

  /// Whether the run may open a transaction: the statement can, and none was open.
  @exclusivity(unchecked) private var mayBeginTransaction = false

  /// Whether a transaction was open when the run began.
  @exclusivity(unchecked) private var wasInsideTransaction = false

  @exclusivity(unchecked) var columnRecord = ColumnRecord()
  private var digestedNames: (digest: UInt64, recompilationCount: CInt)?

  init(database: Database, compiled: SQLSource.Compiled, isInternal: Bool) {
    self.database = database
    self.isInternal = isInternal
    sqliteStatement = compiled.pointer
    sql = compiled.sql
    effects = compiled.effects
    let isExplanation = sqlite3_stmt_isexplain(compiled.pointer) != 0
    writes = isExplanation ? nil : compiled.writes
    mayWriteUnnamed =
      compiled.writes == nil && effects.isEmpty && !isExplanation
      && sqlite3_stmt_readonly(compiled.pointer) == 0
    parameterCount = Int(sqlite3_bind_parameter_count(compiled.pointer))
    hasBoundArguments = parameterCount == 0
    columnRecord.generation = database.schemaFacts?.knownGeneration(database)
  }

  deinit { database.finalize(sqliteStatement, isRunning: isRunning, keeping: argumentBytes) }

  // MARK: Properties

  /// Whether SQLite reports that the statement writes nothing. This is true for `BEGIN`, `COMMIT` and `ATTACH`, and
  /// false for `BEGIN IMMEDIATE`. C: `sqlite3_stmt_readonly`.
  public var isReadonly: Bool { sqlite3_stmt_readonly(sqliteStatement) != 0 }

  /// Whether the program uses this cached statement. Requests for the same SQL get another statement meanwhile.
  @exclusivity(unchecked) var isLent = false

  /// The row plan that a dialect has cached for the statement.
  package var cachedRowPlan: (any CachedPlan)?

  /// The row window of the last run that fetched one row, closed: it does not retain the statement. The next such run
  /// reuses it, because creating and freeing a window takes 550 instructions (Benchmarks: `access: pool.read`).
  @exclusivity(unchecked) var spareWindow: AnyObject?

  /// The cached plan of the region, with the schema for which it is valid.
  var cachedRegionPlan: (plan: RegionPlan, schemaGeneration: UInt)?

  /// The scan order of a query of the same table, found by a later module when this statement had run.
  var scanOrderRecord: AnyObject?

  /// The queries that refine the region with each run.
  var regionRefiner: RegionRefiner?

  // MARK: Running

  /// Whether the run has stepped to its first row before its caller starts it.
  @exclusivity(unchecked) private var holdsRow = false

  /// Begins a run, and returns whether there is a row. The next start of the statement continues this run with that
  /// row.
  ///
  /// A statement that changes rows is run once this way, if the caller must know whether there is a row.
  func startHoldingRow() throws -> Bool {
    try start()
    holdsRow = try step()
    if !holdsRow { finish() }
    return holdsRow
  }

  /// The first step of a run, or the row that `startHoldingRow` has fetched.
  func stepToFirstRow() throws -> Bool {
    if !holdsRow { return try step() }
    holdsRow = false
    return true
  }

  /// Begins a run, with the given arguments or those set before.
  func start(_ arguments: StatementArguments? = nil) throws {
    database.preconditionAccess()
    if holdsRow {
      if arguments != nil {
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE, message: "The statement has its arguments, and runs with them already", sql: sql)
      }
      run &+= 1
      return
    }
    if database.mayBeInterrupted { try database.checkInterruption(for: self) }
    if let suspension = database.settings.suspension { try checkSuspension(suspension) }
    try database.checkMayBegin(self, arguments)
    if database.compilation.mayHaveAttachedDatabases { database.expireStatementsOfOtherSchema() }
    if let openReads = database.openReads { openReads.statementWillBegin(self) }
    if isRunning { finish() }
    if let arguments {
      try bind(arguments)
    } else if !hasBoundArguments {
      try bind(currentArguments, isChecked: checksArguments)
    }
    if database.readSet != nil { database.recordReads(of: self) }
    wasInsideTransaction = !database.isInAutocommitMode
    if !effects.isEmpty {
      database.statementEffectCount &+= 1
      mayBeginTransaction = effects.contains(.transactionControl) && !wasInsideTransaction
      if effects.contains(.journalMode) { database.compilation.willSetJournalMode?() }
    }
    database.callbacks.hasBegunCommit = false
    database.wasInsideTransaction = wasInsideTransaction
    if let writes {
      isNextStepObserved = writes.isAlwaysCaptured || database.rowListening.isOn
    } else if mayWriteUnnamed || effects.contains(.transactionControl) {
      isNextStepObserved = database.executionObserver != nil
    }
    if database.currentDigest != nil { startDigesting() }
    if rowCountToBound > 0 { isNextStepObserved = true }
    isRunning = true
    database.runningCount += 1
    run &+= 1
  }

  private func startDigesting() {
    // Statements of the library itself are not traced.
    if database.callbacks.isTraceSuspended { return }
    if isNextStepObserved || writes != nil || mayWriteUnnamed || effects.contains(.transactionControl) {
      database.currentDigest?.isUnknown = true
    } else {
      isDigested = true
      hasDigestedNames = false
      isNextStepObserved = true
    }
  }

  /// Returns whether there is another row. C: `sqlite3_step`.
  @inlinable
  func step() throws -> Bool {
    if isNextStepObserved { return try observedStep() }
    let code = sqlite3_step(sqliteStatement)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw failure(code)
  }

  /// Performs the first step, between calls of the execution observer.
  @usableFromInline
  func observedStep() throws -> Bool {
    if isDigested { return try digestedStep() }
    isNextStepObserved = false
    if rowCountToBound > 0 { return try stepToBound() }
    if bypassesCapture(wasInsideTransaction: wasInsideTransaction), let handle = database.handle {
      let (code, isCaptured) = stepBypassingCapture(on: handle)
      if isCaptured, let executionObserver = database.executionObserver {
        return try endObservedStep(code, executionObserver)
      }
      if code == SQLITE_ROW || code == SQLITE_DONE { return code == SQLITE_ROW }
      throw failure(code)
    }
    guard let executionObserver = database.executionObserver else { return try step() }
    do {
      try executionObserver.willStep(self)
    } catch {
      // The commit was refused before SQLite was called.
      database.commitRefusal = error
      throw failure(
        DatabaseError(
          resultCode: .SQLITE_CONSTRAINT_COMMITHOOK, sql: sql, arguments: currentArguments,
          publicStatementArguments: database.settings.publicStatementArguments))
    }
    database.compilation.stepDepth += 1
    let code = sqlite3_step(sqliteStatement)
    database.compilation.stepDepth -= 1
    return try endObservedStep(code, executionObserver)
  }

  /// Observes the rows of the run up to a number, counted from the first row.
  func observeRows(upTo count: Int) {
    if writes == nil { rowCountToBound = count }
  }

  private func stepToBound() throws -> Bool {
    let code = sqlite3_step(sqliteStatement)
    if code == SQLITE_DONE { return false }
    if code != SQLITE_ROW { throw failure(code) }
    countRowToBound()
    isNextStepObserved = rowCountToBound > 0
    return true
  }

  private func countRowToBound() {
    if rowCountToBound == 0 { return }
    rowCountToBound -= 1
    if rowCountToBound == 0 { database.recordBound(of: self) }
  }

  private func digestedStep() throws -> Bool {
    let code = sqlite3_step(sqliteStatement)
    guard code == SQLITE_ROW || code == SQLITE_DONE else { throw failure(code) }
    let names = hasDigestedNames ? nil : digestOfNames
    hasDigestedNames = true
    database.currentDigest?.add(sqliteStatement, names: names, hasRow: code == SQLITE_ROW)
    if code == SQLITE_ROW { countRowToBound() }
    return code == SQLITE_ROW
  }

  /// The digest of the column names of the run. SQLite may have compiled the statement again.
  private var digestOfNames: UInt64 {
    let count = recompilationCountOfSQLite
    if let known = digestedNames, known.recompilationCount == count { return known.digest }
    let digest = ResultDigest.ofNames(of: sqliteStatement)
    digestedNames = (digest, count)
    return digest
  }

  private func endObservedStep(_ code: CInt, _ executionObserver: any ExecutionObserver) throws -> Bool {
    if code == SQLITE_ROW || code == SQLITE_DONE {
      executionObserver.didStep(self, error: nil)
      return code == SQLITE_ROW
    }
    // The error is created first: the execution observer may call SQLite.
    let error = database.error(code, of: self)
    executionObserver.didStep(self, error: error)
    throw failure(error)
  }

  /// Handles a failed step.
  @usableFromInline
  func failure(_ code: CInt) -> any Error { failure(database.error(code, of: self)) }

  private func failure(_ error: DatabaseError) -> any Error {
    let interruption = error.mayBeCausedByInterruption ? database.interruption : nil
    end()
    // The statement is compiled again next time: a schema change may have caused the failure.
    database.statements.remove(self)
    database.publicStatements.remove(self)
    // The access may know why SQLite was interrupted or did not get a lock.
    let failure = database.interpretFailure(
      error, of: self, interruption: interruption, wasInsideTransaction: wasInsideTransaction)
    database.workAfterStatement(error)
    return failure
  }

  /// Ends a run. C: `sqlite3_reset`.
  func finish() {
    end()
    if database.callbacks.hasTransactionEnded || database.workBetweenTransactions != nil {
      database.workAfterStatement(nil)
    }
  }

  private func end() {
    // The code repeats the failure of the last step, which was thrown then.
    sqlite3_reset(sqliteStatement)
    holdsRow = false
    if isRunning { database.runningCount -= 1 }
    isRunning = false
    rowCountToBound = 0
    run &+= 1
    if isInternal, parameterCount > 0 {
      // Large values are not kept for nothing.
      if argumentBytes.hasCopies { sqlite3_clear_bindings(sqliteStatement) }
      currentArguments = StatementArguments()
      hasBoundArguments = false
    }
    if !effects.isEmpty || mayWriteUnnamed { database.statementEffectCount &+= 1 }
    if mayBeginTransaction {
      mayBeginTransaction = false
      if !database.isInAutocommitMode { database.didBeginTransaction?(database) }
    }
    isNextStepObserved = false
    isDigested = false
  }

  /// Ends a run, unless it has ended already. On whatever thread the cursor is released.
  func finish(run: UInt) {
    if !database.isAccessible {
      database.deferredReleases.addReset(of: self, run: run)
    } else if isRunning, self.run == run {
      finish()
    }
  }

  /// This statement, or another one of the same text when this one is running.
  func availableStatement() throws -> Statement {
    isRunning && !holdsRow ? try copy() : self
  }
}

@available(*, unavailable)
extension Statement: Sendable {}

extension Statement: CustomStringConvertible {
  /// The text of the statement.
  public var description: String { sql }
}
