import Testing
import Tidemark

@testable import TidemarkEssentials

/// Batches, fetches and watches that end at an unusual moment.
@Suite struct LiveStateEndTests {
  /// A batch with two queries, of which one is being fetched.
  private struct Pair {
    let driver = LiveStateDriver()
    let batch: FetchBatch.Facts
    let fetch: LiveState.Fetch

    init() throws {
      driver.observe("players", as: "A")
      driver.observe("teams", as: "B")
      _ = driver.work()
      batch = try #require(driver.beginBatch())
      fetch = try #require(driver.next(in: batch))
    }

    func succeed() {
      #expect(driver.succeed(fetch, reading: "player", in: batch) == ["A"])
      driver.deliver(fetch)
    }

    func leave() { driver.state.batchLeft(batch.number, from: driver.now, to: driver.now) }
  }

  @Test func `queries that a batch could not fetch wait for the next batch`() throws {
    let pair = try Pair()
    pair.succeed()
    pair.leave()
    #expect(pair.driver.fetchAll(reading: LiveStateDriver.tables) == ["B"])
  }

  @Test func `a query without observers does not wait for the next batch`() throws {
    let pair = try Pair()
    pair.succeed()
    pair.driver.cancel("B")
    pair.leave()
    #expect(pair.driver.beginBatch() == nil)
  }

  @Test func `the queries of a batch fail only with its last connection`() throws {
    let pair = try Pair()
    pair.driver.state.withBatch(pair.batch.number) { $0.readerCount = 2 }
    #expect(pair.driver.state.batchFailed(pair.batch.number).isEmpty)
    pair.leave()
    #expect(pair.driver.state.batchFailed(pair.batch.number).map(\.query) == [pair.driver.queries["teams"]])
  }

  @Test func `a commit that follows the own commit of a fetch wakes its query`() throws {
    let driver = LiveStateDriver()
    driver.observe("writing", as: "A")
    _ = driver.work()
    for isOwn in [false, true] {
      let batch = try #require(driver.beginBatch(writing: true))
      let fetch = try #require(driver.next(in: batch))
      if isOwn {
        driver.state.willCommitOwn(driver.state.queries[fetch.item.query].facts.key, writeCount: driver.writeCount)
        driver.commit("player")
        // A transaction observer has written after the commit.
        driver.commit("player")
      }
      var result = LiveStateDriver.result("player")
      result.ownCommit = driver.state.ownCommit
      driver.state.ownCommit = nil
      _ = driver.state.fetchSucceeded(fetch.item, result, batch, writeCount: driver.writeCount)
      driver.deliver(fetch)
      driver.state.batchLeft(batch.number, from: driver.now, to: driver.now)
      driver.state.writerLeaves(at: driver.now)
      _ = driver.work()
      if !isOwn { driver.commit("player") }
    }
    #expect(driver.beginBatch(writing: true) != nil)
  }

  @Test func `a region is reported once if other reads have the same region`() throws {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A", [.willTrackRegion])
    _ = driver.work()
    let region = DatabaseRegion(tables: [TableKey("player"): .all])
    var reported: [DatabaseRegion?] = []
    for readSet in [ReadSet(region), ReadSet()] {
      let batch = try #require(driver.beginBatch())
      let fetch = try #require(driver.next(in: batch))
      let result = LiveFetch.Facts(readSet: readSet, region: region)
      reported.append(driver.state.fetchSucceeded(fetch.item, result, batch, writeCount: driver.writeCount).newRegion)
      driver.deliver(fetch)
      driver.state.batchLeft(batch.number, from: driver.now, to: driver.now)
      _ = driver.work()
      driver.commit("player")
    }
    #expect(reported == [region, nil])
  }

  @Test func `needs that change before the watch begins are published when it has begun`() throws {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A")
    let needs = try #require(driver.takeNeeds())
    driver.observeNow("teams", as: "B", reading: "team")
    #expect(driver.work(deferringNeeds: true) == [])
    driver.beginWatch(needs)
    #expect(driver.work(deferringNeeds: true).contains("publish needs of team"))
  }

  @Test func `an observer is not added if the database is closed during its first fetch`() {
    let driver = LiveStateDriver()
    driver.observeNow("players", as: "A", reading: "player") { $0.state.databaseClosed() }
    #expect(driver.observers["A"] == nil)
    #expect(driver.state.queries.ids.isEmpty)
  }

  @Test func `an unchanged result is delivered if an observer may have received another one`() {
    let driver = LiveStateDriver.observedPlayers()
    let digest = ResultDigest()
    driver.commit("player")
    #expect(driver.fetchAll(reading: LiveStateDriver.tables, digest: digest) == ["A"])
    // The digest of its first value is unknown.
    driver.observeNow("players", as: "B", reading: "player")
    driver.state.externalCommitDetected(at: driver.now)
    #expect(driver.fetchAll(reading: LiveStateDriver.tables, digest: digest) == ["A", "B"])
    driver.state.externalCommitDetected(at: driver.now)
    #expect(driver.fetchAll(reading: LiveStateDriver.tables, digest: digest) == [])
  }
}
