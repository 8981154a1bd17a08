import Synchronization

/// How long accesses may take: what the configuration says, and what the task says.
struct AccessTimeLimit: Sendable {
  /// What the task says.
  @TaskLocal fileprivate static var ofTask: Duration?

  /// Whether any task has ever said something. As long as none has, it need not be asked, at each access: that is 120
  /// instructions. Who has a limit has it from code that has set this before.
  fileprivate static let isInUse = Atomic<Bool>(false)

  private let configured: Duration?
  private let clock: WorldClock

  init(_ configuration: Configuration) {
    configured = configuration.accessTimeLimit
    clock = configuration.environment.clock
  }

  /// When an access that begins now must be over, if it must.
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
  /// Runs a closure whose accesses to databases must not take longer than some time each, the wait for a connection
  /// included.
  ///
  /// ```swift
  /// let count = try Database.withAccessTimeLimit(.seconds(1)) {
  ///   try dbPool.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book") }
  /// }
  /// ```
  ///
  /// An access that waits when its time is over leaves the line; one that runs has its statement stopped, and its
  /// transaction undone. Both throw an error of code `SQLITE_INTERRUPT`. A limit inside another one can only shorten
  /// it.
  ///
  /// Synchronous accesses that cannot throw an error of their own, as `writeWithoutTransaction` and `inDatabase`, wait
  /// as long as it takes; their statements throw then.
  public static func withAccessTimeLimit<Result>(
    _ limit: Duration, _ body: () throws -> Result
  ) rethrows -> Result {
    try AccessTimeLimit.$ofTask.withValue(AccessTimeLimit.shorter(limit), operation: body)
  }

  /// Runs a closure whose accesses to databases must not take longer than some time each, the wait for a connection
  /// included.
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
