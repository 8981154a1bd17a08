import Synchronization

/// Decides which asynchronous accesses run in place, on the thread of their task.
///
/// To move to a thread of the connection and back wakes two threads up, and takes ten times as long as a small query.
/// Where accesses are short, and nobody has to be waited for, they stay where they are.
///
///     elsewhere --a few short ones--> in place
///        ^                               |
///        +-------------a long one--------+
///
/// Laws:
/// 1. Who runs in place waits for no connection, and opens none. A write that does not get the lock of the file at once
///    moves to a thread of its connection, and waits there.
/// 2. At most half of the threads that Swift has for tasks run accesses in place, in the whole process, whatever the
///    accesses do: where there is one processor, none.
/// 3. What is likely to be long does not run in place: after a long access, many short ones must come first.
/// 4. The thread of an executor of the task's own choice runs none.
final class AccessPlaces: Sendable {
  /// The threads that Swift has for tasks, one for each processor.
  final class Threads: Sendable {
    static let live = Threads(count: SystemThread.processorCount)

    fileprivate let limit: Int
    fileprivate let inUse = Atomic<Int>(0)

    init(count: Int) {
      limit = count / 2
    }
  }

  /// What a short access takes, a change of threads included.
  private static let shortDuration = Duration.microseconds(250)
  private static let firstCredit = -8
  private static let priceOfLength = 64

  /// How many more short accesses than long ones there were; they run in place when it is not negative.
  private let credit = Atomic<Int>(AccessPlaces.firstCredit)
  private let clock: WorldClock
  private let threads: Threads
  private let isPossible: Bool

  init(_ environment: Environment, threads: Threads = .live) {
    clock = environment.clock
    self.threads = threads
    isPossible = environment.allowsAccessesInPlace && threads.limit > 0
  }

  /// For a database: its accesses must not wait for a target queue on the threads of tasks.
  convenience init(_ configuration: Configuration) {
    var environment = configuration.environment
    if configuration.targetQueue != nil || configuration.writeTargetQueue != nil {
      environment.allowsAccessesInPlace = false
    }
    self.init(environment)
  }

  /// An access that runs in place.
  struct Place {
    fileprivate let start: Duration
  }

  /// Takes a place for an access of the current task, if there is one.
  ///
  /// Whoever gets one calls `leave`.
  func take() -> Place? {
    guard isPossible, credit.load(ordering: .relaxed) >= 0, threads.inUse.load(ordering: .relaxed) < threads.limit,
      withUnsafeCurrentTask(body: { $0?.unownedTaskExecutor == nil })
    else { return nil }
    if threads.inUse.wrappingAdd(1, ordering: .relaxed).newValue > threads.limit {
      threads.inUse.wrappingSubtract(1, ordering: .relaxed)
      return nil
    }
    return Place(start: clock.now())
  }

  /// The access has ended.
  func leave(_ place: Place) {
    threads.inUse.wrappingSubtract(1, ordering: .relaxed)
    note(clock.now() - place.start)
  }

  /// There was none after all.
  func giveBack(_ place: Place) {
    threads.inUse.wrappingSubtract(1, ordering: .relaxed)
  }

  /// Runs an access elsewhere.
  func watching<Result>(_ access: () throws -> Result) rethrows -> Result {
    guard isPossible else { return try access() }
    let start = clock.now()
    defer { note(clock.now() - start) }
    return try access()
  }

  // Several may be at it, and some of what they say may be lost: it is a guess in any case.
  private func note(_ duration: Duration) {
    let known = credit.load(ordering: .relaxed)
    if duration > Self.shortDuration {
      credit.store(-Self.priceOfLength, ordering: .relaxed)
    } else if known < 0 {
      credit.store(known + 1, ordering: .relaxed)
    }
  }
}
