/// Checks whether a history is consistent with the guarantees of a database.
///
/// A single writer numbers the commits, so the sequence of states is known. The checks are:
/// 1. Every read sees one of the states.
/// 2. The state is not older than the last write acknowledged before the read began.
/// 3. The state does not include a write that began after the read had ended.
/// 4. The state is not older than the state of the previous read in the session.
struct HistoryChecker {
  enum Fault: Hashable, CustomStringConvertible {
    case commitMissing(Int)
    case commitTwice(Int)
    case noState(kind: String)
    case stale(kind: String, saw: Int, acknowledged: Int)
    case fromTheFuture(kind: String, saw: Int, begun: Int)
    case backwards(kind: String, saw: Int, before: Int)
    case otherState(kind: String, saw: Int, expected: Int)

    var description: String {
      switch self {
      case .commitMissing(let number): "commit \(number) was not acknowledged"
      case .commitTwice(let number): "commit \(number) was acknowledged twice"
      case .noState(let kind): "a \(kind) saw what never was"
      case .stale(let kind, let saw, let acknowledged):
        "a \(kind) saw commit \(saw), though \(acknowledged) was acknowledged before"
      case .fromTheFuture(let kind, let saw, let begun): "a \(kind) saw commit \(saw), when only \(begun) had begun"
      case .backwards(let kind, let saw, let before): "a \(kind) saw commit \(saw) after its session had seen \(before)"
      case .otherState(let kind, let saw, let expected): "a \(kind) saw commit \(saw), and should have seen \(expected)"
      }
    }
  }

  private let history: History
  private let writes: [History.Write]
  private(set) var faults: [Fault] = []

  /// After each commit, how long each list is.
  private var lengths: [[Int]] = []
  private var final: History.Lists

  /// The faults of a history.
  static func faults(of history: History) -> [Fault] {
    var checker = HistoryChecker(history)
    checker.check()
    return checker.faults
  }

  private init(_ history: History) {
    self.history = history
    writes = history.writes.sorted { $0.commit < $1.commit }
    final = Array(repeating: [], count: history.keyCount)
  }

  private mutating func check() {
    guard replay() else { return }
    // For each moment, the last commit acknowledged before it, and the last one begun.
    let ends = running(writes.map { (at: $0.end, commit: $0.commit) })
    let begins = running(writes.map { (at: $0.begin, commit: $0.commit) })
    var lastOfSession: [Int: Int] = [:]
    for read in history.reads.sorted(by: { $0.begin < $1.begin }) {
      guard let saw = state(of: read.lists) else {
        faults.append(.noState(kind: read.kind))
        continue
      }
      let acknowledged = last(in: ends, before: read.begin)
      if let expected = read.commit {
        if saw != expected { faults.append(.otherState(kind: read.kind, saw: saw, expected: expected)) }
        continue
      }
      if saw < acknowledged { faults.append(.stale(kind: read.kind, saw: saw, acknowledged: acknowledged)) }
      let begun = last(in: begins, before: read.end)
      if saw > begun { faults.append(.fromTheFuture(kind: read.kind, saw: saw, begun: begun)) }
      if let before = lastOfSession[read.session], saw < before {
        faults.append(.backwards(kind: read.kind, saw: saw, before: before))
      }
      lastOfSession[read.session] = max(saw, lastOfSession[read.session] ?? 0)
    }
  }

  /// Plays the writes again, in the order of their commits.
  ///
  /// - Returns: Whether there is one write for each commit.
  private mutating func replay() -> Bool {
    lengths = [final.map(\.count)]
    for (index, write) in writes.enumerated() {
      if write.commit != index + 1 {
        faults.append(write.commit <= index ? .commitTwice(write.commit) : .commitMissing(index + 1))
        return false
      }
      for append in write.appends { final[append.key].append(append.value) }
      lengths.append(final.map(\.count))
    }
    return true
  }

  /// The commit whose state the lists are, if they are one.
  private func state(of lists: History.Lists) -> Int? {
    // Each write appends something: there is one commit at most after which there were as many values.
    let count = lists.reduce(0) { $0 + $1.count }
    var low = 0
    var high = lengths.count
    while low < high {
      let middle = (low + high) / 2
      if lengths[middle].reduce(0, +) < count { low = middle + 1 } else { high = middle }
    }
    guard low < lengths.count, lengths[low] == lists.map(\.count) else { return nil }
    for (list, whole) in zip(lists, final) where !whole.starts(with: list) { return nil }
    return low
  }

  /// For each moment of an event, the greatest commit of the events until then.
  private func running(_ events: [(at: Int, commit: Int)]) -> [(at: Int, commit: Int)] {
    var greatest = 0
    return events.sorted { $0.at < $1.at }.map { event in
      greatest = max(greatest, event.commit)
      return (event.at, greatest)
    }
  }

  private func last(in events: [(at: Int, commit: Int)], before moment: Int) -> Int {
    var low = 0
    var high = events.count
    while low < high {
      let middle = (low + high) / 2
      if events[middle].at < moment { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? 0 : events[low - 1].commit
  }
}
