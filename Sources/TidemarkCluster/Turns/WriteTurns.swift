/// The fair order in which nodes attempt to append, so that nodes that write at the same time do not waste their work.
///
/// It is advice: the condition of an append decides, and a turn only delays an attempt. It is a value without clock and
/// tasks. A node passes in each entry of the log, in order.
///
/// **The queue.** The nodes that have written recently are *active*, and wait in a queue. An active node that appends
/// an entry moves to the end of the queue. The nodes before it have missed their turns, and leave the queue. A node
/// that is not in the queue is a *newcomer*: it competes at once, and joins the end of the queue with its entry. Nodes
/// that have received the same entries have the same queue.
///
/// **The slot.** After an entry, it is the turn of the first node. After a slot without an entry, the second node may
/// attempt, too, and so on. A slot has to be longer than a node takes to receive an entry and to append the next one.
/// Otherwise, the attempts of nodes behind the first one are refused. So a node makes the slot that it uses longer
/// after such a refusal, and shorter again when such an attempt succeeds.
///
/// **The open slot.** If newcomers are farther from the log than active nodes, these are always faster. So active nodes
/// leave one slot open now and then.
///
/// - *T1.* After an entry, a node waits for at most one slot for each active node. The slot is 16 times the given one
///   at most. A node moves forward in the queue with each entry of an active node, and newcomers join behind it.
/// - *T2.* A newcomer does not wait. The only active node does not wait for other nodes.
/// - *T3.* An idle node costs the others one slot after its last entry, and nothing later.
/// - *T4.* While a node holds the turn, the others wait, until the end of its time at the latest.
/// - *T5.* Once in 100 slots, one slot is open to newcomers. A node that has never seen entries of others leaves none.
///
/// A ring in the order of names was not used: a newcomer would pass the turn to the node after it in the ring, and
/// nodes that had waited longer would wait again.
struct WriteTurns {
  /// A slot is at most this many times as long as the given one.
  private static let longestSlot = 16

  /// The number of slots after which the first node leaves one open.
  private static let openSlotInterval = 100

  /// The number of slots after which other nodes expect it. They have not seen the same times exactly.
  private static let openSlotTolerance = 90

  private let node: String

  /// The slot that was given.
  private let shortestSlot: Duration

  /// The slot that this node uses: the time for which the turn of a node excludes the nodes behind it.
  private(set) var slot: Duration

  /// The active nodes, the next one first.
  private var queue: [String] = []

  /// When the last entry arrived, of any node.
  private var lastEntry: ContinuousClock.Instant?

  /// When newcomers had a slot for the last time; at first, the arrival of the first entry.
  private var lastOpenSlot: ContinuousClock.Instant?

  /// Whether there are entries of other nodes.
  private var hasSeenOthers = false

  /// The node that holds the turn for several entries.
  private var holder: (node: String, end: ContinuousClock.Instant)?

  /// - Parameters:
  ///   - node: The name of this node.
  ///   - slot: The time that a node usually takes to receive an entry and to append the next one, and some more.
  init(node: String, slot: Duration = .milliseconds(10)) {
    self.node = node
    self.slot = slot
    shortestSlot = slot
  }

  /// An entry was received from the log, of another node or of this one.
  mutating func entryArrived(from writer: String, at now: ContinuousClock.Instant) {
    if writer != node { hasSeenOthers = true }
    // Nodes receive the same entries at slightly different times, and should agree on which slots were open.
    if lastEntry.map({ now - $0 >= slot * 3 / 5 }) ?? true { lastOpenSlot = now }
    lastEntry = now
    if let index = queue.firstIndex(of: writer) {
      // The nodes in front had time enough for their turns.
      if writer == node, index > 0 { slot = max(shortestSlot, slot * 9 / 10) }
      queue.removeFirst(index + 1)
    }
    queue.append(writer)
  }

  /// An append of this node was refused. Call it before the winner's entry is passed in.
  mutating func wasRefused() {
    // A node in front took longer for its turn. If a newcomer was faster, this node keeps its place.
    if let index = queue.firstIndex(of: node), index > 0 {
      slot = min(shortestSlot * Self.longestSlot, slot * 3 / 2)
    }
  }

  /// Delays all other nodes until a time, because a node appends several entries in a row.
  ///
  /// A later call replaces an earlier one. After the time, the turns continue as after an entry.
  mutating func holdTurn(for node: String, until end: ContinuousClock.Instant) { holder = (node, end) }

  /// Ends ``holdTurn(for:until:)``, if the node holds the turn. The turns continue as after the last entry.
  mutating func releaseTurn(of node: String) {
    if holder?.node == node { holder = nil }
  }

  /// When this node may attempt to append; `now` or earlier: at once.
  ///
  /// The result is valid until the next call of another method.
  func earliestAttempt(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    if let holder, holder.node == node, now < holder.end { return now }
    guard let began = [lastEntry, holder?.end].compactMap(\.self).max() else { return now }
    guard let index = queue.firstIndex(of: node) else { return holder?.end ?? now }
    return began + slot * (leavesOpenSlot(at: began, isFirst: index == 0) ? index + 1 : index)
  }

  private func leavesOpenSlot(at turnBegan: ContinuousClock.Instant, isFirst: Bool) -> Bool {
    guard hasSeenOthers, let lastOpenSlot else { return false }
    return turnBegan - lastOpenSlot > slot * (isFirst ? Self.openSlotInterval : Self.openSlotTolerance)
  }
}
