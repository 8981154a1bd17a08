/// The fair order in which nodes attempt to append, so that nodes that write at the same time do not waste their work.
///
/// It is advice: the condition of an append decides, and a turn only delays an attempt. It is a value without clock and
/// tasks. A node passes in each entry of the log, in order.
///
/// The nodes that have written recently are *active*, and wait in a queue. An active node that appends an entry moves
/// to the end of the queue. The nodes before it have missed their turns, and leave the queue. A node that is not in the
/// queue is a *newcomer*: it competes at once, and joins the end of the queue with its entry. Nodes that have received
/// the same entries have the same queue.
///
/// The turn of the first node begins with the entry of an active node. After a slot without such an entry, the second
/// node may attempt, too, and so on. So the slot should be longer than it takes to receive an entry and append the next.
///
/// - *T1.* The wait of a node is bounded by the number of active nodes × slot, from the last entry of an active node.
///   An entry of a newcomer does not make it longer.
/// - *T2.* A newcomer does not wait. A node that is the only active one does not wait.
/// - *T3.* An idle node costs the others one slot after its last entry, and nothing later.
/// - *T4.* While a node holds the turn, the others wait, until the end of its time at the latest.
struct WriteTurns {
  /// The time for which the turn of a node excludes those behind it in the queue.
  var slot: Duration

  private let node: String

  /// The active nodes, the next one first.
  private var queue: [String] = []

  /// When the turn of the first node in the queue began; nil before the first entry.
  private var turnBegan: ContinuousClock.Instant?

  /// The node that holds the turn for several entries.
  private var holder: (node: String, end: ContinuousClock.Instant)?

  /// - Parameters:
  ///   - node: The name of this node.
  ///   - slot: The time for which the turn of a node excludes those behind it in the queue.
  init(node: String, slot: Duration = .milliseconds(10)) {
    self.node = node
    self.slot = slot
  }

  /// An entry of a node, or of this node, was received from the log.
  mutating func entryArrived(from writer: String, at now: ContinuousClock.Instant) {
    if let index = queue.firstIndex(of: writer) {
      queue.removeFirst(index + 1)
      turnBegan = now
    } else if queue.isEmpty {
      turnBegan = now
    }
    queue.append(writer)
  }

  /// An append of this node was refused.
  mutating func wasRefused() {}

  /// Delays all other nodes until a time, because a node appends several entries in a row.
  ///
  /// A later call replaces an earlier one.
  mutating func holdTurn(for node: String, until end: ContinuousClock.Instant) { holder = (node, end) }

  /// Ends ``holdTurn(for:until:)``, if the node holds the turn.
  mutating func releaseTurn(of node: String) {
    if holder?.node == node { holder = nil }
  }

  /// When this node may attempt to append; `now` or earlier: at once.
  func earliestAttempt(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    if holder?.node == node { return now }
    let index = queue.firstIndex(of: node) ?? 0
    let began = max(turnBegan ?? now, holder?.end ?? turnBegan ?? now)
    return index == 0 && holder == nil ? now : began + slot * index
  }
}
