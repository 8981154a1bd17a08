/// Checks whether a history is strictly serializable: whether its transactions could have run one after the other, in
/// an order that agrees with the times at which they began and ended.
///
/// The method is Elle's (Kingsbury and Alvaro, 2020): the values that transactions have read imply which of them must
/// come before which others. An order exists unless these dependencies have a cycle. Other contradictions, such as
/// a read of a value that was rolled back, are found beforehand. The check takes a time that is proportional to the
/// number of operations and of the values that were read, apart from the sorting of times.
///
/// A write that no transaction has read has no place in the order, and a write whose outcome is unknown took place if
/// a transaction has read it. So a history should end with transactions that read all keys.
package struct SerializabilityChecker {
  /// The result of a check.
  package struct Verdict: Sendable {
    package var anomalies: [Anomaly]

    /// The transactions whose outcome was unknown, and which others have seen.
    package var seenUnknownCount: Int

    /// The number of dependencies that were looked at: without any, nothing was checked.
    package var dependencyCount: Int
  }

  let history: TransactionHistory
  var graph: DependencyGraph
  private(set) var anomalies: Set<Anomaly> = []

  /// Whether each transaction was committed, as far as it is known.
  private(set) var isCommitted: [Bool]

  /// The transaction that wrote a value of a key.
  private(set) var writers: [WrittenValue: Writer] = [:]

  struct WrittenValue: Hashable {
    var key: Int32
    var value: Int32
  }

  struct Writer {
    var transaction: Int32

    /// The position of the write among all operations.
    var place: Int32

    /// Whether its transaction has not written another value for the same key later.
    var isLast: Bool

    /// Whether the value is in a list that was read.
    var isSeen = false
  }

  package static func verdict(on history: TransactionHistory) -> Verdict {
    var checker = SerializabilityChecker(history)
    checker.findWriters()
    checker.findUnknownWritersThatWereSeen()
    let unknown = history.transactions.indices.count { index in
      checker.isCommitted[index] && history.transactions[index].outcome == .unknown
    }
    checker.checkInside()
    checker.checkLists()
    checker.checkRegisters()
    checker.addSessions()
    checker.addTimes()
    for cycle in CycleSearch(checker.graph.sorted()).cycles() { checker.report(.cycle(cycle)) }
    return Verdict(
      anomalies: checker.anomalies.sorted { "\($0)" < "\($1)" }, seenUnknownCount: unknown,
      dependencyCount: checker.graph.edgeCount)
  }

  private init(_ history: TransactionHistory) {
    self.history = history
    graph = DependencyGraph(transactionCount: history.transactionCount)
    isCommitted = history.transactions.map { $0.outcome == .committed }
  }

  mutating func report(_ anomaly: Anomaly) {
    // A broken history contradicts itself in very many places.
    if anomalies.count < 1_000 { anomalies.insert(anomaly) }
  }

  // MARK: Writers

  private mutating func findWriters() {
    // For each key, the last transaction that was visited backwards and has written it.
    var visited = [Int32](repeating: -1, count: history.keyCount)
    for (index, transaction) in history.transactions.enumerated() {
      for place in transaction.operations.reversed() {
        let operation = history.operations[place]
        guard operation.kind == .append || operation.kind == .write else { continue }
        let key = Int(operation.key)
        let written = WrittenValue(key: operation.key, value: operation.value)
        let writer = Writer(transaction: Int32(index), place: Int32(place), isLast: visited[key] != index)
        precondition(writers.updateValue(writer, forKey: written) == nil, "a value is written once")
        visited[key] = Int32(index)
      }
    }
  }

  /// A transaction that others have seen was committed.
  private mutating func findUnknownWritersThatWereSeen() {
    guard history.transactions.contains(where: { $0.outcome == .unknown }) else { return }
    var seen: [Int] = []
    func see(_ key: Int32, _ value: Int32) {
      guard let writer = writers[WrittenValue(key: key, value: value)] else { return }
      if history.transactions[Int(writer.transaction)].outcome == .unknown { seen.append(Int(writer.transaction)) }
    }
    forEachCommittedRead { _, operation in
      if operation.kind == .read { see(operation.key, operation.value) }
      if operation.kind == .list { for element in history.elements[operation.range] { see(operation.key, element) } }
    }
    for transaction in seen { isCommitted[transaction] = true }
  }

  /// Visits the reads of the transactions that are known to be committed. The reads of others are ignored.
  func forEachCommittedRead(_ body: (_ transaction: Int, TransactionHistory.StoredOperation) -> Void) {
    for (index, transaction) in history.transactions.enumerated() where transaction.outcome == .committed {
      for operation in history.operations[transaction.operations] where operation.kind.isRead {
        body(index, operation)
      }
    }
  }

  /// The committed transaction that wrote a value, after a check of what its reader could see.
  ///
  /// - Parameter isLastRead: Whether the reader has not seen a later value of the key.
  /// - Returns: Nil if there is none. That was reported.
  mutating func writer(of value: Int32, key: Int32, reader: Int, isLastRead: Bool) -> Int? {
    guard let writer = writers[WrittenValue(key: key, value: value)] else {
      report(.unwrittenValue(key: Int(key), value: Int(value), reader: reader))
      return nil
    }
    let transaction = Int(writer.transaction)
    guard isCommitted[transaction] else {
      report(.abortedRead(key: Int(key), value: Int(value), reader: reader, writer: transaction))
      return nil
    }
    if isLastRead && !writer.isLast && transaction != reader {
      report(.intermediateRead(key: Int(key), value: Int(value), reader: reader, writer: transaction))
    }
    return transaction
  }

  /// Notes that a value is in the list of its key.
  ///
  /// - Returns: False if it was there before.
  mutating func markAsSeen(_ value: Int32, key: Int32) -> Bool {
    let written = WrittenValue(key: key, value: value)
    guard writers[written]?.isSeen == false else { return writers[written] == nil }
    writers[written]?.isSeen = true
    return true
  }

  /// Whether a transaction has written a value of a key before another one.
  func isWritten(_ value: Int32, before other: Int32, key: Int32) -> Bool {
    guard let first = writers[WrittenValue(key: key, value: value)],
      let second = writers[WrittenValue(key: key, value: other)]
    else { return false }
    return first.place < second.place
  }

  func isSeen(_ value: Int32, key: Int32) -> Bool {
    writers[WrittenValue(key: key, value: value)]?.isSeen == true
  }

  // MARK: Sessions and times

  private mutating func addSessions() {
    var last: [Int32: Int] = [:]
    for (index, transaction) in history.transactions.enumerated() where isCommitted[index] {
      if let previous = last.updateValue(index, forKey: transaction.session) {
        graph.addEdge(previous, index, .session)
      }
    }
  }

  /// A chain of nodes, one for the end of each transaction, leads to the transactions that began later.
  private mutating func addTimes() {
    let committed = history.transactions.indices.filter { isCommitted[$0] }
    let transactions = history.transactions
    let ends = committed.sorted { transactions[$0].end < transactions[$1].end }
    let begins = committed.sorted { transactions[$0].begin < transactions[$1].begin }
    var ended = 0
    var last: Int?
    for index in begins {
      while ended < ends.count, transactions[ends[ended]].end < transactions[index].begin {
        let node = graph.addNode()
        graph.addEdge(ends[ended], node, .time)
        if let last { graph.addEdge(last, node, .onward) }
        last = node
        ended += 1
      }
      if let last { graph.addEdge(last, index, .onward) }
    }
  }
}

extension TransactionHistory.Kind {
  var isRead: Bool { self == .list || self == .read || self == .readOfNothing }
}
