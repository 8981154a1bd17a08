extension SerializabilityChecker {
  /// Checks that each transaction sees its own writes, and no change between its reads.
  mutating func checkInside() {
    var lists: [Int32: KnownList] = [:]
    var registers: [Int32: Int32?] = [:]
    for (index, transaction) in history.transactions.enumerated() where transaction.outcome == .committed {
      lists.removeAll(keepingCapacity: true)
      registers.removeAll(keepingCapacity: true)
      for operation in history.operations[transaction.operations] {
        var isConsistent = true
        switch operation.kind {
        case .append: lists[operation.key, default: KnownList()].appended.append(operation.value)
        case .list:
          isConsistent = agrees(operation.range, with: lists[operation.key])
          lists[operation.key] = KnownList(read: operation.range)
        case .write: registers[operation.key] = .some(operation.value)
        case .read, .readOfNothing:
          let value = operation.kind == .read ? operation.value : nil
          if let known = registers[operation.key] { isConsistent = known == value }
          registers[operation.key] = .some(value)
        }
        if !isConsistent { report(.inconsistentInside(key: Int(operation.key), transaction: index)) }
      }
    }
  }

  /// The content of a list, as far as a transaction knows it.
  private struct KnownList {
    /// The positions of the elements that it has read, if it has.
    var read: Range<Int>?

    /// The values that it has appended since.
    var appended: [Int32] = []
  }

  private func agrees(_ elements: Range<Int>, with known: KnownList?) -> Bool {
    guard let known else { return true }
    let values = history.elements[elements]
    guard values.suffix(known.appended.count).elementsEqual(known.appended) else { return false }
    guard let read = known.read else { return true }
    return values.dropLast(known.appended.count).elementsEqual(history.elements[read])
  }
}
