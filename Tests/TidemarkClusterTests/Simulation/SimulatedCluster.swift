import Foundation
import Tidemark

@testable import TidemarkCluster

// Nodes in a simulation: the machines of the library, with files, a network and a log that are values. A seed determines
// what happens, in which order, and what fails.
//
// Each write appends its identity to one list, and has seen a number of identities. So the list of all nodes shows the
// order of all writes, and what each of them has read.

struct SimulatedCluster {
  struct Node {
    var name: String
    var file = SimulatedFile()
    var incarnation: UInt64 = 0
    var machine: NodeMachine?
    var queue: [Int] = []
    var open: (writes: [Int], entries: [LogEntry], seen: [Int])?

    /// The request for which the thread waits.
    var request: Int?
  }

  struct Message {
    enum Kind {
      case append(LogEntry)
      case barrier(known: LogPosition)
      case heartbeat(known: LogPosition)
    }

    var number: Int
    var node: Int
    var incarnation: UInt64
    var kind: Kind
  }

  private(set) var nodes: [Node]
  private(set) var writes: [SimulatedWrite] = []
  private(set) var history: [LogEntry] = []
  private(set) var failures: [String] = []
  private(set) var counts: [String: Int] = [:]
  private var log = LogContents()
  private var network: [Message] = []
  private var snapshots: [SimulatedFile] = []
  private var now = ContinuousClock.now
  private var action = 0
  private var messageCount = 0
  private var random: LogRandom
  private let defect: SimulatedDefect?
  private var isHealing = false

  init(seed: UInt64, nodeCount: Int, defect: SimulatedDefect? = nil) {
    random = LogRandom(seed: seed)
    self.defect = defect
    nodes = (0..<nodeCount).map { Node(name: "node-\($0)") }
    for index in nodes.indices { start(index) }
  }

  // MARK: - Actions

  /// Runs random actions.
  mutating func run(actions: Int) {
    for _ in 0..<actions {
      action += 1
      now += .microseconds(Int.random(in: 0...20_000, using: &random))
      let node = Int.random(in: nodes.indices, using: &random)
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<12: submit(node)
      case 12..<45: step(node)
      case 45..<62: deliver()
      case 62..<78: stream(node)
      case 78..<84: heartbeat(node)
      case 84..<88: timeOut(node)
      case 88..<89: crash(node)
      case 89..<93: if nodes[node].machine == nil { start(node) }
      case 93..<95: saveSnapshot(node)
      case 95..<96: if random.happens(0.25) { close(node) }
      case 96..<97: if nodes[node].request == nil { _ = nodes[node].machine?.attemptIsUnwanted() }
      default: now += .milliseconds(50)
      }
    }
  }

  /// Ends all faults, and lets all nodes catch up.
  mutating func heal() {
    isHealing = true
    for _ in 0..<300 {
      for index in nodes.indices {
        action += 1
        if nodes[index].machine == nil { start(index) }
        heartbeat(index)
        while !network.isEmpty { deliver() }
        for _ in 0..<4 {
          stream(index)
          step(index)
          while !network.isEmpty { deliver() }
        }
      }
      now += .seconds(2)
      let isQuiet = nodes.allSatisfy { node in
        node.file.position == log.last && node.queue.isEmpty && node.open == nil && node.machine?.inbox.isEmpty == true
      }
      if isQuiet { return }
    }
    failures.append("the nodes do not catch up")
  }

  private mutating func submit(_ index: Int) {
    guard nodes[index].machine != nil else { return }
    let isReadOnly = random.happens(0.2)
    nodes[index].queue.append(writes.count)
    writes.append(SimulatedWrite(id: randomUUID(), isReadOnly: isReadOnly, submitted: action))
  }

  private mutating func randomUUID() -> UUID {
    var bytes = UUID().uuid
    withUnsafeMutableBytes(of: &bytes) { buffer in
      for index in buffer.indices { buffer[index] = UInt8.random(in: .min ... .max, using: &random) }
    }
    return UUID(uuid: bytes)
  }

  private mutating func start(_ index: Int) {
    nodes[index].incarnation += 1
    let author = ClusterPayload.Author(
      node: nodes[index].name, incarnation: nodes[index].incarnation, id: randomUUID())
    nodes[index].machine = NodeMachine(author: author, position: nodes[index].file.position, slot: .milliseconds(10))
  }

  /// The process of a node is killed.
  private mutating func crash(_ index: Int) {
    guard nodes[index].machine != nil else { return }
    counts["crash", default: 0] += 1
    nodes[index].machine = nil
    (nodes[index].request) = nil
    let lost = nodes[index].queue + (nodes[index].open?.writes ?? [])
    (nodes[index].queue, nodes[index].open) = ([], nil)
    for write in lost { resume(write, .unknown) }
  }

  private mutating func close(_ index: Int) {
    nodes[index].machine?.end(.closed)
  }

  private mutating func saveSnapshot(_ index: Int) {
    snapshots.append(nodes[index].file)
    if random.happens(0.5) {
      do {
        try log.discard(through: nodes[index].file.position)
        counts["discard", default: 0] += 1
      } catch {
        failures.append("\(error)")
      }
    }
  }

  private mutating func resume(_ write: Int, _ outcome: SimulatedWrite.Outcome) {
    writes[write].outcome = outcome
    writes[write].resumed = action
  }

  // MARK: - The log

  private mutating func send(_ kind: Message.Kind, from index: Int) -> Int {
    messageCount += 1
    network.append(Message(number: messageCount, node: index, incarnation: nodes[index].incarnation, kind: kind))
    return messageCount
  }

  private mutating func heartbeat(_ index: Int) {
    guard let machine = nodes[index].machine else { return }
    _ = send(.heartbeat(known: machine.position), from: index)
  }

  private mutating func deliver() {
    guard !network.isEmpty else { return }
    let place = Int.random(in: network.indices, using: &random)
    let message = network[place]
    // A duplicate arrives later.
    if isHealing || !random.happens(0.1) { network.remove(at: place) }
    let isLost = !isHealing && random.happens(0.15)
    let isHere = nodes[message.node].machine != nil && nodes[message.node].incarnation == message.incarnation
    let waits = isHere && nodes[message.node].request == message.number
    switch message.kind {
    case .append(let entry):
      let before = log.last
      let result = Result { () throws(LogError) in try log.append(entry) }
      if log.last != before { history.append(entry) }
      guard waits else { return }
      nodes[message.node].request = nil
      switch result {
      case .success(let result): appended(isLost ? .unknown : result, entry, message.node)
      case .failure(let error):
        if isLost {
          appended(.unknown, entry, message.node)
        } else {
          nodes[message.node].machine?.appendFailed(error, of: entry, at: now)
        }
      }
    case .barrier:
      guard waits else { return }
      nodes[message.node].request = nil
      if isLost {
        nodes[message.node].machine?.confirmFailed("lost", at: now)
      } else {
        let last = log.last
        nodes[message.node].machine?.didConfirm(last, at: now)
      }
    case .heartbeat(let known):
      guard isHere else { return }
      if isLost {
        nodes[message.node].machine?.logFailed("lost")
      } else {
        nodes[message.node].machine?.logAnswered(log.last, whenKnown: known)
      }
    }
  }

  private mutating func appended(_ result: AppendResult, _ entry: LogEntry, _ index: Int) {
    if case .unknown = result {
      counts["unknown", default: 0] += 1
      if defect == .treatsUnknownAsRefused {
        nodes[index].machine?.didRollBack()
        nodes[index].queue = (nodes[index].open?.writes ?? []) + nodes[index].queue
        nodes[index].open = nil
        return
      }
    }
    if case .refused = result { counts["refused", default: 0] += 1 }
    nodes[index].machine?.appendReturned(result, of: entry, at: now)
  }

  /// The time of a request is over. It may still arrive.
  private mutating func timeOut(_ index: Int) {
    guard let number = nodes[index].request, let message = network.first(where: { $0.number == number }) else { return }
    nodes[index].request = nil
    switch message.kind {
    case .append(let entry): appended(.unknown, entry, index)
    case .barrier: nodes[index].machine?.confirmFailed("time", at: now)
    case .heartbeat: break
    }
  }

  /// Some entries arrive at a node.
  private mutating func stream(_ index: Int) {
    guard let received = nodes[index].machine?.received else { return }
    do {
      let entries = try log.entries(after: received)
      for entry in entries.prefix(isHealing ? .max : Int.random(in: 1...4, using: &random)) {
        nodes[index].machine?.entryArrived(ReceivedEntry(entry), at: now)
      }
    } catch LogError.behindLog(let discarded) {
      nodes[index].machine?.logWasDiscarded(through: discarded)
    } catch {
      failures.append("\(nodes[index].name): \(error)")
    }
  }

  // MARK: - The thread of a node

  private mutating func step(_ index: Int) {
    guard let machine = nodes[index].machine, nodes[index].request == nil else { return }
    let mayFail = !isHealing
    switch machine.next(hasWrites: !nodes[index].queue.isEmpty, at: now) {
    case .wait: break
    case .apply(let entries):
      if mayFail, random.happens(0.1) {
        nodes[index].machine?.fileFailed("full", at: now)
        return
      }
      for entry in entries {
        guard case .success(let payload) = entry.payload else { continue }
        nodes[index].file.apply(entry.entry, payload)
        if defect == .appliesTwice, random.happens(0.05) { nodes[index].file.apply(entry.entry, payload) }
      }
      let position = nodes[index].file.position
      nodes[index].machine?.didApply(through: position)
    case .execute: execute(index)
    case .append(let entry): nodes[index].request = send(.append(entry), from: index)
    case .confirm:
      if defect == .acknowledgesReadsWithoutLog {
        nodes[index].machine?.didConfirm(machine.position, at: now)
      } else {
        nodes[index].request = send(.barrier(known: machine.position), from: index)
      }
    case .commit: commit(index)
    case .rollBack(let defeat): rollBack(index, defeat)
    case .installSnapshot(let discarded):
      if let snapshot = snapshots.last(where: { $0.position.number >= discarded.number }) {
        counts["install", default: 0] += 1
        nodes[index].file = snapshot
        nodes[index].machine?.didInstallSnapshot(at: snapshot.position)
      } else {
        nodes[index].machine?.snapshotFailed(at: now)
      }
    case .stop:
      let ending = machine.ending
      if ending != .closed {
        failures.append("\(nodes[index].name) has stopped: \(ending.map(String.init(describing:)) ?? "")")
      }
      crash(index)
    }
  }

  private mutating func execute(_ index: Int) {
    let count = Int.random(in: 1...3, using: &random)
    let taken = Array(nodes[index].queue.prefix(count))
    nodes[index].queue.removeFirst(taken.count)
    var list = nodes[index].file.list
    var seen: [Int] = []
    var transactions: [ClusterPayload.Transaction] = []
    for write in taken {
      seen.append(list.count)
      if writes[write].isReadOnly { continue }
      list.append(writes[write].id)
      let note = TransactionChanges.Element.notification(channel: "seen", payload: String(seen.last ?? 0))
      transactions.append(
        ClusterPayload.Transaction(
          id: writes[write].id, changes: TransactionChanges(microsecondsSince1970: 0, elements: [note])))
    }
    let entries = entries(transactions, index)
    if defect == .commitsBeforeTheLog, random.happens(0.1) { nodes[index].file.list = list }
    nodes[index].open = (taken, entries, seen)
    nodes[index].machine?.didExecute(entries)
  }

  private mutating func entries(_ transactions: [ClusterPayload.Transaction], _ index: Int) -> [LogEntry] {
    guard !transactions.isEmpty, let machine = nodes[index].machine else { return [] }
    let (author, start) = (machine.nextAuthor, nodes[index].file.position)
    let bytes = ClusterPayload.encoded(transactions)
    guard random.happens(0.3) else {
      return [
        LogEntry(
          id: randomUUID(), after: start, payload: ClusterPayload.payload(author: author, transactions: bytes))
      ]
    }
    let (group, middle) = (randomUUID(), bytes.count / 2)
    let contents: [ClusterPayload.Content] = [
      .part(group: group, index: 0, bytes: Array(bytes[..<middle])),
      .part(group: group, index: 1, bytes: Array(bytes[middle...])),
      .end(group: group, partCount: 2, digest: LogDigest(of: bytes)),
    ]
    var entries: [LogEntry] = []
    for content in contents {
      entries.append(
        LogEntry(
          id: randomUUID(), after: entries.last?.position ?? start,
          payload: ClusterPayload(author: author, content: content).encoded))
    }
    return entries
  }

  private mutating func commit(_ index: Int) {
    guard let open = nodes[index].open else { return failures.append("a commit without a transaction") }
    nodes[index].open = nil
    if !open.entries.isEmpty, !isHealing, random.happens(0.05) {
      // The disk is full.
      nodes[index].machine?.commitFailed("full", open.entries, at: now)
      for write in open.writes { resume(write, .unknown) }
      return
    }
    nodes[index].file.list += open.writes.filter { !writes[$0].isReadOnly }.map { writes[$0].id }
    if let end = open.entries.last {
      nodes[index].file.position = end.position
      nodes[index].file.parts = [:]
    }
    nodes[index].machine?.didCommit(nil, at: now)
    for (write, seen) in zip(open.writes, open.seen) { resume(write, .acknowledged(seen: seen)) }
  }

  private mutating func rollBack(_ index: Int, _ defeat: NodeMachine.Defeat) {
    guard let open = nodes[index].open else { return failures.append("a rollback without a transaction") }
    if defect == .keepsOpenTransaction, random.happens(0.2) {
      nodes[index].file.list += open.writes.filter { !writes[$0].isReadOnly }.map { writes[$0].id }
    }
    nodes[index].open = nil
    nodes[index].machine?.didRollBack()
    switch defeat {
    case .refused: nodes[index].queue = open.writes + nodes[index].queue
    case .failed, .expired: for write in open.writes { resume(write, .failed) }
    case .abandoned: for write in open.writes { resume(write, .unknown) }
    }
  }
}
