import Testing
import Tidemark
@testable import TidemarkEssentials

/// A connection's own commits are distinguished from external ones, which are never taken for its own.
@Suite struct OwnCommitTests {
  private let folder: TemporaryFolder
  private let pool: DatabasePool
  private let other: DatabasePool
  private let commits: OwnCommits

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

  private func look() throws -> OwnCommits.Finding {
    let header = try header()
    return commits.look { header }
  }

  private func insert(_ database: DatabasePool) throws {
    try database.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
  }

  @Test func nothingIsFoundWhereNothingIsDone() throws {
    #expect(try look() == .nothing)
  }

  @Test func ownCommitsAreNothing() throws {
    for _ in 0..<10 { try insert(pool) }
    #expect(try look() == .nothing)
  }

  @Test func aTransactionThatWritesNothingIsNoCommitThatGoesOn() throws {
    try pool.write { _ in }
    try insert(other)
    #expect(try look() == .others)
  }

  @Test func othersAreFoundOnce() throws {
    try insert(other)
    #expect(try look() == .others)
    #expect(try look() == .nothing)
  }

  @Test func othersAreFoundBetweenOwnCommits() throws {
    try insert(pool)
    try insert(other)
    try insert(pool)
    #expect(try look() == .others)
    #expect(try look() == .nothing)
  }

  @Test func othersAreFoundBeforeAnOwnCommit() throws {
    try insert(other)
    try insert(pool)
    #expect(try look() == .others)
  }

  @Test func checkpointsAreNothing() throws {
    for mode in [Database.CheckpointMode.passive, .full, .restart, .truncate] {
      try insert(pool)
      _ = try pool.writeWithoutTransaction { try $0.checkpoint(mode) }
      #expect(try look() == .nothing)
      _ = try other.writeWithoutTransaction { try $0.checkpoint(mode) }
      #expect(try look() == .nothing)
      try insert(pool)
      #expect(try look() == .nothing)
    }
  }

  @Test func aLogThatBeginsAnewHidesNobody() throws {
    for mode in [Database.CheckpointMode.restart, .truncate] {
      // The same number of frames in the log, and another commit.
      try insert(pool)
      _ = try other.writeWithoutTransaction { try $0.checkpoint(mode) }
      try insert(other)
      #expect(try look() == .others)
      _ = try other.writeWithoutTransaction { try $0.checkpoint(mode) }
      try insert(other)
      _ = try other.writeWithoutTransaction { try $0.checkpoint(mode) }
      #expect(try look() == .others)
      try insert(other)
      _ = try other.writeWithoutTransaction { try $0.checkpoint(mode) }
      try insert(pool)
      #expect(try look() == .others)
      #expect(try look() == .nothing)
    }
  }

  @Test func whatIsRolledBackOrWritesElsewhereIsNoCommit() throws {
    #expect(throws: Planned.self) {
      try pool.write { db in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        throw Planned()
      }
    }
    try insert(other)
    try pool.write { try $0.execute(sql: "CREATE TEMPORARY TABLE u (a); INSERT INTO u VALUES (1)") }
    #expect(try look() == .others)
    try pool.write { _ in }
    #expect(try look() == .nothing)
  }

  @Test func aCommitThatHasNotEndedIsUnclear() throws {
    try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    // A commit whose end is not reported, as in the moment between the commit and the hook that reports it.
    let commits = OwnCommits()
    commits.begin()
    commits.begin(with: try #require(try header()))
    try pool.write { db in
      try db.execute(sql: "INSERT INTO t VALUES (2)")
      commits.willCommit(on: try db.openHandle().pointer)
    }
    let header = try header()
    #expect(commits.look { header } == .unclear)
    #expect(commits.look(false) { header } == .others)
    #expect(commits.look { header } == .nothing)
  }

  @Test func whatCannotBeReadIsUnclear() {
    #expect(commits.look { nil } == .unclear)
  }

  @Test func aCopyIntoTheDatabaseIsTakenForTheWorkOfOthers() throws {
    let source = try DatabaseQueue()
    try source.write { try $0.execute(sql: "CREATE TABLE t (n); INSERT INTO t VALUES (7)") }
    try source.backup(to: pool)
    #expect(try look() == .others)
    try insert(pool)
    #expect(try look() == .nothing)
  }

  @Test func whatAnotherOneDoesAtRandomIsFound() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      var isOthers = false
      var done: [Int] = []
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let deed = Int.random(in: 0..<6, using: &random)
        done.append(deed)
        switch deed {
        case 0, 1: try insert(pool)
        case 2:
          try insert(other)
          isOthers = true
        case 3: _ = try other.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        case 4: _ = try pool.writeWithoutTransaction { try $0.checkpoint(.restart) }
        default: try pool.write { _ in }
        }
      }
      let found = try look()
      #expect(found == (isOthers ? .others : .nothing), "\(done)")
    }
  }
}
