import Foundation
import StressSupport
import TestSupport
import Tidemark

/// A live query, with its last delivered value, and the number of its fetches.
final class ObservedQuery: @unchecked Sendable {
  let query: WakeQuery

  // Protected by the condition.
  private let condition = NSCondition()
  private var value: String?
  private var number = 0
  private var cancellable: AnyDatabaseCancellable?

  /// - Parameter region: The region to observe; nil for the region of the query.
  init(_ query: WakeQuery, in database: any DatabaseWriter, region: Table<Row>? = nil, _ run: Run) {
    self.query = query
    let fetch: @Sendable (Database) -> String = { [unowned self] db in
      condition.withLock { number += 1 }
      return query.words(db)
    }
    let observation =
      if let region { ValueObservation.tracking(region: region, fetch: fetch) } else {
        ValueObservation.tracking(fetch)
      }
    cancellable = observation.start(
      in: database, scheduling: Inline(), onError: { run.problem("\(query.name) has ended: \($0)") }
    ) { [unowned self] words in
      condition.withLock {
        value = words
        condition.broadcast()
      }
    }
  }

  var last: String { condition.withLock { value ?? "nothing" } }

  /// The number of fetches.
  var fetchCount: Int { condition.withLock { number } }

  /// Waits until a value is the last one that was delivered.
  ///
  /// - Parameter patience: The number of seconds after which a planted fault counts as found; nil if there is none.
  /// - Returns: Whether it was delivered.
  func wait(for expected: String, patience: Double? = nil) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    if let patience {
      let end = Date.now + patience
      while value != expected, condition.wait(until: end) {}
    } else {
      // The caller reports a hang, with what was delivered last.
      try? Wait.on(condition, "\(expected.prefix(80)) of \(query.name)") { value == expected }
    }
    return value == expected
  }

  func cancel() { cancellable?.cancel() }
}

/// Delivers on the thread that has fetched.
private struct Inline: ValueObservationScheduler {
  func immediateInitialValue() -> Bool { true }
  func schedule(_ action: @escaping @Sendable () -> Void) { action() }
}
