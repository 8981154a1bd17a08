import Tidemark

/// Runs the jobs of a store until its task is cancelled.
struct Server: Sendable {
  let store: JobStore
  var workerCount = 4

  /// Runs jobs. Returns after cancellation, when every job has been finished or returned to the queue.
  func run() async throws {
    let recovered = try await store.recover()
    if recovered > 0 { log("returned \(recovered) interrupted jobs to the queue") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<workerCount {
        group.addTask { try await work() }
      }
      group.addTask {
        for try await counts in store.counts() {
          log(
            "pending \(counts.pending), running \(counts.running), finished \(counts.finished), "
              + "failed \(counts.failed)")
        }
      }
      group.addTask {
        for try await failures in store.failures() {
          for job in failures { log("job \(job.id ?? 0) failed: \(job.message ?? "unknown error")") }
        }
      }
      // A task that ends with an error ends the server; a cancelled observation just ends its loop.
      try await group.waitForAll()
    }
  }

  /// Takes one job after the other. A live query wakes the worker when there are new ones.
  private func work() async throws {
    for try await count in store.pendingCounts() where count > 0 {
      while !Task.isCancelled, let job = try await store.take() {
        await perform(job)
      }
    }
  }

  private func perform(_ job: Job) async {
    let outcome: Result<Void, any Error>
    do {
      try await execute(job)
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    // A cancelled task cannot write. An unstructured task is not cancelled, and records what happened.
    let store = store
    let record = Task {
      switch outcome {
      case .success: try await store.finish(job)
      case .failure(is CancellationError): try await store.release(job)
      case .failure(let error): try await store.fail(job, because: error)
      }
    }
    do {
      try await record.value
    } catch {
      // The job stays in the state "running", and `recover()` returns it to the queue at the next start.
      log("job \(job.id ?? 0): could not record its outcome: \(error)")
    }
  }

  private func execute(_ job: Job) async throws {
    struct InvalidJob: Error, CustomStringConvertible {
      var description: String
    }
    guard job.milliseconds >= 0 else { throw InvalidJob(description: "the duration is negative") }
    try await Task.sleep(for: .milliseconds(job.milliseconds))
  }
}
