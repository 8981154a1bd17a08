/// The threads that wait for the writer of a pool while they hold one of its readers.
///
/// Invariant: a thread never waits for the writer while it holds a reader for which the writer waits. This would be a
/// deadlock. While the writer does not wait for readers, a write nested in a read may wait. If the writer waits for
/// readers, or begins to, the nested write throws an error.
final class NestedWrites: Sendable {
  private struct State {
    /// The number of accesses that wait for readers while they have the writer, or have priority for it.
    var waitingWriterCount = 0
    var nextNumber = 0
    var rejections: [Int: @Sendable () -> Void] = [:]
  }

  private let writer: SerializedConnection
  private let state = Mutex(State())

  init(writer: SerializedConnection) {
    self.writer = writer
  }

  /// Waits for the writer, on a thread that holds a reader.
  ///
  /// - Throws: An error of code `SQLITE_LOCKED` if the writer waits for that reader.
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
      // The access was admitted in the meantime.
      return signal.wait()
    }
    defer { _ = state.withLock { $0.rejections.removeValue(forKey: number) } }
    try gate.wait(at: signal, ticket, until: deadline)
    if isRejected.withLock({ $0 }) { throw Self.refusal }
  }

  /// Called before the calling thread waits for readers.
  ///
  /// - Returns: Whether the thread has the writer. Call `writerResumes` after the wait in this case.
  func writerWaits() -> Bool {
    guard writer.isAccessible else { return false }
    rejectWaiters()
    return true
  }

  /// Called before the access that has the writer waits for readers.
  func rejectWaiters() {
    let rejections = state.withLock { state in
      state.waitingWriterCount += 1
      // In order of arrival. The order of a dictionary is random.
      return state.rejections.sorted { $0.key < $1.key }.map(\.value)
    }
    for expulsion in rejections { expulsion() }
  }

  /// Called after the access that has the writer has waited for readers.
  func writerResumes() { state.withLock { $0.waitingWriterCount -= 1 } }

  private static let refusal = DatabaseError(
    resultCode: .SQLITE_LOCKED,
    message: """
      deadlock avoided: this write waits for a writer that waits for the end of the read around it. Write after the \
      read, not inside it.
      """)
}
