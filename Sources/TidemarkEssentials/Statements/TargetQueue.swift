import Dispatch

/// The dispatch queue on which a program wants the accesses of a connection.
///
/// Accesses hold the connection before they wait for the queue. An access inside another one on the same queue runs at
/// once.
final class TargetQueue: Sendable {
  // The target of the queue of the calling code. A task-local value would not do: tasks that are created on the queue
  // would inherit it.
  private static let targetKey = DispatchSpecificKey<ObjectIdentifier>()

  private let queue: DispatchQueue
  // Kept, so that no other queue has its identity.
  private let target: DispatchQueue

  init(label: String, target: DispatchQueue) {
    queue = DispatchQueue(label: label, target: target)
    self.target = target
    queue.setSpecific(key: Self.targetKey, value: ObjectIdentifier(target))
  }

  /// Runs a closure on the queue: on the calling thread, unless the queue has a thread of its own, as the main queue.
  func sync<Result>(_ body: () throws -> Result) rethrows -> Result {
    if DispatchQueue.getSpecific(key: Self.targetKey) == ObjectIdentifier(target) { return try body() }
    return try queue.sync(execute: body)
  }
}
