import Foundation

/// How tests wait for something that another thread, task or process does.
///
/// The rule: a test waits without a deadline of its own, because a busy machine may be slow for any length of time, and
/// slow is not wrong. Only a wait of ``WaitLimit/limit`` counts as a hang. It prints all waits in progress and throws
/// ``Hang``, so that the test fails and the run goes on.
package enum Wait {
  /// Waits until a condition holds that has no event of its own, on the current thread.
  ///
  /// - Throws: ``Hang``, or the error of the condition.
  package static func until(
    _ what: @autoclosure () -> String = "a condition", file: String = #fileID, line: Int = #line,
    _ condition: () throws -> Bool
  ) throws {
    if try condition() { return }
    let patience = WaitLimit(what(), file: file, line: line)
    while try !condition() {
      try patience.check()
      Thread.sleep(forTimeInterval: 0.001)
    }
  }

  /// Waits until a condition holds that has no event of its own, without blocking a thread.
  ///
  /// - Throws: ``Hang``, `CancellationError`, or the error of the condition.
  package static func until(
    _ what: @autoclosure () -> String = "a condition", file: String = #fileID, line: Int = #line,
    _ condition: () throws -> Bool
  ) async throws {
    if try condition() { return }
    let patience = WaitLimit(what(), file: file, line: line)
    while try !condition() {
      try patience.check()
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  /// Waits for a semaphore, on the current thread.
  ///
  /// - Throws: ``Hang``.
  package static func on(
    _ semaphore: DispatchSemaphore, _ what: @autoclosure () -> String = "a signal", file: String = #fileID,
    line: Int = #line
  ) throws {
    if semaphore.wait(timeout: .now()) == .success { return }
    let patience = WaitLimit(what(), file: file, line: line)
    while semaphore.wait(timeout: .now() + .milliseconds(200)) == .timedOut { try patience.check() }
  }

  /// Waits until something holds that is protected by a condition variable, which the caller has locked.
  ///
  /// - Throws: ``Hang``, or the error of `isReached`.
  package static func on(
    _ condition: NSCondition, _ what: @autoclosure () -> String = "a change", file: String = #fileID,
    line: Int = #line, until isReached: () throws -> Bool
  ) throws {
    if try isReached() { return }
    let patience = WaitLimit(what(), file: file, line: line)
    while try !isReached() {
      _ = condition.wait(until: Date.now + 0.2)
      try patience.check()
    }
  }
}

/// Nothing happened for so long that a test stopped waiting.
package struct Hang: Error, CustomStringConvertible {
  package var description: String

  package init(description: String) { self.description = description }
}
