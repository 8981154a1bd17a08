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

  @Test func valuesThatArriveDuringDeliveriesKeepTheirOrder() {
    let mailbox = Mailbox(keepsAll: true)
    var (added, taken, schedules) = (0, [String](), [Bool]())
    // Two arrive for each delivery, and then none.
    for round in 0..<20 {
      for _ in 0..<(round < 10 ? 2 : 0) {
        _ = mailbox.put(added)
        added += 1
      }
      taken.append(mailbox.take())
      schedules.append(mailbox.didDeliver().schedules)
    }
    #expect(taken == (0..<20).map(String.init))
    #expect(schedules == Array(repeating: true, count: 19) + [false])
  }

  @Test func aBufferedErrorFollowsAllValues() {
    let mailbox = Mailbox(keepsAll: true)
    _ = (mailbox.put(1), mailbox.put(2), mailbox.fail(7))
    var taken: [String] = []
    for _ in 0..<3 {
      taken.append(mailbox.take())
      _ = mailbox.didDeliver()
    }
    #expect(taken == ["1", "2", "Planned(number: 7)"])
  }

  @Test func anErrorWithoutValuesIsScheduled() {
    let mailbox = Mailbox()
    #expect(mailbox.fail(7))
    #expect(mailbox.take() == "Planned(number: 7)")
  }

  @Test func onlyTheFirstErrorIsDelivered() {
    let mailbox = Mailbox()
    _ = mailbox.fail(7)
    #expect(!mailbox.fail(8))
    #expect(mailbox.take() == "Planned(number: 7)")
  }

  @Test func closedMailboxesAcceptNoError() {
    let mailbox = Mailbox()
    _ = mailbox.close()
    #expect(!mailbox.fail(7))
    #expect(mailbox.take() == "nothing")
  }

  @Test func firstValuesAreDeliveredUnlessThereAreOthers() {
    let mailbox = Mailbox()
    #expect(mailbox.putFirst(1))
    #expect(mailbox.take() == "1")
    _ = mailbox.didDeliver()
    // Values that were delivered before count, too.
    #expect(!mailbox.putFirst(0))
    #expect(mailbox.take() == "nothing")
  }

  @Test func aMailboxThatWasHeldInVainSchedulesItsNextValue() {
    let mailbox = Mailbox()
    mailbox.hold()
    #expect(mailbox.take() == "nothing")
    #expect(mailbox.put(1))
    #expect(mailbox.take() == "1")
  }

  @Test func nothingIsTakenDuringADelivery() {
    let mailbox = Mailbox()
    _ = mailbox.put(1)
    _ = mailbox.take()
    _ = mailbox.put(2)
    #expect(mailbox.take() == "nothing")
  }

  @Test func thereIsNoDeliveryToWaitForAfterItsEnd() {
    let mailbox = Mailbox()
    _ = (mailbox.put(1), mailbox.take(on: 2), mailbox.didDeliver())
    let deliverer = mailbox.close()
    #expect(deliverer == nil)
  }

  @Test func waitersAreNotifiedOnce() {
    let mailbox = Mailbox()
    _ = (mailbox.put(1), mailbox.take(on: 2), mailbox.close())
    #expect(mailbox.didDeliver().waiterCount == 1)
    #expect(mailbox.didDeliver().waiterCount == 0)
  }

  @Test func theLastDeliveryClosesTheMailbox() {
    let mailbox = Mailbox()
    _ = (mailbox.fail(7), mailbox.take())
    #expect(!mailbox.didDeliver(wasLast: true).schedules)
    #expect(!mailbox.put(1))
    #expect(mailbox.take() == "nothing")
  }

  @Test func nothingIsScheduledAfterADeliveryDuringWhichTheMailboxWasClosed() {
    let mailbox = Mailbox(keepsAll: true)
    _ = (mailbox.put(1), mailbox.put(2), mailbox.take(on: 2), mailbox.close())
    #expect(!mailbox.didDeliver().schedules)
    #expect(mailbox.take() == "nothing")
  }

  @Test func closingReleasesTheValues() {
    final class Value {}
    var machine = MailboxMachine<Value>(keepsAll: true)
    var values = (0..<2).map { _ in Value() }
    for value in values { _ = machine.put(value) }
    weak let (first, second) = (values[0], values[1])
    values = []
    machine.close()
    #expect(first == nil)
    #expect(second == nil)
  }
}
