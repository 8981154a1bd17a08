import Dispatch

/// Runs jobs on a few threads of its own.
///
/// Waiting for SQLite blocks a thread. It must not be one of Swift's own pool, of which there is one per
/// core (hazard S1), nor a new one each time (hazard S2). Threads start when there is a job and no idle
/// thread, and stay until the executor retires or is released. Their stacks have 8 MiB: those of other threads
/// may be too small for what SQLite does with a deep expression (hazard S10).
final class ThreadExecutor: AccessExecutor {
  private let shared: Shared
  private let process = ProcessStamp()

  init(label: String, threadCountMax: Int) {
    shared = Shared(label: label, threadCountMax: threadCountMax)
  }

  deinit { shared.stop() }

  func execute(_ job: @escaping @Sendable () -> Void) { shared.execute(job) }

  func executeBeside(_ job: @escaping @Sendable () -> Void) { DispatchQueue.global().async(execute: job) }

  func retire() {
    // In a child made by fork(), there are no threads to wait for.
    if process.isOfThisProcess { shared.stopIdleThreads() }
  }

  /// What threads and executor have in common. The threads do not keep the executor alive.
  private final class Shared: Sendable {
    private struct State {
      // A job is taken out before it runs: it is released by the thread that runs it, outside of the lock.
      var jobs: [(@Sendable () -> Void)?] = []
      var firstJob = 0

      /// Those that have nothing to do, each asleep or about to be.
      var idle: [Worker] = []
      var threadCount = 0

      /// Whether threads end when there is nothing to do.
      var isStopped = false

      mutating func next(for worker: Worker) -> Step {
        guard firstJob < jobs.count, let job = jobs[firstJob].take() else {
          if isStopped {
            threadCount -= 1
            return .end
          }
          idle.append(worker)
          return .sleep
        }
        firstJob += 1
        if firstJob == jobs.count {
          jobs.removeAll(keepingCapacity: true)
          firstJob = 0
        }
        return .run(job)
      }
    }

    /// What a thread does next.
    private enum Step {
      case run(@Sendable () -> Void)
      case sleep
      case end
    }

    /// A thread, from its beginning to its end.
    private final class Worker: Sendable {
      let wake = DispatchSemaphore(value: 0)
      let hasWokenUp = DispatchSemaphore(value: 0)
    }

    private let label: String
    private let threadCountMax: Int
    private let state = Mutex(State())

    init(label: String, threadCountMax: Int) {
      self.label = label
      self.threadCountMax = threadCountMax
    }

    func execute(_ job: @escaping @Sendable () -> Void) {
      let (sleeper, isNew) = state.withLock { state -> (Worker?, Bool) in
        state.jobs.append(job)
        // The one that has slept for the shortest time: it wakes up fastest.
        if let worker = state.idle.popLast() { return (worker, false) }
        guard state.threadCount < threadCountMax else { return (nil, false) }
        state.threadCount += 1
        return (nil, true)
      }
      // Once the lock is free: who is woken up wants it first of all, and would go to sleep again.
      sleeper?.wake.signal()
      if isNew { startThread() }
    }

    private func startThread() {
      SystemThread.run(name: label, stackSize: 8 << 20) { self.work() }
    }

    /// - returns: Those that had nothing to do. They wake up, and end.
    @discardableResult
    private func wakeForShutdown() -> [Worker] {
      let idle = state.withLock { state in
        state.isStopped = true
        defer { state.idle = [] }
        return state.idle
      }
      for worker in idle { worker.wake.signal() }
      return idle
    }

    /// Has the threads end when there is nothing to do.
    func stop() { wakeForShutdown() }

    /// The same, and waits until those threads have woken up that had nothing to do.
    func stopIdleThreads() {
      for worker in wakeForShutdown() { worker.hasWokenUp.wait() }
    }

    private func work() {
      let worker = Worker()
      while let job = nextJob(for: worker) { job() }
    }

    /// The next job. Nil when the executor is gone, and its last job done.
    private func nextJob(for worker: Worker) -> (@Sendable () -> Void)? {
      while true {
        switch state.withLock({ $0.next(for: worker) }) {
        case .run(let job): return job
        case .end: return nil
        case .sleep:
          worker.wake.wait()
          // It does not sleep again then.
          if state.withLock({ $0.isStopped }) { worker.hasWokenUp.signal() }
        }
      }
    }
  }
}
