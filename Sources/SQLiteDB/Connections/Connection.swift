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
/// A connection can be used by several threads and tasks, one operation at a time. While a thread is inside a
/// transaction or a savepoint, other threads wait until it ends.
///
/// Invariants:
/// 1. An operation is one access: no other operation runs between its bindings, its steps, and its reads.
/// 2. Inside an access of the same thread, an operation is a part of that access.
/// 3. A statement that is stepped by the program runs until its end, its reset or its release, over several accesses.
///    A caller that starts a statement with the same SQL during that time gets another statement.
/// 4. All errors of SQLite are thrown as `Result`, with the statement that failed.
public final class Connection: Sendable {
  /// The underlying database.
  public let writer: any DatabaseWriter

  // Used inside accesses only.
  private nonisolated(unsafe) var hooks: ConnectionHooks?
  private nonisolated(unsafe) var busySeconds = 0.0

  private let extendedCodes = Atomic<Bool>(false)

  /// The statements that the program retains.
  let statements = RetainedStatements()

  // MARK: Opening

  /// Opens a database.
  ///
  /// ```swift
  /// let memory = try Connection()
  /// let file = try Connection(.uri("path/to/db.sqlite3", parameters: [.mode(.readOnly)]))
  /// ```
  ///
  /// - Parameters:
  ///   - location: The location of the database. Default: an in-memory database.
  ///   - readonly: Whether the connection is read-only. If not, a missing database is created.
  ///   - journalMode: The journal mode: see ``journalMode``. Nil keeps the current mode.
  /// - Throws: A ``Result`` if the database cannot be opened, or if its journal mode cannot be changed now.
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
  /// ```swift
  /// let db = try Connection("path/to/db.sqlite3", journalMode: .wal)
  /// ```
  ///
  /// - Parameters:
  ///   - filename: The path of the file, or a URI that begins with `file:`.
  ///   - readonly: Whether the connection is read-only. If not, a missing file is created.
  ///   - journalMode: The journal mode: see ``journalMode``. Nil keeps the current mode.
  /// - Throws: A ``Result`` if the file cannot be opened, or if its journal mode cannot be changed now.
  public convenience init(_ filename: String, readonly: Bool = false, journalMode: JournalMode? = nil) throws {
    try self.init(.uri(filename), readonly: readonly, journalMode: journalMode)
  }

  /// Creates a connection that uses the writer connection of an open database.
  ///
  /// ```swift
  /// let pool = try DatabasePool(path: path)
  /// let db = Connection(pool)
  /// try db.run(users.insert(email <- "alice@mac.com"))
  /// let all = try pool.read { try $0.prepare(users) }
  /// ```
  ///
  /// Operations of the connection and other writes of the database run one after the other.
  ///
  /// - Parameter writer: The database.
  public convenience init(_ writer: some DatabaseWriter) {
    self.init(over: writer)
  }

  private convenience init(owning queue: DatabaseQueue) {
    self.init(over: queue)
  }

  private init(over writer: any DatabaseWriter) {
    self.writer = writer
    writer.unsafeReentrantWrite { $0.dialect.allowsTransactionsAcrossAccesses = true }
  }

  deinit {
    guard let hooks else { return }
    writer.unsafeReentrantWrite { $0.remove(transactionObserver: hooks) }
  }

  /// Closes the database. Later operations of the connection and its statements throw.
  ///
  /// A connection closes itself when it is released. A hook that captures the connection retains it.
  ///
  /// ```swift
  /// let db = try Connection("path/to/db.sqlite3")
  /// try db.close()
  /// ```
  ///
  /// - Throws: A ``Result`` if the database cannot be closed: in a closure of its transactions, functions or hooks, for
  ///   instance.
  public func close() throws {
    try translating {
      guard writer.isUsedByThread else { return }
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "cannot close the database in a transaction, a function or a hook of it")
    }
    access { db in
      for statement in statements.all { statement.releaseStatement() }
      db.releaseClosures()
      if let hooks { db.remove(transactionObserver: hooks) }
      hooks = nil
    }
    try translating { try writer.close() }
  }

  // MARK: Accesses

  /// Uses the database, inside the current access of the thread if there is one.
  func access<T>(_ body: (Database) throws -> T) rethrows -> T {
    try writer.unsafeReentrantWrite(body)
  }

  /// Uses the database, and translates errors of SQLite to `Result`.
  func perform<T>(_ statement: Statement? = nil, _ body: (Database) throws -> T) throws -> T {
    try translating(statement) { try access(body) }
  }

  /// Translates errors of SQLite to `Result`.
  func translating<T>(_ statement: @autoclosure () -> Statement? = nil, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw Result(error, usesExtendedCodes: usesExtendedErrorCodes, statement: statement())
    }
  }

  // MARK: Properties

  /// The SQLite connection, for C functions without a counterpart in this class. While it is used, no other thread may
  /// use the database.
  public var handle: OpaquePointer {
    access { db in
      guard let handle = db.sqliteConnection else { preconditionFailure("A closed connection has no handle") }
      return handle
    }
  }

  /// Whether the database is read-only.
  public var readonly: Bool { access { $0.isMainReadonly } }

  /// The row ID of the last inserted row.
  public var lastInsertRowid: Int64 { access { $0.lastInsertedRowID } }

  /// The number of rows that the last statement changed.
  public var changes: Int { access { $0.changesCount } }

  /// The number of rows changed since the connection was opened.
  public var totalChanges: Int { access { $0.totalChangesCount } }

  /// Whether errors have extended codes, as ``Result/extendedError(message:extendedCode:statement:)``. Default: false.
  public var usesExtendedErrorCodes: Bool {
    get { extendedCodes.load(ordering: .relaxed) }
    set { extendedCodes.store(newValue, ordering: .relaxed) }
  }

  // MARK: Waits and interruption

  /// The number of seconds that a statement waits for a lock of another connection. Default: 0.
  ///
  /// Setting it replaces the busy handler.
  public var busyTimeout: Double {
    get { access { _ in busySeconds } }
    set {
      access { db in
        busySeconds = newValue
        wait(newValue > 0 ? .timeout(newValue) : .immediateError, db)
      }
    }
  }

  /// Sets a closure that decides whether to try again while another connection holds a lock.
  ///
  /// The closure replaces ``busyTimeout``.
  ///
  /// ```swift
  /// db.busyHandler { tries in tries < 3 }
  /// ```
  ///
  /// - Parameter callback: Receives the number of earlier attempts, and returns whether to try again. If it is nil,
  ///   errors are thrown immediately.
  public func busyHandler(_ callback: ((_ tries: Int) -> Bool)?) {
    access { db in
      busySeconds = 0
      guard let callback else { return wait(.immediateError, db) }
      // Called by the waiting thread, inside its access.
      nonisolated(unsafe) let shouldRetry = callback
      wait(.callback { tries in shouldRetry(tries) }, db)
    }
  }

  private func wait(_ mode: Database.BusyMode, _ db: Database) {
    do {
      try db.wait(mode)
    } catch {
      // A closed connection has no busy timeout.
      Database.report(error, "Could not set the busy timeout")
    }
  }

  /// Interrupts the running statement, which throws `SQLITE_INTERRUPT`. Does not wait for it.
  ///
  /// The method can be called from any thread.
  ///
  /// ```swift
  /// db.interrupt()
  /// ```
  public func interrupt() { writer.interrupt() }

  // MARK: Hooks

  /// Returns the hooks, which are created with the first one. Must be called inside an access.
  func hooks(_ db: Database) -> ConnectionHooks {
    if let hooks { return hooks }
    let made = ConnectionHooks(db)
    db.add(transactionObserver: made, extent: .observerLifetime)
    hooks = made
    return made
  }
}

extension Connection: CustomStringConvertible {
  /// The path of the file; empty for a database without a file.
  public var description: String { access { $0.mainFilePath } }
}
