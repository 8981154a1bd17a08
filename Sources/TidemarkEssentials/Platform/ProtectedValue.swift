/// A value that is protected by a lock, for other targets of the package: a `Mutex` in an object. The name of the mutex
/// is that of a type of the standard library, so it cannot be visible there.
///
/// No lock is taken while this one is held. See ``Mutex/withLock(_:)`` for what may be released under it.
package final class ProtectedValue<Value>: Sendable {
  private let mutex: Mutex<Value>

  package init(_ value: consuming sending Value) { mutex = Mutex(value) }

  /// Runs a closure with exclusive access to the value.
  package func withLock<Result>(_ body: (inout sending Value) throws -> sending Result) rethrows -> sending Result {
    try mutex.withLock(body)
  }
}
