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
/// A statement belongs to the access that made it. Statements are rarely needed for speed: the library
/// keeps those of `execute` and of all fetches.
///
/// States, and who moves between them:
///
///     idle --start--> running --step: row--> running
///      ^                 |
///      +---- finish -----+---- step: done, failure
///
/// `start` and `finish` are called by those who run statements to their end (`execute`) and by cursors.
public final class Statement {
  /// The raw `sqlite3_stmt` pointer.
  public let sqliteStatement: SQLiteStatement

  /// The text of the statement, without the blanks and semicolons around it.
  public let sql: String

  @usableFromInline let database: Database
  let effects: StatementEffects

  /// The tables that it writes, and what else it does to what is stored; nil when that is nothing.
  let writes: StatementWrites?

  /// Whether it rebuilds the database.
  private let isVacuum: Bool

  /// Whether somebody looks at the next step: at the first one, the watcher of the connection, since all that a
  /// statement changes it changes in that step.
  @usableFromInline @exclusivity(unchecked) private(set) var isNextStepObserved = false

  /// How many rows are left up to the one that tells which rows matter; zero when none does.
  @exclusivity(unchecked) private var rowCountToBound = 0

  /// Whether somebody wants to know whether the answer is the one of last time. All steps are watched then.
  @exclusivity(unchecked) private var isDigested = false

  /// Whether the names of the columns are part of the answer so far.
  @exclusivity(unchecked) private var hasDigestedNames = false

  /// The number of parameters. C: `sqlite3_bind_parameter_count`.
  let parameterCount: Int

  /// Whether the statement was compiled by the library for its own use, so that its arguments mean
  /// nothing once it was run.
  let isInternal: Bool

  /// The arguments of the next run.
  @exclusivity(unchecked) var currentArguments = StatementArguments()

  /// Whether SQLite has these arguments. When it has not, or has some of others that it refused half-way, they are
  /// given to it before the next run.
  @exclusivity(unchecked) var hasBoundArguments: Bool

  /// Where the texts and the bytes of the arguments are.
  let argumentBytes = ArgumentBytes()

  /// Whether the arguments must fit.
  @exclusivity(unchecked) var checksArguments = true

  /// Whether somebody runs it, and which run it is.
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
    // What writes without naming a table is VACUUM.
    isVacuum =
      compiled.writes == nil && effects.isEmpty && !isExplanation
      && sqlite3_stmt_readonly(compiled.pointer) == 0
    parameterCount = Int(sqlite3_bind_parameter_count(compiled.pointer))
    hasBoundArguments = parameterCount == 0
    columnRecord.generation = database.schemaFacts?.knownGeneration(database)
  }

  deinit { database.finalize(sqliteStatement, isRunning: isRunning, keeping: argumentBytes) }

  // MARK: What it is

  /// Whether SQLite finds that the statement writes nothing. It says so of `BEGIN`, `COMMIT` and `ATTACH`,
  /// and not of `BEGIN IMMEDIATE`. C: `sqlite3_stmt_readonly`.
  public var isReadonly: Bool { sqlite3_stmt_readonly(sqliteStatement) != 0 }

  /// Whether a program has the statement in its hands that the library keeps: others get another one of the same text.
  @exclusivity(unchecked) var isLent = false

  /// What a dialect has worked out for the rows of the statement.
  package var cachedRowPlan: (any CachedPlan)?

  /// The window through which the last run for one row was shown, closed: it does not hold the statement. It serves the
  /// next such run, since to make one and to free it takes 550 instructions (Benchmarks: `access: pool.read`).
  @exclusivity(unchecked) var spareWindow: AnyObject?

  /// What is known of the region, and for which schema.
  var cachedRegionPlan: (plan: RegionPlan, schemaGeneration: UInt)?

  /// What is asked for the region with each run.
  var regionRefiner: RegionRefiner?

  // MARK: Running

  /// Whether the first row of a run was looked for by somebody who has not shown it to whoever runs the statement next.
  @exclusivity(unchecked) private var holdsRow = false

  /// Begins a run, and answers whether there is a row. Whoever starts the statement next goes on with this run, and
  /// finds that row.
  ///
  /// A statement that changes rows is so run once, by who must know whether there is one before it is lent.
  func startHoldingRow() throws -> Bool {
    try start()
    holdsRow = try step()
    if !holdsRow { finish() }
    return holdsRow
  }

  /// The first step of a run, for whom it may not be the first one.
  func stepToFirstRow() throws -> Bool {
    if !holdsRow { return try step() }
    holdsRow = false
    return true
  }

  /// Begins a run, with these arguments or those that were set.
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
    } else if isVacuum || effects.contains(.transactionControl) {
      isNextStepObserved = database.executionObserver != nil
    }
    if database.currentDigest != nil { startDigesting() }
    if rowCountToBound > 0 { isNextStepObserved = true }
    isRunning = true
    database.runningCount += 1
    run &+= 1
  }

  private func startDigesting() {
    // What the library asks for itself is of no interest to who reads.
    if database.callbacks.isTraceSuspended { return }
    if isNextStepObserved || writes != nil || isVacuum || effects.contains(.transactionControl) {
      database.currentDigest?.isUnknown = true
    } else {
      isDigested = true
      hasDigestedNames = false
      isNextStepObserved = true
    }
  }

  /// Whether there is one more row. C: `sqlite3_step`.
  @inlinable
  func step() throws -> Bool {
    if isNextStepObserved { return try observedStep() }
    let code = sqlite3_step(sqliteStatement)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw failure(code)
  }

  /// The first step, told to the watcher before and after.
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
      // The commit was refused before SQLite was asked.
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

  /// Has the row of a number looked at, counted from the first one, in the run that begins.
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

  /// That of the names of the columns of the run, also when SQLite has compiled the statement again.
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
    // The words first: the watcher may ask SQLite something.
    let error = database.error(code, of: self)
    executionObserver.didStep(self, error: error)
    throw failure(error)
  }

  /// What happens when a step fails.
  @usableFromInline
  func failure(_ code: CInt) -> any Error { failure(database.error(code, of: self)) }

  private func failure(_ error: DatabaseError) -> any Error {
    let interruption = error.mayBeCausedByInterruption ? database.interruption : nil
    end()
    // Compiled anew next time: the failure may come from a schema that has changed.
    database.statements.remove(self)
    database.publicStatements.remove(self)
    // SQLite says that it was interrupted, or that it did not get a lock; the access may know why.
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
    if !effects.isEmpty { database.statementEffectCount &+= 1 }
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
