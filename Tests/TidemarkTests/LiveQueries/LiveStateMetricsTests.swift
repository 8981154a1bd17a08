import Testing
import Tidemark

@testable import TidemarkEssentials

/// The counts of the live query engine, and the times that it measures.
@Suite struct LiveStateMetricsTests {
  @Test func `each commit is counted, and each query that it wakes once`() {
    let driver = LiveStateDriver.observedPlayers()
    let start = driver.state.currentMetrics
    #expect(start.commitCount == 0)
    driver.commit("team")
    #expect(driver.state.currentMetrics.wakeCount == start.wakeCount)
    // The same table in two parts, as two statements may report it.
    driver.commit(tables: ["player", "player"])
    driver.commit("player")
    #expect(driver.state.currentMetrics.commitCount == 3)
    #expect(driver.state.currentMetrics.wakeCount == start.wakeCount + 2)
  }

  @Test func `external commits with stored changes are counted by their reads`() throws {
    let driver = LiveStateDriver.observedPlayers()
    let read = try #require(driver.beginReadOfStoredChanges())
    _ = driver.reportStoredChanges(read, ["team", "player"])
    #expect(driver.state.currentMetrics.externalCommitCount == 1)
  }

  @Test func `queries that wait are counted, for reading and for writing`() {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A")
    driver.observe("writing", as: "B")
    driver.observe("teams", as: "C")
    #expect(driver.state.currentMetrics.waitingQueryCount == 3)
    #expect(driver.state.currentMetrics.queryCount == 3)
  }

  @Test func `the times of fetches and deliveries are measured`() throws {
    let driver = LiveStateDriver.observedPlayers()
    driver.now = .seconds(1)
    driver.commit("player")
    let batch = try #require(driver.beginBatch())
    let fetch = try #require(driver.next(in: batch))
    _ = driver.succeed(fetch, reading: "player", in: batch)
    let times = LiveState.FetchTimes(
      wokenAt: fetch.item.wokenAt, fetchStart: .seconds(2), fetched: .seconds(3), delivered: .seconds(5),
      falseWakeCount: 1)
    driver.state.deliveryEnded(fetch.item.query, times, at: .seconds(5))
    let metrics = driver.state.currentMetrics
    #expect(metrics.fetchTimes.count == 1 && metrics.fetchTimes.total == .seconds(1))
    #expect(metrics.deliveryTimes.count == 1)
    #expect(abs(metrics.deliveryTimes.total / .seconds(1) - 4) < 0.001)
    #expect(metrics.falseWakeCount == 1)
  }

  @Test func `a query that follows an external commit was woken by it`() throws {
    let driver = LiveStateDriver.observedPlayers()
    for time in [Duration.milliseconds(5), .milliseconds(9)] {
      driver.now = time
      driver.state.externalCommitDetected(at: time)
      driver.now += .milliseconds(1)
      let batch = try #require(driver.beginBatch())
      let fetch = try #require(driver.next(in: batch))
      let wokenAt = try #require(fetch.item.wokenAt)
      #expect(wokenAt - time < .microseconds(1) && time - wokenAt < .microseconds(1))
      _ = driver.succeed(fetch, reading: "player", in: batch)
      driver.deliver(fetch)
      driver.state.batchLeft(batch.number, from: driver.now, to: driver.now)
    }
  }

  @Test func `a query that leaves a batch was woken when it was woken first`() throws {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A")
    driver.observe("teams", as: "B")
    _ = driver.work()
    _ = driver.fetchAll(reading: LiveStateDriver.tables)
    driver.now = .milliseconds(5)
    driver.commit(nil)
    let batch = try #require(driver.beginBatch())
    driver.now = .milliseconds(7)
    driver.commit(nil)
    driver.state.batchLeft(batch.number, from: driver.now, to: driver.now)
    let next = try #require(driver.beginBatch())
    let wokenAt = try #require(driver.next(in: next)?.item.wokenAt)
    #expect(wokenAt < .milliseconds(6))
  }

  @Test func `a success ends a series of failures`() throws {
    let driver = LiveStateDriver.observedPlayers(retry: LiveStateDriver.retry)
    let query = try #require(driver.queries["players"])
    for succeeds in [false, true, false] {
      driver.commit("player")
      let batch = try #require(driver.beginBatch())
      let fetch = try #require(driver.next(in: batch))
      if succeeds {
        _ = driver.succeed(fetch, reading: "player", in: batch)
        driver.deliver(fetch)
      } else {
        driver.state.fetchFailed(fetch.item, isTransient: true, at: driver.now)
        #expect(driver.isPausing(query))
        #expect(driver.work().last == "pause players \(Duration.milliseconds(20))")
      }
      driver.state.batchLeft(batch.number, from: driver.now, to: driver.now)
      driver.state.pauseEnded(query, at: driver.now)
      #expect(!driver.isPausing(query))
    }
    driver.cancel("A")
    #expect(!driver.isPausing(query))
    #expect(driver.state.retryPolicies.isEmpty)
  }
}
