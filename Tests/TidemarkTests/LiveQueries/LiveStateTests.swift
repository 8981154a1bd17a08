import Testing
import Tidemark

@testable import TidemarkEssentials

/// The decisions of the engine of live queries: events go in, work comes out.
@Suite struct LiveStateTests {
  // MARK: Observers

  @Test func `the first observer begins the watch, and is fetched when it is active`() {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A")
    #expect(driver.beginBatch() == nil)
    #expect(driver.work() == ["begin watch", "start reading"])
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["A"])
    #expect(driver.work() == ["publish needs of player"])
    #expect(driver.beginBatch() == nil)
  }

  @Test func `waiting queries are fetched in one batch, and observers of one source share a fetch`() {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A")
    driver.observe("players", as: "B")
    driver.observe("teams", as: "C")
    #expect(driver.work() == ["begin watch", "start reading"])
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["A", "B", "C"])
    #expect(driver.state.currentMetrics.fetchCount == 2)
    #expect(driver.state.currentMetrics.sharedFetchCount == 1)
  }

  @Test func `an observer that is added during a fetch receives the value of the next fetch`() {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A")
    _ = driver.work()
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) { $0.observe("players", as: "B") } == ["A"])
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["B"])
    #expect(driver.beginBatch() == nil)
  }

  @Test func `the last observer ends the watch and releases its query`() {
    let driver = LiveStateDriver.observedPlayers()
    driver.observe("players", as: "B")
    driver.cancel("A")
    #expect(driver.work() == ["release A", "start reading"])
    driver.cancel("B")
    #expect(driver.work() == ["release B", "release query players", "end watch"])
    driver.cancel("B")
    #expect(driver.work().isEmpty)
    #expect(driver.state.currentMetrics.queryCount == 0)
  }

  @Test func `an observer that leaves while the watch begins ends it when it is active`() throws {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A")
    let needs = try #require(driver.takeNeeds())
    driver.cancel("A")
    #expect(driver.work() == ["release A", "release query players"])
    driver.beginWatch(needs)
    #expect(driver.work() == ["end watch"])
  }

  @Test func `a query that is cancelled during its fetch delivers nothing`() throws {
    let driver = LiveStateDriver.observedPlayers()
    driver.observe("teams", as: "B")
    _ = driver.work()
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) { $0.cancel("B") }.isEmpty)
    #expect(driver.work() == ["release B", "release query teams"])
    #expect(driver.state.currentMetrics.queryCount == 1)
    // Its slot is used again, and its id is not.
    driver.observe("teams", as: "C")
    driver.cancel("B")
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["C"])
  }

  @Test func `a query that is cancelled before its fetch is not fetched`() throws {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A")
    driver.observe("teams", as: "B")
    _ = driver.work()
    let batch = try #require(driver.beginBatch())
    driver.cancel("A")
    let fetch = try #require(driver.next(in: batch))
    #expect(fetch.item.query == driver.queries["teams"])
    #expect(driver.next(in: batch) == nil)
  }

  @Test func `nothing starts in a closed database`() {
    let driver = LiveStateDriver.observedPlayers()
    driver.state.databaseClosed()
    #expect(driver.work() == ["release A", "release query players", "end watch"])
    driver.observe("players", as: "B")
    driver.observeNow("players", as: "C", reading: "player")
    #expect(driver.work().isEmpty)
    #expect(driver.observers["B"] == nil && driver.observers["C"] == nil)
  }

  // MARK: Commits

  @Test func `a commit wakes the queries of its tables, and no others`() {
    let driver = LiveStateDriver.observedPlayers([.databaseDidChange])
    driver.commit("team")
    #expect(driver.work().isEmpty)
    driver.commit("player")
    #expect(driver.work() == ["notify A", "start reading"])
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["A"])
  }

  @Test func `commits during a fetch cause one more fetch`() {
    let driver = LiveStateDriver.observedPlayers()
    driver.commit("player")
    let received = driver.fetchAll(reading: LiveStateDriver.tables) { driver in
      driver.commit("player")
      driver.commit("player")
    }
    #expect(received == ["A"])
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["A"])
    #expect(driver.beginBatch() == nil)
  }

  @Test func `a commit during the first fetch is compared with the region that it has read`() {
    for (table, receivers) in [("player", ["A"]), ("team", [])] {
      let driver = LiveStateDriver()
      driver.observe("players", as: "A")
      _ = driver.work()
      // The region is unknown, but changes of the table are captured for another query.
      driver.observe("teams", as: "B")
      #expect(driver.fetchAll(reading: ["players": "player", "teams": "player"]) == ["A", "B"])
      _ = driver.work()
      driver.cancel("A")
      driver.observe("players", as: "A")
      #expect(driver.fetchAll(reading: LiveStateDriver.tables) { $0.commit(table) } == ["A"])
      _ = driver.work()
      driver.cancel("B")
      #expect(driver.fetchAll(reading: LiveStateDriver.tables) == receivers, "after a commit to \(table)")
    }
  }

  @Test func `an unreported commit during the first fetch of a table makes the fetch outdated`() {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A")
    _ = driver.work()
    // No query is known to read the table: the commit is only counted.
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) { $0.writeCount += 1 } == ["A"])
    #expect(driver.beginBatch() == nil)
    #expect(driver.work() == ["publish needs of player", "start watchdog"])
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["A"])
    _ = driver.work()
    #expect(driver.beginBatch() == nil)
  }

  @Test func `an unreported commit is found when the needs are published by another thread`() throws {
    let driver = LiveStateDriver.observedPlayers()
    driver.observe("teams", as: "B")
    driver.observe("coaches", as: "C")
    _ = driver.work()
    let tables = ["teams": "team", "coaches": "coach"]
    var first: LiveWork.Needs?
    let received = driver.fetchAll(reading: tables) { driver in
      // The needs of the first query are being published while the second one is fetched.
      first = first ?? driver.takeNeeds()
    }
    #expect(Set(received) == ["B", "C"])
    let needs = try #require(first)
    #expect(needs.needs.tables.keys.map(\.name).sorted() == ["player", "team"])
    #expect(driver.work(deferringNeeds: true).isEmpty)
    driver.writeCount += 1
    driver.publish(needs)
    // The first query is outdated, and the needs of the second one are published now.
    let work = driver.work()
    #expect(work.contains("publish needs of coach, player, team"))
    #expect(Set(driver.fetchAll(reading: LiveStateDriver.tables)) == ["B", "C"])
    _ = driver.work()
    #expect(driver.beginBatch() == nil)
    #expect(!driver.state.log.hasRunningFetches)
  }

  @Test func `a reported commit of another table does not outdate a fetch whose needs are published later`() {
    let driver = LiveStateDriver.observedPlayers()
    driver.observe("teams", as: "B")
    _ = driver.work()
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["B"])
    driver.cancel("B")
    driver.observe("teams", as: "B")
    // The number of commits is the same before and after: the writer does not count this one.
    let received = driver.fetchAll(reading: LiveStateDriver.tables) { driver in
      driver.commit("player", needsVersion: 100)
      driver.writeCount -= 1
    }
    #expect(received == ["B"])
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["A"])
    #expect(driver.work().contains("publish needs of player, team"))
    #expect(driver.beginBatch() == nil)
  }

  @Test func `needs of an ended watch are ignored`() throws {
    let driver = LiveStateDriver.observedPlayers()
    driver.observe("teams", as: "B")
    _ = driver.work()
    _ = driver.fetchAll(reading: LiveStateDriver.tables)
    let needs = try #require(driver.takeNeeds())
    _ = driver.state.readerLeaves(after: 0, at: driver.now)
    driver.cancel("A")
    driver.cancel("B")
    #expect(driver.work().contains("end watch"))
    driver.observe("players", as: "C")
    driver.publish(needs)
    #expect(driver.beginBatch() == nil)
    #expect(driver.work() == ["begin watch", "start reading"])
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["C"])
    _ = driver.work()
    #expect(!driver.state.log.hasRunningFetches)
  }

  @Test func `a commit that was captured for older needs wakes the queries that came later`() {
    let driver = LiveStateDriver.observedPlayers()
    let older = driver.needsVersion
    driver.observe("teams", as: "B")
    _ = driver.fetchAll(reading: LiveStateDriver.tables)
    _ = driver.work()
    driver.commit("coach", needsVersion: older)
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["B"])
    driver.commit("coach")
    #expect(driver.beginBatch() == nil)
  }

  @Test func `unknown changes wake all queries, which determine their reads again`() throws {
    let driver = LiveStateDriver.observedPlayers()
    driver.state.queries[try #require(driver.queries["players"])].note(ReadSet())
    driver.commit(nil)
    let batch = try #require(driver.beginBatch())
    let fetch = try #require(driver.next(in: batch))
    #expect(fetch.findsRegion)
    #expect(fetch.lastReadSet == nil)
    #expect(fetch.item.pendingReasons == .change)
  }

  @Test func `an external commit delivers results with another digest only`() {
    let driver = LiveStateDriver.observedPlayers()
    var other = ResultDigest()
    other.add(1)
    let first = ResultDigest()
    driver.commit("player")
    #expect(driver.fetchAll(reading: LiveStateDriver.tables, digest: first) == ["A"])
    driver.state.externalCommitDetected(at: driver.now)
    #expect(driver.fetchAll(reading: LiveStateDriver.tables, digest: first) == [])
    driver.state.externalCommitDetected(at: driver.now)
    #expect(driver.fetchAll(reading: LiveStateDriver.tables, digest: other) == ["A"])
    driver.state.externalCommitDetected(at: driver.now)
    #expect(driver.fetchAll(reading: LiveStateDriver.tables, digest: nil) == ["A"])
    #expect(driver.state.currentMetrics.unchangedFetchCount == 1)
  }

  @Test func `an external commit during a first fetch causes another one`() {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A")
    _ = driver.work()
    let received = driver.fetchAll(reading: LiveStateDriver.tables) { $0.state.externalCommitDetected(at: $0.now) }
    #expect(received == ["A"])
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["A"])
  }

  @Test func `external commits visit the queries when a batch begins`() throws {
    let driver = LiveStateDriver.observedPlayers()
    let wakeCount = driver.state.currentMetrics.wakeCount
    for _ in 1...2 { driver.state.externalCommitDetected(at: driver.now) }
    #expect(driver.work().first == "start reading")
    #expect(driver.state.currentMetrics.wakeCount == wakeCount)
    #expect(driver.state.currentMetrics.externalCommitCount == 2)
    // The batch may read the state before this commit.
    let received = driver.fetchAll(reading: LiveStateDriver.tables) { $0.state.externalCommitDetected(at: $0.now) }
    #expect(received == ["A"])
    #expect(driver.state.currentMetrics.wakeCount == wakeCount + 2)
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["A"])
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == [])
  }

  @Test func `an external commit concerns queries that are added before the next batch`() throws {
    let driver = LiveStateDriver.observedPlayers()
    driver.state.externalCommitDetected(at: driver.now)
    driver.observe("teams", as: "B")
    #expect(Set(driver.fetchAll(reading: LiveStateDriver.tables)) == ["A", "B"])
  }

  @Test func `an external commit starts fetches that need write access`() throws {
    let driver = LiveStateDriver()
    driver.observe("writing", as: "A")
    _ = driver.work()
    let batch = try #require(driver.beginBatch(writing: true))
    let fetch = try #require(driver.next(in: batch))
    _ = driver.succeed(fetch, reading: "player", in: batch)
    driver.deliver(fetch)
    driver.state.batchLeft(batch.number, from: driver.now, to: driver.now)
    driver.state.writerLeaves(at: driver.now)
    _ = driver.work()
    driver.state.externalCommitDetected(at: driver.now)
    #expect(driver.work() == ["start reading"])
    #expect(driver.beginBatch() == nil)
    #expect(driver.work() == ["start writing"])
    #expect(driver.beginBatch(writing: true) != nil)
  }

  @Test func `observers are notified of each external commit`() {
    let driver = LiveStateDriver.observedPlayers(.databaseDidChange)
    for _ in 1...2 {
      driver.state.externalCommitDetected(at: driver.now)
      #expect(driver.work().contains("notify A"))
    }
  }

  @Test func `a fetch that an external commit makes outdated keeps its reads`() throws {
    let driver = LiveStateDriver.observedPlayers()
    driver.commit("player")
    // A fetch with another region is compared with the commits since its beginning.
    let batch = try #require(driver.beginBatch())
    let fetch = try #require(driver.next(in: batch))
    driver.state.externalCommitDetected(at: driver.now)
    _ = driver.succeed(fetch, reading: "team", in: batch)
    driver.deliver(fetch)
    driver.state.batchLeft(batch.number, from: driver.now, to: driver.now)
    let next = try #require(driver.beginBatch())
    #expect(try #require(driver.next(in: next)).lastReadSet != nil)
  }

  // MARK: Immediate fetches

  @Test func `an immediate observer is fetched again if its fetch was not watched`() throws {
    let driver = LiveStateDriver()
    // Another thread is about to begin the watch.
    driver.observe("teams", as: "B")
    let needs = try #require(driver.takeNeeds())
    driver.observeNow("players", as: "A", reading: "player")
    #expect(driver.work().isEmpty)
    driver.beginWatch(needs)
    #expect(driver.work() == ["publish needs of player", "start reading", "start watchdog"])
    #expect(Set(driver.fetchAll(reading: LiveStateDriver.tables)) == ["A", "B"])
  }

  @Test func `an immediate observer is not fetched again unless a commit has intervened`() {
    for (commit, receivers) in [(false, []), (true, ["A"])] {
      let driver = LiveStateDriver()
      driver.observe("players", as: "B")
      _ = driver.work()
      _ = driver.fetchAll(reading: LiveStateDriver.tables)
      _ = driver.work()
      driver.observeNow("teams", as: "A", reading: "team") { if commit { $0.writeCount += 1 } }
      _ = driver.work()
      #expect(driver.fetchAll(reading: LiveStateDriver.tables) == receivers)
    }
  }

  // MARK: Failures

  @Test func `a failed fetch ends the observers that do not retry`() throws {
    let driver = LiveStateDriver.observedPlayers()
    driver.observe("players", as: "B", retry: LiveStateDriver.retry)
    let batch = try #require(driver.beginBatch())
    var fetch = try #require(driver.next(in: batch))
    driver.state.fetchFailed(fetch.item, isTransient: true, at: driver.now)
    #expect(driver.work() == ["release A", "start reading", "pause players \(Duration.milliseconds(20))"])
    driver.state.batchLeft(batch.number, from: driver.now, to: driver.now)
    // A commit does not shorten the pause.
    driver.commit("player")
    #expect(driver.beginBatch() == nil)
    driver.state.pauseEnded(fetch.item.query, at: driver.now)
    let second = try #require(driver.beginBatch())
    fetch = try #require(driver.next(in: second))
    driver.state.fetchFailed(fetch.item, isTransient: true, at: driver.now)
    #expect(driver.work().last == "pause players \(Duration.milliseconds(40))")
    driver.state.batchLeft(second.number, from: driver.now, to: driver.now)
    driver.state.pauseEnded(fetch.item.query, at: driver.now)
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["B"])
  }

  @Test func `an error that is not transient ends all observers`() throws {
    let driver = LiveStateDriver.observedPlayers(retry: LiveStateDriver.retry)
    driver.commit("player")
    let batch = try #require(driver.beginBatch())
    let fetch = try #require(driver.next(in: batch))
    _ = driver.work()
    driver.state.fetchFailed(fetch.item, isTransient: false, at: driver.now)
    #expect(driver.work() == ["release A", "release query players", "end watch"])
    driver.state.pauseEnded(fetch.item.query, at: driver.now)
    driver.state.batchLeft(batch.number, from: driver.now, to: driver.now)
    #expect(driver.work().isEmpty)
  }
}
