import Foundation
import StressSupport
import TestSupport
import Tidemark

/// A consumer of a change stream. It keeps a copy of the tables `one` and `two`, until the database is closed.
///
/// Each element must contain one write. The copy shows whether writes are missing or repeated. If all of them change
/// the same row, it also shows whether they are in another order.
final class ChangeFollower: Sendable {
  private struct State {
    var copy: FeedCopy
    var problems: [String] = []
    var last: DatabaseVersion?
    var sharedVersionCount = 0
    var incompleteCount = 0
  }

  private let state: StressSupport.Mutex<State>
  private let end = DispatchSemaphore(value: 0)

  /// Follows a database in which nothing writes at the moment.
  init(_ database: any DatabaseWriter) throws {
    let stream = try database.changes()
    state = StressSupport.Mutex(State(copy: try database.read { try FeedCopy($0) }))
    Task(executorPreference: TaskThread()) { [self] in
      do {
        for try await transaction in stream { receive(transaction) }
        problem("the stream has ended without an error")
      } catch {
        // It ends with the database.
        if (error as? DatabaseError)?.message != "Connection is closed" { problem("\(error)") }
      }
      end.signal()
    }
  }

  private func problem(_ words: String) { state.withLock { $0.problems.append("in the stream: \(words)") } }

  private func receive(_ transaction: TransactionChanges) {
    guard transaction.isComplete else {
      return state.withLock { state in
        state.incompleteCount += 1
        for name in ["one", "two"] { state.copy.forget(name) }
      }
    }
    var numbers: [String: [Int64]] = [:]
    for row in transaction.rows {
      if let words = state.withLock({ $0.copy.apply(row) }) { problem(words) }
      guard row.operation == .insert, case .rowID(let number)? = row.newIdentity else { continue }
      numbers[row.table.name, default: []].append(number)
    }
    let (one, two) = (numbers["one"] ?? [], numbers["two"] ?? [])
    if one != two || one.count > 1 { problem("a transaction has the writes \(one) and \(two)") }
    state.withLock { state in
      if let last = state.last, transaction.versions?.upperBound == last { state.sharedVersionCount += 1 }
      state.last = transaction.versions?.upperBound
    }
  }

  /// Waits until the stream has ended, after the database was closed.
  func waitForEnd() throws { try Wait.on(end, "the end of a change stream") }

  /// The number of transactions that were committed with the one before.
  var sharedVersionCount: Int { state.withLock { $0.sharedVersionCount } }

  var incompleteCount: Int { state.withLock { $0.incompleteCount } }

  /// The violations, compared with a file, once the stream has ended.
  ///
  /// - Parameter acknowledged: The writes that must have been received.
  /// - Parameter isWhole: Whether all writes of the file must have been received.
  func complaints(about file: FeedCopy, acknowledged: Set<Int>, isWhole: Bool) -> [String] {
    let (copy, problems, incompleteCount) = state.withLock { ($0.copy, $0.problems, $0.incompleteCount) }
    // The rows are not known any more.
    if incompleteCount > 0 { return problems }
    let (received, stored) = (Set(copy.numbers(in: "one")), Set(file.numbers(in: "one")))
    var all = problems
    if isWhole, let difference = copy.difference(from: file) { all.append("in the stream: \(difference)") }
    let strangers = received.subtracting(stored).sorted()
    if !strangers.isEmpty { all.append("the stream has the writes \(strangers), which are not in the file") }
    let lost = acknowledged.subtracting(received).sorted()
    if !lost.isEmpty { all.append("the stream does not have the writes \(lost), which were acknowledged") }
    return all
  }
}
