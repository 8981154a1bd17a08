import Foundation
import StressSupport
import TestSupport
import Tidemark

/// The observers of a database whose disk fails now and then: a change stream, and a live query.
final class StormObservers: Sendable {
  private struct Query {
    /// The rows of the last value; nil before the first.
    var numbers: [Int]?
    var problems: [String] = []
  }

  let follower: ChangeFollower
  private let query = StressSupport.Mutex(Query())
  private let queryEnd = DispatchSemaphore(value: 0)

  /// - Parameter database: A database in which nothing writes at the moment.
  init(_ database: any DatabaseWriter) throws {
    follower = try ChangeFollower(database)
    Task(executorPreference: TaskThread()) { [self] in
      var isOpen = true
      // A fetch that fails ends the query.
      while isOpen { isOpen = await followQuery(database) }
      queryEnd.signal()
    }
  }

  /// Follows a live query until it fails.
  ///
  /// - Returns: Whether it can be started again.
  private func followQuery(_ database: any DatabaseWriter) async -> Bool {
    let observation = ValueObservation.tracking { db in
      try ["one", "two"].map { try Int.fetchAll(db, sql: "SELECT n FROM \($0) ORDER BY n") }
    }
    do {
      for try await value in observation.values(in: database) { receive(value) }
      return false
    } catch let error as DatabaseError {
      return error.message != "Connection is closed" && !error.isDatabaseStopped
    } catch {
      query.withLock { $0.problems.append("in a live query: an error of another kind: \(error)") }
      return false
    }
  }

  private func receive(_ value: [[Int]]) {
    query.withLock { query in
      if value[0] != value[1] { query.problems.append("in a live query: half a write: \(value)") }
      let lost = Set(query.numbers ?? []).subtracting(value[0]).sorted()
      if !lost.isEmpty { query.problems.append("in a live query: \(lost) have disappeared") }
      query.numbers = value[0]
    }
  }

  /// Waits until the live query has the current rows, of a database that works.
  func waitForQuery(_ numbers: [Int]) throws {
    try Wait.until("the last value of a live query") { query.withLock { $0.numbers } == numbers }
  }

  /// The violations, once the database was closed.
  ///
  /// - Parameter ledger: The outcomes of the writes.
  func complaints(about path: String, _ ledger: Ledger) throws -> [String] {
    try follower.waitForEnd()
    try Wait.on(queryEnd, "the end of a live query")
    let database = try DatabaseQueue(path: path)
    let file = try database.read { try FeedCopy($0) }
    return query.withLock { $0.problems }
      + follower.complaints(
        about: file, acknowledged: ledger.acknowledged, isWhole: !ledger.words.values.contains(.unknown))
  }
}
