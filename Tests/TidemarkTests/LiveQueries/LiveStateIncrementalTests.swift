import Testing
import Tidemark

@testable import TidemarkEssentials

/// The changed rows of incremental queries, as the engine notes them.
@Suite struct LiveStateIncrementalTests {
  /// An incremental query of players that has been fetched.
  private static func driver() throws -> (LiveStateDriver, LiveQueryID) {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A", isIncremental: true)
    _ = driver.work()
    _ = driver.fetchAll(reading: LiveStateDriver.tables)
    _ = driver.work()
    _ = driver.state.readerLeaves(after: 0, at: driver.now)
    let query = try #require(driver.queries["players"])
    _ = driver.state.queries[query].takeChangedRows()
    return (driver, query)
  }

  private static func changedRows(_ driver: LiveStateDriver, _ query: LiveQueryID) -> ChangedRows {
    driver.state.queries[query].takeChangedRows()
  }

  @Test func `a commit without known rows may have changed any row`() throws {
    let (driver, query) = try Self.driver()
    #expect(Self.changedRows(driver, query) == .none)
    driver.commit("team")
    #expect(Self.changedRows(driver, query) == .none)
    driver.commit("player")
    #expect(Self.changedRows(driver, query) == .any)
  }

  @Test func `an unknown commit may have changed any row`() throws {
    let (driver, query) = try Self.driver()
    driver.commit(nil)
    #expect(Self.changedRows(driver, query) == .any)
  }

  @Test func `a commit for older needs may have changed any row`() throws {
    let (driver, query) = try Self.driver()
    driver.commit("team", needsVersion: driver.state.queries[query].needsVersion - 1)
    #expect(Self.changedRows(driver, query) == .any)
  }

  @Test func `an external commit may have changed any row`() throws {
    let (driver, query) = try Self.driver()
    driver.state.externalCommitDetected(at: driver.now)
    let batch = try #require(driver.beginBatch())
    #expect(batch.isIncremental && batch.needsSnapshotState)
    #expect(Self.changedRows(driver, query) == .any)
  }

  @Test func `an outdated fetch may have missed any row`() throws {
    let (driver, query) = try Self.driver()
    driver.state.outdated(query, .externalCommit)
    #expect(Self.changedRows(driver, query) == .any)
    #expect(driver.state.queries[query].lastReadSet != nil)
    driver.state.outdated(query, .change)
    #expect(driver.state.queries[query].lastReadSet == nil)
  }

  @Test func `stored changes of external commits may have changed any row`() throws {
    let (driver, query) = try Self.driver()
    let read = try #require(driver.beginReadOfStoredChanges())
    // It is not fetched in the snapshot of the read, which is not identified.
    #expect(driver.reportStoredChanges(read, ["player"]) == nil)
    #expect(Self.changedRows(driver, query) == .any)
  }

  @Test func `the rows of a failed fetch are noted again`() throws {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A", retry: LiveStateDriver.retry, isIncremental: true)
    _ = driver.work()
    let batch = try #require(driver.beginBatch())
    driver.state.rowsNoted(in: batch.number, externalCommitCount: 0)
    let fetch = try #require(driver.next(in: batch))
    #expect(Self.changedRows(driver, fetch.item.query) == .none)
    driver.state.fetchFailed(fetch.item, isTransient: true, at: driver.now)
    #expect(Self.changedRows(driver, fetch.item.query) == .any)
  }

  @Test func `rows are complete if no commit was reported since they were noted`() throws {
    let (driver, _) = try Self.driver()
    driver.commit("player")
    let batch = try #require(driver.beginBatch())
    driver.state.rowsNoted(in: batch.number, externalCommitCount: 7)
    driver.commit("team")
    let isEarly = driver.state.snapshotIdentified(in: batch.number, externalCommitCount: 8)
    #expect(!isEarly)
    driver.state.rowsNoted(in: batch.number, externalCommitCount: 8)
    let isComplete = driver.state.snapshotIdentified(in: batch.number, externalCommitCount: 8)
    #expect(isComplete)
    let changes = try #require(driver.next(in: batch)).item.snapshotChanges
    #expect(changes.isComplete && changes.externalCommits == 8 && changes.rows == .any)
  }

  @Test func `noted rows have the number of external commits of their state`() throws {
    let (driver, _) = try Self.driver()
    driver.commit("player")
    let batch = try #require(driver.beginBatch())
    driver.state.rowsNoted(in: batch.number, externalCommitCount: 7)
    #expect(try #require(driver.next(in: batch)).item.snapshotChanges.externalCommits == 7)
  }

  @Test func `after an external commit with unknown changes, states have other numbers`() throws {
    let (driver, _) = try Self.driver()
    driver.state.externalCommitNumbering.stateIsRead(3)
    driver.state.externalCommitsReported([], externalCommitCount: 5, at: driver.now)
    #expect(driver.state.externalCommitNumbering.number(of: 5) == 3)
    driver.state.externalCommitDetected(at: driver.now)
    #expect(driver.state.externalCommitNumbering.number(of: 5) == 5)
  }

  @Test func `a query that was fetched before an external commit may have any row in its batch`() throws {
    let (driver, query) = try Self.driver()
    driver.commit("player")
    let batch = try #require(driver.beginBatch())
    _ = Self.changedRows(driver, query)
    driver.state.externalCommitDetected(at: driver.now)
    driver.state.rowsNoted(in: batch.number, externalCommitCount: 0)
    #expect(try #require(driver.next(in: batch)).item.snapshotChanges.rows == .any)
  }

  @Test func `the rows of a query that was removed are not needed`() throws {
    let (driver, _) = try Self.driver()
    driver.observe("teams", as: "B")
    driver.commit("player")
    let batch = try #require(driver.beginBatch())
    driver.cancel("A")
    driver.state.rowsNoted(in: batch.number, externalCommitCount: 0)
    #expect(try #require(driver.next(in: batch)).item.query == driver.queries["teams"])
  }

  // MARK: Confirmed commits

  @Test func `commits are confirmed while there are incremental queries, at the end of a group`() throws {
    let (driver, _) = try Self.driver()
    for (isContinued, isConfirmed) in [(false, true), (true, false)] {
      driver.state.work = LiveWork()
      driver.commit(tables: ["team"], isContinued: isContinued)
      #expect(driver.state.work.confirmsCommit == isConfirmed)
    }
    driver.observe("teams", as: "B")
    driver.cancel("A")
    driver.state.work = LiveWork()
    driver.commit("coach")
    #expect(!driver.state.work.confirmsCommit)
  }

  @Test func `a commit that concerns no query is work if it is to be confirmed`() throws {
    let (driver, _) = try Self.driver()
    let other = LiveStateDriver.observedPlayers()
    for (driver, isWork) in [(driver, true), (other, false)] {
      let changes = CommittedChanges(needsVersion: driver.needsVersion)
      let hasWork = driver.state.commitReported(changes, isUnknown: false, writeCount: 9, at: driver.now)
      #expect(hasWork == isWork)
    }
  }

  @Test func `a batch is incremental, or reports the version, if one of its queries does`() throws {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A", isIncremental: true)
    driver.observe("teams", as: "B")
    _ = driver.work()
    let both = try #require(driver.beginBatch())
    #expect(both.isIncremental && !both.reportsVersion && both.isLarge)
    driver.commit(nil)
    let other = LiveStateDriver.observedPlayers()
    other.commit("player")
    let single = try #require(other.beginBatch())
    #expect(!single.isIncremental && !single.reportsVersion && !single.needsSnapshotState && !single.isLarge)
  }
}
