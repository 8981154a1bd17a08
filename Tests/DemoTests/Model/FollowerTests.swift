import TestSupport
import Testing
import Tidemark

@testable import Demo

@Suite struct FollowerTests {
  private func sample() throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    return dbQueue
  }

  private func follower() -> Follower {
    var follower = Follower(query: Query(trusted: "SELECT SUM(a) FROM t"), page: PageRequest())
    follower.pauseAfterFailure = .milliseconds(5)
    return follower
  }

  /// The events in a short form.
  private static func text(_ message: Follower.Message) -> String {
    switch message {
    case .rows(let page): page.rows.map { $0.map { ValueText($0, .plain).text }.joined() }.joined(separator: ",")
    case .failed(let sentence): sentence
    }
  }

  @Test func changesAreReported() async throws {
    let dbQueue = try sample()
    let reports = Reports<String>()
    let task = Task { [follower = follower()] in await follower.follow(dbQueue) { reports.add(Self.text($0)) } }
    _ = try await reports.wait(count: 1)
    try await dbQueue.write { db in try db.execute(sql: "INSERT INTO t VALUES (41)") }
    #expect(try await reports.wait(count: 2) == ["1", "42"])
    task.cancel()
    await task.value
  }

  @Test func droppedTableIsFollowedWhenRecreated() async throws {
    let dbQueue = try sample()
    let reports = Reports<String>()
    let task = Task { [follower = follower()] in await follower.follow(dbQueue) { reports.add(Self.text($0)) } }
    _ = try await reports.wait(count: 1)
    try await dbQueue.write { db in try db.execute(sql: "DROP TABLE t") }
    #expect(try await reports.wait(count: 2)[1] == "no such table: t")
    try await dbQueue.write { db in try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (7)") }
    try await Wait.until("the new table") { reports.all.last == "7" }
    task.cancel()
    await task.value
  }

  @Test func cancelledFollowerReportsNothing() async throws {
    let dbQueue = try sample()
    let reports = Reports<String>()
    let task = Task { [follower = follower()] in await follower.follow(dbQueue) { reports.add(Self.text($0)) } }
    _ = try await reports.wait(count: 1)
    task.cancel()
    await task.value
    try await dbQueue.write { db in try db.execute(sql: "INSERT INTO t VALUES (41)") }
    #expect(reports.all == ["1"])
    #expect(dbQueue.observationMetrics.observationCount == 0)
  }

  @Test func runningQueriesReportTheirDuration() async throws {
    let dbQueue = try DatabaseQueue()
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    let follower = Follower(query: Query(trusted: endless), page: PageRequest())
    #expect(follower.fetching.elapsed == nil)
    let task = Task { await follower.follow(dbQueue) { _ in } }
    try await Wait.until("a query that runs") { follower.fetching.elapsed != nil }
    // If the statement were not interrupted, this would never end.
    task.cancel()
    await task.value
  }
}
