import Dispatch

/// Runs jobs on a few dedicated threads.
///
/// Waiting for SQLite blocks a thread. It must not block a thread of Swift's concurrency pool, which has one thread per
/// core (hazard S1), and must not start an unlimited number of threads (hazard S2). So a thread starts when there is a
/// job and no idle thread, and lives until the executor is retired or released. The stacks have 8 MiB, because SQLite
/// may overflow a smaller stack when it processes a deeply nested expression (hazard S10).
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
    // After `fork`, the child process does not have these threads, and must not wait for them.
    if process.isOfThisProcess { shared.stopIdleThreads() }
  }

  /// The state shared by the executor and its threads. The threads do not retain the executor.
  private final class Shared: Sendable {
    private struct State {
      // A thread removes a job before it runs it, so that the job is released on that thread, outside of the lock.
      var jobs: [(@Sendable () -> Void)?] = []
      var firstJob = 0

      /// The idle threads, which sleep or are about to sleep.
      var idle: [Worker] = []
      var threadCount = 0

      /// Whether threads end when they have no jobs.
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

    /// The next action of a thread.
    private enum Step {
      case run(@Sendable () -> Void)
      case sleep
      case end
    }

    /// A running thread.
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
        // The most recently idle thread wakes up fastest.
        if let worker = state.idle.popLast() { return (worker, false) }
        guard state.threadCount < threadCountMax else { return (nil, false) }
        state.threadCount += 1
        return (nil, true)
      }
      // Signal after releasing the lock: the thread first acquires it, and would otherwise block again.
      sleeper?.wake.signal()
      if isNew { startThread() }
    }

    private func startThread() {
      SystemThread.run(name: label, stackSize: 8 << 20) { self.work() }
    }

    /// - Returns: The idle threads. They wake up and end.
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

    /// Ends each thread when it has no jobs.
    func stop() { wakeForShutdown() }

    /// Ends each thread when it has no jobs, and waits until the idle threads have woken up.
    func stopIdleThreads() {
      for worker in wakeForShutdown() { worker.hasWokenUp.wait() }
    }

    private func work() {
      let worker = Worker()
      while let job = nextJob(for: worker) { job() }
    }

    /// Waits for the next job. Returns nil if the executor has stopped and all jobs are done.
    private func nextJob(for worker: Worker) -> (@Sendable () -> Void)? {
      while true {
        switch state.withLock({ $0.next(for: worker) }) {
        case .run(let job): return job
        case .end: return nil
        case .sleep:
          worker.wake.wait()
          // The thread will end without sleeping again.
          if state.withLock({ $0.isStopped }) { worker.hasWokenUp.signal() }
        }
      }
    }
  }
}

/// Runs asynchronous accesses.
protocol AccessExecutor: Sendable {
  /// Runs a job asynchronously on another thread.
  func execute(_ job: @escaping @Sendable () -> Void)

  /// Runs a short job that uses no connection on another thread, even if all threads for accesses are in use.
  func executeBeside(_ job: @escaping @Sendable () -> Void)

  /// Reports that no more jobs are expected: releases idle threads. Further jobs are still executed.
  func retire()
}
