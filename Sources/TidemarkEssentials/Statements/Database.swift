import Synchronization

/// A connection to a database, during an access.
///
/// You get one from `read`, `write` and their siblings, and use it inside the closure only:
///
/// ```swift
/// try dbQueue.write { db in
///   try db.execute(sql: "INSERT INTO book (title) VALUES (?)", arguments: ["Dune"])
/// }
/// ```
///
/// This class is declared here with its stored state. Its verbs are in the modules they belong to:
/// statements here, transactions, functions, schema and so on in their own.
public final class Database {
  /// The connection, or nil once it was closed.
  @exclusivity(unchecked) var handle: ConnectionHandle?

  let settings: DatabaseSettings
  let callbacks = ConnectionCallbacks()
  let compilation = CompilationRecorder()

  // Statements of the library's own fetches, and statements asked for with `cachedStatement`. They are
  // kept apart: a program may count on the arguments it gave to the latter.
  let statements: StatementCache
  let publicStatements: StatementCache

  /// Statements that begin and end transactions: nearly every access runs two of them, so they are found by their
  /// number. A search by their texts was a fifth of an access that reads one row.
  @exclusivity(unchecked) var controlStatements: [Statement?] = []

  /// The thread that may use the connection, or zero when there is no access.
  let accessor = Atomic<ThreadID>(0)

  /// What could not be given back to SQLite outside of an access.
  let deferredReleases = DeferredReleases()

  /// How many transactions and savepoints were opened by the library and are not ended yet. When it is
  /// not zero and SQLite has no open transaction, the transaction died.
  @exclusivity(unchecked) var transactionDepth = 0

  /// What ended the transaction of the current access before it was over; nil when nothing did.
  @exclusivity(unchecked) var abortCause: (any Error)?

  /// Why a transaction that must be undone is still open; nil when there is none. SQLite had no memory to compile
  /// `ROLLBACK`, for instance.
  @exclusivity(unchecked) var pendingRollback: (any Error)?

  /// Why the commit that SQLite is failing was refused.
  @exclusivity(unchecked) var commitRefusal: (any Error)?

  /// Whether transactions and running statements may outlast an access: whoever begins them ends them, in another
  /// access. It is so where a dialect hands the connection out as a thing of its own.
  @exclusivity(unchecked) package var allowsTransactionsAcrossAccesses = false

  /// What a dialect has worked out last, and may want again.
  package var cachedPlan: (any CachedPlan)?

  /// Notified before each statement begins; nil unless a dialect has rows that it has not read to their end.
  @exclusivity(unchecked) package var openReads: (any OpenReads)?

  /// How many of the library's statements run.
  @exclusivity(unchecked) var runningCount = 0

  /// How many nested `readOnly` accesses there are.
  @exclusivity(unchecked) var readOnlyDepth = 0

  /// Whether the current access was cancelled; nil when only its task can be.
  @exclusivity(unchecked) var cancellation: AccessCancellation?

  /// Whether the current access runs on the thread of its task, and is cancelled with it.
  @exclusivity(unchecked) var endsWithTask = false

  /// When the current access must be over; nil when it may take its time.
  @exclusivity(unchecked) var deadline: Deadline?

  /// Whether SQLite asks from time to time whether to stop.
  @exclusivity(unchecked) var checksForInterruption = false

  /// How many nested closures run that mind neither.
  @exclusivity(unchecked) var shieldDepth = 0

  /// How many times a statement began or ended that does more than read and write rows. As long as it stays the same,
  /// this connection has changed neither its schema nor the transaction it is in; SQLite may have undone that one.
  var effectCount: UInt { statementEffectCount &+ compilation.effectCount }
  @exclusivity(unchecked) var statementEffectCount: UInt = 0

  /// Whether SQLite was told to let nobody write. It outlasts the accesses above when it cannot be told otherwise.
  @exclusivity(unchecked) var isQueryOnly = false

  /// Called when a statement has begun a transaction, whoever wrote it.
  @exclusivity(unchecked) var didBeginTransaction: ((Database) -> Void)?

  /// When the last transaction began, in seconds since 2001; nil when it is not the clock of the system that tells.
  @exclusivity(unchecked) var systemTimeOfTransaction: Double?

  /// What a later module wants to do when a statement has ended and no transaction is open: it is done once.
  @exclusivity(unchecked) var workBetweenTransactions: ((Database) -> Void)?

  /// Whether that is left to whoever has the connection next.
  @exclusivity(unchecked) var defersWork = false

  /// What regions need to know of the schema. Without, they are whole tables.
  var schemaFacts: SchemaFacts?

  /// The schemas for which the statements were last known to be compiled, where databases are attached.
  @exclusivity(unchecked) var generationOfStatements: UInt?
  @exclusivity(unchecked) var isExpiringStatements = false

  /// What the statements have read that were executed since somebody wants to know it; nil when nobody does.
  @exclusivity(unchecked) var readSet: ReadSet?

  /// Whether that leaves out rows which do not matter in the state that is read.
  @exclusivity(unchecked) var recordsBounds = false

  /// What the statements have answered that were executed since somebody wants to know whether it is what it was; nil
  /// when nobody does.
  @exclusivity(unchecked) var currentDigest: DigestBuilder?

  /// Told what statements do; nil on a connection that does not write.
  @exclusivity(unchecked) var executionObserver: (any ExecutionObserver)? {
    didSet { compilation.executionObserver = executionObserver }
  }

  /// Whether statements that write rows are to be told, too. Anybody may say so.
  let rowListening = RowListening()

  /// Whether the watcher has taken note of it.
  @exclusivity(unchecked) var isListeningToRows = false

  /// The steps that change rows of which nobody wants to know.
  @exclusivity(unchecked) var captureBypass = CaptureBypass()

  /// Whether the program knows the connection, and may use it without the library.
  @exclusivity(unchecked) private(set) var isHandleExposed = false

  /// Whether a transaction was open when the last statement began.
  @exclusivity(unchecked) var wasInsideTransaction = false

  /// What later modules keep in the connection. They are few, and asked for at each record that is written.
  @exclusivity(unchecked) var moduleStates: [(type: ObjectIdentifier, moduleState: any DatabaseModuleState)] = []

  init(handle: ConnectionHandle, settings: DatabaseSettings) throws {
    self.handle = handle
    self.settings = settings
    statements = StatementCache(countMax: settings.maximumCachedStatementCount)
    publicStatements = StatementCache(countMax: .max, sqlByteCountMax: .max)
    compilation.allowsAttachedFiles = settings.allowsAttachedFiles
    callbacks.authorizer = compilation
    callbacks.shouldInterrupt = { [unowned(unsafe) self] in shouldStop }
    try handle.installAuthorizer(callbacks)
    if !settings.isReadonly {
      // Borrowed by the closure that SQLite calls: the connection is not to be retained by what it owns.
      callbacks.mayCommit = { [unowned(unsafe) self] in mayCommit() }
      handle.installCommitHook(callbacks)
      handle.installRollbackHook(callbacks)
    }
  }

  deinit {
    // Whoever opened the connection closes it, or SQLite does when the last statement is gone.
    if let handle, !settings.health.isInherited {
      _ = deferredReleases.performPending()
      InvalidText.forget(handle.pointer)
      RowChangeRegistry.remove(handle.pointer)
      handle.closeEventually()
    }
  }

  /// The raw SQLite connection, or nil once it was closed.
  public var sqliteConnection: SQLiteConnection? {
    if !isHandleExposed {
      isHandleExposed = true
      executionObserver?.connectionWillBeShared()
    }
    currentDigest?.isUnknown = true
    return handle?.pointer
  }
}

@available(*, unavailable)
extension Database: Sendable {}

extension Database: CustomStringConvertible {
  /// The name of the connection: its label, and which of its pool's connections it is.
  public var description: String { settings.label }
}

extension Database: CustomDebugStringConvertible {
  /// The name of the connection.
  public var debugDescription: String { "<Database: \(settings.label)>" }
}

/// What a dialect has worked out once, and keeps in a connection or a statement for the next time.
package protocol CachedPlan: AnyObject {}

/// The rows that a dialect reads over several accesses, between which other statements may begin.
package protocol OpenReads: AnyObject {
  /// A statement is about to begin. Nothing of it has run yet.
  func statementWillBegin(_ statement: Statement)
}

/// What a module after this one keeps in a connection, made when it is first asked for.
protocol DatabaseModuleState: AnyObject {
  init()

  /// Lets go of the statements that it keeps: they hold the connection, and prevent it from being closed.
  func forgetStatements()
}

extension DatabaseModuleState {
  func forgetStatements() {}
}

extension Database {
  /// The part of a module in this connection.
  func moduleState<State: DatabaseModuleState>(_ type: State.Type = State.self) -> State {
    let key = ObjectIdentifier(type)
    // Only this function puts something there, under the type of what it puts.
    for entry in moduleStates where entry.type == key { return unsafeDowncast(entry.moduleState, to: type) }
    let moduleState = State()
    moduleStates.append((key, moduleState))
    return moduleState
  }
}
