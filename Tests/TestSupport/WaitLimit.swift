import Foundation
import Testing

/// One wait of a test, from its start until it is released.
///
/// All waits of the process are registered: the first one that reaches the limit prints the others too, since the
/// cause is often in one of these.
package final class WaitLimit: Sendable {
  /// After how long a wait is a hang: five minutes, or `TIDEMARK_PATIENCE` in seconds.
  package static let limit: Duration = {
    let seconds = ProcessInfo.processInfo.environment["TIDEMARK_PATIENCE"].flatMap { Double($0) }
    return .seconds(seconds ?? 300)
  }()

  /// The limit of waits after the first hang of a process. The run has failed by then: it need not take hours to end.
  private static let limitAfterHang = min(limit, .seconds(30))

  /// ``limit`` in seconds, for the busy timeout of connections that must wait for each other.
  package static var seconds: Double { limit / .seconds(1) }

  /// A hang of the process as a whole: nothing that a test could throw would end it.
  package static var processLimit: Duration { limit * 2 }

  private struct State {
    var waits: [ObjectIdentifier: String] = [:]
    var hasHung = false
  }

  private final class Registry: @unchecked Sendable {
    // The system's lock: the thread sanitizer does not understand `Synchronization.Mutex`.
    private let lock = NSLock()
    private var state = State()

    func withLock<Result>(_ body: (inout State) -> Result) -> Result { lock.withLock { body(&state) } }
  }

  private static let registry = Registry()

  private let what: String
  private let start = ContinuousClock.now

  /// Begins a wait.
  package init(_ what: String, file: String = #fileID, line: Int = #line) {
    self.what = "\(what), at \(file):\(line)"
    Self.registry.withLock { $0.waits[ObjectIdentifier(self)] = self.what }
  }

  deinit {
    Self.registry.withLock { _ = $0.waits.removeValue(forKey: ObjectIdentifier(self)) }
  }

  /// Whether the wait has reached the limit.
  package var isOver: Bool {
    do {
      try check()
      return false
    } catch {
      return true
    }
  }

  /// Checks that the wait has not reached the limit.
  ///
  /// - Throws: ``Hang``.
  package func check() throws {
    let elapsed = ContinuousClock.now - start
    // Without the lock: a wait asks every millisecond.
    if elapsed < Self.limitAfterHang { return }
    let (others, limit) = Self.registry.withLock { state in
      let limit = state.hasHung ? Self.limitAfterHang : Self.limit
      if elapsed >= limit { state.hasHung = true }
      return (state.waits.values.filter { $0 != what }.sorted(), limit)
    }
    if elapsed < limit { return }
    let text = "hang: waited \(Int(elapsed / .seconds(1))) s for \(what)"
    print(([text] + others.map { "  meanwhile waiting for \($0)" }).joined(separator: "\n"))
    throw Hang(description: text)
  }
}

extension Trait where Self == TimeLimitTrait {
  /// For tests whose failure is a hang that no wait of their own would notice.
  package static var untilItHangs: Self { .timeLimit(.minutes(10)) }
}
