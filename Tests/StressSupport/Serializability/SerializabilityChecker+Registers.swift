extension SerializabilityChecker {
  /// The order of a register's values is known in part: a transaction that reads a value and writes another one puts
  /// the second after the first; and so does a write that began after another one had ended.
  mutating func checkRegisters() {
    let (reads, writes) = registerOperations()
    var successors: [WrittenValue: [Int]] = [:]
    for read in reads {
      guard read.isReplaced else { continue }
      successors[read.version, default: []].append(read.transaction)
    }
    let chains = Dictionary(grouping: writes, by: \.key).mapValues { chain(of: $0.map(\.transaction)) }
    for read in reads {
      var writer: Int?
      if let value = read.value {
        writer = self.writer(of: value, key: read.key, reader: read.transaction, isLastRead: true)
        guard let writer else { continue }
        graph.addEdge(writer, read.transaction, .seen)
      }
      // More than one successor is an anomaly: the first ones are enough to show it.
      for next in successors[read.version, default: []].prefix(3) {
        graph.addEdge(read.transaction, next, .missed)
      }
      if let chain = chains[read.key] { addMissedWrites(of: read, writer, chain) }
    }
  }

  private struct RegisterRead {
    var key: Int32
    var transaction: Int

    /// Nil if nothing was written before.
    var value: Int32?

    /// Whether the transaction writes the register later.
    var isReplaced: Bool

    var version: WrittenValue { WrittenValue(key: key, value: value ?? .min) }
  }

  /// The first read of each register by each committed transaction, if it has not written before, and each write that
  /// it has not replaced.
  private func registerOperations() -> (reads: [RegisterRead], writes: [(key: Int32, transaction: Int)]) {
    var reads: [RegisterRead] = []
    var writes: [(key: Int32, transaction: Int)] = []
    var reader = [Int](repeating: -1, count: history.keyCount)
    var writer = [Int](repeating: -1, count: history.keyCount)
    for (index, transaction) in history.transactions.enumerated() where isCommitted[index] {
      let readsCount = transaction.outcome == .committed
      let firstRead = reads.count
      for operation in history.operations[transaction.operations] {
        let key = Int(operation.key)
        switch operation.kind {
        case .append, .list: break
        case .read, .readOfNothing:
          if !readsCount || reader[key] == index || writer[key] == index { continue }
          reader[key] = index
          let value = operation.kind == .read ? operation.value : nil
          reads.append(RegisterRead(key: operation.key, transaction: index, value: value, isReplaced: false))
        case .write:
          if writer[key] != index { writes.append((operation.key, index)) }
          writer[key] = index
        }
      }
      for read in firstRead..<reads.count where writer[Int(reads[read].key)] == index {
        reads[read].isReplaced = true
      }
    }
    return (reads, writes)
  }

  /// The writers of a register in the order of their beginnings, and nodes from which the later ones are reached.
  private struct Chain {
    var writers: [Int]
    var firstNode: Int
  }

  private mutating func chain(of transactions: [Int]) -> Chain {
    let writers = transactions.sorted { history.transactions[$0].begin < history.transactions[$1].begin }
    let chain = Chain(writers: writers, firstNode: graph.nodeCount)
    for writer in writers {
      let node = graph.addNode()
      graph.addEdge(node, writer, .onward)
      if node > chain.firstNode { graph.addEdge(node - 1, node, .onward) }
    }
    return chain
  }

  /// A reader comes before all writers that began after the writer of its value had ended.
  private mutating func addMissedWrites(of read: RegisterRead, _ writer: Int?, _ chain: Chain) {
    func first(after moment: Int) -> Int {
      chain.writers.indices.partitioningIndex { history.transactions[chain.writers[$0]].begin > moment }
    }
    var next = writer.map { first(after: history.transactions[$0].end) } ?? 0
    if read.isReplaced {
      // The chain of nodes would lead to the reader itself. So it is not used for the writers that began before it:
      // they have ended before it, and the nearest one shows that, or they run at the same time and are few.
      let begin = history.transactions[read.transaction].begin
      let own = first(after: begin - 1)
      let beside = first(after: begin)
      for place in max(next, own - 16)..<max(next, beside) {
        graph.addEdge(read.transaction, chain.writers[place], .missed)
      }
      next = max(next, beside)
    }
    if next < chain.writers.count { graph.addEdge(read.transaction, chain.firstNode + next, .missed) }
  }
}

extension Range<Int> {
  /// The first number for which a condition holds; it holds for all that follow. The upper bound if there is none.
  func partitioningIndex(_ isBehind: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if isBehind(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
