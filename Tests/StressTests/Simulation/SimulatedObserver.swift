import StressSupport

import Tidemark
@testable import TidemarkEssentials

/// A live query in a simulation, and its values.
///
/// Its value contains the number of the last commit, or only lists, so that many commits do not change it.
final class SimulatedObserver: @unchecked Sendable {
  struct Value: Sendable {
    /// Nil if the query does not read it.
    var commit: Int?
    var lists: History.Lists
  }

  enum End {
    case cancelled
    case failed(any Error)
  }

  let keys: Range<Int>
  private let readsCommit: Bool
  private let requiresWriteAccess: Bool

  // One fiber runs at a time.
  private(set) var values: [Value] = []
  private(set) var end: End?

  /// Cancels the observation or the task, whose closures retain this object.
  var stop: (() -> Void)?

  init(_ numbers: inout RandomNumbers) {
    readsCommit = numbers.once(in: 3)
    let first = numbers.below(ListStore.keyCount)
    keys = readsCommit ? 0..<ListStore.keyCount : first..<min(first + 1 + numbers.below(2), ListStore.keyCount)
    requiresWriteAccess = numbers.once(in: 6)
  }

  private func observation(_ pause: @escaping @Sendable () -> Void) -> ValueObservation<ValueReducers.Fetch<Value>> {
    var observation = ValueObservation.tracking { [self] db -> Value in
      let commit = readsCommit ? try Int.fetchOne(db, sql: "SELECT n FROM counter") : nil
      pause()
      return Value(commit: commit, lists: try ListStore.lists(db, of: keys))
    }
    observation.requiresWriteAccess = requiresWriteAccess
    return observation
  }

  /// Starts the query on this thread.
  ///
  /// - Parameter isImmediate: Whether the first value is delivered at once.
  func start(in pool: DatabasePool, isImmediate: Bool, _ pause: @escaping @Sendable () -> Void) {
    let cancellable = observation(pause).start(
      in: pool, scheduling: FiberScheduler(isImmediate: isImmediate), onError: { [self] in end = .failed($0) },
      onChange: { [self] in values.append($0) })
    stop = { cancellable.cancel() }
  }

  /// Receives the values of a sequence, until it ends.
  func iterate(in pool: DatabasePool, _ pause: @escaping @Sendable () -> Void) async {
    do {
      for try await value in observation(pause).values(in: pool, scheduling: FiberScheduler(isImmediate: false)) {
        values.append(value)
      }
    } catch {
      end = .failed(error)
    }
  }

  func cancel() {
    end = .cancelled
    stop?()
  }

  /// The differences between the values and the commits of the database.
  ///
  /// - Parameter commits: What each commit has appended, by its number.
  /// - Parameter lastCommit: The last commit, whose value must be the last one; nil if commits were not delivered.
  func problems(_ commits: [Int: [(key: Int, value: Int)]], lastCommit: Int?) -> [String] {
    func lists(after commit: Int) -> History.Lists {
      var lists = History.Lists(repeating: [], count: ListStore.keyCount)
      for number in stride(from: 1, through: commit, by: 1) {
        for append in commits[number] ?? [] { lists[append.key].append(append.value) }
      }
      return Array(lists[keys])
    }
    var problems: [String] = []
    var last: Value?
    for value in values {
      if let commit = value.commit, value.lists != lists(after: commit) {
        problems.append("the value of commit \(commit) is \(value.lists)")
      }
      if let last {
        if let commit = value.commit, let before = last.commit, commit < before {
          problems.append("commit \(commit) after commit \(before)")
        }
        if !zip(value.lists, last.lists).allSatisfy({ $0.starts(with: $1) }) {
          problems.append("\(value.lists) after \(last.lists)")
        }
      }
      last = value
    }
    if end == nil, let lastCommit, last?.lists != lists(after: lastCommit) {
      problems.append("the last value of keys \(keys) is \(String(describing: last)), commit \(lastCommit) is newer")
    }
    return problems
  }
}

/// Delivers on the fiber that has fetched.
struct FiberScheduler: ValueObservationScheduler {
  var isImmediate: Bool

  func immediateInitialValue() -> Bool { isImmediate }
  func schedule(_ action: @escaping @Sendable () -> Void) { action() }
}
