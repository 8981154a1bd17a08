import Foundation
import Tidemark

@testable import TidemarkCluster

/// A write of a simulation.
struct SimulatedWrite: Hashable {
  enum Outcome: Hashable {
    /// It is committed, or if it has changed nothing, the state that it has read was the last one.
    case acknowledged(seen: Int)

    /// It is not committed, and never will be.
    case failed

    /// Its caller does not know.
    case unknown
  }

  var id: UUID
  var isReadOnly: Bool

  /// The numbers of the actions in which it was submitted, and in which its caller was resumed.
  var submitted: Int
  var resumed: Int?
  var outcome: Outcome?
}

/// The faults that the checks must find.
enum SimulatedDefect: CaseIterable {
  case treatsUnknownAsRefused, commitsBeforeTheLog, appliesTwice, acknowledgesReadsWithoutLog, keepsOpenTransaction
}

/// A file of a node: its position, and the list.
struct SimulatedFile {
  var position = LogPosition.start
  var list: [UUID] = []
  var parts: [UUID: [UInt8]] = [:]

  mutating func apply(_ entry: LogEntry, _ payload: ClusterPayload) {
    switch payload.content {
    case .transactions(let transactions):
      list += transactions.map(\.id)
      parts = [:]
    case .part(let group, _, let bytes): parts[group, default: []] += bytes
    case .snapshot: break
    case .end(let group, _, _):
      let transactions = (try? ClusterPayload.transactions(decoding: parts[group] ?? [])) ?? []
      list += transactions.map(\.id)
      parts = [:]
    }
    position = entry.position
  }
}

// MARK: - Checks

extension SimulatedCluster {
  /// The violations that are found after ``heal()``.
  func contradictions() -> [String] {
    var problems = failures
    var file = SimulatedFile()
    var seenInOrder: [Int] = []
    for entry in history {
      guard let payload = try? ClusterPayload(decoding: entry.payload) else { continue }
      var transactions: [ClusterPayload.Transaction] = []
      switch payload.content {
      case .transactions(let own): transactions = own
      case .part, .snapshot: break
      case .end(let group, _, _):
        transactions = (try? ClusterPayload.transactions(decoding: file.parts[group] ?? [])) ?? []
        if transactions.isEmpty { problems.append("the parts of entry \(entry.number) are incomplete") }
      }
      for case .notification(_, let seen) in transactions.flatMap(\.changes.elements) {
        seenInOrder.append(Int(seen) ?? -1)
      }
      file.apply(entry, payload)
    }
    if seenInOrder != Array(file.list.indices) { problems.append("a write has not seen all writes before it") }
    if Set(file.list).count != file.list.count { problems.append("a write is committed twice") }
    for node in nodes where node.file.list != file.list { problems.append("\(node.name) has other contents") }
    let places = Dictionary(file.list.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    for write in writes {
      switch write.outcome {
      case .acknowledged(let seen):
        if !write.isReadOnly, places[write.id] != seen { problems.append("an acknowledged write is lost or misplaced") }
      case .failed: if places[write.id] != nil { problems.append("a failed write is committed") }
      case .unknown: break
      case nil: problems.append("a caller still waits")
      }
    }
    return problems + realTimeContradictions(places)
  }

  /// A write that was acknowledged before another was submitted precedes it.
  private func realTimeContradictions(_ places: [UUID: Int]) -> [String] {
    var events: [(time: Int, isEnd: Bool, first: Int, last: Int)] = []
    for write in writes {
      guard case .acknowledged(let seen)? = write.outcome, let resumed = write.resumed else { continue }
      // The number of writes that this one has seen, and that later ones must see.
      events.append((write.submitted, false, seen, seen))
      events.append((resumed, true, seen, write.isReadOnly ? seen : seen + 1))
    }
    var required = 0
    for event in events.sorted(by: { ($0.time, $0.isEnd ? 1 : 0) < ($1.time, $1.isEnd ? 1 : 0) }) {
      if event.isEnd {
        required = max(required, event.last)
      } else if event.first < required {
        return ["a write has not seen a write that was acknowledged before it began"]
      }
    }
    return []
  }
}
