import Synchronization

/// Whether an access was cancelled. Anybody may cancel it; the access itself looks.
///
/// Nothing is told to SQLite: `sqlite3_interrupt` would hit whatever runs on the connection by then (hazard
/// C4). The statement that runs finds out through the progress handler, the one that waits for a lock through the
/// busy handler, the next one when it starts.
final class AccessCancellation: Sendable {
  private let flag = Atomic<Bool>(false)

  var isCancelled: Bool { flag.load(ordering: .relaxed) }

  func cancel() { flag.store(true, ordering: .relaxed) }
}

extension Database {
  /// Runs an access that can be cancelled.
  ///
  /// Once it is cancelled, its statements throw `CancellationError`, but for those that undo a transaction.
  func withCancellation<Result>(_ cancellation: AccessCancellation, _ body: () throws -> Result) rethrows -> Result {
    let previous = self.cancellation
    self.cancellation = cancellation
    defer { self.cancellation = previous }
    return try watching(body)
  }

  /// Runs an access on the thread of its task, which is cancelled with that task.
  ///
  /// It has no object for that: to retain and release one, for each statement, is a good part of what such an access
  /// takes more than one that cannot be cancelled (Benchmarks: `access: await pool.readInPlace`).
  @inline(__always)
  func withCancellationOfTask<Result>(_ body: () throws -> Result) rethrows -> Result {
    let previous = endsWithTask
    endsWithTask = true
    defer { endsWithTask = previous }
    return try watching(body)
  }

  /// Runs a closure whose statements must not take longer than some time, all together.
  ///
  /// ```swift
  /// let rows = try dbPool.read { db in
  ///   try db.withTimeLimit(.seconds(1)) {
  ///     try Row.fetchAll(db, sql: userQuery)
  ///   }
  /// }
  /// ```
  ///
  /// When the time is over, the statement that runs is stopped, and the following ones throw. In a transaction of
  /// `write`, the error undoes the transaction, if the closure lets it through. A limit inside another one can only
  /// shorten it. See also `Configuration.accessTimeLimit`.
  ///
  /// - throws: An error of code `SQLITE_INTERRUPT`, from the statement that is stopped.
  public func withTimeLimit<Result>(_ limit: Duration, _ body: () throws -> Result) rethrows -> Result {
    preconditionAccess()
    return try withDeadline(Deadline(limit, settings.clock), body)
  }

  /// Runs a closure whose statements must be over at some moment.
  func withDeadline<Result>(_ own: Deadline, _ body: () throws -> Result) rethrows -> Result {
    let previous = deadline
    if let previous, previous.time <= own.time { return try body() }
    deadline = own
    defer { deadline = previous }
    return try watching(body)
  }

  /// When an access must be over.
  ///
  /// It is an object since most accesses have none: an optional structure with a clock in it takes 60 instructions to
  /// be let go of, at each access.
  final class Deadline: Sendable {
    let time: Duration
    private let limit: Duration
    private let clock: WorldClock

    /// From now on.
    init(_ limit: Duration, _ clock: WorldClock) {
      self.limit = limit
      self.clock = clock
      time = clock.now() + limit
    }

    /// How much time is left; none, or less, when it is over.
    var rest: Duration { time - clock.now() }

    var isOver: Bool { clock.now() >= time }

    var error: DatabaseError {
      DatabaseError(
        resultCode: .SQLITE_INTERRUPT, message: "the time limit of the access is over: \(limit.inSeconds) s")
    }

    /// Calls a closure when it is over. What it answers is to be called when that is not wanted any more.
    func whenOver(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void { clock.after(rest, body) }
  }

  /// Runs a closure whose statements ask from time to time whether they should stop.
  @inline(__always)
  private func watching<Result>(_ body: () throws -> Result) rethrows -> Result {
    let isOutermost = !isWatchingForStops
    if isOutermost { watchForStops(true) }
    defer { if isOutermost { watchForStops(false) } }
    return try body()
  }

  private func watchForStops(_ isOn: Bool) {
    isWatchingForStops = isOn
    if isOn {
      handle?.installProgressHandler(callbacks, every: 1000)
    } else {
      handle?.removeProgressHandler()
    }
  }

  /// Why the access should stop, if it should.
  var interruption: (any Error)? {
    if shieldDepth > 0 { return nil }
    if isCancelled { return CancellationError() }
    if let deadline, deadline.isOver { return deadline.error }
    return nil
  }

  private var isCancelled: Bool { endsWithTask && Task.isCancelled || cancellation?.isCancelled == true }

  /// Whether the access should stop.
  var shouldStop: Bool { shieldDepth == 0 && (isCancelled || deadline?.isOver == true) }

  /// Whether the access may be stopped at all.
  var mayBeStopped: Bool { endsWithTask || cancellation != nil || deadline != nil }

  /// Runs what must be done whether the access should stop or not.
  func shielded<Result>(_ body: () throws -> Result) rethrows -> Result {
    shieldDepth += 1
    defer { shieldDepth -= 1 }
    return try body()
  }

  /// Throws when the access should stop.
  func checkInterruption() throws {
    if shouldStop, let interruption { throw interruption }
  }

  /// Throws when the access should stop, unless the statement undoes a transaction.
  func checkInterruption(for statement: Statement) throws {
    if !statement.effects.contains(.undo) { try checkInterruption() }
  }
}

extension DatabaseError {
  /// Whether SQLite fails so when an access was stopped.
  var mayComeFromInterruption: Bool { isInterruptionError || resultCode == .SQLITE_BUSY }
}
