import StressSupport
import Synchronization
import Tidemark

/// Tasks that cancel themselves in the middle of a statement: SQL calls `moment(n)`, and the task of that number is
/// cancelled.
final class CancellationMoments: Sendable {
  private let tasks = Mutex<[Int: @Sendable () -> Void]>([:])
  private let last = Atomic<Int>(0)

  /// A number for a task that is to be cancelled by its own statement.
  func number() -> Int { last.add(1, ordering: .relaxed).newValue }

  func register(_ number: Int, _ cancel: @escaping @Sendable () -> Void) {
    tasks.withLock { $0[number] = cancel }
  }

  func forget(_ number: Int) {
    tasks.withLock { $0[number] = nil }
  }

  /// Gives connections the function.
  func add(to configuration: inout Configuration) {
    configuration.prepareDatabase { [self] db in
      db.add(
        function: DatabaseFunction("moment", argumentCount: 1) { values in
          let number = Int.fromDatabaseValue(values[0]) ?? 0
          let cancel = self.tasks.withLock { $0[number] }
          cancel?()
          return values[0]
        })
    }
  }
}
