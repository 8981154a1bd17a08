import Synchronization

/// Wakes tasks that wait for something which may have happened.
///
/// Invariants:
/// 1. A wait that begins with an old count ends at once.
/// 2. A signal without waiting tasks takes no lock.
package final class AsyncSignal: Sendable {
  private struct State {
    // Checked: the thread sanitizer reports a false race in the inlined code of unchecked ones.
    var waiters: [(number: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
    var lastNumber: UInt64 = 0

    /// The error that has ended the waits.
    var error: (any Error)?
  }

  private let state = Mutex(State())
  private let signalCount = Atomic<UInt64>(0)
  private let hasWaiters = Atomic<Bool>(false)

  package init() {}

  /// The number of signals.
  package var count: UInt64 { signalCount.load(ordering: .sequentiallyConsistent) }

  /// The error that has ended the waits, if there is one.
  var error: (any Error)? { state.withLock(\.error) }

  package func raise() {
    signalCount.wrappingAdd(1, ordering: .sequentiallyConsistent)
    if hasWaiters.load(ordering: .sequentiallyConsistent) { wakeAll() }
  }

  /// Stores the error that a waiting task is to throw, and wakes all tasks. The first error stays.
  func fail(_ error: any Error) {
    state.withLock { $0.error = $0.error ?? error }
    raise()
  }

  private func wakeAll() {
    let waiters = state.withLock { state in
      hasWaiters.store(false, ordering: .sequentiallyConsistent)
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.continuation.resume() }
  }

  /// Waits until the count differs, or the task is cancelled.
  package func wait(after count: UInt64) async {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          // Stored before the count is read: a signal in between sees it.
          hasWaiters.store(true, ordering: .sequentiallyConsistent)
          if Task.isCancelled || self.count != count { return true }
          state.waiters.append((number, continuation))
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume()
    }
  }
}
