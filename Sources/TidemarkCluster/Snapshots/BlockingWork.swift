import Dispatch
import Synchronization

/// Work that blocks a thread for a long time, outside of the threads that run tasks.
final class BlockingWork: Sendable {
  private let isCancelled = Atomic(false)

  private init() {}

  /// Runs a closure on a thread of the system, and waits for its result.
  ///
  /// If the task is cancelled, the next call of ``checkCancellation()`` ends the closure.
  static func run<Value: Sendable>(_ body: @escaping @Sendable (BlockingWork) throws -> Value) async throws -> Value {
    let work = BlockingWork()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global(qos: .utility).async {
          continuation.resume(
            with: Result {
              try work.checkCancellation()
              return try body(work)
            })
        }
      }
    } onCancel: {
      work.isCancelled.store(true, ordering: .relaxed)
    }
  }

  /// Throws `CancellationError` if the task was cancelled.
  func checkCancellation() throws {
    if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
  }
}
