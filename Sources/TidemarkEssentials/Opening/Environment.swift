import Dispatch

/// The environment of connections: threads, time, and a file system.
///
/// All of it comes through this value, so that tests run the same code with a deterministic schedule,
/// and on a failing disk.
struct Environment: Sendable {
  /// The VFS with which files are opened; nil for the system's.
  var vfs: String?

  /// The clocks.
  var clock = MonotonicClock.live
  var wallClock = WallClock.live

  /// Whether the pre-update hook is used if SQLite has one.
  var usesRowHook = true

  /// The limit of recorded row changes per transaction.
  var changeLogBound = ChangeLog.Bound()

  /// Whether file events are used where the system has them.
  var usesFileEvents = true

  /// The interval between checks for external commits without file events.
  var commitPollingInterval = Duration.milliseconds(500)

  /// Whether asynchronous accesses may run inline.
  var allowsInlineExecution = true

  /// Creates the executor for the asynchronous accesses of a queue.
  ///
  /// - Parameter threadCountMax: The number of accesses that may run at the same time.
  var makeExecutor: @Sendable (_ label: String, _ threadCountMax: Int) -> any AccessExecutor

  /// Creates an object with which a thread waits for its turn.
  var makeWaitSignal: @Sendable () -> any WaitSignal

  /// The real environment.
  static let live = Environment(
    vfs: nil,
    makeExecutor: { label, threadCountMax in ThreadExecutor(label: label, threadCountMax: threadCountMax) },
    makeWaitSignal: { DispatchSemaphore(value: 0) })
}
