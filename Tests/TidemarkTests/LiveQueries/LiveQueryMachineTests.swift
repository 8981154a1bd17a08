import Testing

import Tidemark
@testable import TidemarkEssentials

/// The states of an observed query, written as a time line.
@Suite struct LiveQueryMachineTests {
  private final class Query {
    private var machine = LiveQueryMachine()

    func requestFetch(_ reasons: LiveQueryMachine.FetchReasons) -> Bool { machine.requestFetch(reasons) }
    func begin() -> LiveQueryMachine.FetchReasons { machine.begin() }
    func end() -> Bool { machine.end() }
    func pause(unserved: LiveQueryMachine.FetchReasons) { machine.pause(unserved: unserved) }
    func resume() -> Bool { machine.resume() }
    func release() -> Bool { machine.release() }
    var isDeferred: Bool { machine.isDeferred }
  }

  @Test func queriesAreQueuedOnce() {
    let query = Query()
    #expect(query.requestFetch(.newObserver))
    #expect(!query.requestFetch(.change))
    #expect(!query.requestFetch(.newObserver))
    #expect(query.begin() == [.newObserver, .change])
  }

  @Test func commitsDuringAFetchCauseOneMoreFetch() {
    let query = Query()
    _ = query.requestFetch(.newObserver)
    _ = query.begin()
    #expect(!query.requestFetch(.change))
    #expect(!query.requestFetch(.change))
    #expect(!query.requestFetch(.change))
    #expect(query.end())
    #expect(query.begin() == .change)
    #expect(!query.end())
  }

  @Test func unrequestedQueriesBecomeIdle() {
    let query = Query()
    _ = query.requestFetch(.change)
    _ = query.begin()
    #expect(!query.end())
    #expect(query.requestFetch(.change))
  }

  @Test func transientErrorsKeepTheFetchReasons() {
    let query = Query()
    _ = query.requestFetch(.newObserver)
    let unserved = query.begin()
    query.pause(unserved: unserved)
    #expect(!query.requestFetch(.change))
    #expect(query.resume())
    #expect(!query.resume())
    #expect(query.begin() == [.newObserver, .change])
  }

  /// A query whose fetch has ended after an external commit.
  private func deferredQuery() -> Query {
    let query = Query()
    _ = query.requestFetch(.newObserver)
    _ = query.begin()
    _ = query.requestFetch(.externalCommit)
    _ = query.end()
    return query
  }

  @Test func `requests for external commits during a fetch are deferred until they are released`() {
    let query = deferredQuery()
    #expect(query.isDeferred)
    #expect(!query.requestFetch(.externalCommit))
    #expect(query.release())
    #expect(!query.release())
    #expect(query.begin() == .externalCommit)
  }

  @Test func `another request ends a deferral`() {
    let query = deferredQuery()
    #expect(query.requestFetch(.change))
    #expect(!query.isDeferred)
    #expect(!query.release())
    #expect(query.begin() == [.externalCommit, .change])
  }

  @Test func `a query is in one state at a time`() {
    var machine = LiveQueryMachine()
    func states() -> [Bool] { [machine.isIdle, machine.isDeferred, machine.isPausing] }
    #expect(states() == [true, false, false])
    _ = machine.requestFetch(.newObserver)
    #expect(states() == [false, false, false])
    let unserved = machine.begin()
    machine.pause(unserved: unserved)
    #expect(states() == [false, false, true])
    _ = (machine.resume(), machine.begin(), machine.requestFetch(.externalCommit), machine.end())
    #expect(states() == [false, true, false])
  }

  @Test func `only a deferred query is released, and only a pausing one resumes`() {
    let query = Query()
    #expect(!query.release() && !query.resume())
    #expect(query.requestFetch(.change))
    #expect(!query.release() && !query.resume())
  }

  @Test func `reasons that concern external commits are recognized`() {
    typealias Reasons = LiveQueryMachine.FetchReasons
    #expect(Reasons.externalCommit.includesExternal && Reasons.externalChange.includesExternal)
    #expect(!Reasons.change.includesExternal && !Reasons.newObserver.includesExternal)
    #expect(Reasons.externalChange.contains(.change))
  }
}
