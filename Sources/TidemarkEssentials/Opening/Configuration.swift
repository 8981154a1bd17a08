public import Dispatch

#if canImport(Glibc)
  public import Glibc
#elseif canImport(Musl)
  public import Musl
#else
  public import Darwin
#endif

/// How connections to a database are opened and behave.
///
/// ```swift
/// var config = Configuration()
/// config.label = "Library"
/// config.prepareDatabase { db in
///   db.add(function: reversed)
/// }
/// let dbQueue = try DatabaseQueue(path: "/var/lib/library.sqlite", configuration: config)
/// ```
public struct Configuration: Sendable {
  // MARK: Opening

  /// Whether connections are read-only. The file must exist. Default: false.
  public var readonly = false

  /// The name of the connections, in traces and descriptions. Default: nil, which uses the name of the class.
  public var label: String?

  /// The permissions of a new file, such as `0o600`. Its `-wal` and `-shm` files get the same permissions. Default:
  /// nil, which uses the process's file mode creation mask.
  ///
  /// The file is created before SQLite opens it: do not open the same new file twice at the same moment.
  public var filePermissions: mode_t?

  // MARK: SQL

  /// Whether foreign keys are enforced. Default: true.
  public var foreignKeysEnabled = true

  /// Whether SQLite reads `"text"` as a string if no column has that name. Default: false, which detects misspelled
  /// columns.
  public var acceptsDoubleQuotedStringLiterals = false

  /// How text that is not valid UTF-8 is decoded. Default: `.repair`.
  public var invalidTextPolicy = InvalidTextPolicy.repair

  /// How text that is not valid UTF-8 is decoded.
  public enum InvalidTextPolicy: Sendable {
    /// Invalid bytes are decoded as U+FFFD. Decode such a column as `Data` to get its bytes.
    case repair

    /// The value cannot be decoded as text: an error is thrown.
    case refuse
  }

  /// Whether decoding a value with a loss is an error. Default: false.
  ///
  /// SQLite converts values to the requested type: the text `'abc'` becomes the integer 0. Fetches do the same, as in
  /// GRDB. With this option, such values throw a `RowDecodingError`, which names the column, the value and the type. It
  /// rejects a text or a blob for a number, a number for a text or a date, a fraction for an integer, an integer other
  /// than 0 and 1 for a Boolean, and a number out of range.
  ///
  /// ```swift
  /// var config = Configuration()
  /// config.strictDecoding = true
  /// let dbQueue = try DatabaseQueue(path: path, configuration: config)
  /// try dbQueue.read { db in
  ///   // Throws: could not decode Int from database value "abc"
  ///   try Int.fetchAll(db, sql: "SELECT 'abc'")
  /// }
  /// ```
  ///
  /// A subscript of a row cannot throw: `row["score"]` in the `init(row:)` of a record returns SQLite's conversion, and
  /// the fetch throws afterwards. In a loop over a cursor of rows, the next step throws.
  public var strictDecoding = false

  /// Additional information about the schema, such as the primary keys of views. Default: nil.
  public var schemaSource: (any DatabaseSchemaSource)?

  /// The extensions of SQLite that are loaded on each connection when it is opened, before the closures of
  /// ``prepareDatabase(_:)`` run. Default: empty.
  ///
  /// ```swift
  /// config.extensions = [.library("/usr/lib/sqlite3/vec0.so")]
  /// ```
  ///
  /// Opening a database throws if an extension cannot be loaded, or if the configuration is ``forUntrustedFiles``.
  public var extensions: [DatabaseExtension] = []

  // MARK: Safety

  /// Whether SQL is prevented from deliberately damaging the file by writing to the schema table or to the shadow
  /// tables of a virtual table. Default: true.
  public var isDefensive = true

  /// Whether the file may come from an untrusted source. See `forUntrustedFiles`. Default: false.
  public internal(set) var isUntrusted = false

  /// Whether SQL may use other files: `ATTACH`, `DETACH`, `VACUUM INTO`. Default: true.
  public var allowsAttachedFiles = true

  /// Upper bounds for SQLite's resources. Default: empty, which uses SQLite's limits.
  public var limits: [Limit: Int] = [:]

  /// A resource that can be limited.
  public enum Limit: Sendable, Hashable {
    /// The size of a value or of a row, in bytes.
    case valueSize
    /// The size of a statement, in bytes.
    case statementSize
    /// The number of columns.
    case columnCount
    /// The depth of an expression.
    case expressionDepth
    /// The number of `SELECT` statements in a compound select.
    case compoundSelectCount
    /// The number of instructions of a statement.
    case instructionCount
    /// The number of arguments of a function.
    case functionArgumentCount
    /// The number of attached databases.
    case attachedDatabaseCount
    /// The size of a pattern of `LIKE` or `GLOB`, in bytes.
    case patternSize
    /// The number of parameters of a statement.
    case parameterCount
    /// The depth of nested triggers.
    case triggerDepth
  }

  // MARK: Transactions and waits

  /// How to wait for a lock that another connection holds. Default: up to five seconds.
  public var busyMode = Database.BusyMode.timeout(5)

  /// The journal mode. Default: depends on the kind of connection.
  public var journalMode = JournalModeConfiguration.default

  /// The durability of commits after a power failure. Default: all commits; in a pool, all except the last ones.
  public var durability = Durability.default

  /// The journal mode of a database.
  public enum JournalModeConfiguration: Sendable {
    /// A queue keeps the journal mode of the file. A pool uses the write-ahead log.
    case `default`

    /// The write-ahead log.
    case wal
  }

  /// Whether a transaction may stay open when an access ends. Default: false, which traps.
  public var allowsUnsafeTransactions = false

  /// Whether asynchronous writes that wait for each other share a transaction of SQLite, and its commit. Default:
  /// false.
  ///
  /// With many concurrent tasks, this multiplies the number of writes per second. Each call of `write` stays a
  /// transaction of its own: if its closure throws, only its changes are rolled back, and it returns when its changes
  /// are committed. It may execute its closure twice: if the changes were rolled back together with those of another
  /// write, or if the closure changes the schema or executes a `PRAGMA`, it is executed again in a transaction of its
  /// own.
  public var groupsWrites = false

  /// The source of transaction dates. Default: the system clock.
  public var transactionClock: any TransactionClock = .default

  /// The time limit of an access, including its wait. When it expires, the access is interrupted with an error of code
  /// `SQLITE_INTERRUPT`. Default: nil, for no limit. See also `Database.withAccessTimeLimit(_:_:)`.
  public var accessTimeLimit: Duration?

  // MARK: External commits

  /// Whether live queries detect external commits. Default: immediately, for databases in files.
  public var externalCommitDetection = ExternalCommitDetection.immediate

  /// Whether the live queries of a pool find out which tables an external commit has changed. Default: false.
  ///
  /// The write-ahead log shows the pages that a commit has written. From the pages, the pool finds the tables, and only
  /// the live queries that read one of them are fetched; otherwise, all of them are. This is useful with many live
  /// queries, if programs without the change feed write to the file. Commits that cannot be assigned to tables with
  /// certainty still cause all live queries to be fetched: changes of the schema, and values longer than a page that
  /// are overwritten in place. Databases with `PRAGMA auto_vacuum` are not supported.
  ///
  /// It takes two bytes of memory for each page. With ``changeFeed``, or in a queue, it has no effect.
  ///
  /// ```swift
  /// var config = Configuration()
  /// config.findsTablesOfExternalCommits = true
  /// let pool = try DatabasePool(path: path, configuration: config)
  /// ```
  public var findsTablesOfExternalCommits = false

  /// How much of the machine live queries use to follow external commits. Default: half of the processors.
  public var externalCommitLimit = ExternalCommitLimit()

  // MARK: Diagnostics

  /// Whether errors and traces show the values of bound arguments. Default: false, because they may be confidential.
  public var publicStatementArguments = false

  // MARK: Resources

  /// The largest number of concurrent readers of a pool: at most 1,000, also if this number is greater. Default: 5.
  public var maximumReaderCount = 5

  /// The largest number of concurrent readers that a pool opens. A greater number would only cost memory.
  var readerCountMax: Int { min(maximumReaderCount, 1_000) }

  /// The largest number of prepared statements in the cache of a connection. Default: 256.
  public var maximumCachedStatementCount = 256

  /// Whether a pool never closes its idle readers. Default: false.
  public var persistentReadOnlyConnections = false

  /// Whether the database takes no lock between `Database.suspendNotification` and `Database.resumeNotification`.
  /// Default: false.
  public var observesSuspensionNotifications = false

  /// The quality of service of accesses. This is a hint: synchronous accesses run on the caller's thread, and
  /// asynchronous accesses on threads of the library.
  public var qos = DispatchQoS.userInitiated

  /// The quality of service of reads.
  public var readQoS: DispatchQoS {
    get { storedReadQoS ?? targetQueue?.qos ?? qos }
    set { storedReadQoS = newValue }
  }

  /// The quality of service of writes.
  public var writeQoS: DispatchQoS {
    get { storedWriteQoS ?? writeTargetQueue?.qos ?? targetQueue?.qos ?? qos }
    set { storedWriteQoS = newValue }
  }

  /// The queue on which accesses run, so that `dispatchPrecondition(condition: .onQueue(queue))` is satisfied in them.
  /// Default: nil, for no queue.
  ///
  /// Synchronous accesses still block their caller. Except for the main queue, they run on the caller's thread. A
  /// serial queue runs one access at a time. Do not start a synchronous access from other code on a serial target
  /// queue: it would wait for itself.
  public var targetQueue: DispatchQueue?

  /// The queue on which accesses of writer connections run, instead of ``targetQueue``. Default: nil.
  public var writeTargetQueue: DispatchQueue?

  private var storedReadQoS: DispatchQoS?
  private var storedWriteQoS: DispatchQoS?

  // MARK: Preparing connections

  var preparations: [@Sendable (Database) throws -> Void] = []

  /// What a later module begins on writer connections.
  var writerExtension: (any WriterExtension)?

  /// The executor, file system, clock and random numbers.
  var environment = Environment.live

  /// Creates the default configuration.
  public init() {}

  /// Adds a closure that runs on each connection when it is opened, after the closures that were added before.
  ///
  /// Use it to add functions and collations, to run pragmas, and to install traces.
  ///
  /// - Parameter setup: The closure. Its error is thrown when the database is opened.
  public mutating func prepareDatabase(_ setup: @escaping @Sendable (Database) throws -> Void) {
    preparations.append(setup)
  }
}

/// The work of a later module on writer connections.
protocol WriterExtension: Sendable {
  /// Called when a writer connection was opened, in its journal mode.
  func begin(on db: Database) throws

  /// Returns a reader of the changes that other connections have stored in the database of a writer connection.
  func storedChangesReader(_ broker: ChangeBroker) -> any StoredChangesReader
}

extension Configuration {
  /// A configuration for files from untrusted sources.
  ///
  /// The file is opened read-only, and checked first. Its schema can only call functions of the program that are
  /// declared innocuous. Its triggers and views do not run, SQL cannot use other files, and the resources of statements
  /// and the time of accesses are limited. Values of the wrong type throw: see `strictDecoding`.
  ///
  /// ```swift
  /// let upload = try DatabaseQueue(path: path, configuration: .forUntrustedFiles)
  /// ```
  public static var forUntrustedFiles: Configuration {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.isUntrusted = true
    configuration.strictDecoding = true
    configuration.allowsAttachedFiles = false
    configuration.accessTimeLimit = .seconds(10)
    configuration.limits = [
      .valueSize: 10_000_000, .statementSize: 100_000, .columnCount: 200, .expressionDepth: 100,
      .compoundSelectCount: 50, .instructionCount: 250_000, .functionArgumentCount: 32,
      .attachedDatabaseCount: 0, .patternSize: 1_000, .parameterCount: 32_766, .triggerDepth: 10,
    ]
    return configuration
  }
}

extension Database {
  /// The configuration of the connection.
  public internal(set) var configuration: Configuration {
    get { moduleState(ConfigurationState.self).configuration }
    set { moduleState(ConfigurationState.self).configuration = newValue }
  }
}

private final class ConfigurationState: DatabaseModuleState {
  var configuration = Configuration()
}

extension Configuration {
  /// Whether live queries are notified of external commits: commits by other connections, queues and pools of the
  /// program, by other processes, and by the `sqlite3` shell.
  ///
  /// ```swift
  /// var config = Configuration()
  /// config.externalCommitDetection = .polling(every: .seconds(2))
  /// ```
  public enum ExternalCommitDetection: Sendable, Hashable {
    /// External commits are not detected: live queries see only the commits of their own queue or pool.
    case disabled

    /// The system reports changes of the files. The database is also checked several times per second, in case an event
    /// is lost or the system reports none.
    case immediate

    /// The database is checked at the given interval only.
    case polling(every: Duration)
  }

  /// How much of the machine the live queries of a database use to follow external commits.
  ///
  /// Another process may commit thousands of times per second. When live queries have been fetched for some of its
  /// commits, they pause until their share is kept, and are then fetched once for all commits meanwhile. So frequent
  /// commits and many live queries cost no more than the share, and the values are a little later.
  ///
  /// ```swift
  /// var config = Configuration()
  /// config.externalCommitLimit = .init(processorShare: 0.1, delayMax: .milliseconds(500))
  /// ```
  public struct ExternalCommitLimit: Sendable, Hashable {
    /// The part of all processors that may be used: 0.5 is two of four processors. It must be greater than zero when
    /// the first live query starts.
    public var processorShare: Double

    /// The longest pause: it ends even if the share is exceeded.
    public var delayMax: Duration

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - processorShare: The part of all processors that may be used, greater than zero.
    ///   - delayMax: The longest pause. Zero for no limit.
    public init(processorShare: Double = 0.5, delayMax: Duration = .milliseconds(100)) {
      self.processorShare = processorShare
      self.delayMax = delayMax
    }
  }
}
