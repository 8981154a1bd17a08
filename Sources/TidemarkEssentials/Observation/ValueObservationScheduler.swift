public import Dispatch

/// Determines where the values of an observation are delivered.
///
/// Programs can define their own schedulers:
///
/// ```swift
/// struct InOrder: ValueObservationScheduler {
///   let queue: OperationQueue    // with maxConcurrentOperationCount == 1
///   func immediateInitialValue() -> Bool { false }
///   func schedule(_ action: @escaping @Sendable () -> Void) { queue.addOperation(action) }
/// }
/// ```
public protocol ValueObservationScheduler: Sendable {
  /// Returns whether the first value is fetched and delivered before the start of the observation returns. Called once
  /// per start, on the starting thread.
  func immediateInitialValue() -> Bool

  /// Runs an action asynchronously. An observation has at most one scheduled action at a time.
  func schedule(_ action: @escaping @Sendable () -> Void)
}

/// A scheduler that delivers on the main actor.
public protocol ValueObservationMainActorScheduler: ValueObservationScheduler {
  /// Runs an action asynchronously on the main actor.
  func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void)
}

extension ValueObservationMainActorScheduler {
  /// Runs an action asynchronously on the main actor.
  public func schedule(_ action: @escaping @Sendable () -> Void) {
    scheduleOnMainActor(action)
  }
}

// MARK: - Dispatch queues

/// Delivers on a dispatch queue.
public struct AsyncValueObservationScheduler: ValueObservationScheduler {
  private let queue: DispatchQueue

  /// Creates a scheduler that delivers on a queue, which should be a serial one.
  public init(queue: DispatchQueue) {
    self.queue = queue
  }

  /// Returns false: all values are delivered on the queue.
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

  /// Returns false: all values are delivered in tasks.
  public func immediateInitialValue() -> Bool { false }

  /// Runs the action in a task.
  public func schedule(_ action: @escaping @Sendable () -> Void) {
    Task(priority: priority) { action() }
  }
}

extension ValueObservationScheduler where Self == TaskValueObservationScheduler {
  /// Delivers in Swift tasks.
  public static var task: TaskValueObservationScheduler { TaskValueObservationScheduler(priority: nil) }

  /// Delivers in Swift tasks with a priority.
  public static func task(priority: TaskPriority) -> TaskValueObservationScheduler {
    TaskValueObservationScheduler(priority: priority)
  }
}
