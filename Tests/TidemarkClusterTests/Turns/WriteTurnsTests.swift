import Testing

@testable import TidemarkCluster

/// The turns of node B, after events at certain milliseconds. A slot has 10 ms.
@Suite struct WriteTurnsTests {
  private enum Event {
    case entry(String, at: Int)
    case refused
    case hold(String, until: Int)
    case release(String)
  }

  private static let start = ContinuousClock.now

  private static func turns(of node: String = "B", _ events: [Event]) -> WriteTurns {
    var turns = WriteTurns(node: node)
    for event in events {
      switch event {
      case .entry(let writer, let time): turns.entryArrived(from: writer, at: start + .milliseconds(time))
      case .refused: turns.wasRefused()
      case .hold(let holder, let time): turns.holdTurn(for: holder, until: start + .milliseconds(time))
      case .release(let holder): turns.releaseTurn(of: holder)
      }
    }
    return turns
  }

  /// How long node B waits at a time, in milliseconds.
  private static func wait(of node: String = "B", at time: Int, _ events: [Event]) -> Int {
    let now = start + .milliseconds(time)
    let wait = turns(of: node, events).earliestAttempt(at: now) - now
    return max(0, Int((wait / .milliseconds(1)).rounded()))
  }

  @Test func `a node does not wait in an empty log`() {
    #expect(Self.wait(at: 0, []) == 0)
  }

  @Test func `the only active node does not wait`() {
    #expect(Self.wait(at: 3, [.entry("B", at: 0), .entry("B", at: 3)]) == 0)
  }

  @Test func `a newcomer does not wait`() {
    #expect(Self.wait(at: 3, [.entry("A", at: 0), .entry("C", at: 3)]) == 0)
  }

  @Test func `after its entry, a node waits one slot for each other active node`() {
    let events: [Event] = [.entry("B", at: 0), .entry("A", at: 3), .entry("B", at: 6)]
    #expect(Self.wait(at: 6, events) == 10)
    #expect(Self.wait(at: 9, events) == 7)
    #expect(Self.wait(at: 16, events) == 0)
    let more: [Event] = [.entry("B", at: 0), .entry("A", at: 3), .entry("C", at: 4), .entry("B", at: 6)]
    #expect(Self.wait(at: 6, more) == 20)
  }

  @Test func `the node that has not written for the longest time is the first`() {
    let events: [Event] = [.entry("B", at: 0), .entry("A", at: 3), .entry("C", at: 6)]
    #expect(Self.wait(of: "B", at: 6, events) == 0)
    #expect(Self.wait(of: "A", at: 6, events) == 10)
    #expect(Self.wait(of: "C", at: 6, events) == 20)
  }

  @Test func `the turns begin again with each entry`() {
    let events: [Event] = [.entry("B", at: 0), .entry("A", at: 3), .entry("B", at: 6)]
    #expect(Self.wait(of: "A", at: 6, events) == 0)
    #expect(Self.wait(of: "B", at: 6, events) == 10)
  }

  @Test func `newcomers join behind the waiting nodes`() {
    let events: [Event] = [.entry("B", at: 0), .entry("A", at: 3), .entry("B", at: 6)]
    #expect(Self.wait(of: "A", at: 8, events + [.entry("C", at: 8)]) == 0)
    #expect(Self.wait(of: "B", at: 8, events + [.entry("C", at: 8)]) == 10)
    #expect(Self.wait(of: "C", at: 8, events + [.entry("C", at: 8)]) == 20)
  }

  @Test func `a node that has missed its turn costs nothing more`() {
    // A is idle. B waits for one slot, and appends.
    let events: [Event] = [.entry("A", at: 0), .entry("B", at: 3), .entry("B", at: 16)]
    #expect(Self.wait(at: 16, events) == 0)
    #expect(Self.wait(at: 19, events + [.entry("B", at: 19)]) == 0)
  }

  @Test func `a node that was passed competes at once`() {
    let events: [Event] = [.entry("B", at: 0), .entry("A", at: 3), .entry("C", at: 6), .entry("A", at: 20)]
    #expect(Self.wait(of: "B", at: 20, events) == 0)
    #expect(Self.wait(of: "C", at: 20, events) == 0)
    #expect(Self.wait(of: "A", at: 20, events) == 10)
  }

  @Test func `a node that was refused because of a newcomer keeps its place`() {
    let events: [Event] = [.entry("B", at: 0), .entry("A", at: 3), .refused, .entry("C", at: 7)]
    #expect(Self.wait(at: 7, events) == 0)
    #expect(Self.turns(events).slot == .milliseconds(10))
  }

  @Test func `a slot that was too short becomes longer, up to a limit`() {
    // The attempt of B after A's slot is refused: A was slow, not idle.
    let before: [Event] = [.entry("A", at: 0), .entry("B", at: 3), .refused]
    #expect(Self.turns(before).slot == .milliseconds(15))
    #expect(Self.wait(at: 3, before) == 15)
    #expect(Self.turns(before + Array(repeating: .refused, count: 20)).slot == .milliseconds(160))
  }

  @Test func `a slot that was sufficient becomes shorter, down to the given one`() {
    let events: [Event] = [.entry("A", at: 0), .entry("B", at: 3), .refused, .entry("B", at: 25)]
    #expect(Self.turns(events).slot == .milliseconds(13.5))
    let more = (1...10).flatMap { [Event.entry("A", at: $0 * 50), .entry("B", at: $0 * 50 + 20)] }
    #expect(Self.turns(events + more).slot == .milliseconds(13.5), "B was the first each time")
    let idle = (1...10).flatMap {
      [Event.entry("A", at: $0 * 50), .entry("B", at: $0 * 50 + 20), .entry("B", at: $0 * 50 + 40)]
    }
    #expect(Self.turns(events + idle).slot == .milliseconds(10))
  }

  // MARK: - Holding the turn

  @Test func `while a node holds the turn, active nodes and newcomers wait until its end`() {
    let events: [Event] = [.entry("B", at: 0), .entry("A", at: 3), .hold("A", until: 100)]
    #expect(Self.wait(of: "A", at: 5, events) == 0)
    #expect(Self.wait(of: "B", at: 5, events) == 95)
    #expect(Self.wait(of: "C", at: 5, events) == 95)
  }

  @Test func `after the end, nodes take turns as after an entry`() {
    let events: [Event] = [.entry("B", at: 0), .entry("A", at: 3), .hold("D", until: 100)]
    #expect(Self.wait(of: "B", at: 100, events) == 0)
    #expect(Self.wait(of: "A", at: 100, events) == 10)
    #expect(Self.wait(of: "D", at: 100, events) == 0)
    #expect(Self.wait(of: "A", at: 110, events + [.entry("B", at: 110)]) == 0)
    #expect(Self.wait(of: "B", at: 110, events + [.entry("B", at: 110)]) == 10)
  }

  @Test func `a node whose time as the holder has ended waits for its turn`() {
    let events: [Event] = [.entry("B", at: 0), .entry("A", at: 3), .hold("A", until: 100)]
    #expect(Self.wait(of: "A", at: 99, events) == 0)
    #expect(Self.wait(of: "A", at: 102, events) == 8)
  }

  @Test func `entries of the holder do not end its turn, and a release does`() {
    let events: [Event] = [
      .entry("B", at: 0), .entry("A", at: 3), .hold("A", until: 100), .entry("A", at: 20), .entry("A", at: 30),
    ]
    #expect(Self.wait(of: "A", at: 31, events) == 0)
    #expect(Self.wait(of: "B", at: 31, events) == 69)
    #expect(Self.wait(of: "A", at: 31, events + [.release("C")]) == 0, "C does not hold it")
    #expect(Self.wait(of: "B", at: 31, events + [.release("A")]) == 0)
    #expect(Self.wait(of: "C", at: 31, events + [.release("A")]) == 0)
  }

  @Test func `a later hold replaces an earlier one`() {
    let events: [Event] = [.hold("A", until: 100), .hold("C", until: 50), .release("A")]
    #expect(Self.wait(of: "A", at: 5, events) == 45)
    #expect(Self.wait(of: "C", at: 5, events) == 0)
  }

  // MARK: - The open slot

  @Test func `active nodes leave one slot open after a hundred slots without one`() {
    // A and B alternate, and have the first entries after 0 and 5 ms.
    func wait(of node: String, after entries: Int) -> Int {
      let events = (0..<entries).map { Event.entry($0 % 2 == 0 ? "A" : "B", at: $0 * 5) }
      return Self.wait(of: node, at: (entries - 1) * 5, events)
    }
    #expect(wait(of: "B", after: 201) == 0)
    #expect(wait(of: "A", after: 202) == 10, "1,005 ms: more than 100 slots")
    #expect(wait(of: "C", after: 202) == 0, "it is open to newcomers")
    #expect(wait(of: "A", after: 179) == 10, "890 ms")
    #expect(wait(of: "A", after: 183) == 20, "910 ms: another node may leave it open already")
  }

  @Test func `an open slot without an entry is the last one for a hundred slots`() {
    let events = (0..<202).map { Event.entry($0 % 2 == 0 ? "A" : "B", at: $0 * 5) }
    #expect(Self.wait(of: "B", at: 1_018, events + [.entry("A", at: 1_018)]) == 0)
    let newcomer: [Event] = [.entry("C", at: 1_009)]
    #expect(Self.wait(of: "A", at: 1_009, events + newcomer) == 10, "there may be more newcomers")
  }

  @Test func `a pause of the writers is an open slot`() {
    let events = (0...400).map { Event.entry($0 % 2 == 0 ? "A" : "B", at: $0 * 5 + ($0 > 100 ? 10 : 0)) }
    #expect(Self.wait(of: "A", at: 1_015, Array(events.prefix(202))) == 0)
  }

  @Test func `a node that has never seen entries of others leaves no slot open`() {
    let events = (0...400).map { Event.entry("B", at: $0 * 5) }
    #expect(Self.wait(at: 2_000, events) == 0)
    #expect(Self.wait(at: 2_000, [.entry("A", at: 0)] + events) == 10)
  }
}
