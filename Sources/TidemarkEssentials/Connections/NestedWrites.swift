/// Those who wait for the writer of a pool while they read with a connection of it.
///
/// Invariant: nobody waits for the writer while holding a reader that the writer waits for. They would wait for each
/// other. As long as the writer does not wait for readers, a write inside a read may wait as any other; when the writer
/// begins to wait for readers, or does already, the write is refused.
final class NestedWrites: Sendable {
  private struct State {
    /// How many accesses that have the writer, or will have it before the others do, wait for readers.
    var waitingWriterCount = 0
    var nextNumber = 0
    var rejections: [Int: @Sendable () -> Void] = [:]
  }

  private let writer: SerializedConnection
  private let state = Mutex(State())

  init(writer: SerializedConnection) {
    self.writer = writer
  }

  /// Waits for the writer, with a thread that reads.
  ///
  /// - throws: An error of code `SQLITE_LOCKED` when the writer waits for the end of that read.
  func enter(_ gate: AccessGate, until deadline: Database.Deadline?) throws {
    let (action, signal) = gate.requestAdmission()
    guard case .wait(let ticket) = action else { return }
    let isRejected = Mutex(false)
    let number = state.withLock { state -> Int? in
      if state.waitingWriterCount > 0 { return nil }
      state.nextNumber += 1
      state.rejections[state.nextNumber] = {
        guard gate.giveUp(ticket) else { return }
        isRejected.withLock { $0 = true }
        signal.notify()
      }
      return state.nextNumber
    }
    guard let number else {
      if gate.giveUp(ticket) { throw Self.refusal }
      // Let in at the last moment.
      return signal.wait()
    }
    defer { _ = state.withLock { $0.rejections.removeValue(forKey: number) } }
    try gate.wait(at: signal, ticket, until: deadline)
    if isRejected.withLock({ $0 }) { throw Self.refusal }
  }

  /// The calling thread begins to wait for readers.
  ///
  /// - returns: Whether it has the writer. `writerResumes` is to be called then.
  func writerWaits() -> Bool {
    guard writer.isAccessible else { return false }
    rejectWaiters()
    return true
  }

  /// The access that has the writer begins to wait for readers.
  func rejectWaiters() {
    let rejections = state.withLock { state in
      state.waitingWriterCount += 1
      // In the order in which they came: a dictionary has another one each time.
      return state.rejections.sorted { $0.key < $1.key }.map(\.value)
    }
    for expulsion in rejections { expulsion() }
  }

  /// The access that has the writer has ended its wait for readers.
  func writerResumes() { state.withLock { $0.waitingWriterCount -= 1 } }

  private static let refusal = DatabaseError(
    resultCode: .SQLITE_LOCKED,
    message: """
      deadlock avoided: this write waits for a writer that waits for the end of the read around it. Write after the \
      read, not inside it.
      """)
}
