import Testing
import Tidemark

@testable import TidemarkEssentials

/// The decisions of the engine of live queries about its connections and threads.
@Suite struct LiveStateConnectionTests {
  @Test func `another connection is requested when a fetch takes long`() throws {
    let driver = LiveStateDriver.observedPlayers()
    driver.observe("teams", as: "B")
    _ = driver.work()
    _ = try #require(driver.beginBatch())
    driver.commit("player")
    #expect(driver.work() == ["start watchdog"])
    driver.now += .microseconds(249)
    driver.commit("team")
    driver.commit("player")
    #expect(driver.work().isEmpty)
    driver.now += .microseconds(1)
    driver.commit(nil)
    #expect(driver.work() == ["start reading"])
  }

  @Test func `a watchdog requests a connection if no event follows`() throws {
    let driver = LiveStateDriver.observedPlayers()
    driver.observe("teams", as: "B")
    _ = driver.work()
    _ = try #require(driver.beginBatch())
    driver.commit("player")
    driver.now += .milliseconds(5)
    _ = driver.work()
    driver.state.watchdogEnded(try #require(driver.state.readers.watchdog), at: driver.now)
    #expect(driver.work() == ["start reading"])
  }

  @Test func `queries leave a batch that is stuck`() throws {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A")
    driver.observe("teams", as: "B")
    _ = driver.work()
    let batch = try #require(driver.beginBatch())
    driver.state.withBatch(batch.number) { $0.share(nil) }
    let slow = try #require(driver.next(in: batch))
    #expect(driver.work() == ["start watchdog"])
    driver.now += driver.state.policy.batchDelayMax
    driver.state.watchdogEnded(try #require(driver.state.readers.watchdog), at: driver.now)
    #expect(driver.work() == ["start reading"])
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["B"])
    #expect(driver.succeed(slow, reading: "player", in: batch) == ["A"])
    #expect(driver.next(in: batch) == nil)
  }

  @Test func `a query that leaves a stuck batch keeps the changed rows that the batch has taken`() throws {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A")
    driver.observe("teams", as: "B", isIncremental: true)
    _ = driver.work()
    let stuck = try #require(driver.beginBatch())
    // Any row may have changed before the first fetch.
    driver.state.rowsNoted(in: stuck.number, externalCommitCount: 0)
    driver.state.withBatch(stuck.number) { $0.share(nil) }
    _ = try #require(driver.next(in: stuck))
    _ = driver.work()
    driver.now += driver.state.policy.batchDelayMax
    driver.state.watchdogEnded(try #require(driver.state.readers.watchdog), at: driver.now)
    let batch = try #require(driver.beginBatch())
    driver.state.rowsNoted(in: batch.number, externalCommitCount: 0)
    #expect(try #require(driver.next(in: batch)).item.snapshotChanges.rows == .any)
  }

  @Test func `a fetch that writes is not woken by its own commit`() throws {
    let driver = LiveStateDriver()
    driver.observe("writing", as: "A")
    #expect(driver.work() == ["begin watch", "start writing"])
    for isOwn in [false, true] {
      let batch = try #require(driver.beginBatch(writing: true))
      let fetch = try #require(driver.next(in: batch))
      if isOwn {
        let key = driver.state.queries[fetch.item.query].facts.key
        driver.state.willCommitOwn(key, writeCount: driver.writeCount)
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
    #expect(driver.beginBatch(writing: true) == nil)
    driver.commit("player")
    #expect(driver.beginBatch(writing: true) != nil)
  }

  @Test func `stored changes are read before queries are fetched`() {
    let driver = LiveStateDriver.observedPlayers()
    driver.state.storedChangesDetected(at: driver.now)
    #expect(driver.work() == ["start reading"])
    let isFirst = driver.state.storedChangesReadBegan(writeCount: 0, at: driver.now)
    let isSecond = driver.state.storedChangesReadBegan(writeCount: 0, at: driver.now)
    #expect(isFirst != nil && isSecond == nil)
    // The connection that reads continues with another commit.
    driver.state.storedChangesDetected(at: driver.now)
    driver.state.storedChanges.end()
    let isRepeated = driver.state.storedChangesReadBegan(writeCount: 0, at: driver.now)
    #expect(isRepeated != nil)
  }
}
