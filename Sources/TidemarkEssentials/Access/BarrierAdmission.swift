/// Acquires the writer, and then exclusive access: it waits for the writer, then for the end of all reads.
///
/// It waits in both queues without a thread, and can give up in both.
final class BarrierAdmission: AccessAdmission {
  private enum State {
    case waitsForWriter
    case waitsForReaders(ReaderPoolMachine.Ticket?)
    case hasGivenUp
    case entered
  }

  private let gate: AccessGate
  private let readers: ReaderPool
  private let nested: NestedWrites?
  private let state = Mutex(State.waitsForWriter)

  init(_ gate: AccessGate, _ readers: ReaderPool) {
    self.gate = gate
    self.readers = readers
    nested = readers.nested
  }

  func begin(_ body: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
    let ticket = gate.enter { [self] in waitForReaders(body) }
    return { [self] in giveUp(ticket) }
  }

  func end() {
    readers.endExclusive()
    gate.leave()
  }

  // The gate is held.
  private func waitForReaders(_ body: @escaping @Sendable () -> Void) {
    let shouldContinue = state.withLock { state in
      if case .hasGivenUp = state { return false }
      state = .waitsForReaders(nil)
      return true
    }
    guard shouldContinue else { return gate.leave() }
    nested?.rejectWaiters()
    let ticket = readers.beginExclusive { [self] in
      let entered = state.withLock { state in
        if case .hasGivenUp = state { return false }
        state = .entered
        return true
      }
      nested?.writerResumes()
      if entered { body() } else { end() }
    }
    guard let ticket else { return }
    let hasGivenUp = state.withLock { state in
      switch state {
      case .waitsForReaders: state = .waitsForReaders(ticket)
      case .hasGivenUp: return true
      case .waitsForWriter, .entered: break
      }
      return false
    }
    if hasGivenUp { leaveReaders(ticket) }
  }

  private func giveUp(_ ticket: AccessGateMachine.Ticket?) {
    let before = state.withLock { state in
      let before = state
      if case .entered = before { return before }
      state = .hasGivenUp
      return before
    }
    switch before {
    case .entered, .hasGivenUp: break
    case .waitsForWriter: if let ticket { gate.giveUp(ticket) }
    case .waitsForReaders(let ticket): if let ticket { leaveReaders(ticket) }
    }
  }

  private func leaveReaders(_ ticket: ReaderPoolMachine.Ticket) {
    // If the barrier was admitted meanwhile, it is too late: the gate is released when the access ends.
    guard readers.giveUp(ticket) else { return }
    nested?.writerResumes()
    gate.leave()
  }
}
