import Dispatch

/// Runs jobs on a few threads of its own.
///
/// Waiting for SQLite blocks a thread. It must not be one of Swift's own pool, of which there is one per
/// core (hazard S1), nor a new one each time (hazard S2). Threads start when there is a job and no idle
/// thread, and stay until the executor retires or is released. Their stacks have 8 MiB: those of other threads
/// may be too small for what SQLite does with a deep expression (hazard S10).
final class ThreadExecutor: AccessExecutor {
  private let shared: Shared

  init(label: String, threadCountMax: Int) {
    shared = Shared(label: label, threadCountMax: threadCountMax)
  }

  deinit { shared.stop() }

  func execute(_ job: @escaping @Sendable () -> Void) { shared.execute(job) }

  func retire() {
    shared.stop()
    shared.waitForIdleThreads()
  }

  /// What threads and executor have in common. The threads do not keep the executor alive.
  private final class Shared: @unchecked Sendable {
    private let label: String
    private let threadCountMax: Int

    // Guards all that follows.
    private let condition = Condition()
    private var jobs: [@Sendable () -> Void] = []
    private var firstJob = 0
    private var idleCount = 0
    private var threadCount = 0
    // Whether threads end when there is nothing to do.
    private var isStopped = false

    init(label: String, threadCountMax: Int) {
      self.label = label
      self.threadCountMax = threadCountMax
    }

    func execute(_ job: @escaping @Sendable () -> Void) {
      condition.lock()
      defer { condition.unlock() }
      jobs.append(job)
      if idleCount >= jobs.count - firstJob {
        condition.signal()
      } else if threadCount < threadCountMax {
        threadCount += 1
        if SystemThread.start(name: label, stackSize: 8 << 20, { self.work() }) { return }
        // The system has none left. That of somebody else will do, when it is free.
        DispatchQueue.global().async { self.work() }
      }
    }

    func stop() {
      condition.lock()
      isStopped = true
      condition.broadcast()
      condition.unlock()
    }

    /// Waits until those threads have ended that had nothing to do.
    func waitForIdleThreads() {
      condition.lock()
      while idleCount > 0 { condition.wait() }
      condition.unlock()
    }

    private func work() {
      while let job = nextJob() { job() }
    }

    /// The next job. Nil when the executor is gone, and its last job done.
    private func nextJob() -> (@Sendable () -> Void)? {
      condition.lock()
      defer { condition.unlock() }
      while firstJob == jobs.count {
        if isStopped {
          threadCount -= 1
          condition.broadcast()
          return nil
        }
        idleCount += 1
        condition.wait()
        idleCount -= 1
      }
      let job = jobs[firstJob]
      firstJob += 1
      if firstJob == jobs.count {
        jobs.removeAll(keepingCapacity: true)
        firstJob = 0
      }
      return job
    }
  }
}
