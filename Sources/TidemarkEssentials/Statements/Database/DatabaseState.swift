// The stored state of a connection, one structure per subject.

/// The cached statements of a connection.
struct StatementCaches {
  // Statements of fetches, and statements of `cachedStatement`. The caches are separate, because a program may rely on
  // the arguments that it has set on the latter.
  let fetchStatements: StatementCache
  let programStatements: StatementCache

  /// Statements that begin and end transactions, by number. Nearly every access runs two of them, and a search by SQL
  /// took a fifth of an access that reads one row.
  var controlStatements: [Statement?] = []

  /// The generations of the attached schemas for which the cached statements were compiled.
  var schemaGeneration: UInt?

  /// Whether statements are being marked for recompilation.
  var isExpiring = false

  init(maximumCount: Int) {
    fetchStatements = StatementCache(countMax: maximumCount)
    programStatements = StatementCache(countMax: .max, sqlByteCountMax: .max)
  }

  mutating func removeAll() {
    fetchStatements.removeAll()
    programStatements.removeAll()
    controlStatements = []
  }
}

/// The limits of the current access.
struct AccessState {
  /// The cancellation of the access; nil if only its task can be cancelled.
  var cancellation: AccessCancellation?

  /// Whether the access runs on the thread of its task, and is cancelled with it.
  var endsWithTask = false

  /// The time limit; nil if there is none.
  var deadline: Database.Deadline?

  /// Whether SQLite's progress handler checks for interruption.
  var checksForInterruption = false

  /// The number of nested closures that ignore cancellation and time limits.
  var shieldDepth = 0

  /// The number of nested `readOnly` closures.
  var readOnlyDepth = 0

  /// Whether `PRAGMA query_only` is on. It stays on after the closures above if it could not be turned off.
  var isQueryOnly = false

  /// The number of running statements of the library.
  var runningStatementCount = 0

  /// The running statement for which the open transaction was begun; it ends with the run.
  var transactionOwner: Statement?

  /// The place of the running write in a group of writes that share a transaction.
  var groupRole = GroupRole.none

  /// Checks the statements of a replicated write before they begin.
  var replicatedWriteCheck: ((Statement) throws -> Void)?
}

/// The place of the running write in a group of writes that share a transaction: see `Database+Groups.swift`.
enum GroupRole {
  /// No write of a group is running.
  case none

  /// It has begun the transaction. Others may follow.
  case first

  /// It has begun the transaction, and affects more than its own changes: no other write may follow.
  case alone

  /// It follows others.
  case follower

  /// It follows others, but must be alone: its changes are rolled back, and it is executed again.
  case rejected

  /// It is executed by one node of a cluster, and its changes are applied by the others: see
  /// `Database+Replication.swift`. It may affect the schema, but not the transaction.
  case replicated

  /// The running write is about to affect more than its own changes.
  ///
  /// - Returns: Whether it may do this.
  mutating func requireOwnTransaction() -> Bool {
    switch self {
    case .none, .alone, .replicated: return true
    case .first:
      self = .alone
      return true
    case .follower, .rejected:
      self = .rejected
      return false
    }
  }
}

/// A write of a group must be executed again, alone in its transaction. Its changes were rolled back, or will be.
struct MustRunAlone: Error {}

/// What happens when transactions begin and end: a check, and work of later modules.
struct TransactionWork {
  /// Decides whether a commit must look at the path of the file.
  var fileMoveCheck = FileMoveCheck()

  /// Called when a statement has begun a transaction.
  var didBegin: ((Database) -> Void)?

  /// The start of the last transaction, in seconds since 2001; nil if a custom clock is used.
  var systemTimeOfBegin: Double?

  /// Performed once when a statement has ended and no transaction is open.
  var betweenTransactions: ((Database) -> Void)?

  /// Whether that work must be performed in the next access.
  var isDeferred = false
}

/// The capture of changes.
struct CaptureState {
  /// The observer of statements that may change the database; nil on a read-only connection.
  var changeObserver: (any ChangeObserver)?

  /// Whether row changes are needed. Any thread may set this.
  var rowNeeds = RowNeeds()

  /// Whether the change observer receives row changes. It follows `rowNeeds` when a transaction begins.
  var receivesRows = false

  /// The steps that bypass change capture, because their changes are not needed.
  var bypass = CaptureBypass()

  /// Whether the program has the connection's pointer, and may use it without the library.
  var isHandleExposed = false

  /// Whether the changes of each transaction are stored before it is committed. Statements that write outside of a
  /// transaction then run in one of their own.
  var recordsCommits = false

  /// Whether a statement may have written to the main database in the open transaction, although it has counted no row.
  var mayHaveWritten = false

  /// The rows that were changed to store changes.
  var recordedChanges = RecordedChanges()

  struct RecordedChanges {
    /// Their number.
    var total = 0

    /// SQLite's number of rows that the last statement of the program has changed, if rows were stored since.
    var countBefore: Int?
  }
}

/// Observes what statements read. Region inference implements it.
protocol ReadObserver: AnyObject {
  /// Called before a statement runs, with bound arguments.
  func willRead(_ statement: Statement)
}

/// The recording of reads.
struct ReadRecording {
  /// The observer of the statements that run; nil if nothing is recorded.
  var observer: (any ReadObserver)?

  /// The digest of the results since it was begun; nil if none is computed.
  var digest: DigestObserver?

  /// The query that is being printed.
  var printing = PrintingState()
}

/// Facts about the query that is being printed.
struct PrintingState {
  /// Whether closures of the program compute parts of the query. They may return others next time.
  var dependsOnProgram = false

  /// Whether the part that was resolved last depends on nothing but the schema.
  var isFixedPart = false
}

/// The generations of the schema. The schema module, which depends on this one, provides them.
struct SchemaGenerations {
  /// Returns the generation number of the schema, which changes with the schema.
  var current: (Database) throws -> UInt

  /// Returns the last known generation number, without checking whether the schema has changed since.
  var lastKnown: (Database) -> UInt
}

/// The facts about the schema that statements use.
struct SchemaState {
  /// The generations of the schema; nil before a schema module is installed.
  var generations: SchemaGenerations?

  /// The number of begun or ended statements that do more than read and write rows: see `Database.effectCount`.
  var effectCount: UInt = 0
}

extension Database {
  /// The number of begun or ended statements that do more than read and write rows. While it is unchanged, this
  /// connection has changed neither its schema nor its transaction, but SQLite may have rolled the transaction back.
  var effectCount: UInt { schema.effectCount &+ compilation.effectCount }

  /// Sets the observer of changes.
  func setChangeObserver(_ observer: (any ChangeObserver)?) {
    capture.changeObserver = observer
    compilation.changeObserver = observer
  }
}

/// The state of `SQLiteDB`, which uses the connection as an object of its own.
package struct DialectState {
  /// Whether transactions and running statements may outlast an access, to be ended in another access.
  package var allowsTransactionsAcrossAccesses = false

  /// The plan that `SQLiteDB` has cached last.
  package var cachedPlan: (any CachedPlan)?

  /// Notified before each statement begins; nil unless `SQLiteDB` has rows that it has not read to their end.
  package var openReads: (any OpenReads)?
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
