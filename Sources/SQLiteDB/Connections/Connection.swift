import Synchronization
public import Tidemark

/// A connection to a database.
///
/// ```swift
/// let db = try Connection("path/to/db.sqlite3")
/// try db.run(users.insert(email <- "alice@mac.com"))
/// for user in try db.prepare(users) { print(user[email]) }
/// ```
///
/// It may be used from several threads and tasks: one operation runs after the other, and a thread that is in a
/// transaction or a savepoint has the others wait until that one ends.
///
/// Invariants:
/// 1. An operation is one access to the database, whole: what it binds, steps, and reads is nobody else's meanwhile.
/// 2. Inside an access of the same thread, an operation is a part of that access.
/// 3. A statement that is stepped by hand runs until it is at its end, reset, or let go of, over several accesses. Its
///    rows are nobody else's: who starts a statement that runs has another one of the same text.
/// 4. All errors of SQLite are a `Result`, with the statement if one has failed.
public final class Connection: Sendable {
  /// The database below.
  public let writer: any DatabaseWriter

  // Touched inside accesses only.
  private nonisolated(unsafe) var hooks: ConnectionHooks?
  private nonisolated(unsafe) var busySeconds = 0.0

  private let extendedCodes = Atomic<Bool>(false)

  /// The statements that somebody holds.
  let statements = HeldStatements()

  // MARK: Opening

  /// Opens a database.
  ///
  /// - parameter location: Where it is.
  /// - parameter readonly: Whether it is only read. Else it is created when there is none.
  /// - parameter journalMode: How it makes its transactions atomic: see ``journalMode``. Nil leaves it as it is.
  /// - throws: A `Result` when it cannot be opened, or when its journal mode cannot be changed now.
  public convenience init(
    _ location: Location = .inMemory, readonly: Bool = false, journalMode: JournalMode? = nil
  ) throws {
    var configuration = Configuration()
    configuration.readonly = readonly
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .immediateError
    configuration.allowsUnsafeTransactions = true
    configuration.label = "SQLiteDB.Connection"
    do {
      self.init(owning: try DatabaseQueue(uri: location.description, configuration: configuration))
    } catch let error as DatabaseError {
      throw Result(error, usesExtendedCodes: false, statement: nil)
    }
    if let journalMode { try run("PRAGMA journal_mode = \(journalMode.rawValue)") }
  }

  /// Opens a database file.
  ///
  /// - parameter filename: The path to the file, or a URI that begins with `file:`.
  /// - parameter readonly: Whether it is only read. Else it is created when there is none.
  /// - parameter journalMode: How it makes its transactions atomic: see ``journalMode``. Nil leaves it as it is.
  /// - throws: A `Result` when it cannot be opened, or when its journal mode cannot be changed now.
  public convenience init(_ filename: String, readonly: Bool = false, journalMode: JournalMode? = nil) throws {
    try self.init(.uri(filename), readonly: readonly, journalMode: journalMode)
  }

  /// A connection over a database that is open: the one of its connections that writes.
  ///
  /// ```swift
  /// let pool = try DatabasePool(path: path)
  /// let db = Connection(pool)
  /// try db.run(users.insert(email <- "alice@mac.com"))
  /// let all = try pool.read { try $0.prepare(users) }
  /// ```
  ///
  /// What the connection does waits for the writes of others, and they for it.
  public convenience init(_ writer: some DatabaseWriter) {
    self.init(over: writer)
  }

  private convenience init(owning queue: DatabaseQueue) {
    self.init(over: queue)
  }

  private init(over writer: any DatabaseWriter) {
    self.writer = writer
    writer.unsafeReentrantWrite { $0.allowsTransactionsAcrossAccesses = true }
  }

  deinit {
    guard let hooks else { return }
    writer.unsafeReentrantWrite { $0.remove(transactionObserver: hooks) }
  }

  /// Closes the database. What is asked of the connection, or of its statements, from then on throws.
  ///
  /// A connection that is let go of is closed by itself. One whose hooks use it is not let go of before.
  public func close() throws {
    access { db in
      for statement in statements.all { statement.releaseStatement() }
      db.releaseClosures()
      if let hooks { db.remove(transactionObserver: hooks) }
      hooks = nil
    }
    try translating { try writer.close() }
  }

  // MARK: Accesses

  /// Uses the database, inside the access that the thread is in if there is one.
  func access<T>(_ body: (Database) throws -> T) rethrows -> T {
    try writer.unsafeReentrantWrite(body)
  }

  /// Uses the database; an error of SQLite is told as a `Result`.
  func perform<T>(_ statement: Statement? = nil, _ body: (Database) throws -> T) throws -> T {
    try translating(statement) { try access(body) }
  }

  /// Has the errors of SQLite told as `Result`s.
  func translating<T>(_ statement: @autoclosure () -> Statement? = nil, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw Result(error, usesExtendedCodes: usesExtendedErrorCodes, statement: statement())
    }
  }

  // MARK: What it is

  /// The connection of SQLite, for C functions that have no other door. Nobody else must use the database meanwhile.
  public var handle: OpaquePointer {
    access { db in
      guard let handle = db.sqliteConnection else { preconditionFailure("The connection was closed: it has no handle") }
      return handle
    }
  }

  /// Whether the database can only be read.
  public var readonly: Bool { access { $0.isMainReadonly } }

  /// The row id of the row that was inserted last.
  public var lastInsertRowid: Int64 { access { $0.lastInsertedRowID } }

  /// The number of rows that the last statement has changed.
  public var changes: Int { access { $0.changesCount } }

  /// The number of rows that were changed since the connection was opened.
  public var totalChanges: Int { access { $0.totalChangesCount } }

  /// Whether errors have extended codes, and are `Result.extendedError`. False when nothing is said.
  public var usesExtendedErrorCodes: Bool {
    get { extendedCodes.load(ordering: .relaxed) }
    set { extendedCodes.store(newValue, ordering: .relaxed) }
  }

  // MARK: Waiting and stopping

  /// How many seconds a statement waits for a lock that another connection has. Zero when nothing is said.
  ///
  /// It takes the place of the busy handler.
  public var busyTimeout: Double {
    get { access { _ in busySeconds } }
    set {
      access { db in
        busySeconds = newValue
        wait(newValue > 0 ? .timeout(newValue) : .immediateError, db)
      }
    }
  }

  /// Has a closure asked whether to try again when another connection has the lock. It takes the place of the time-out.
  ///
  /// ```swift
  /// db.busyHandler { tries in tries < 3 }
  /// ```
  ///
  /// - parameter callback: Told how many times it was asked before. Nil: errors are thrown at once.
  public func busyHandler(_ callback: ((_ tries: Int) -> Bool)?) {
    access { db in
      busySeconds = 0
      guard let callback else { return wait(.immediateError, db) }
      // Called by the thread that waits, inside its access.
      nonisolated(unsafe) let ask = callback
      wait(.callback { tries in ask(tries) }, db)
    }
  }

  private func wait(_ mode: Database.BusyMode, _ db: Database) {
    do {
      try db.wait(mode)
    } catch {
      // A connection that was closed has nothing to wait for.
      Database.report(error, "The time-out of a connection could not be set")
    }
  }

  /// Has the statement that runs fail with `SQLITE_INTERRUPT`. It does not wait for it.
  public func interrupt() { writer.interrupt() }

  // MARK: Hooks

  /// The hooks, which are made when the first one is set. To be called inside an access.
  func hooks(_ db: Database) -> ConnectionHooks {
    if let hooks { return hooks }
    let made = ConnectionHooks()
    db.add(transactionObserver: made, extent: .observerLifetime)
    hooks = made
    return made
  }
}

extension Connection: CustomStringConvertible {
  /// The path to the file; empty when there is none.
  public var description: String { access { $0.mainFilePath } }
}
