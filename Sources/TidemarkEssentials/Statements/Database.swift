import Synchronization

/// A connection to a database, during an access.
///
/// `read`, `write` and similar methods pass a connection to their closure. Use it only inside the closure:
///
/// ```swift
/// try dbQueue.write { db in
///   try db.execute(sql: "INSERT INTO book (title) VALUES (?)", arguments: ["Dune"])
/// }
/// ```
///
/// This file declares the class and its stored state. Other modules add methods for statements, transactions,
/// functions, the schema and so on.
public final class Database {
  /// The connection; nil after it was closed.
  @exclusivity(unchecked) var handle: ConnectionHandle?

  let settings: DatabaseSettings
  let callbacks = ConnectionCallbacks()
  let compilation = CompilationRecorder()

  // Statements of fetches, and statements of `cachedStatement`. The caches are separate, because a program may rely on
  // the arguments that it has set on the latter.
  let statements: StatementCache
  let publicStatements: StatementCache

  /// Statements that begin and end transactions, by number. Nearly every access runs two of them, and a search by SQL
  /// took a fifth of an access that reads one row.
  @exclusivity(unchecked) var controlStatements: [Statement?] = []

  /// The thread that may use the connection; zero outside of an access.
  let accessor = Atomic<ThreadID>(0)

  /// The SQLite objects to release in the next access.
  let deferredReleases = DeferredReleases()

  /// The number of open transactions and savepoints of the library. If it is not zero and SQLite has no open
  /// transaction, the transaction was rolled back.
  @exclusivity(unchecked) var transactionDepth = 0

  /// The error that rolled back the transaction of the current access early; nil otherwise.
  @exclusivity(unchecked) var abortCause: (any Error)?

  /// The reason why a transaction that must be rolled back is still open; nil if there is none. For example, SQLite had
  /// no memory to compile `ROLLBACK`.
  @exclusivity(unchecked) var pendingRollback: (any Error)?

  /// The reason why the commit hook has refused the current commit.
  @exclusivity(unchecked) var commitRefusal: (any Error)?

  /// Whether transactions and running statements may outlast an access, to be ended in another access. This is true if
  /// a `Connection` of `SQLiteDB` uses the database.
  @exclusivity(unchecked) package var allowsTransactionsAcrossAccesses = false

  /// The plan that `SQLiteDB` has cached last.
  package var cachedPlan: (any CachedPlan)?

  /// Notified before each statement begins; nil unless `SQLiteDB` has rows that it has not read to their end.
  @exclusivity(unchecked) package var openReads: (any OpenReads)?

  /// The number of running statements of the library.
  @exclusivity(unchecked) var runningCount = 0

  /// The number of nested `readOnly` accesses.
  @exclusivity(unchecked) var readOnlyDepth = 0

  /// The cancellation of the current access; nil if only its task can be cancelled.
  @exclusivity(unchecked) var cancellation: AccessCancellation?

  /// Whether the current access runs on the thread of its task, and is cancelled with it.
  @exclusivity(unchecked) var endsWithTask = false

  /// The time limit of the current access; nil if there is none.
  @exclusivity(unchecked) var deadline: Deadline?

  /// Whether SQLite's progress handler checks for interruption.
  @exclusivity(unchecked) var checksForInterruption = false

  /// The number of nested closures that ignore cancellation and time limits.
  @exclusivity(unchecked) var shieldDepth = 0

  /// The number of begun or ended statements that do more than read and write rows. While it is unchanged, this
  /// connection has changed neither its schema nor its transaction, but SQLite may have rolled the transaction back.
  var effectCount: UInt { statementEffectCount &+ compilation.effectCount }
  @exclusivity(unchecked) var statementEffectCount: UInt = 0

  /// Whether `PRAGMA query_only` is on. It stays on after the accesses above if it could not be turned off.
  @exclusivity(unchecked) var isQueryOnly = false

  /// Called when a statement has begun a transaction.
  @exclusivity(unchecked) var didBeginTransaction: ((Database) -> Void)?

  /// The start of the last transaction, in seconds since 2001; nil if a custom clock is used.
  @exclusivity(unchecked) var systemTimeOfTransaction: Double?

  /// Work of a later module, to be performed once when a statement has ended and no transaction is open.
  @exclusivity(unchecked) var workBetweenTransactions: ((Database) -> Void)?

  /// Whether that work must be performed in the next access.
  @exclusivity(unchecked) var defersWork = false

  /// The facts about the schema that regions need. Without them, regions are whole tables.
  var schemaFacts: SchemaFacts?

  /// The generations of the attached schemas for which the cached statements were compiled.
  @exclusivity(unchecked) var generationOfStatements: UInt?
  @exclusivity(unchecked) var isExpiringStatements = false

  /// The regions of the statements executed since the recording began; nil if nothing is recorded.
  @exclusivity(unchecked) var readSet: ReadSet?

  /// Whether the recorded regions leave out rows that do not matter in the current snapshot.
  @exclusivity(unchecked) var recordsBounds = false

  /// The digest of the results since it was begun; nil if none is computed.
  @exclusivity(unchecked) var currentDigest: DigestBuilder?

  /// The observer of executed statements; nil on a read-only connection.
  @exclusivity(unchecked) var executionObserver: (any ExecutionObserver)? {
    didSet { compilation.executionObserver = executionObserver }
  }

  /// Whether row changes must be captured. Any thread may set this.
  let rowListening = RowListening()

  /// Whether the execution observer has applied the state of `rowListening`.
  @exclusivity(unchecked) var isListeningToRows = false

  /// The steps that bypass change capture, because their changes are unobserved.
  @exclusivity(unchecked) var captureBypass = CaptureBypass()

  /// Whether the program has the connection's pointer, and may use it without the library.
  @exclusivity(unchecked) private(set) var isHandleExposed = false

  /// Whether a transaction was open when the last statement began.
  @exclusivity(unchecked) var wasInsideTransaction = false

  /// The states of later modules. There are few, and each written record looks one up.
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
      // Not retained: the connection owns the object that stores the closure.
      callbacks.mayCommit = { [unowned(unsafe) self] in mayCommit() }
      handle.installCommitHook(callbacks)
      handle.installRollbackHook(callbacks)
    }
  }

  deinit {
    // The opener closes the connection. Otherwise SQLite does so when its last statement is finalized.
    if let handle, !settings.health.isInherited {
      _ = deferredReleases.performPending()
      InvalidText.forget(handle.pointer)
      RowChangeRegistry.remove(handle.pointer)
      handle.closeEventually()
    }
  }

  /// The raw SQLite connection; nil after it was closed.
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
  /// The name of the connection: its label and its number in the pool.
  public var description: String { settings.label }
}

extension Database: CustomDebugStringConvertible {
  /// The name of the connection.
  public var debugDescription: String { "<Database: \(settings.label)>" }
}

/// A value that `SQLiteDB` computes once and caches in a connection or a statement.
package protocol CachedPlan: AnyObject {}

/// The rows that `SQLiteDB` reads over several accesses. Other statements may begin in between.
package protocol OpenReads: AnyObject {
  /// Called before a statement begins.
  func statementWillBegin(_ statement: Statement)
}

/// The state of a later module in a connection, created on first use.
protocol DatabaseModuleState: AnyObject {
  init()

  /// Releases cached statements. They retain the connection, and prevent it from being closed.
  func forgetStatements()
}

extension DatabaseModuleState {
  func forgetStatements() {}
}

extension Database {
  /// Returns the state of a module in this connection.
  func moduleState<State: DatabaseModuleState>(_ type: State.Type = State.self) -> State {
    let key = ObjectIdentifier(type)
    // Only this function adds entries, with the type of the state as key.
    for entry in moduleStates where entry.type == key { return unsafeDowncast(entry.moduleState, to: type) }
    let moduleState = State()
    moduleStates.append((key, moduleState))
    return moduleState
  }
}
