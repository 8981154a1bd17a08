import Dispatch

/// The wait of a task's access until nobody reads. It takes a thread, that of the writer, which nobody else can use
/// meanwhile; when the task is cancelled, it ends at once.
///
/// It gives up once, or is let in once; never both: the machine of the readers decides.
final class BarrierWait: Sendable {
  private struct State {
    var isCancelled = false
    var hasGivenUp = false
    var ticket: ReaderPoolMachine.Ticket?
  }

  private let readers: ReaderPool
  private let place = DispatchSemaphore(value: 0)
  private let state = Mutex(State())

  init(for readers: ReaderPool) {
    self.readers = readers
  }

  /// Waits until nobody reads. Nobody reads until `ReaderPool.endExclusive` is called.
  ///
  /// - throws: A `CancellationError` when the wait was cancelled. It is then not to be ended.
  func enter() throws {
    if let ticket = readers.beginExclusive({ [place] in place.signal() }) {
      let isCancelled = state.withLock { state in
        state.ticket = ticket
        return state.isCancelled
      }
      if isCancelled { giveUp(ticket) }
    }
    readers.wait(at: place)
    if state.withLock({ $0.hasGivenUp }) { throw CancellationError() }
  }

  func cancel() {
    let ticket = state.withLock { state in
      state.isCancelled = true
      return state.ticket
    }
    if let ticket { giveUp(ticket) }
  }

  private func giveUp(_ ticket: ReaderPoolMachine.Ticket) {
    // Too late when it was let in: the access goes on, and its statements throw.
    guard readers.giveUp(ticket) else { return }
    state.withLock { $0.hasGivenUp = true }
    place.signal()
  }
}
