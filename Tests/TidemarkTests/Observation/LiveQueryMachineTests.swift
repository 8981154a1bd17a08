import Testing

import Tidemark
@testable import TidemarkEssentials

/// The states of an observed query, written as a time line.
@Suite struct LiveQueryMachineTests {
  private final class Query {
    private var machine = LiveQueryMachine()

    func ask(_ wish: LiveQueryMachine.Wish) -> Bool { machine.ask(wish) }
    func begin() -> LiveQueryMachine.Wish { machine.begin() }
    func end() -> Bool { machine.end() }
    func pause(unserved: LiveQueryMachine.Wish) { machine.pause(unserved: unserved) }
    func resume() -> Bool { machine.resume() }
  }

  @Test func aQueryIsPutIntoTheLineOnce() {
    let query = Query()
    #expect(query.ask(.newcomer))
    #expect(!query.ask(.change))
    #expect(!query.ask(.newcomer))
    #expect(query.begin() == [.newcomer, .change])
  }

  @Test func threeCommitsDuringAFetchMakeOneMoreFetch() {
    let query = Query()
    _ = query.ask(.newcomer)
    _ = query.begin()
    #expect(!query.ask(.change))
    #expect(!query.ask(.change))
    #expect(!query.ask(.change))
    #expect(query.end())
    #expect(query.begin() == .change)
    #expect(!query.end())
  }

  @Test func aQueryThatNobodyAskedForMeanwhileRests() {
    let query = Query()
    _ = query.ask(.change)
    _ = query.begin()
    #expect(!query.end())
    #expect(query.ask(.change))
  }

  @Test func afterAPassingErrorTheSameAreServedLater() {
    let query = Query()
    _ = query.ask(.newcomer)
    let unserved = query.begin()
    query.pause(unserved: unserved)
    #expect(!query.ask(.change))
    #expect(query.resume())
    #expect(!query.resume())
    #expect(query.begin() == [.newcomer, .change])
  }
}

/// The pending deliveries of a consumer that takes one at a time.
@Suite struct MailboxMachineTests {
  /// A state machine, and the names of its events.
  private final class Mailbox {
    private var machine: MailboxMachine<Int>

    init(keepsAll: Bool = false) { machine = MailboxMachine(keepsAll: keepsAll) }

    func put(_ value: Int) -> Bool { machine.put(value) }
    func putFirst(_ value: Int) -> Bool { machine.putFirst(value) }
    func fail(_ number: Int) -> Bool { machine.fail(Planned(number: number)) }
    func hold() { machine.hold() }

    func take(on thread: ThreadID = 1) -> String {
      switch machine.take(on: thread) {
      case .value(let value): "\(value)"
      case .failure(let error): "\(error)"
      case nil: "nothing"
      }
    }

    /// Whether another delivery is to be scheduled, and the number of notifications.
    func didDeliver(wasLast: Bool = false) -> (schedules: Bool, toldCount: Int) {
      let (schedules, tell) = machine.didDeliver(wasLast: wasLast)
      return (schedules, tell.count)
    }

    /// The thread to wait for, which is notified of the waiting one.
    func close() -> ThreadID? {
      let deliverer = machine.close()
      if deliverer != nil {
        machine.wait(MailboxMachine.Waiter(thread: 1, place: Environment.live.makePlace()))
      }
      return deliverer
    }
  }

  @Test func whoIsSlowFindsTheNewestValue() {
    let mailbox = Mailbox()
    #expect(mailbox.put(1))
    #expect(!mailbox.put(2))
    #expect(mailbox.take() == "2")
    #expect(!mailbox.put(3))
    #expect(!mailbox.put(4))
    #expect(mailbox.didDeliver().schedules)
    #expect(mailbox.take() == "4")
    #expect(!mailbox.didDeliver().schedules)
  }

  @Test func whoWantsAllFindsAll() {
    let mailbox = Mailbox(keepsAll: true)
    #expect(mailbox.put(1))
    for value in 2...4 {
      let schedules = mailbox.put(value)
      #expect(!schedules)
    }
    for value in 1...4 {
      let taken = mailbox.take()
      let schedules = mailbox.didDeliver().schedules
      #expect(taken == "\(value)")
      #expect(schedules == (value < 4))
    }
  }

  @Test func theErrorComesLastAndNothingAfterIt() {
    let mailbox = Mailbox()
    _ = mailbox.put(1)
    #expect(!mailbox.fail(7))
    #expect(!mailbox.put(2))
    #expect(mailbox.take() == "1")
    #expect(mailbox.didDeliver().schedules)
    #expect(mailbox.take() == "Planned(number: 7)")
    #expect(!mailbox.didDeliver(wasLast: true).schedules)
    #expect(!mailbox.put(3))
    #expect(mailbox.take() == "nothing")
  }

  @Test func nothingIsTakenOnceItIsClosed() {
    let mailbox = Mailbox()
    _ = mailbox.put(1)
    let deliverer = mailbox.close()
    #expect(deliverer == nil)
    #expect(mailbox.take() == "nothing")
    #expect(!mailbox.put(2))
  }

  @Test func whoClosesWaitsForADeliveryElsewhere() {
    let mailbox = Mailbox()
    _ = mailbox.put(1)
    _ = mailbox.take(on: 2)
    let deliverers = [mailbox.close(), mailbox.close()]
    #expect(deliverers == [2, 2])
    #expect(mailbox.didDeliver().toldCount == 2)
  }

  @Test func whatIsHeldIsNotScheduled() {
    let mailbox = Mailbox()
    mailbox.hold()
    #expect(!mailbox.put(1))
    #expect(mailbox.take() == "1")
    #expect(!mailbox.didDeliver().schedules)
    #expect(mailbox.put(2))
  }

  @Test func aFirstValueThatComesLateIsNotDelivered() {
    let mailbox = Mailbox()
    #expect(mailbox.put(2))
    #expect(!mailbox.putFirst(1))
    #expect(mailbox.take() == "2")
  }
}
