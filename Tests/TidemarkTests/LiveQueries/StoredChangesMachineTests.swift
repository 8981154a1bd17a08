import Testing

@testable import TidemarkEssentials

/// The reads of stored changes, written as a time line.
@Suite struct StoredChangesMachineTests {
  @Test func `a read that waits to begin includes all commits`() {
    var machine = StoredChangesMachine()
    for _ in 1...3 { machine.detected() }
    let isBegun = machine.begin()
    #expect(isBegun)
    machine.end()
    #expect(!machine.isWaiting)
    machine.detected()
    #expect(machine.isWaiting)
  }

  @Test func `a commit during a read causes another read`() {
    var machine = StoredChangesMachine()
    machine.detected()
    _ = machine.begin()
    for _ in 1...2 { machine.detected() }
    #expect(!machine.isWaiting)
    machine.end()
    let isBegun = machine.begin()
    #expect(isBegun)
    machine.end()
    #expect(!machine.isWaiting)
  }

  @Test func `one read runs at a time`() {
    var machine = StoredChangesMachine()
    machine.detected()
    let begins = (1...2).map { _ in machine.begin() }
    #expect(begins == [true, false])
    machine.detected()
    let isBegun = machine.begin()
    #expect(!isBegun)
  }

  @Test func `a read that nobody needs does not begin`() {
    var machine = StoredChangesMachine()
    machine.detected()
    machine.cancel()
    #expect(!machine.isWaiting)
    machine.detected()
    _ = machine.begin()
    machine.detected()
    machine.cancel()
    machine.end()
    #expect(!machine.isWaiting)
  }
}
