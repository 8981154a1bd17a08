/// Jobs of a connection that wait for the end of a transaction which an access has left open.
///
/// Only `Configuration.allowsUnsafeTransactions` allows that. Live queries must not be fetched inside of such a
/// transaction: they would show what may never be committed.
///
/// The jobs are touched inside accesses of the connection only.
final class LeftTransactionJobs: @unchecked Sendable {
  private var jobs: [Database.ResultHandler] = []

  /// Keeps a job if a transaction is open.
  ///
  /// - Returns: Whether it was kept.
  func keep(_ job: @escaping Database.ResultHandler, _ db: Database) -> Bool {
    if db.handle == nil || !db.isInsideTransaction { return false }
    jobs.append(job)
    return true
  }

  /// Takes the jobs out when no transaction is open any more, at the end of an access.
  func take(_ db: Database) -> [Database.ResultHandler] {
    if jobs.isEmpty || db.handle != nil && db.isInsideTransaction { return [] }
    defer { jobs = [] }
    return jobs
  }
}

extension SerializedConnection {
  /// Runs an access outside of any transaction, as soon as the connection is free and no transaction is left open; or
  /// reports that the connection is closed.
  func scheduleResultOutsideTransaction(_ body: @escaping Database.ResultHandler) {
    schedule { [self] db in
      if allowsUnsafeTransactions, leftTransactionJobs.keep(body, db) { return }
      body(
        Result {
          _ = try db.openHandle()
          return db
        })
    }
  }

  /// An access ends: if a transaction that was left open has ended with it, the jobs that wait for that run soon.
  func runLeftTransactionJobs(_ db: Database) {
    for job in leftTransactionJobs.take(db) { scheduleResultOutsideTransaction(job) }
  }
}
