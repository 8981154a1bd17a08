import Testing

import Tidemark
@testable import TidemarkEssentials

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
    func didDeliver(wasLast: Bool = false) -> (schedules: Bool, waiterCount: Int) {
      let (schedules, waiters) = machine.didDeliver(wasLast: wasLast)
      return (schedules, waiters.count)
    }

    /// The thread to wait for, which is notified of the waiting one.
    func close() -> ThreadID? {
      let deliverer = machine.close()
      if deliverer != nil {
        machine.wait(MailboxMachine.Waiter(thread: 1, signal: Environment.live.makeWaitSignal()))
      }
      return deliverer
    }
  }

  @Test func slowConsumersReceiveTheNewestValue() {
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

  @Test func bufferingConsumersReceiveEveryValue() {
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

  @Test func errorsAreDeliveredLast() {
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

  @Test func closedMailboxesDeliverNothing() {
    let mailbox = Mailbox()
    _ = mailbox.put(1)
    let deliverer = mailbox.close()
    #expect(deliverer == nil)
    #expect(mailbox.take() == "nothing")
    #expect(!mailbox.put(2))
  }

  @Test func closingWaitsForDeliveriesOnOtherThreads() {
    let mailbox = Mailbox()
    _ = mailbox.put(1)
    _ = mailbox.take(on: 2)
    let deliverers = [mailbox.close(), mailbox.close()]
    #expect(deliverers == [2, 2])
    #expect(mailbox.didDeliver().waiterCount == 2)
  }

  @Test func heldDeliveriesAreNotScheduled() {
    let mailbox = Mailbox()
    mailbox.hold()
    #expect(!mailbox.put(1))
    #expect(mailbox.take() == "1")
    #expect(!mailbox.didDeliver().schedules)
    #expect(mailbox.put(2))
  }

  @Test func lateFirstValuesAreDropped() {
    let mailbox = Mailbox()
    #expect(mailbox.put(2))
    #expect(!mailbox.putFirst(1))
    #expect(mailbox.take() == "2")
  }
}
