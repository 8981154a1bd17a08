public import Dispatch

/// Where the values of an observation are delivered.
///
/// Write one when the schedulers at hand do not fit:
///
/// ```swift
/// struct InOrder: ValueObservationScheduler {
///   let queue: OperationQueue    // with maxConcurrentOperationCount == 1
///   func immediateInitialValue() -> Bool { false }
///   func schedule(_ action: @escaping @Sendable () -> Void) { queue.addOperation(action) }
/// }
/// ```
public protocol ValueObservationScheduler: Sendable {
  /// Whether the first value is fetched and delivered before the start of the observation returns. Asked once for each
  /// start, on the thread that starts.
  func immediateInitialValue() -> Bool

  /// Runs an action soon. An observation has at most one action scheduled at a time.
  func schedule(_ action: @escaping @Sendable () -> Void)
}

/// A scheduler that delivers on the main actor.
public protocol ValueObservationMainActorScheduler: ValueObservationScheduler {
  /// Runs an action soon, on the main actor.
  func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void)
}

extension ValueObservationMainActorScheduler {
  /// Runs an action soon, on the main actor.
  public func schedule(_ action: @escaping @Sendable () -> Void) {
    scheduleOnMainActor(action)
  }
}

// MARK: - Dispatch queues

/// Delivers on a dispatch queue.
public struct AsyncValueObservationScheduler: ValueObservationScheduler {
  private let queue: DispatchQueue

  /// Delivers on a queue, which should be a serial one.
  public init(queue: DispatchQueue) {
    self.queue = queue
  }

  /// No: everything is delivered on the queue.
  public func immediateInitialValue() -> Bool { false }

  /// Runs the action on the queue.
  public func schedule(_ action: @escaping @Sendable () -> Void) {
    queue.async(execute: action)
  }
}

extension ValueObservationScheduler where Self == AsyncValueObservationScheduler {
  /// Delivers on a dispatch queue, which should be a serial one.
  public static func async(onQueue queue: DispatchQueue) -> AsyncValueObservationScheduler {
    AsyncValueObservationScheduler(queue: queue)
  }
}

// MARK: - Tasks

/// Delivers in Swift tasks, one after the other.
public final class TaskValueObservationScheduler: ValueObservationScheduler {
  private let priority: TaskPriority?

  init(priority: TaskPriority?) {
    self.priority = priority
  }

  /// No: everything is delivered in a task.
  public func immediateInitialValue() -> Bool { false }

  /// Runs the action in a task.
  public func schedule(_ action: @escaping @Sendable () -> Void) {
    Task(priority: priority) { action() }
  }
}

extension ValueObservationScheduler where Self == TaskValueObservationScheduler {
  /// Delivers in Swift tasks.
  public static var task: TaskValueObservationScheduler { TaskValueObservationScheduler(priority: nil) }

  /// Delivers in Swift tasks of some priority.
  public static func task(priority: TaskPriority) -> TaskValueObservationScheduler {
    TaskValueObservationScheduler(priority: priority)
  }
}
