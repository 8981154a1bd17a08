import Testing

@testable import Tidemark

/// The life of an observed query, drawn on a time line.
@Suite struct LiveQueryMachineTests {
  @Test func aQueryIsPutIntoTheLineOnce() {
    var machine = LiveQueryMachine()
    #expect(machine.ask(.newcomer))
    #expect(!machine.ask(.change))
    #expect(!machine.ask(.newcomer))
    #expect(machine.begin() == [.newcomer, .change])
  }

  @Test func threeCommitsDuringAFetchMakeOneMoreFetch() {
    var machine = LiveQueryMachine()
    _ = machine.ask(.newcomer)
    _ = machine.begin()
    #expect(!machine.ask(.change))
    #expect(!machine.ask(.change))
    #expect(!machine.ask(.change))
    #expect(machine.end())
    #expect(machine.begin() == .change)
    #expect(!machine.end())
  }

  @Test func aQueryThatNobodyAskedForMeanwhileRests() {
    var machine = LiveQueryMachine()
    _ = machine.ask(.change)
    _ = machine.begin()
    #expect(!machine.end())
    #expect(machine.ask(.change))
  }

  @Test func afterAPassingErrorTheSameAreServedLater() {
    var machine = LiveQueryMachine()
    _ = machine.ask(.newcomer)
    let unserved = machine.begin()
    machine.pause(unserved: unserved)
    #expect(!machine.ask(.change))
    #expect(machine.resume())
    #expect(!machine.resume())
    #expect(machine.begin() == [.newcomer, .change])
  }
}

/// What is on its way to somebody who takes one thing at a time.
@Suite struct MailboxMachineTests {
  private let here: ThreadID = 1
  private let elsewhere: ThreadID = 2

  private func text(_ item: MailboxMachine<Int>.Item?) -> String {
    switch item {
    case .value(let value): "\(value)"
    case .failure(let error): "\(error)"
    case nil: "nothing"
    }
  }

  @Test func whoIsSlowFindsTheNewestValue() {
    var machine = MailboxMachine<Int>()
    #expect(machine.put(1))
    #expect(!machine.put(2))
    #expect(text(machine.take(on: here)) == "2")
    #expect(!machine.put(3))
    #expect(!machine.put(4))
    #expect(machine.didDeliver(wasLast: false).schedules)
    #expect(text(machine.take(on: here)) == "4")
    #expect(!machine.didDeliver(wasLast: false).schedules)
  }

  @Test func whoWantsAllFindsAll() {
    var machine = MailboxMachine<Int>(keepsAll: true)
    #expect(machine.put(1))
    #expect(!machine.put(2))
    #expect(text(machine.take(on: here)) == "1")
    #expect(machine.didDeliver(wasLast: false).schedules)
    #expect(text(machine.take(on: here)) == "2")
  }

  @Test func theErrorComesLastAndNothingAfterIt() {
    var machine = MailboxMachine<Int>()
    _ = machine.put(1)
    #expect(!machine.fail(Planned(number: 7)))
    #expect(!machine.put(2))
    #expect(text(machine.take(on: here)) == "1")
    #expect(machine.didDeliver(wasLast: false).schedules)
    #expect(text(machine.take(on: here)) == "Planned(number: 7)")
    #expect(!machine.didDeliver(wasLast: true).schedules)
    #expect(!machine.put(3))
    #expect(text(machine.take(on: here)) == "nothing")
  }

  @Test func nothingIsTakenOnceItIsClosed() {
    var machine = MailboxMachine<Int>()
    _ = machine.put(1)
    #expect(!machine.close(on: here, Environment.live.makePlace()))
    #expect(text(machine.take(on: here)) == "nothing")
    #expect(!machine.put(2))
  }

  @Test func whoClosesWaitsForADeliveryElsewhere() {
    var machine = MailboxMachine<Int>()
    _ = machine.put(1)
    _ = machine.take(on: elsewhere)
    #expect(machine.close(on: here, Environment.live.makePlace()))
    #expect(machine.close(on: here, Environment.live.makePlace()))
    #expect(machine.didDeliver(wasLast: false).tell.count == 2)
  }

  @Test func whoClosesFromInsideADeliveryDoesNotWaitForHimself() {
    var machine = MailboxMachine<Int>()
    _ = machine.put(1)
    _ = machine.take(on: here)
    #expect(!machine.close(on: here, Environment.live.makePlace()))
    #expect(!machine.didDeliver(wasLast: false).schedules)
  }

  @Test func whatIsHeldIsNotScheduled() {
    var machine = MailboxMachine<Int>()
    machine.hold()
    #expect(!machine.put(1))
    #expect(text(machine.take(on: here)) == "1")
    #expect(!machine.didDeliver(wasLast: false).schedules)
    #expect(machine.put(2))
  }

  @Test func aFirstValueThatComesLateIsNotDelivered() {
    var machine = MailboxMachine<Int>()
    #expect(machine.put(2))
    #expect(!machine.putFirst(1))
    #expect(text(machine.take(on: here)) == "2")
  }
}
