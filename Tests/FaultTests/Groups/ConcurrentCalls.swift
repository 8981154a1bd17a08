import Foundation
import StressSupport
import TestSupport

import Tidemark
@testable import TidemarkEssentials

/// Asynchronous writes that wait for the writer together, in a known order, so that they share a transaction of SQLite.
struct ConcurrentCalls {
  struct Call: Sendable {
    /// Whether its task is cancelled while it waits.
    var isCancelled = false

    var body: @Sendable () async -> Void
  }

  /// The tasks of calls.
  final class Tasks: Sendable {
    private let all = StressSupport.Mutex<[Task<Void, Never>]>([])

    fileprivate func append(_ task: Task<Void, Never>) { all.withLock { $0.append(task) } }

    /// Cancels the task of a call. All calls wait, or have begun.
    func cancel(_ index: Int) { all.withLock { $0[index] }.cancel() }
  }

  /// Makes calls at the same time, and waits until they have returned. It blocks the thread.
  ///
  /// - Throws: `Hang` if a call stays suspended.
  static func make(_ calls: [Call], _ database: any DatabaseWriter, _ tasks: Tasks = Tasks()) throws {
    let thread = TaskThread()
    let end = DispatchSemaphore(value: 0)
    let gate = database._core.ownWriter.gate
    try database.writeWithoutTransaction { _ in
      for call in calls {
        let count = gate.entryCount
        tasks.append(
          Task(executorPreference: thread) {
            await call.body()
            end.signal()
          })
        thread.waitUntilIdle()
        try Wait.until("a call that waits for the writer") { gate.entryCount > count }
      }
      for (index, call) in calls.enumerated() where call.isCancelled { tasks.cancel(index) }
    }
    for _ in calls { try Wait.on(end, "the return of a call") }
  }
}

/// Runs tasks on a thread of its own, so that a test may block its thread while it waits for them.
final class TaskThread: TaskExecutor {
  private let queue = DispatchQueue(label: "tasks of a test")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Waits until the tasks so far have ended, or are suspended.
  func waitUntilIdle() { queue.sync {} }
}
