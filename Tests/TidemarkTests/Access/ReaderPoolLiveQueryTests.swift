import Testing

import Tidemark
@testable import TidemarkEssentials

/// The connections of a pool that live queries use: invariant 5 of `ReaderPoolMachine`.
@Suite struct ReaderPoolLiveQueryTests {
  private typealias Grant = ReaderPoolMachine.Grant

  /// A state machine, and the grants of its requests.
  private struct Pool {
    var machine: ReaderPoolMachine
    let grants = Journal<String>()

    init(readCountMax: Int) {
      machine = ReaderPoolMachine(readCountMax: readCountMax, hasLiveQueries: true)
    }

    private func note(_ name: String) -> ReaderPoolMachine.AdmissionHandler {
      { [grants] in grants.append("\(name): \(Self.text($0))") }
    }

    private static func text(_ grant: Grant) -> String {
      switch grant {
      case .reader(let slot): "idle \(slot)"
      case .vacancy(let slot): "vacant \(slot)"
      case .reservation(let reservation): "reserved \(reservation.slot)"
      case .everything: "everything"
      }
    }

    mutating func live(_ name: String = "live") {
      machine.requestLive(note(name))
      perform(machine.serveNow())
    }

    /// - Returns: The ticket if it has to wait.
    @discardableResult
    mutating func read(_ name: String = "read") -> ReaderPoolMachine.Ticket? {
      switch machine.request(note(name)) {
      case .enter(let grant): note(name)(grant)
      case .wait(let ticket): return ticket
      }
      return nil
    }

    @discardableResult
    mutating func exclusive() -> ReaderPoolMachine.Ticket? {
      let (action, calls) = machine.requestAll(note("exclusive"))
      perform(calls)
      switch action {
      case .enter(let grant): note("exclusive")(grant)
      case .wait(let ticket): return ticket
      }
      return nil
    }

    mutating func release(_ slot: Int) { perform(machine.release(slot: slot, isOpen: true)) }

    func perform(_ calls: [ReaderPoolMachine.Call]) {
      for call in calls { call() }
    }
  }

  @Test func `live queries have a connection when all reads are in progress`() {
    var pool = Pool(readCountMax: 2)
    for _ in 0..<3 { pool.read() }
    pool.live()
    #expect(pool.grants.entries == ["read: vacant 0", "read: vacant 1", "live: vacant 2"])
    #expect(pool.machine.load == (3, 1))
  }

  @Test func `live queries leave a connection to reads`() {
    var pool = Pool(readCountMax: 2)
    for number in 1...3 { pool.live("live \(number)") }
    pool.read()
    #expect(pool.grants.entries == ["live 1: vacant 0", "live 2: vacant 1", "read: vacant 2"])
    pool.release(2)
    // Only the read has ended: one connection is free, and stays so.
    #expect(pool.grants.entries.count == 3)
    pool.release(0)
    #expect(pool.grants.entries.last == "live 3: idle 0")
  }

  @Test func `a waiting read is served before live queries`() {
    var pool = Pool(readCountMax: 1)
    pool.live("live 1")
    pool.read("read 1")
    pool.live("live 2")
    pool.read("read 2")
    pool.release(1)
    #expect(pool.grants.entries == ["live 1: vacant 0", "read 1: vacant 1", "read 2: idle 1"])
    pool.release(0)
    #expect(pool.grants.entries.last == "live 2: idle 0")
  }

  @Test func `the additional connection is not used by reads`() {
    var pool = Pool(readCountMax: 1)
    pool.read("read 1")
    #expect(pool.machine.requestNow() == nil)
    pool.read("read 2")
    #expect(pool.grants.entries == ["read 1: vacant 0"])
  }

  @Test func `live queries use a connection after its release, again and again`() {
    var pool = Pool(readCountMax: 1)
    pool.read()
    for _ in 0..<3 {
      pool.live()
      pool.release(1)
    }
    #expect(pool.grants.entries == ["read: vacant 0", "live: vacant 1", "live: idle 1", "live: idle 1"])
    #expect(pool.machine.load == (1, 0))
  }

  @Test func `live queries wait for the end of an exclusive access`() {
    var pool = Pool(readCountMax: 1)
    pool.exclusive()
    pool.live()
    #expect(pool.grants.entries == ["exclusive: everything"])
    pool.perform(pool.machine.releaseAll(areOpen: [false, true]))
    #expect(pool.grants.entries.last == "live: idle 1")
  }

  @Test func `live queries wait behind an exclusive request`() {
    var pool = Pool(readCountMax: 1)
    pool.read()
    pool.exclusive()
    pool.live()
    #expect(pool.grants.entries == ["read: vacant 0"])
    pool.release(0)
    pool.perform(pool.machine.releaseAll(areOpen: [true, false]))
    #expect(pool.grants.entries == ["read: vacant 0", "exclusive: everything", "live: idle 0"])
  }

  @Test func `live queries continue when the exclusive request is cancelled`() throws {
    var pool = Pool(readCountMax: 1)
    pool.read()
    let waiting = pool.exclusive()
    pool.live()
    let ticket = try #require(waiting)
    pool.perform(pool.machine.giveUp(ticket).calls)
    #expect(pool.grants.entries == ["read: vacant 0", "live: vacant 1"])
  }

  @Test func `an exclusive request waits for live queries`() {
    var pool = Pool(readCountMax: 1)
    pool.live()
    pool.exclusive()
    #expect(pool.grants.entries == ["live: vacant 0"])
    pool.release(0)
    #expect(pool.grants.entries.last == "exclusive: everything")
  }

  @Test func `a request for an open connection stays within the number of reads`() {
    var pool = Pool(readCountMax: 1)
    pool.live()
    pool.read()
    #expect(pool.machine.requestOpen() == nil)
    pool.release(0)
    // An idle connection is there, and the only read is in progress.
    #expect(pool.machine.requestOpen() == nil)
    #expect(pool.machine.requestIdle() == 0)
    pool.release(1)
    #expect(pool.machine.requestOpen() == nil)
  }

  @Test func `a request for an open connection ignores those of live queries`() {
    var pool = Pool(readCountMax: 1)
    pool.live()
    pool.read()
    pool.release(1)
    #expect(pool.machine.requestOpen() == 1)
    #expect(pool.machine.load == (2, 0))
  }

  @Test func `no idle connection is granted during an exclusive access, or before waiting requests`() {
    var pool = Pool(readCountMax: 2)
    pool.read("read 1")
    pool.read("read 2")
    pool.release(1)
    pool.exclusive()
    #expect(pool.machine.requestIdle() == nil)
    pool.release(0)
    #expect(pool.grants.entries.last == "exclusive: everything")
    #expect(pool.machine.requestIdle() == nil)
    pool.perform(pool.machine.releaseAll(areOpen: [false, false, false]))
    #expect(pool.machine.requestIdle() == nil)
  }
}
