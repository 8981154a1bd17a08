import Testing
import Tidemark
@testable import TidemarkEssentials

/// A connection's own commits are distinguished from external ones, which are never taken for its own.
@Suite struct OwnCommitTrackerTests {
  private let folder: TemporaryFolder
  private let pool: DatabasePool
  private let other: DatabasePool
  private let commits: OwnCommitTracker

  init() throws {
    folder = try TemporaryFolder()
    pool = try folder.pool()
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n)") }
    other = try folder.pool()
    commits = pool.writer.ownCommits
    commits.begin()
    commits.begin(with: try #require(try header()))
  }

  private func header() throws -> WALIndexHeader? { try other.unsafeRead { try $0.openHandle().walIndexHeader } }

  private func check() throws -> OwnCommitTracker.Finding {
    let header = try header()
    return commits.check { header }
  }

  private func insert(_ database: DatabasePool) throws {
    try database.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
  }

  @Test func idleDatabasesAreUnchanged() throws {
    #expect(try check() == .unchanged)
  }

  @Test func ownCommitsAreNotReported() throws {
    for _ in 0..<10 { try insert(pool) }
    #expect(try check() == .unchanged)
  }

  @Test func `an external commit that a connection has read counts, and is reported by the next check`() throws {
    let before = try #require(try header())
    let count = try #require(commits.externalCommitCount(inReadState: before))
    try insert(other)
    let after = try #require(try header())
    #expect(commits.externalCommitCount(inReadState: after) == count + 1)
    #expect(commits.externalCommitCount(inReadState: after) == count + 1)
    #expect(commits.externalCommitCount(inReadState: before) == nil)
    #expect(try check() == .externalCommit)
    #expect(commits.externalCommitCount(inReadState: after) == count + 1)
  }

  @Test func emptyOwnTransactionsDoNotStayInFlight() throws {
    try pool.write { _ in }
    try insert(other)
    #expect(try check() == .externalCommit)
  }

  @Test func externalCommitsAreReportedOnce() throws {
    try insert(other)
    #expect(try check() == .externalCommit)
    #expect(try check() == .unchanged)
  }

  @Test func externalCommitsBetweenOwnCommitsAreReported() throws {
    try insert(pool)
    try insert(other)
    try insert(pool)
    #expect(try check() == .externalCommit)
    #expect(try check() == .unchanged)
  }

  @Test func externalCommitsBeforeAnOwnCommitAreReported() throws {
    try insert(other)
    try insert(pool)
    #expect(try check() == .externalCommit)
  }

  /// The results of a closure that is called while own commits are being reported.
  private func whileReporting<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) -> (
    results: Deliveries<Result>, subscription: ChangeSubscription
  ) {
    let results = Deliveries<Result>()
    let subscription = pool.changeBroker.subscribe(.all) { _ in
      do { results.append(try body()) } catch { Issue.record(error) }
    }
    return (results, subscription)
  }

  @Test func `the state before an own commit is the reported one until the report has ended`() throws {
    let (states, subscription) = whileReporting { commits.reportedState }
    try insert(other)
    let (before, count) = (try #require(try header()), commits.reportedState.ownCommitCount)
    try insert(pool)
    subscription.cancel()
    #expect(try #require(states.values.first?.header).hasSameContent(as: before))
    #expect(states.values.map(\.ownCommitCount) == [count])
    #expect(try #require(commits.reportedState.header).hasSameContent(as: #require(try header())))
    #expect(commits.reportedState.ownCommitCount == count + 1)
  }

  @Test func `an external commit that follows an own one is found after the report of the own one`() throws {
    let (findings, subscription) = whileReporting {
      try insert(other)
      return try check()
    }
    try insert(pool)
    subscription.cancel()
    #expect(findings.values + [try check()] == [.inconclusive, .externalCommit])
  }

  @Test func `a report that takes long does not hide external commits`() throws {
    let (findings, subscription) = whileReporting {
      try insert(other)
      let header = try header()
      return commits.check(false) { header }
    }
    try insert(pool)
    subscription.cancel()
    #expect(findings.values == [.externalCommit])
  }

  @Test func checkpointsAreNotReported() throws {
    for mode in [Database.CheckpointMode.passive, .full, .restart, .truncate] {
      try insert(pool)
      _ = try pool.writeWithoutTransaction { try $0.checkpoint(mode) }
      #expect(try check() == .unchanged)
      _ = try other.writeWithoutTransaction { try $0.checkpoint(mode) }
      #expect(try check() == .unchanged)
      try insert(pool)
      #expect(try check() == .unchanged)
    }
  }

  @Test func logRestartsDoNotHideExternalCommits() throws {
    for mode in [Database.CheckpointMode.restart, .truncate] {
      // The same number of frames in the log, and another commit.
      try insert(pool)
      _ = try other.writeWithoutTransaction { try $0.checkpoint(mode) }
      try insert(other)
      #expect(try check() == .externalCommit)
      _ = try other.writeWithoutTransaction { try $0.checkpoint(mode) }
      try insert(other)
      _ = try other.writeWithoutTransaction { try $0.checkpoint(mode) }
      #expect(try check() == .externalCommit)
      try insert(other)
      _ = try other.writeWithoutTransaction { try $0.checkpoint(mode) }
      try insert(pool)
      #expect(try check() == .externalCommit)
      #expect(try check() == .unchanged)
    }
  }

  @Test func rollbacksAndWritesElsewhereAreNotCommits() throws {
    #expect(throws: Planned.self) {
      try pool.write { db in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        throw Planned()
      }
    }
    try insert(other)
    try pool.write { try $0.execute(sql: "CREATE TEMPORARY TABLE u (a); INSERT INTO u VALUES (1)") }
    #expect(try check() == .externalCommit)
    try pool.write { _ in }
    #expect(try check() == .unchanged)
  }

  @Test func unfinishedCommitsAreInconclusive() throws {
    try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    // A commit whose end is not reported, as in the moment between the commit and the hook that reports it.
    let commits = OwnCommitTracker()
    commits.begin()
    commits.begin(with: try #require(try header()))
    try pool.write { db in
      try db.execute(sql: "INSERT INTO t VALUES (2)")
      commits.willCommit(on: try db.openHandle().pointer)
    }
    let header = try header()
    #expect(commits.check { header } == .inconclusive)
    #expect(commits.check(false) { header } == .externalCommit)
    #expect(commits.check { header } == .unchanged)
  }

  @Test func `the end of one of two overlapping users does not stop the recording`() throws {
    let second = OwnCommitTracker()
    second.begin()
    second.begin()
    second.end()
    #expect(second.isTracking)
    second.end()
    #expect(!second.isTracking)
  }

  @Test func `a header that was read before an own commit does not hide or invent commits`() throws {
    let old = try #require(try header())
    #expect(commits.check(found: old) { nil } == .unchanged)
    try insert(pool)
    var new = try header()
    #expect(commits.check(found: old) { new } == .unchanged)
    try insert(other)
    #expect(commits.check(found: new) { nil } == .unchanged)
    new = try header()
    #expect(commits.check(found: new) { new } == .externalCommit)
  }

  @Test func unreadableHeadersAreInconclusive() {
    #expect(commits.check { nil } == .inconclusive)
  }

  @Test func backupsIntoTheDatabaseAreExternal() throws {
    let source = try DatabaseQueue()
    try source.write { try $0.execute(sql: "CREATE TABLE t (n); INSERT INTO t VALUES (7)") }
    try source.backup(to: pool)
    #expect(try check() == .externalCommit)
    try insert(pool)
    #expect(try check() == .unchanged)
  }

  @Test func randomExternalCommitsAreReported() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      var isExternal = false
      var done: [Int] = []
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let operation = Int.random(in: 0..<6, using: &random)
        done.append(operation)
        switch operation {
        case 0, 1: try insert(pool)
        case 2:
          try insert(other)
          isExternal = true
        case 3: _ = try other.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        case 4: _ = try pool.writeWithoutTransaction { try $0.checkpoint(.restart) }
        default: try pool.write { _ in }
        }
      }
      let found = try check()
      #expect(found == (isExternal ? .externalCommit : .unchanged), "\(done)")
    }
  }
}
