import Synchronization

/// Whether an access was cancelled. Any thread may cancel it; the access itself checks it.
///
/// SQLite is not informed: `sqlite3_interrupt` would affect any statement that runs on the connection by then (hazard
/// C4). A running statement checks it in the progress handler, a statement that waits for a lock in the
/// busy handler, and the next one when it starts.
final class AccessCancellation: Sendable {
  private let flag = Atomic<Bool>(false)

  var isCancelled: Bool { flag.load(ordering: .relaxed) }

  func cancel() { flag.store(true, ordering: .relaxed) }
}

extension Database {
  /// Runs an access that can be cancelled.
  ///
  /// Once it is cancelled, its statements throw `CancellationError`, except for rollbacks.
  func withCancellation<Result>(_ cancellation: AccessCancellation, _ body: () throws -> Result) rethrows -> Result {
    let previous = access.cancellation
    access.cancellation = cancellation
    defer { access.cancellation = previous }
    return try checkingForInterruption(body)
  }

  /// Runs an access on the thread of its task, which is cancelled with this task.
  ///
  /// It uses no cancellation object: retaining and releasing one, for each statement, would be a large part of the
  /// additional cost of a cancellable access (Benchmarks: `access: await pool.readInline`).
  @inline(__always)
  func withCancellationOfTask<Result>(_ body: () throws -> Result) rethrows -> Result {
    let previous = access.endsWithTask
    access.endsWithTask = true
    defer { access.endsWithTask = previous }
    return try checkingForInterruption(body)
  }

  /// Runs a closure whose statements must not take longer than a given time, all together.
  ///
  /// ```swift
  /// let rows = try dbPool.read { db in
  ///   try db.withTimeLimit(.seconds(1)) {
  ///     try Row.fetchAll(db, sql: userQuery)
  ///   }
  /// }
  /// ```
  ///
  /// When the time has passed, the running statement is interrupted, and the following ones throw. In a transaction of
  /// `write`, the error rolls back the transaction, unless the closure catches it. A nested limit can only
  /// shorten the time. See also ``Configuration/accessTimeLimit``.
  ///
  /// - Throws: An error of code `SQLITE_INTERRUPT`, from the interrupted statement.
  public func withTimeLimit<Result>(_ limit: Duration, _ body: () throws -> Result) rethrows -> Result {
    preconditionAccess()
    return try withDeadline(Deadline(limit, settings.clock), body)
  }

  /// Runs a closure whose statements must end before a deadline.
  func withDeadline<Result>(_ own: Deadline, _ body: () throws -> Result) rethrows -> Result {
    let previous = access.deadline
    if let previous, previous.time <= own.time { return try body() }
    access.deadline = own
    defer { access.deadline = previous }
    return try checkingForInterruption(body)
  }

  /// The time at which an access must have ended.
  ///
  /// It is an object because most accesses have none: releasing an optional structure that contains a clock takes 60
  /// instructions, in each access.
  final class Deadline: Sendable {
    let time: Duration
    private let limit: Duration
    private let clock: MonotonicClock

    /// Creates a deadline after some time.
    init(_ limit: Duration, _ clock: MonotonicClock) {
      self.limit = limit
      self.clock = clock
      time = clock.now() + limit
    }

    /// The remaining time; zero or negative when it has passed.
    var remaining: Duration { time - clock.now() }

    var isExpired: Bool { clock.now() >= time }

    var error: DatabaseError {
      DatabaseError(
        resultCode: .SQLITE_INTERRUPT, message: "access timed out after \(limit.inSeconds) s")
    }

    /// Calls a closure when the deadline has passed. The returned closure cancels the call.
    func onExpiry(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void { clock.after(remaining, body) }
  }

  /// Runs a closure whose statements check from time to time whether they should stop.
  @inline(__always)
  private func checkingForInterruption<Result>(_ body: () throws -> Result) rethrows -> Result {
    let isOutermost = !access.checksForInterruption
    if isOutermost { setInterruptionChecks(true) }
    defer { if isOutermost { setInterruptionChecks(false) } }
    return try body()
  }

  private func setInterruptionChecks(_ isOn: Bool) {
    access.checksForInterruption = isOn
    if isOn {
      handle?.installProgressHandler(callbacks, every: 1000)
    } else {
      handle?.removeProgressHandler()
    }
  }

  /// The reason why the access should stop, if any.
  var interruption: (any Error)? {
    if access.shieldDepth > 0 { return nil }
    if isCancelled { return CancellationError() }
    if let deadline = access.deadline, deadline.isExpired { return deadline.error }
    return nil
  }

  private var isCancelled: Bool { access.endsWithTask && Task.isCancelled || access.cancellation?.isCancelled == true }

  /// Whether the access should stop.
  var shouldStop: Bool { access.shieldDepth == 0 && (isCancelled || access.deadline?.isExpired == true) }

  /// Whether the access can be stopped at all.
  var mayBeInterrupted: Bool { access.endsWithTask || access.cancellation != nil || access.deadline != nil }

  /// Runs a closure that must not be stopped.
  func shielded<Result>(_ body: () throws -> Result) rethrows -> Result {
    access.shieldDepth += 1
    defer { access.shieldDepth -= 1 }
    return try body()
  }

  /// Throws if the access should stop.
  func checkInterruption() throws {
    if shouldStop, let interruption { throw interruption }
  }

  /// Throws if the access should stop, unless the statement is a rollback.
  func checkInterruption(for statement: Statement) throws {
    if !statement.effects.contains(.undo) { try checkInterruption() }
  }
}

extension DatabaseError {
  /// Whether SQLite reports such an error when an access is stopped.
  var mayBeCausedByInterruption: Bool { isInterruptionError || resultCode == .SQLITE_BUSY }
}
