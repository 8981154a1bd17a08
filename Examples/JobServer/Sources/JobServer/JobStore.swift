import Tidemark

/// The queue of jobs in one database file.
///
/// Every state change of a job is a transaction, so a job is never lost and never runs twice at the same time. After a
/// crash, jobs that were running become pending again.
struct JobStore: Sendable {
  static let maximumAttempts = 3

  let dbPool: DatabasePool

  init(path: String) throws {
    var configuration = Configuration()
    configuration.label = "jobs"
    dbPool = try DatabasePool(path: path, configuration: configuration)
    try Self.migrator.migrate(dbPool)
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("jobs") { db in
      try db.create(table: "job") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("milliseconds", .integer).notNull()
        t.column("state", .text).notNull().indexed()
        t.column("attempts", .integer).notNull()
        t.column("message", .text)
      }
    }
    return migrator
  }

  // MARK: Producing

  func add(milliseconds: Int) async throws -> Job {
    try await dbPool.write { db in
      var job = Job(milliseconds: milliseconds)
      try job.insert(db)
      return job
    }
  }

  // MARK: Consuming

  /// Returns jobs that a crashed server left behind to the queue.
  func recover() async throws -> Int {
    try await dbPool.write { db in
      try Job.filter(Job.Columns.state == Job.State.running)
        .updateAll(db, Job.Columns.state.set(to: Job.State.pending))
    }
  }

  /// Marks the oldest pending job as running and returns it; returns nil if there is none.
  func take() async throws -> Job? {
    try await dbPool.write { db in
      let pending = Job.filter(Job.Columns.state == Job.State.pending).order(Job.Columns.id)
      guard var job = try pending.fetchOne(db) else { return nil }
      try job.updateChanges(db) {
        $0.state = .running
        $0.attempts += 1
      }
      return job
    }
  }

  func finish(_ job: Job) async throws {
    try await update(job) { $0.state = .finished }
  }

  /// Returns a job to the queue, or gives up after some attempts.
  func fail(_ job: Job, because error: any Error) async throws {
    try await update(job) {
      $0.state = $0.attempts < Self.maximumAttempts ? .pending : .failed
      $0.message = "\(error)"
    }
  }

  /// Returns a job to the queue that the server stopped before it was done. This does not count as an attempt.
  func release(_ job: Job) async throws {
    try await update(job) {
      $0.state = .pending
      $0.attempts -= 1
    }
  }

  private func update(_ job: Job, _ change: @escaping @Sendable (inout Job) -> Void) async throws {
    try await dbPool.write { db in
      var job = job
      try job.updateChanges(db, modify: change)
    }
  }

  // MARK: Observing

  /// The number of pending jobs, now and after each commit that changes it, by this process or another one.
  func pendingCounts() -> AsyncValueObservation<Int> {
    ValueObservation.tracking { db in try Job.filter(Job.Columns.state == Job.State.pending).fetchCount(db) }
      .values(in: dbPool)
  }

  /// The number of jobs in each state.
  func counts() -> AsyncValueObservation<JobCounts> {
    ValueObservation.tracking { db in try JobCounts.fetch(db) }.removeDuplicates().values(in: dbPool)
  }

  /// The jobs that the server gave up.
  func failures() -> AsyncValueObservation<[Job]> {
    ValueObservation.tracking { db in
      try Job.filter(Job.Columns.state == Job.State.failed).order(Job.Columns.id).fetchAll(db)
    }
    .removeDuplicates()
    .values(in: dbPool)
  }
}
