import CSQLite

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

  /// What SQLite and the authorizer have reported when the statement was compiled.
  let facts: StatementFacts

  /// The arguments of the next run.
  @exclusivity(unchecked) var argumentState: ArgumentState

  /// The current run.
  @usableFromInline @exclusivity(unchecked) var runState = RunState()

  /// Facts that were computed for the statement, and can be computed again.
  @exclusivity(unchecked) var cached = Cached()

  init(database: Database, compiled: SQLSource.Compiled, isInternal: Bool) {
    self.database = database
    sqliteStatement = compiled.pointer
    sql = compiled.sql
    facts = StatementFacts(compiled, isInternal: isInternal)
    argumentState = ArgumentState(areBound: facts.parameterCount == 0)
    cached.columns.generation = database.schema.generations?.lastKnown(database)
  }

  deinit { database.finalize(sqliteStatement, isRunning: isRunning, keeping: argumentState) }

  /// Whether SQLite reports that the statement writes nothing. This is true for `BEGIN`, `COMMIT` and `ATTACH`, and
  /// false for `BEGIN IMMEDIATE`. C: `sqlite3_stmt_readonly`.
  public var isReadonly: Bool { sqlite3_stmt_readonly(sqliteStatement) != 0 }

  /// The SQL text with the values of the arguments. C: `sqlite3_expanded_sql`.
  var expandedSQL: String {
    guard facts.parameterCount > 0, let text = sqlite3_expanded_sql(sqliteStatement) else { return sql }
    defer { sqlite3_free(text) }
    return String(cString: text).trimmedSQLStatement
  }

  /// Whether the statement is an `EXPLAIN`. C: `sqlite3_stmt_isexplain`.
  var isExplanation: Bool { sqlite3_stmt_isexplain(sqliteStatement) != 0 }

  /// Returns the number of virtual machine instructions since the last call. C: `sqlite3_stmt_status`.
  func takeInstructionCount() -> CInt { sqlite3_stmt_status(sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, 1) }

  // MARK: - Stored state, by subject

  /// The arguments of a statement, which are kept between runs. SQLite reads their texts and blobs in place.
  struct ArgumentState {
    /// The arguments. If they are bound, they keep the memory that SQLite reads; if it has others, `ordered` does.
    var current = StatementArguments()

    /// The bound values, if some are found by their names, or if their number is not checked and differs.
    var ordered = PackedValues()

    /// Whether the arguments are bound. If not, or if SQLite refused some of them, they are bound before the next run.
    var areBound: Bool

    /// Whether the number and the names of the arguments are checked.
    var areChecked = true

    init(areBound: Bool) { self.areBound = areBound }
  }

  /// How the steps of a run are executed. It is chosen when the run starts.
  @usableFromInline
  enum StepMode {
    /// By SQLite alone: nothing observes them.
    case plain

    /// The change observer observes the first step, unless it bypasses capture. A statement makes all its changes in
    /// its first step; the other steps are plain.
    case captured

    /// The observers of the run observe all steps until one fails: the digest of results, and the bound of the region.
    case followed

    /// The statement has begun a transaction, which ends with the run: see `Statement+OwnTransaction.swift`.
    case inOwnTransaction
  }

  /// The state of a run.
  @usableFromInline
  struct RunState {
    /// How the next step is executed.
    @usableFromInline var mode = StepMode.plain

    /// The number of the run. It also changes when a run ends.
    @usableFromInline var number: UInt = 0

    var isRunning = false

    /// Whether the program uses this cached statement. Requests for the same SQL get another statement meanwhile.
    var isPassedToProgram = false

    /// After the first step of a statement that is passed to the program, the row ID of the row that it has inserted;
    /// for other statements than insertions, any number.
    var insertedRowID: Int64?

    /// Whether the run has stepped to its first row before its caller starts it.
    var holdsRow = false

    /// Whether a transaction was open when the run began.
    var wasInsideTransaction = false

    /// Whether the run may open a transaction: the statement can, and none was open.
    var mayBeginTransaction = false

    /// The observers of all steps, and the number of rows that they have seen.
    var observers: [any StepObserver] = []
    var rowCount = 0

    @usableFromInline init() {}
  }

  /// Results of earlier computations. Each of them is checked, or replaced, when the schema has changed.
  struct Cached {
    var columns = ColumnRecord()
    var digestOfNames: (digest: UInt64, recompilationCount: CInt)?

    /// The state of region inference.
    var inference: AnyObject?

    /// The scan order of a query of the same table, found by a later module when this statement had run.
    var scanOrder: Any?

    /// The row plan of `SQLiteDB`.
    var rowPlan: (any CachedPlan)?

    /// The row window of the last run that fetched one row, closed: it does not retain the statement. The next such run
    /// reuses it, because creating and freeing a window takes 550 instructions (Benchmarks: `access: pool.read`).
    var spareWindow: AnyObject?

    /// The adapter of this window, or of an earlier one if it has none.
    var spareAdapter: AnyObject?
  }

  // MARK: - Short names

  var effects: StatementEffects { facts.effects }
  var writes: StatementWrites? { facts.writes }
  var parameterCount: Int { facts.parameterCount }
  var isInternal: Bool { facts.isInternal }
  var mayWriteUnnamed: Bool { facts.mayWriteUnnamed }

  /// Whether the statement is running, and the number of the run.
  var isRunning: Bool { runState.isRunning }
  @inlinable var run: UInt { runState.number }

  /// The row plan that `SQLiteDB` has cached for the statement.
  package var cachedRowPlan: (any CachedPlan)? {
    get { cached.rowPlan }
    set { cached.rowPlan = newValue }
  }
}

@available(*, unavailable)
extension Statement: Sendable {}

extension Statement: CustomStringConvertible {
  /// The text of the statement.
  public var description: String { sql }
}

/// What SQLite and the authorizer report about a compiled statement.
struct StatementFacts {
  let effects: StatementEffects

  /// The tables that the statement writes, and its other stored effects; nil if there are none.
  let writes: StatementWrites?

  /// Whether the statement may write, although it names no table: a `VACUUM`, or a schema change with `IF EXISTS` or
  /// `IF NOT EXISTS` that had nothing to do when it was compiled.
  let mayWriteUnnamed: Bool

  /// The number of parameters. C: `sqlite3_bind_parameter_count`.
  let parameterCount: Int

  /// Whether the library compiled the statement for its own use, so that its arguments are meaningless after the run.
  let isInternal: Bool

  init(_ compiled: SQLSource.Compiled, isInternal: Bool) {
    self.isInternal = isInternal
    effects = compiled.effects
    let isExplanation = sqlite3_stmt_isexplain(compiled.pointer) != 0
    writes = isExplanation ? nil : compiled.writes
    mayWriteUnnamed =
      compiled.writes == nil && effects.isEmpty && !isExplanation
      && sqlite3_stmt_readonly(compiled.pointer) == 0
    parameterCount = Int(sqlite3_bind_parameter_count(compiled.pointer))
  }
}
