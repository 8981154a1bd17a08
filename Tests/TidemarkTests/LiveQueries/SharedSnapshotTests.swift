import Testing

@testable import TidemarkEssentials

/// When a query is fetched from the snapshot in which stored changes of external commits were read.
@Suite struct SharedSnapshotTests {
  /// Events between the beginning of a read of stored changes and its report, and events before it.
  private func batch(
    _ driver: LiveStateDriver = .observedPlayers(), _ tables: [String] = ["player"],
    before: (LiveStateDriver) -> Void = { _ in }, during: (LiveStateDriver) -> Void = { _ in }
  ) throws -> FetchBatch.Facts? {
    before(driver)
    let read = try #require(driver.beginReadOfStoredChanges())
    during(driver)
    return driver.reportStoredChanges(read, tables)
  }

  @Test func `a single query is fetched from the snapshot of the read`() throws {
    let driver = LiveStateDriver.observedPlayers()
    let batch = try #require(try batch(driver, ["team", "player", "player"]))
    let fetch = try #require(driver.next(in: batch))
    #expect(driver.succeed(fetch, reading: nil, in: batch) == ["A"])
  }

  @Test func `an own commit before the read belongs to the snapshot`() throws {
    #expect(try batch(before: { $0.commit("player") }) != nil)
  }

  @Test func `an unaffected query is not fetched`() throws {
    #expect(try batch(.observedPlayers(), ["team"]) == nil)
  }

  @Test func `several queries have a snapshot of their own`() throws {
    let driver = LiveStateDriver.observedPlayers()
    driver.observe("teams", as: "B")
    _ = driver.fetchAll(reading: LiveStateDriver.tables)
    #expect(try batch(driver, ["player", "team"]) == nil)
  }

  @Test func `an incremental query has a snapshot of its own`() throws {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A", isIncremental: true)
    _ = driver.work()
    _ = driver.fetchAll(reading: LiveStateDriver.tables)
    #expect(try batch(driver) == nil)
  }

  @Test func `a commit that is reported during the read may not be in the snapshot`() throws {
    #expect(try batch(during: { $0.commit("player") }) == nil)
  }

  @Test func `a commit that is not reported yet may not be in the snapshot`() throws {
    #expect(try batch(during: { $0.writeCount += 1 }) == nil)
  }

  @Test func `unknown external commits during the read may not be in the snapshot`() throws {
    #expect(try batch(during: { $0.state.externalCommitDetected(at: $0.now) }) == nil)
  }

  @Test func `a new observer needs a newer snapshot`() throws {
    #expect(try batch(during: { $0.observe("players", as: "B") }) == nil)
  }

  @Test func `values do not move back after a fetch during the read`() throws {
    let before: (LiveStateDriver) -> Void = { $0.commit("player") }
    #expect(try batch(before: before, during: { _ = $0.fetchAll(reading: [:]) }) == nil)
  }

  @Test func `values do not move back after a fetch that has begun before the read`() throws {
    let driver = LiveStateDriver.observedPlayers()
    driver.commit("player")
    let running = try #require(driver.beginBatch())
    let fetch = try #require(driver.next(in: running))
    let read = try #require(driver.beginReadOfStoredChanges())
    _ = driver.succeed(fetch, reading: nil, in: running)
    driver.deliver(fetch)
    driver.state.batchLeft(running.number, from: driver.now, to: driver.now)
    #expect(driver.reportStoredChanges(read, ["player"]) == nil)
  }

  @Test func `changed needs may not have captured all commits in the snapshot`() throws {
    let publish: (LiveStateDriver) -> Void = { driver in
      let needs = LiveWork.Needs(
        needs: driver.state.index.needs, version: driver.state.index.needsVersion, watch: driver.state.watchNumber)
      driver.publish(needs)
    }
    #expect(try batch(during: publish) == nil)
  }
}
