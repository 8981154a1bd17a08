import Synchronization

/// Decides which asynchronous accesses run inline, on the thread of their task.
///
/// Switching to a thread of the connection and back wakes two threads, and takes ten times as long as a small query.
/// While accesses are short and need not wait, they stay on the thread of their task.
///
///     on another thread --a few short ones--> inline
///            ^                                  |
///            +------------a long one------------+
///
/// Invariants:
/// 1. An inline access neither waits for a connection, nor opens one. A write that does not get the file's lock
///    immediately moves to a thread of its connection, and waits there.
/// 2. At most half of Swift's threads for tasks run inline accesses, in the whole process, whatever the
///    accesses do; with one processor, none does.
/// 3. Accesses that are likely to be long do not run inline: after a long access, many short ones must come first.
/// 4. The thread of a custom executor runs no inline access.
final class InlineExecutionPolicy: Sendable {
  /// Swift's threads for tasks, one per processor.
  final class Threads: Sendable {
    static let live = Threads(count: SystemThread.processorCount)

    fileprivate let limit: Int
    fileprivate let inUse = Atomic<Int>(0)

    init(count: Int) {
      limit = count / 2
    }
  }

  /// The maximum duration of a short access, including the change of threads.
  private static let shortDuration = Duration.microseconds(250)
  private static let firstCredit = -8
  private static let longAccessPenalty = 64

  /// The surplus of short accesses over long ones; accesses run inline if it is not negative.
  private let credit = Atomic<Int>(InlineExecutionPolicy.firstCredit)
  private let clock: MonotonicClock
  private let threads: Threads
  private let isPossible: Bool

  init(_ environment: Environment, threads: Threads = .live) {
    clock = environment.clock
    self.threads = threads
    isPossible = environment.allowsInlineExecution && threads.limit > 0
  }

  /// Creates the permits of a database. With a target queue, accesses never run inline: they would block the threads of
  /// tasks.
  convenience init(_ configuration: Configuration) {
    var environment = configuration.environment
    if configuration.targetQueue != nil || configuration.writeTargetQueue != nil {
      environment.allowsInlineExecution = false
    }
    self.init(environment)
  }

  /// A permit for an inline access.
  struct Permit {
    fileprivate let start: Duration
  }

  /// Returns a permit for an access of the current task, if possible.
  ///
  /// The caller must call `leave`.
  func take() -> Permit? {
    guard isPossible, credit.load(ordering: .relaxed) >= 0, threads.inUse.load(ordering: .relaxed) < threads.limit,
      withUnsafeCurrentTask(body: { $0?.unownedTaskExecutor == nil })
    else { return nil }
    if threads.inUse.wrappingAdd(1, ordering: .relaxed).newValue > threads.limit {
      threads.inUse.wrappingSubtract(1, ordering: .relaxed)
      return nil
    }
    return Permit(start: clock.now())
  }

  /// Reports that an inline access has ended.
  func leave(_ permit: Permit) {
    threads.inUse.wrappingSubtract(1, ordering: .relaxed)
    note(clock.now() - permit.start)
  }

  /// Returns an unused permit.
  func cancel(_ permit: Permit) {
    threads.inUse.wrappingSubtract(1, ordering: .relaxed)
  }

  /// Runs an access on another thread, and measures it.
  func measuring<Result>(_ access: () throws -> Result) rethrows -> Result {
    guard isPossible else { return try access() }
    let start = clock.now()
    defer { note(clock.now() - start) }
    return try access()
  }

  // Concurrent updates may be lost: the value is an estimate in any case.
  private func note(_ duration: Duration) {
    let known = credit.load(ordering: .relaxed)
    if duration > Self.shortDuration {
      credit.store(-Self.longAccessPenalty, ordering: .relaxed)
    } else if known < 0 {
      credit.store(known + 1, ordering: .relaxed)
    }
  }
}
