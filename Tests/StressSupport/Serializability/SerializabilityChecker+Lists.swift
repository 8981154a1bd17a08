extension SerializabilityChecker {
  /// The longest list that was read for each key gives the order of its values: other reads saw a beginning of it.
  mutating func checkLists() {
    let longest = longestLists()
    // The transactions that have appended the elements of the longest lists; -1 if there is none.
    var starts = [Int](repeating: 0, count: history.keyCount)
    var appenders: [Int32] = []
    for key in 0..<history.keyCount {
      starts[key] = appenders.count
      guard let (reader, elements) = longest[key] else { continue }
      for place in elements {
        let value = history.elements[place]
        let writer = writer(of: value, key: Int32(key), reader: reader, isLastRead: false)
        if !markAsSeen(value, key: Int32(key)) {
          report(.duplicate(key: key, value: Int(value), reader: reader))
        }
        if let writer, place > elements.lowerBound, let previous = appenders.last, previous >= 0 {
          graph.addEdge(Int(previous), writer, .overwritten)
          let before = history.elements[place - 1]
          if Int(previous) == writer, isWritten(value, before: before, key: Int32(key)) {
            report(.exchanged(key: key, value: Int(before), reader: reader, writer: writer))
          }
        }
        appenders.append(writer.map { Int32($0) } ?? -1)
      }
    }
    var lastReadBegins = [Int](repeating: TransactionHistory.noMoment, count: history.keyCount)
    for (index, transaction) in history.transactions.enumerated() where transaction.outcome == .committed {
      for operation in history.operations[transaction.operations] where operation.kind == .list {
        let key = Int(operation.key)
        lastReadBegins[key] = max(lastReadBegins[key], transaction.begin)
        guard let (_, elements) = longest[key] else { continue }
        guard history.elements[elements].starts(with: history.elements[operation.range]) else {
          report(.incompatibleOrder(key: key, reader: index))
          continue
        }
        let count = operation.range.count
        if count > 0 {
          let value = history.elements[operation.range.upperBound - 1]
          let writer = writer(of: value, key: operation.key, reader: index, isLastRead: true)
          if let writer { graph.addEdge(writer, index, .seen) }
        }
        if count < elements.count, appenders[starts[key] + count] >= 0 {
          graph.addEdge(index, Int(appenders[starts[key] + count]), .missed)
        }
      }
    }
    checkLosses(lastReadBegins)
  }

  private func longestLists() -> [(reader: Int, elements: Range<Int>)?] {
    var longest = [(reader: Int, elements: Range<Int>)?](repeating: nil, count: history.keyCount)
    forEachCommittedRead { index, operation in
      guard operation.kind == .list else { return }
      let key = Int(operation.key)
      if operation.range.count > longest[key]?.elements.count ?? -1 { longest[key] = (index, operation.range) }
    }
    return longest
  }

  /// Reports appended values that are missing in lists whose read began after their transactions were acknowledged.
  private mutating func checkLosses(_ lastReadBegins: [Int]) {
    for (index, transaction) in history.transactions.enumerated() where isCommitted[index] {
      for operation in history.operations[transaction.operations] where operation.kind == .append {
        let key = Int(operation.key)
        if lastReadBegins[key] > transaction.end, !isSeen(operation.value, key: operation.key) {
          report(.lost(key: key, value: Int(operation.value), writer: index))
        }
      }
    }
  }
}
