import Synchronization

/// The time limits of accesses: from the configuration, and from the task.
struct AccessTimeLimit: Sendable {
  /// The time limit of the current task.
  @TaskLocal fileprivate static var ofTask: Duration?

  /// Whether any task has ever set a limit. Until then, the task-local value is not read, which would take 120
  /// instructions per access. A task with a limit has inherited it from code that has set this before.
  fileprivate static let isInUse = Atomic<Bool>(false)

  private let configured: Duration?
  private let clock: MonotonicClock

  init(_ configuration: Configuration) {
    configured = configuration.accessTimeLimit
    clock = configuration.environment.clock
  }

  /// The deadline of an access that begins now, if any.
  func deadline() -> Database.Deadline? {
    if configured == nil, !Self.isInUse.load(ordering: .relaxed) { return nil }
    return switch (configured, Self.ofTask) {
    case (nil, nil): nil
    case (let limit?, nil), (nil, let limit?): Database.Deadline(limit, clock)
    case (let limit?, let other?): Database.Deadline(min(limit, other), clock)
    }
  }
}

extension Database {
  /// Runs a closure whose database accesses must not take longer than a given time each, including the wait for a
  /// connection.
  ///
  /// ```swift
  /// let count = try Database.withAccessTimeLimit(.seconds(1)) {
  ///   try dbPool.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book") }
  /// }
  /// ```
  ///
  /// When the time has passed, a waiting access leaves the queue; the statement of a running access is interrupted, and
  /// its transaction rolled back. Both throw an error of code `SQLITE_INTERRUPT`. A nested limit can only shorten
  /// the time.
  ///
  /// Synchronous accesses that cannot throw errors of their own, such as `writeWithoutTransaction` and `inDatabase`,
  /// wait without a limit; their statements throw then.
  public static func withAccessTimeLimit<Result>(
    _ limit: Duration, _ body: () throws -> Result
  ) rethrows -> Result {
    try AccessTimeLimit.$ofTask.withValue(AccessTimeLimit.shorter(limit), operation: body)
  }

  /// Runs a closure whose database accesses must not take longer than a given time each, including the wait for a
  /// connection.
  ///
  /// ```swift
  /// let count = try await Database.withAccessTimeLimit(.seconds(1)) {
  ///   try await dbPool.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book") }
  /// }
  /// ```
  public static func withAccessTimeLimit<Result>(
    _ limit: Duration, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await AccessTimeLimit.$ofTask.withValue(
      AccessTimeLimit.shorter(limit), operation: body, isolation: isolation)
  }
}

extension AccessTimeLimit {
  fileprivate static func shorter(_ limit: Duration) -> Duration {
    isInUse.store(true, ordering: .relaxed)
    return ofTask.map { min($0, limit) } ?? limit
  }
}
