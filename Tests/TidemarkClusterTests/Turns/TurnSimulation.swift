@testable import TidemarkCluster

/// Nodes that append to a log as often as they can, in simulated time.
///
/// A seed determines everything. The log stores an append if it was prepared after the last entry, and refuses it
/// otherwise. Entries, appends and their results have random delays.
struct TurnSimulation {
  /// Times are in milliseconds. A list has an element for each node, or is repeated.
  struct Settings {
    var nodeCount = 3
    var usesTurns = true
    var slot = Duration.milliseconds(10)

    /// The one-way delays between a node and the log.
    var delays: [ClosedRange<Double>] = [0.1...1]

    /// The time in which the log stores an entry.
    var storing = 0.5...3.0

    /// The time in which a node runs its transaction.
    var preparing = 0.1...1.0

    /// The pause of a node after each entry of its own.
    var pauses: [ClosedRange<Double>] = [0...0]

    /// When a node begins to write.
    var beginnings: [ClosedRange<Double>] = [0...5]

    /// The simulated time.
    var end = 10_000.0
  }

  struct Result {
    /// For each node, the number of its entries.
    var appended: [Int]

    /// For each node, the number of its refused appends.
    var refused: [Int]

    /// For each node, the longest time from having something to write to receiving its entry, in milliseconds.
    var longestWrite: [Double]

    /// For each node, the longest time for which a turn has delayed an attempt, in milliseconds.
    var longestDelay: [Double]

    /// The writers of the entries.
    var entries: [Int] = []

    /// The share of appends that were refused.
    var refusedShare: Double {
      let refused = Double(refused.reduce(0, +))
      return refused / max(1, refused + Double(appended.reduce(0, +)))
    }

    /// The entries of the node with the fewest, as a part of its fair share.
    var leastShare: Double {
      Double(appended.min() ?? 0) * Double(appended.count) / Double(max(1, appended.reduce(0, +)))
    }
  }

  private enum Event {
    /// A node has received entries up to a number.
    case received(node: Int, count: Int)
    /// A node may attempt, if it has not received anything since.
    case attempt(node: Int, generation: Int)
    /// The log decides about an append after a number of entries.
    case arrived(node: Int, predecessor: Int)
    /// A node learns that its append was refused.
    case refused(node: Int)
    /// A node has something to write.
    case ready(node: Int)
  }

  private struct Node {
    var turns: WriteTurns
    var receivedCount = 0
    var lastArrival = 0.0
    /// Whether it has something to write, and no append in flight.
    var isWaiting = false
    var generation = 0
    var readySince = 0.0
    /// Of a refused append: the number of entries that it must receive first.
    var requiredCount = 0
  }

  private let settings: Settings
  private var random: LogRandom
  private let start = ContinuousClock.now
  private var events: [(time: Double, order: Int, event: Event)] = []
  private var order = 0
  private var now = 0.0
  private var nodes: [Node]
  private var log: [Int] = []
  private var result: Result

  init(_ settings: Settings, seed: UInt64) {
    self.settings = settings
    random = LogRandom(seed: seed)
    let indices = 0..<settings.nodeCount
    nodes = indices.map { Node(turns: WriteTurns(node: "node \($0)", slot: settings.slot)) }
    let zeros = indices.map { _ in 0 }
    let none = indices.map { _ in 0.0 }
    result = Result(appended: zeros, refused: zeros, longestWrite: none, longestDelay: none)
  }

  mutating func run() -> Result {
    for node in nodes.indices { schedule(.ready(node: node), after: sample(of: node, settings.beginnings)) }
    while let next = popEvent(), next.time < settings.end {
      now = next.time
      handle(next.event)
    }
    result.entries = log
    return result
  }

  private mutating func handle(_ event: Event) {
    switch event {
    case .ready(let node):
      nodes[node].isWaiting = true
      nodes[node].readySince = now
      scheduleAttempt(of: node)
    case .attempt(let node, let generation):
      guard nodes[node].isWaiting, nodes[node].generation == generation else { return }
      nodes[node].isWaiting = false
      schedule(
        .arrived(node: node, predecessor: nodes[node].receivedCount), after: sample(settings.preparing) + delay(node))
    case .arrived(let node, let predecessor):
      guard predecessor == log.count else {
        result.refused[node] += 1
        nodes[node].requiredCount = predecessor + 1
        return schedule(.refused(node: node), after: delay(node))
      }
      log.append(node)
      let stored = now + sample(settings.storing)
      for receiver in nodes.indices {
        let arrival = max(stored + delay(receiver), nodes[receiver].lastArrival)
        nodes[receiver].lastArrival = arrival
        schedule(.received(node: receiver, count: log.count), after: arrival - now)
      }
    case .refused(let node):
      nodes[node].turns.wasRefused()
      nodes[node].isWaiting = true
      scheduleAttempt(of: node)
    case .received(let node, let count):
      nodes[node].receivedCount = count
      let writer = log[count - 1]
      nodes[node].turns.entryArrived(from: "node \(writer)", at: instant(now))
      if writer == node {
        result.appended[node] += 1
        result.longestWrite[node] = max(result.longestWrite[node], now - nodes[node].readySince)
        schedule(.ready(node: node), after: sample(of: node, settings.pauses))
      }
      scheduleAttempt(of: node)
    }
  }

  private mutating func scheduleAttempt(of node: Int) {
    guard nodes[node].isWaiting, nodes[node].receivedCount >= nodes[node].requiredCount else { return }
    nodes[node].generation += 1
    let earliest = nodes[node].turns.earliestAttempt(at: instant(now))
    let wait = settings.usesTurns ? max(0, (earliest - instant(now)) / .milliseconds(1)) : 0
    result.longestDelay[node] = max(result.longestDelay[node], wait)
    schedule(.attempt(node: node, generation: nodes[node].generation), after: wait)
  }

  // MARK: - Time

  private func instant(_ time: Double) -> ContinuousClock.Instant { start + .milliseconds(1) * time }

  private mutating func sample(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }

  private mutating func sample(of node: Int, _ ranges: [ClosedRange<Double>]) -> Double {
    sample(ranges[node % ranges.count])
  }

  private mutating func delay(_ node: Int) -> Double { sample(of: node, settings.delays) }

  private mutating func schedule(_ event: Event, after delay: Double) {
    order += 1
    events.append((now + delay, order, event))
  }

  private mutating func popEvent() -> (time: Double, order: Int, event: Event)? {
    let next = events.indices.min { (events[$0].time, events[$0].order) < (events[$1].time, events[$1].order) }
    return next.map { events.remove(at: $0) }
  }
}
