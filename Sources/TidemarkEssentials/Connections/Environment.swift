import Dispatch

/// What the connections take from the world: threads, time, and a file system.
///
/// All of it comes through this one value, so that a test can run the same code on a schedule that it
/// chooses, and on a disk that fails (`swift test` uses it for the latter, and the deterministic scheduler
/// for the former).
struct Environment: Sendable {
  /// The VFS that files are opened with; nil for the one of the system.
  var vfs: String?

  /// Where time comes from.
  var clock = WorldClock.live

  /// Whether the pre-update hook is used where SQLite has one.
  var usesRowHook = true

  /// How much of a transaction is kept to tell its changes row by row.
  var changeLogBound = ChangeLog.Bound()

  /// Whether one listens to what the system tells of files, where it tells something.
  var listensToFiles = true

  /// How long one looks for no commits of others where nothing is told of the files.
  var lookoutRest = Duration.milliseconds(500)

  /// Whether asynchronous accesses may run on the threads of their tasks.
  var allowsAccessesInPlace = true

  /// Makes the executor of the asynchronous accesses of a queue.
  ///
  /// - parameter threadCountMax: How many accesses may run at the same time.
  var makeExecutor: @Sendable (_ label: String, _ threadCountMax: Int) -> any AccessExecutor

  /// Makes a place where a thread waits for its turn.
  var makePlace: @Sendable () -> any WaitingPlace

  /// The real world.
  static let live = Environment(
    vfs: nil,
    makeExecutor: { label, threadCountMax in ThreadExecutor(label: label, threadCountMax: threadCountMax) },
    makePlace: { DispatchSemaphore(value: 0) })
}

/// Where a thread waits for its turn. Somebody else tells it, once, before or after it has begun to wait.
protocol WaitingPlace: Sendable {
  /// The wait is over.
  func tell()

  /// Waits until somebody tells.
  func wait()

  /// Waits for some time.
  ///
  /// - returns: Whether somebody told.
  func wait(for duration: Duration) -> Bool
}

extension DispatchSemaphore: WaitingPlace {
  func tell() { signal() }

  func wait(for duration: Duration) -> Bool { wait(timeout: .now() + duration.inSeconds) == .success }
}

/// Runs asynchronous accesses.
protocol AccessExecutor: Sendable {
  /// Has a job run soon, elsewhere.
  func execute(_ job: @escaping @Sendable () -> Void)

  /// Has a short job that uses no connection run soon, elsewhere, also when all threads for accesses are in use.
  func executeBeside(_ job: @escaping @Sendable () -> Void)

  /// There will be no more jobs, most likely: what waits for them is given back. Jobs that come all the same are run.
  func retire()
}
