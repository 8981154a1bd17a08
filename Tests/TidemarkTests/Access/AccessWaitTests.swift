import Testing

@testable import TidemarkEssentials

/// The states of an asynchronous access, without a database.
@Suite struct AccessWaitTests {
  private struct Refused: Error {}

  private typealias Wait = AccessWait<String, Int>

  @Test func aWaitingAccessBeginsWithItsLease() throws {
    var wait = Wait()
    #expect(wait.wait("task") == nil)
    #expect(wait.begin(7)?.waiter == "task")
    #expect(try wait.lease() == 7)
    #expect(wait.end() == 7)
  }

  @Test func anAccessThatGivesUpReturnsItsWaiterAndItsWithdrawal() {
    var wait = Wait()
    _ = wait.wait("task")
    #expect(wait.setWithdrawal {})
    let waited = wait.giveUp(Refused())
    #expect(waited?.waiter == "task")
    #expect(waited?.withdrawal != nil)
    #expect(wait.error is Refused)
  }

  @Test func aWaiterIsReturnedOnce() {
    var wait = Wait()
    _ = wait.wait("task")
    #expect(wait.giveUp(Refused()) != nil)
    #expect(wait.giveUp(CancellationError()) == nil)
    #expect(wait.begin(7) == nil)
    #expect(wait.error is Refused)
  }

  @Test func anAccessThatGivesUpBeforeItWaitsRefusesItsWaiter() {
    var wait = Wait()
    #expect(wait.giveUp(Refused()) == nil)
    #expect(wait.wait("task") is Refused)
    #expect(throws: Refused.self) { try wait.lease() }
  }

  @Test func anAccessThatHasBegunDoesNotGiveUp() throws {
    var wait = Wait()
    _ = wait.wait("task")
    _ = wait.begin(7)
    #expect(wait.giveUp(Refused()) == nil)
    #expect(try wait.lease() == 7)
    #expect(wait.error == nil)
  }

  @Test func aWithdrawalSetAfterGivingUpIsRefused() {
    var wait = Wait()
    _ = wait.wait("task")
    _ = wait.giveUp(Refused())
    #expect(!wait.setWithdrawal {})
  }

  @Test func aWithdrawalSetAfterTheBeginningIsNotNeeded() {
    var wait = Wait()
    _ = wait.wait("task")
    _ = wait.begin(7)
    #expect(wait.setWithdrawal {})
    #expect(wait.end() == 7)
    #expect(wait.setWithdrawal {})
  }

  /// Invariant 3 of `AccessWait`: owners release these objects after they have released their lock.
  @Test func transitionsReturnTheObjectsThatTheyRemove() {
    final class Resource: Sendable {}
    var wait = AccessWait<Resource, Resource>()
    weak let waiter: Resource?
    weak let lease: Resource?
    do {
      let (newWaiter, newLease) = (Resource(), Resource())
      (waiter, lease) = (newWaiter, newLease)
      _ = wait.wait(newWaiter)
      let begun = wait.begin(newLease)
      #expect(begun?.waiter === newWaiter)
    }
    #expect(waiter == nil)
    #expect(lease != nil)
    let ended = wait.end()
    #expect(ended === lease)
  }
}
