import Foundation
import TestSupport

/// An event that happens once, and for which a thread can wait (see `Wait`).
final class Signal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func fire() { semaphore.signal() }

  /// - Throws: `Hang`.
  func wait(file: String = #fileID, line: Int = #line) throws {
    try Wait.on(semaphore, file: file, line: line)
    semaphore.signal()
  }
}

/// Waits for a condition that has no event of its own, such as the end of a thread.
func waitUntil(
  _ what: String = "a condition", file: String = #fileID, line: Int = #line, _ condition: () -> Bool
) throws {
  try Wait.until(what, file: file, line: line, condition)
}

/// Waits for a condition that has no event of its own, without blocking a thread.
func waitUntil(
  _ what: String = "a condition", file: String = #fileID, line: Int = #line, _ condition: @Sendable () -> Bool
) async throws {
  try await Wait.until(what, file: file, line: line, condition)
}

/// A value that several threads write.
final class Locked<Value: Sendable>: @unchecked Sendable {
  // The system's lock: the thread sanitizer does not understand the standard library's.
  private let lock = NSLock()
  private var storage: Value

  init(_ value: Value) { storage = value }

  var value: Value { lock.withLock { storage } }

  func update<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.withLock { body(&storage) }
  }
}

/// Runs a closure on a thread of its own.
func onThread(_ body: @escaping @Sendable () -> Void) {
  Thread.detachNewThread(body)
}

/// Runs a task on the threads that start and resume it: it waits, or has ended, when they continue.
final class CallingThread: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
}

/// Makes the compiler choose the synchronous form of an access.
func synchronously<Value>(_ body: () throws -> Value) rethrows -> Value { try body() }
