import Testing
import Tidemark

@testable import TidemarkEssentials

/// How external commits wait while the live queries of a database pause.
@Suite struct LiveStatePaceTests {
  /// An observer that is fetched after an external commit, in a batch that takes 1 ms and must be followed by a pause.
  private func driverInPause() throws -> LiveStateDriver {
    let driver = LiveStateDriver.observedPlayers()
    driver.state.pace = ExternalCommitPace(.init(processorShare: 0.1), processorCount: 2)
    driver.state.externalCommitDetected(at: driver.now)
    let batch = try #require(driver.beginBatch())
    let fetch = try #require(driver.next(in: batch))
    _ = driver.succeed(fetch, reading: nil, in: batch)
    driver.deliver(fetch)
    let start = driver.now
    driver.now += .milliseconds(1)
    driver.state.batchLeft(batch.number, from: start, to: driver.now)
    _ = driver.state.readerLeaves(after: 0, at: driver.now)
    _ = driver.work()
    return driver
  }

  @Test func `external commits wait for the end of a pause`() throws {
    let driver = try driverInPause()
    driver.state.externalCommitDetected(at: driver.now)
    #expect(driver.work() == ["start watchdog"])
    #expect(driver.beginBatch() == nil)
    driver.now += .milliseconds(4)
    driver.state.watchdogEnded(try #require(driver.state.readers.watchdog), at: driver.now)
    #expect(driver.work() == ["start reading"])
    #expect(driver.beginBatch() != nil)
  }

  @Test func `stored changes wait for the end of a pause`() throws {
    let driver = try driverInPause()
    driver.state.storedChangesDetected(at: driver.now)
    #expect(driver.work() == ["start watchdog"])
    let isBegun = driver.state.storedChangesReadBegan(writeCount: 0, at: driver.now)
    #expect(isBegun == nil)
    driver.now += .milliseconds(4)
    let isBegunLater = driver.state.storedChangesReadBegan(writeCount: 0, at: driver.now)
    #expect(isBegunLater != nil)
  }

  @Test func `own commits do not wait for the end of a pause`() throws {
    let driver = try driverInPause()
    driver.commit("player")
    #expect(driver.work() == ["start reading"])
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["A"])
  }

  @Test func `a query that waits for a pause is fetched at once after an own commit`() throws {
    let driver = try driverInPause()
    driver.commit("player")
    let batch = try #require(driver.beginBatch())
    let fetch = try #require(driver.next(in: batch))
    driver.state.externalCommitDetected(at: driver.now)
    _ = driver.succeed(fetch, reading: nil, in: batch)
    driver.deliver(fetch)
    driver.state.batchLeft(batch.number, from: driver.now, to: driver.now)
    #expect(driver.beginBatch() == nil)
    driver.commit("player")
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["A"])
    driver.now += .milliseconds(4)
    #expect(driver.beginBatch() == nil)
  }
}
