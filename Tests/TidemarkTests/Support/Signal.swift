import Foundation

/// Something that happens once, and that a thread can wait for, up to a limit.
final class Signal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func fire() { semaphore.signal() }

  /// - throws: `TookTooLong` rather than to block a test for good.
  func wait() throws {
    guard semaphore.wait(timeout: .now() + .seconds(patience)) == .success else { throw TookTooLong() }
    semaphore.signal()
  }
}

/// How long a test waits for what should happen soon, in seconds: under a sanitizer, on a busy machine, hundreds of other
/// tests may come in between.
private let patience = 240

struct TookTooLong: Error {
  var what = ""
}

/// Waits for something that has no event of its own, such as the end of a thread.
func waitUntil(_ what: String = "", _ condition: () -> Bool) throws {
  let deadline = Date.now + Double(patience)
  while !condition() {
    guard Date.now < deadline else { throw TookTooLong(what: what) }
    Thread.sleep(forTimeInterval: 0.001)
  }
}

/// Waits for something that has no event of its own, without a thread.
func waitUntil(_ what: String = "", _ condition: @Sendable () -> Bool) async throws {
  let deadline = Date.now + Double(patience)
  while !condition() {
    guard Date.now < deadline else { throw TookTooLong(what: what) }
    try await Task.sleep(for: .milliseconds(1))
  }
}

/// A value that several threads write.
final class Locked<Value: Sendable>: @unchecked Sendable {
  // The lock of the system: the thread sanitizer does not see through that of the standard library.
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
