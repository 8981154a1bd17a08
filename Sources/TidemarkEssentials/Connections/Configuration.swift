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
  // MARK: What is opened

  /// Whether nothing can be written. The file must exist. Default: false.
  public var readonly = false

  /// What connections are called, in traces and descriptions. Default: nil, for the name of the class.
  public var label: String?

  /// The permissions of a file that is created, such as `0o600`. Its `-wal` and `-shm` files have the same.
  /// Default: nil, for those that the process gives to its files.
  ///
  /// The file is created before SQLite opens it: do not open the same new file twice at the same moment.
  public var filePermissions: mode_t?

  // MARK: How SQL is understood

  /// Whether foreign keys are enforced. Default: true.
  public var foreignKeysEnabled = true

  /// Whether SQLite takes `"text"` for a string where no column has that name. Default: false, which finds
  /// misspelled columns.
  public var acceptsDoubleQuotedStringLiterals = false

  /// What becomes of text that is not valid UTF-8 when it is read. Default: it is repaired.
  public var invalidTextPolicy = InvalidTextPolicy.repair

  /// What becomes of text that is not valid UTF-8 when it is read.
  public enum InvalidTextPolicy: Sendable {
    /// Invalid bytes read as the character U+FFFD. Read such a column as `Data` to have its bytes.
    case repair

    /// The value cannot be decoded as a text: an error is thrown.
    case refuse
  }

  /// Whether a value that does not decode without loss is an error. Default: false.
  ///
  /// SQLite converts what it is asked for: of the text `'abc'`, it makes the integer 0. So do rows while they are being
  /// fetched, as in GRDB. With this option, such values throw a `RowDecodingError`, which names the column, the value
  /// and the type: a text or a blob where a number is wanted, a number where a text or a date is wanted, a fraction
  /// where an integer is wanted, an integer other than 0 and 1 where a Boolean is wanted, a number that does not fit.
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
  /// A subscript of a row cannot throw: `row["score"]` in the `init(row:)` of a record answers with what SQLite makes
  /// of the value, and the fetch then throws. In a loop over a cursor of rows, the next step throws.
  public var strictDecoding = false

  /// Knows more of the schema than the database does: the primary keys of views. Default: nil.
  public var schemaSource: (any DatabaseSchemaSource)?

  // MARK: Safety

  /// Whether SQL is kept from damaging the file on purpose: writing into the schema table or into the tables
  /// behind a virtual table. Default: true.
  public var isDefensive = true

  /// Whether the file may come from somebody else. See `untrusted`. Default: false.
  public internal(set) var isUntrusted = false

  /// Whether SQL may use other files: `ATTACH`, `DETACH`, `VACUUM INTO`. Default: true.
  public var allowsAttachedFiles = true

  /// Upper bounds for what SQL may ask of SQLite. Default: those of SQLite.
  public var limits: [Limit: Int] = [:]

  /// Something that SQL may not have without bounds.
  public enum Limit: Sendable, Hashable {
    /// The size of a value or of a row, in bytes.
    case valueSize
    /// The size of a statement, in bytes.
    case statementSize
    /// The number of columns.
    case columnCount
    /// The depth of an expression.
    case expressionDepth
    /// The number of `SELECT` in a compound one.
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
    /// The depth of triggers that set off triggers.
    case triggerDepth
  }

  // MARK: Transactions and waiting

  /// What to do when another connection holds the lock. Default: wait for five seconds.
  public var busyMode = Database.BusyMode.timeout(5)

  /// How the file keeps its changes. Default: as the kind of connection wants it.
  public var journalMode = JournalModeConfiguration.default

  /// What is still there when the power has failed. Default: all, but the last commits of a pool.
  public var durability = Durability.default

  /// How the file keeps its changes.
  public enum JournalModeConfiguration: Sendable {
    /// A queue leaves the file as it is. A pool uses the write-ahead log.
    case `default`

    /// The write-ahead log.
    case wal
  }

  /// Whether a transaction may still be open when an access ends. Default: false, which traps.
  public var allowsUnsafeTransactions = false

  /// Tells the date of transactions. Default: the clock of the system.
  public var transactionClock: any TransactionClock = .default

  /// How long an access may take, the wait for its turn included. When the time is over, the access is stopped with an
  /// error of code `SQLITE_INTERRUPT`. Default: nil, for no limit. See also `Database.withAccessTimeLimit(_:_:)`.
  public var accessTimeLimit: Duration?

  // MARK: Others

  /// Whether live queries notice what others commit. Default: at once, in databases that are files.
  public var externalCommitDetection = ExternalCommitDetection.immediate

  // MARK: Information

  /// Whether errors and traces show the values bound to statements. Default: false, for these may be secrets.
  public var publicStatementArguments = false

  // MARK: Resources

  /// How many connections of a pool may read at the same time. Default: 5.
  public var maximumReaderCount = 5

  /// How many idle prepared statements a connection keeps. Default: 256.
  public var maximumCachedStatementCount = 256

  /// Whether readers of a pool are kept open whatever happens. Default: false.
  public var persistentReadOnlyConnections = false

  /// Whether the database takes no lock between `Database.suspendNotification` and `Database.resumeNotification`.
  /// Default: false.
  public var observesSuspensionNotifications = false

  /// The quality of service of accesses. The library runs synchronous accesses on the caller's thread, and
  /// asynchronous ones on threads of its own: it is a hint.
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

  /// The queue on which accesses run, so that `dispatchPrecondition(condition: .onQueue(queue))` holds in them.
  ///
  /// Synchronous accesses still block their caller and, but for the main queue, run on its thread. A serial queue lets
  /// one access run at a time. Do not start a synchronous access from other code that runs on a serial target queue: it
  /// would wait for itself. Default: nil, for no queue.
  public var targetQueue: DispatchQueue?

  /// The queue on which accesses of connections that can write run, in place of ``targetQueue``. Default: nil.
  public var writeTargetQueue: DispatchQueue?

  private var storedReadQoS: DispatchQoS?
  private var storedWriteQoS: DispatchQoS?

  // MARK: Preparing connections

  var preparations: [@Sendable (Database) throws -> Void] = []

  /// Where executor, file system, clock and chance come from.
  var environment = Environment.live

  /// The default configuration.
  public init() {}

  /// Has a closure run on each connection that is opened, after those given before.
  ///
  /// It is the place for functions, collations, pragmas and traces.
  public mutating func prepareDatabase(_ setup: @escaping @Sendable (Database) throws -> Void) {
    preparations.append(setup)
  }
}

extension Configuration {
  /// For a file that comes from somebody else.
  ///
  /// It is opened read-only, and checked first. Its schema can call no function of the program but those
  /// declared innocuous, its triggers and views do not run, SQL cannot use other files, and what a statement
  /// may ask for is bounded, as is the time that an access may take. Values of the wrong type throw: see
  /// `strictDecoding`.
  ///
  /// ```swift
  /// let upload = try DatabaseQueue(path: path, configuration: .untrusted)
  /// ```
  public static var untrusted: Configuration {
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
