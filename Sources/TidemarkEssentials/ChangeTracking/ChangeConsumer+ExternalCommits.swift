// The rows of external commits in a change stream, if their changes are stored.

extension ChangeConsumer {
  /// The number of attempts to read while other connections commit. Then the changes count as unknown.
  private static var attemptCountMax: Int { 8 }

  /// Reads the transactions for which a delivery stands.
  ///
  /// - Returns: The next transaction; nil for none.
  /// - Throws: An error if a region cannot be resolved any more.
  func receiveExternalCommits(
    _ delivery: ChangeBuffer.Delivery, _ reader: any ExternalTransactionsReader, includesSchemaChange: Bool = false
  ) async throws -> TransactionChanges? {
    let (read, end): (ExternalTransactions, ChangeBuffer.EntryNumber)
    do {
      (read, end) = try await readTransactions(reader, includesSchemaChange)
    } catch {
      if Task.isCancelled {
        hub.putBack(delivery, for: id)
        return nil
      }
      Database.log(error, "Could not read the transactions of other connections")
      return try await receiveOrResolveRegions(delivery)
    }
    let next = add(read.transactions)
    if next != nil, read.ending != .atEnd || hasTransactions {
      // The transactions are received first, by any iteration. Then the next ones are read.
      if read.ending == .unknown { reader.forget() }
      hub.putBack(delivery, for: id)
      return next
    }
    switch read.ending {
    case .atEnd: _ = hub.pass(id)
    case .more: hub.putBack(delivery, for: id)
    case .ownTransaction(let recordedVersion): hub.postpone(delivery, after: recordedVersion, for: id)
    case .changedSchema:
      return try await afterResolvingRegions(delivery) {
        try await receiveExternalCommits(delivery, reader, includesSchemaChange: true)
      }
    case .unknown:
      guard state.withLock(\.hasRegions) else { return unknownChanges(with: delivery, read, end) }
      return try await afterResolvingRegions(delivery) { unknownChanges(with: delivery, read, end) }
    }
    return next
  }

  /// The element that stands for all commits that a read includes. The consumer passes those that are buffered.
  private func unknownChanges(
    with delivery: ChangeBuffer.Delivery, _ read: ExternalTransactions, _ end: ChangeBuffer.EntryNumber
  ) -> TransactionChanges {
    if core.fetchesExcludeWrites {
      hub.pass(id, before: end)
      return unknownChanges(with: delivery, nil)
    }
    let position = read.version.map { ChangeStreamHub.Position(version: $0, ownCommitCount: 0) }
    return unknownChanges(with: delivery, hub.pass(id, through: position))
  }

  /// - Returns: The transactions, and the number after the last buffered entry. In a queue, all own commits that are
  ///   read have been buffered.
  private func readTransactions(
    _ reader: any ExternalTransactionsReader, _ includesSchemaChange: Bool
  ) async throws -> (ExternalTransactions, ChangeBuffer.EntryNumber) {
    var request = ExternalTransactions.Request(
      lastOwnVersion: hub.lastRecordedVersion(of: id), limits: limits, includesSchemaChange: includesSchemaChange)
    if !core.fetchesExcludeWrites { request.version = { [core] in core.number(of: $0) } }
    for _ in 0..<Self.attemptCountMax {
      let (read, end) = try await core.read(isolated: true) { [request, hub] db in
        (try reader.next(db, request), hub.endNumber)
      }
      if let read { return (read, end) }
    }
    reader.forget()
    return (ExternalTransactions(ending: .unknown), hub.endNumber)
  }

  /// Keeps transactions, and returns the first one.
  private func add(_ transactions: [TransactionChanges]) -> TransactionChanges? {
    state.withLock { state in
      state.externalTransactions.insert(contentsOf: transactions.reversed(), at: 0)
      return state.externalTransactions.popLast()
    }
  }

  private var hasTransactions: Bool { state.withLock { !$0.externalTransactions.isEmpty } }
}
