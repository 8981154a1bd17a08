/// Jobs of a connection that wait for the end of a transaction which an access has left open.
///
/// Only `Configuration.allowsUnsafeTransactions` allows such transactions. Live queries must not be fetched inside
/// them: they would show changes that may never be committed.
final class OpenTransactionJobs: Sendable {
  private let jobs = Mutex<[Database.ResultHandler]>([])

  /// Keeps a job if a transaction is open.
  ///
  /// - Returns: Whether it was kept.
  func keep(_ job: @escaping Database.ResultHandler, _ db: Database) -> Bool {
    if db.handle == nil || !db.isInsideTransaction { return false }
    jobs.withLock { $0.append(job) }
    return true
  }

  /// Removes and returns the jobs at the end of an access, if no transaction is open any more.
  func take(_ db: Database) -> [Database.ResultHandler] {
    db.handle != nil && db.isInsideTransaction ? [] : jobs.exchange([])
  }
}

extension SerializedConnection {
  /// Runs an access outside of any transaction, as soon as the connection is free and no transaction is left open; or
  /// reports that the connection is closed.
  func scheduleOutsideTransaction(_ body: @escaping Database.ResultHandler) {
    schedule { [self] db in
      if allowsUnsafeTransactions, openTransactionJobs.keep(body, db) { return }
      Database.callingHandler(body) { call in
        _ = try db.openHandle()
        call(db)
      }
    }
  }

  /// An access ends: if a transaction that was left open has ended with it, the jobs that wait for that run soon.
  func runOpenTransactionJobs(_ db: Database) {
    for job in openTransactionJobs.take(db) { scheduleOutsideTransaction(job) }
  }
}
