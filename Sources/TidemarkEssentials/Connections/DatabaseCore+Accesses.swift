extension _DatabaseCore {
  // MARK: Reads

  /// Reads from a connection: its snapshot, which it always holds without a writer; one committed state; or, if
  /// reads are not isolated, the state at each statement.
  @inline(__always)
  private func read<T>(_ db: Database, isolated: Bool, _ value: (Database) throws -> T) throws -> T {
    if writer == nil { return try db.readingSnapshot(value) }
    return isolated ? try db.isolatedRead(value) : try value(db)
  }

  /// Reads on the calling thread.
  @inline(__always)
  func read<T>(isolated: Bool, _ value: (Database) throws -> T) throws -> T {
    try readers.sync { db in try read(db, isolated: isolated, value) }
  }

  /// Reads in the current task.
  @inline(__always)
  func read<T: Sendable>(
    isolated: Bool, _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await readers.async { [self] db in try read(db, isolated: isolated, value) }
  }

  /// Schedules a read.
  func scheduleRead(isolated: Bool, _ value: @escaping Database.ResultHandler) {
    readers.schedule(value) { [self] db, call in try read(db, isolated: isolated, call) }
  }

  /// Reads without isolation, with the connection of the innermost access of the thread if there is one: reads and
  /// writes can be nested in each other.
  func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    if let writer, writer.isAccessible, !readers.isAccessible || writer.isAccessibleInsideRead {
      return try writer.reentrantSync(value)
    }
    return try readers.reentrantSync { db in try read(db, isolated: false, value) }
  }

  /// Schedules a read of the last commit of the writer access of the thread.
  func scheduleConcurrentRead(_ value: @escaping Database.ResultHandler) {
    ownWriter.reentrantSync { db in
      precondition(
        !db.isInsideTransaction,
        "spawnConcurrentRead must not be called from inside a transaction. Call it in writeWithoutTransaction instead.")
      guard case .pool(let readers) = readers else {
        return Database.callingHandler(value) { call in try db.isolatedRead(call) }
      }
      let lease: ReaderPool.Lease
      do {
        lease = try readers.acquire(until: db.access.deadline)
      } catch {
        return value(.failure(error))
      }
      do {
        // Take the snapshot before the writer continues.
        try readers.use(lease, renews: true) { try $0.beginSnapshot() }
      } catch {
        readers.release(lease)
        return value(.failure(error))
      }
      readers.resume(lease, value) { db, call in
        call(db)
        try db.endSnapshot()
      }
    }
  }

  // MARK: Writes

  /// The writer of a database that can be written.
  var ownWriter: SerializedConnection {
    @inline(__always) get {
      guard let writer else { preconditionFailure("A snapshot cannot be written") }
      return writer
    }
  }

  /// Writes on the calling thread, without limiting the wait.
  @inline(__always)
  func write<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try ownWriter.sync(nested: readers.nestedWrites, updates)
  }

  /// Writes on the calling thread, unless the wait exceeds the time limit.
  @inline(__always)
  func boundedWrite<T>(_ updates: (Database) throws -> T) throws -> T {
    try ownWriter.boundedSync(nested: readers.nestedWrites, updates)
  }

  /// Writes on the calling thread, without concurrent reads.
  func barrierWrite<T>(_ updates: (Database) throws -> T) throws -> T {
    try boundedWrite { db in try readers.exclusively(until: db.access.deadline) { try updates(db) } }
  }

  /// Writes a transaction in the current task. In a queue, it always runs on the thread of the connection.
  @inline(__always)
  func writeTransaction<T: Sendable>(_ updates: @escaping @Sendable (Database) throws -> T) async throws -> T {
    switch readers {
    case .single: try await ownWriter.queuedTransaction(updates)
    case .pool: try await ownWriter.asyncTransaction(updates)
    }
  }

  // MARK: Accesses of observations

  /// Reads one snapshot on the calling thread, inside its current access if there is one.
  ///
  /// - Parameter value: Its second argument is whether a transaction of the writer is open around it.
  func read<T>(_ value: (Database, _ isInsideWrite: Bool) throws -> T) throws -> T {
    try readers.reentrantSync { db in
      guard writer != nil, db.isInsideTransaction else {
        return try read(db, isolated: true) { try value($0, false) }
      }
      return fetchesExcludeWrites ? try db.readOnly { try value(db, true) } : try value(db, false)
    }
  }

  /// Writes on the calling thread, inside its current access if there is one. The writes of the closure are atomic.
  ///
  /// - Parameter updates: Its second argument is whether a transaction is open around it.
  func write<T>(_ updates: (Database, _ isInsideWrite: Bool) throws -> T) throws -> T {
    try ownWriter.boundedReentrantSync(nested: readers.nestedWrites) { db in
      let isInsideWrite = db.isInsideTransaction
      return try db.committingSavepoint { try updates($0, isInsideWrite) }
    }
  }

  /// Whether the calling thread is inside a transaction of the writer, and may see uncommitted changes.
  var isInsideTransaction: Bool { writer?.isInsideTransactionOfThisThread ?? false }

  /// Calls a closure with a reader later, on a thread of the database. No transaction is open, except in a snapshot.
  func fetchLater(_ value: @escaping Database.ResultHandler) {
    if writer == nil { scheduleRead(isolated: false, value) } else { readers.scheduleLive(value) }
  }

  /// Calls a closure with the writer later, on a thread of the database. No transaction is open.
  func writeLater(_ value: @escaping Database.ResultHandler) { ownWriter.scheduleOutsideTransaction(value) }
}

extension Database {
  /// Begins a transaction, and takes a snapshot of the current state.
  func beginSnapshot() throws {
    try beginTransaction(.deferred)
    // SQLite takes the snapshot at the first read of the transaction.
    try execute(sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
    // If the program ends the transaction, statements must fail until `endSnapshot`: they would read another state.
    transaction.enterScope()
  }

  /// Ends the transaction of the snapshot.
  fileprivate func endSnapshot() throws {
    transaction.leaveScope(endsTransaction: false)
    try shielded { try rollback() }
  }
}
