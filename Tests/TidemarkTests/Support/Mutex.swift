import Foundation

/// A value that is protected by a lock.
///
/// It has the interface of the standard library's `Mutex`, which the thread sanitizer does not understand.
final class Mutex<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  init(_ value: sending Value) {
    self.value = value
  }

  func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
