import Testing

@testable import TidemarkEssentials

/// The invariants of `AsyncSignal`.
@Suite struct AsyncSignalTests {
  /// Whether a wait ends without a further signal.
  private func ends(_ signal: AsyncSignal, after count: UInt64) -> Bool {
    let hasEnded = Locked(false)
    let task = Task(executorPreference: CallingThread()) {
      await signal.wait(after: count)
      hasEnded.update { $0 = true }
    }
    defer { task.cancel() }
    return hasEnded.value
  }

  @Test func `a wait that begins with the current count does not end`() {
    let signal = AsyncSignal()
    signal.raise()
    #expect(!ends(signal, after: signal.count))
  }

  /// Invariant 1.
  @Test func `a wait that begins with an old count ends at once`() {
    let signal = AsyncSignal()
    let count = signal.count
    signal.raise()
    #expect(ends(signal, after: count))
  }
}
