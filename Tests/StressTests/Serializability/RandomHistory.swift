import StressSupport

/// Histories that are strictly serializable, because their transactions are executed one after the other on a model,
/// at moments within the times that are recorded; and changes that make them contradict themselves.
struct RandomHistory {
  typealias Operation = TransactionHistory.Operation
  typealias Transaction = TransactionHistory.Transaction

  private var numbers: RandomNumbers
  private var lists: [Int: [Int]] = [:]
  private var registers: [Int: Int] = [:]
  private var lastValue = 0

  private static let sessionCount = 4
  private static let keyCount = 6

  /// The transactions in the order of their execution. Two of one session do not overlap.
  private(set) var transactions: [Transaction] = []

  init(seed: UInt64, count: Int) {
    numbers = RandomNumbers(seed: seed)
    var ends = [Int](repeating: 0, count: Self.sessionCount)
    for number in 1...count {
      let session = numbers.below(Self.sessionCount)
      let executed = number * 100
      let begin = max(ends[session] + 1, executed - numbers.below(600))
      let end = executed + 1 + numbers.below(50)
      ends[session] = end
      transactions.append(execute(session, begin, end))
    }
    // At the end, everything is read.
    let reads = (0..<Self.keyCount).map { read($0) }
    let end = (count + 10) * 100
    transactions.append(Transaction(session: Self.sessionCount, begin: end, end: end + 1, operations: reads))
  }

  var history: TransactionHistory {
    var history = TransactionHistory()
    for transaction in transactions { history.add(transaction) }
    return history
  }

  private mutating func execute(_ session: Int, _ begin: Int, _ end: Int) -> Transaction {
    let outcome: TransactionHistory.Outcome =
      numbers.once(in: 6) ? .aborted : numbers.once(in: 8) ? .unknown : .committed
    let before = (lists, registers)
    var operations: [Operation] = []
    for _ in 0...numbers.below(4) {
      let key = numbers.below(Self.keyCount)
      if numbers.once(in: 2) {
        operations.append(read(key))
        continue
      }
      lastValue += 1
      if Self.isRegister(key) {
        registers[key] = lastValue
        operations.append(.write(key: key, value: lastValue))
      } else {
        lists[key, default: []].append(lastValue)
        operations.append(.append(key: key, value: lastValue))
      }
    }
    if outcome == .aborted || outcome == .unknown && numbers.once(in: 2) { (lists, registers) = before }
    return Transaction(session: session, begin: begin, end: end, outcome: outcome, operations: operations)
  }

  private static func isRegister(_ key: Int) -> Bool { key % 3 == 2 }

  private func read(_ key: Int) -> Operation {
    Self.isRegister(key) ? .read(key: key, registers[key]) : .list(key: key, lists[key] ?? [])
  }

  // MARK: Faults

  enum Fault: CaseIterable, Sendable {
    case shorterList, otherElement, repeatedElement, exchangedElements, futureElement
    case oldRegister, acknowledgedInsteadOfAborted, abortedInsteadOfCommitted
  }

  /// Changes one operation so that the history contradicts itself.
  ///
  /// - Returns: False if there is not a place for the fault.
  mutating func plant(_ fault: Fault) -> Bool {
    let places = transactions.indices.flatMap { index in
      transactions[index].operations.indices.map { (index, $0) }
    }.filter { canPlant(fault, at: $0.0, $0.1) }
    guard !places.isEmpty else { return false }
    let (index, place) = places[numbers.below(places.count)]
    let operation = transactions[index].operations[place]
    switch (fault, operation) {
    case (.shorterList, .list(let key, let values)):
      replaceReads(index, with: .list(key: key, values.dropLast()))
    case (.otherElement, .list(let key, let values)):
      replaceReads(index, with: .list(key: key, values.dropLast() + [lastValue + 1]))
    case (.repeatedElement, .list(let key, let values)):
      replaceReads(index, with: .list(key: key, values + [values[0]]))
    case (.exchangedElements, .list(let key, let values)):
      replaceReads(index, with: .list(key: key, [values[1], values[0]] + values[2...]))
    case (.futureElement, .list(let key, let values)):
      replaceReads(index, with: .list(key: key, Array((finalList(key) ?? []).prefix(values.count + 1))))
    case (.oldRegister, .read(let key, _)):
      replaceReads(index, with: .read(key: key, nil))
    case (.acknowledgedInsteadOfAborted, _): transactions[index].outcome = .committed
    case (.abortedInsteadOfCommitted, _): transactions[index].outcome = .aborted
    default: return false
    }
    return true
  }

  private func canPlant(_ fault: Fault, at index: Int, _ place: Int) -> Bool {
    let transaction = transactions[index]
    let operation = transaction.operations[place]
    let key = operation.key
    let writesKey = transaction.operations.contains { $0.isWrite && $0.key == key }
    switch (fault, operation) {
    case (.shorterList, .list(_, let values)):
      // The last element was appended by a transaction that had ended.
      return transaction.outcome == .committed && !writesKey
        && transactions.contains {
          $0.outcome == .committed && $0.end < transaction.begin
            && $0.operations.contains(.append(key: key, value: values.last ?? -1))
        }
    case (.otherElement, .list(_, let values)), (.repeatedElement, .list(_, let values)):
      return transaction.outcome == .committed && !writesKey && !values.isEmpty
    case (.exchangedElements, .list(_, let values)):
      // The second element cannot have been appended before the first.
      return transaction.outcome == .committed && !writesKey && values.count > 1
        && isAppended(values[0], before: values[1], key)
    case (.futureElement, .list(_, let values)):
      // The next element was appended by a transaction that began later.
      guard let final = finalList(key), values.count < final.count else { return false }
      return transaction.outcome == .committed && !writesKey
        && transactions.contains {
          $0.begin > transaction.end && $0.operations.contains(.append(key: key, value: final[values.count]))
        }
    case (.oldRegister, .read(_, let value?)):
      // The register was written by a transaction that had ended.
      return transaction.outcome == .committed && !writesKey
        && transactions.contains {
          $0.outcome == .committed && $0.end < transaction.begin
            && $0.operations.contains(.write(key: key, value: value))
        }
    case (.acknowledgedInsteadOfAborted, .append): return transaction.outcome == .aborted
    case (.abortedInsteadOfCommitted, .append): return transaction.outcome == .committed
    default: return false
    }
  }

  /// Whether a value was appended by the transaction of another value, or by one that had ended before.
  private func isAppended(_ value: Int, before other: Int, _ key: Int) -> Bool {
    func appender(of value: Int) -> Transaction? {
      transactions.first { $0.operations.contains(.append(key: key, value: value)) }
    }
    guard let first = appender(of: value), let second = appender(of: other) else { return false }
    return first == second || first.end < second.begin
  }

  /// All reads of a key by a transaction see the same, so that it does not contradict itself.
  private mutating func replaceReads(_ index: Int, with read: Operation) {
    for place in transactions[index].operations.indices {
      let operation = transactions[index].operations[place]
      if operation.key == read.key, !operation.isWrite { transactions[index].operations[place] = read }
    }
  }

  private func finalList(_ key: Int) -> [Int]? {
    guard case .list(_, let values)? = transactions.last?.operations[key] else { return nil }
    return values
  }
}

extension TransactionHistory.Operation {
  fileprivate var key: Int {
    switch self {
    case .append(let key, _), .list(let key, _), .write(let key, _), .read(let key, _): key
    }
  }

  fileprivate var isWrite: Bool {
    switch self {
    case .append, .write: true
    case .list, .read: false
    }
  }
}
