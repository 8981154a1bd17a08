import Testing
import Tidemark

@testable import TidemarkEssentials

/// The watch of a database, the observers that fetch their first values themselves, and connections.
@Suite struct LiveStateWatchTests {
  // MARK: The watch

  @Test func `an immediate observer that fails ends the watch that it has begun`() {
    let driver = LiveStateDriver()
    #expect(driver.state.immediateFetchCount == 0)
    for _ in 1...2 {
      let isAnnounced = driver.state.immediateObserverAnnounced()
      #expect(isAnnounced)
    }
    #expect(driver.work() == ["begin watch"])
    driver.state.immediateObserverLeft()
    #expect(driver.work() == [])
    driver.state.immediateObserverLeft()
    #expect(driver.work() == ["end watch"])
    #expect(driver.state.immediateFetchCount == 0)
  }

  @Test func `an immediate observer is refused by a closed database`() {
    let driver = LiveStateDriver()
    driver.state.databaseClosed()
    let isAnnounced = driver.state.immediateObserverAnnounced()
    #expect(!isAnnounced)
  }

  @Test func `needs of a former watch are ignored after the next watch has begun`() throws {
    let driver = LiveStateDriver.observedPlayers()
    driver.observe("teams", as: "B")
    _ = driver.work()
    _ = driver.fetchAll(reading: LiveStateDriver.tables)
    let needs = try #require(driver.takeNeeds())
    driver.cancel("A")
    driver.cancel("B")
    driver.observe("players", as: "C")
    _ = driver.work()
    let version = driver.state.published.version
    driver.publish(needs)
    #expect(driver.state.published.version == version)
  }

  @Test func `the needs of a removed query are not needed any more`() {
    let driver = LiveStateDriver.observedPlayers()
    driver.observe("teams", as: "B")
    _ = driver.work()
    _ = driver.fetchAll(reading: LiveStateDriver.tables)
    #expect(driver.work().contains("publish needs of player, team"))
    driver.cancel("B")
    #expect(driver.work().contains("publish needs of player"))
  }

  @Test func `what waits for external commits ends with the watch`() {
    let driver = LiveStateDriver.observedPlayers([.databaseDidChange])
    driver.state.externalCommitDetected(at: driver.now)
    driver.state.storedChangesDetected(at: driver.now)
    driver.cancel("A")
    #expect(driver.work().contains("end watch"))
    #expect(!driver.state.storedChanges.isWaiting && !driver.state.unknownCommits.concernIdleQueries)
    #expect(driver.state.readers.reading.isEmpty && driver.state.readers.deferred.isEmpty)
    #expect(!driver.state.notifiesOfCommits && driver.state.published.version == 0)
  }

  @Test func `the region of a removed query is forgotten`() throws {
    let driver = LiveStateDriver.observedPlayers([.willTrackRegion])
    let query = try #require(driver.queries["players"])
    #expect(driver.state.queries[query].region != nil && driver.state.queries[query].registration != nil)
    driver.state.untrack(query)
    #expect(driver.state.queries[query].region == nil && driver.state.queries[query].registration == nil)
  }

  @Test func `the region is stored only if an observer wants to be notified of it`() throws {
    let driver = LiveStateDriver.observedPlayers()
    #expect(driver.state.queries[try #require(driver.queries["players"])].region == nil)
  }

  // MARK: Immediate observers

  @Test func `an immediate observer has its first value`() {
    let driver = LiveStateDriver.observedPlayers()
    let digest = ResultDigest()
    driver.observeNow("teams", as: "B", reading: "team", digest: digest)
    _ = driver.work()
    #expect(!driver.state.log.hasRunningFetches)
    #expect(driver.beginBatch() == nil)
    driver.observe("teams", as: "C")
    #expect(driver.fetchAll(reading: LiveStateDriver.tables, digest: digest) == ["C"])
    driver.state.externalCommitDetected(at: driver.now)
    // All have received a result with this digest.
    #expect(driver.fetchAll(reading: ["teams": "team"], digest: digest) == ["A"])
  }

  @Test func `an immediate observer with another value makes the last value unknown`() {
    var other = ResultDigest()
    other.add(1)
    for (digest, receivers) in [(ResultDigest(), []), (other, ["A", "B"])] {
      let driver = LiveStateDriver.observedPlayers()
      driver.commit("player")
      #expect(driver.fetchAll(reading: LiveStateDriver.tables, digest: ResultDigest()) == ["A"])
      driver.observeNow("players", as: "B", reading: "player", digest: digest)
      driver.state.externalCommitDetected(at: driver.now)
      #expect(driver.fetchAll(reading: LiveStateDriver.tables, digest: ResultDigest()) == receivers)
    }
  }

  @Test func `a commit during an immediate fetch is found if its table is captured already`() {
    for (table, expected) in [("player", Set(["A", "C"])), ("team", ["B"])] {
      let driver = LiveStateDriver.observedPlayers()
      driver.observe("teams", as: "B")
      _ = driver.work()
      _ = driver.fetchAll(reading: LiveStateDriver.tables)
      _ = driver.work()
      driver.observeNow("others", as: "C", reading: "player") { $0.commit(table) }
      let received = driver.fetchAll(reading: ["others": "player", "teams": "team", "players": "player"])
      #expect(Set(received) == expected)
    }
  }

  @Test func `an external commit during an immediate fetch is found`() {
    let driver = LiveStateDriver.observedPlayers()
    driver.observeNow("teams", as: "B", reading: "team") { $0.state.externalCommitDetected(at: $0.now) }
    #expect(Set(driver.fetchAll(reading: LiveStateDriver.tables)) == ["A", "B"])
  }

  @Test func `an immediate fetch of uncommitted changes is repeated`() {
    let driver = LiveStateDriver.observedPlayers()
    driver.observeNow("players", as: "B", reading: "player", isProvisional: true)
    #expect(driver.work().contains("start reading"))
    #expect(driver.fetchAll(reading: LiveStateDriver.tables) == ["A", "B"])
  }

  @Test func `an immediate fetch with other reads is repeated after an unreported commit`() throws {
    for (table, receivers) in [("team", ["A", "B"]), ("player", [])] {
      let driver = LiveStateDriver.observedPlayers()
      driver.observe("teams", as: "C")
      _ = driver.work()
      _ = driver.fetchAll(reading: LiveStateDriver.tables)
      _ = driver.work()
      driver.observeNow("players", as: "B", reading: table) { $0.writeCount += 1 }
      _ = driver.work()
      #expect(driver.fetchAll(reading: LiveStateDriver.tables) == receivers)
    }
  }

  @Test func `the reads of an immediate fetch are kept if they are constant`() throws {
    let driver = LiveStateDriver.observedPlayers()
    driver.observeNow("teams", as: "B", reading: "team", tracksEachFetch: false)
    _ = driver.work()
    driver.commit("team")
    let batch = try #require(driver.beginBatch())
    let fetch = try #require(driver.next(in: batch))
    #expect(!fetch.findsRegion && fetch.lastReadSet != nil)
  }

  @Test func `a new query is not fetched because of earlier external commits`() throws {
    let driver = LiveStateDriver.observedPlayers()
    driver.state.externalCommitDetected(at: driver.now)
    _ = driver.fetchAll(reading: LiveStateDriver.tables)
    driver.observe("teams", as: "B")
    let batch = try #require(driver.beginBatch())
    #expect(try #require(driver.next(in: batch)).item.pendingReasons == .newObserver)
  }

  // MARK: Connections

  @Test func `one connection at a time writes`() throws {
    let driver = LiveStateDriver()
    driver.observe("writing", as: "A")
    #expect(driver.work() == ["begin watch", "start writing"])
    driver.observe("writing more", as: "B")
    #expect(driver.work() == [])
    let batch = try #require(driver.beginBatch(writing: true))
    driver.commit(nil)
    driver.state.batchLeft(batch.number, from: driver.now, to: driver.now)
    #expect(driver.work() == [])
    driver.state.writerLeaves(at: driver.now)
    #expect(driver.work() == ["start writing"])
  }

  @Test func `a connection that leaves is followed by another if queries wait`() {
    let driver = LiveStateDriver.observedPlayers()
    driver.commit("player")
    #expect(driver.work() == ["start reading"])
    let facts = driver.state.readerLeaves(after: 0, at: driver.now)
    #expect(facts == nil)
    #expect(driver.work() == ["start reading"])
  }

  @Test func `at most as many connections read as there are`() throws {
    let driver = LiveStateDriver()
    for name in ["players", "teams", "a", "b", "c", "d"] { driver.observe(name, as: name) }
    _ = driver.work()
    _ = driver.fetchAll(reading: ["players": "player", "teams": "team", "a": "a", "b": "b", "c": "c", "d": "d"])
    for table in ["team", "a", "b", "c", "d"] {
      driver.now += .seconds(1)
      driver.commit(table)
      _ = driver.beginBatch()
    }
    #expect(driver.state.readers.count == 4)
  }

  @Test func `a watchdog waits for the delay of slow fetches`() throws {
    let driver = LiveStateDriver.observedPlayers()
    driver.observe("teams", as: "B")
    _ = driver.work()
    _ = try #require(driver.beginBatch())
    driver.commit("player")
    let (number, delay) = try #require(driver.state.work.watchdog)
    #expect(delay == driver.state.policy.slowFetchDelay)
    driver.state.work = LiveWork()
    // A former watchdog does not end this one.
    driver.state.watchdogEnded(number - 1, at: driver.now)
    #expect(driver.state.readers.watchdog == number)
    driver.state.watchdogEnded(number, at: driver.now)
    driver.state.startWatchdog()
    #expect(driver.state.readers.watchdog == number + 1)
  }

  @Test func `a batch that takes long is helped by other connections, one after the other`() throws {
    let driver = LiveStateDriver()
    for name in ["a", "b", "c", "d", "e", "f", "g"] { driver.observe(name, as: name) }
    _ = driver.work()
    let batch = try #require(driver.beginBatch())
    #expect(batch.isLarge)
    _ = driver.next(in: batch)
    let words = [UInt32](repeating: 0, count: 12)
    let header = words.withUnsafeBytes { $0.load(as: WALIndexHeader.self) }
    driver.state.withBatch(batch.number) { $0.share(header) }
    _ = driver.work()
    for count in 2...4 {
      driver.now += driver.state.policy.helpDelay
      _ = driver.next(in: batch)
      #expect(driver.work().contains("start reading"))
      #expect(driver.state.readers.count == count)
      // Not before the delay has passed again.
      _ = driver.state.batchJoined(after: batch.number)
      let joined = driver.state.batchJoined(after: 0)
      #expect(joined?.number == batch.number)
    }
    // There are four connections.
    driver.now += driver.state.policy.helpDelay
    _ = driver.next(in: batch)
    #expect(!driver.work().contains("start reading"))
  }
}
