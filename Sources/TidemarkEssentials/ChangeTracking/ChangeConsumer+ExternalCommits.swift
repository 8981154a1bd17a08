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
    let read: ExternalTransactions
    do {
      read = try await readTransactions(reader, includesSchemaChange)
    } catch {
      if Task.isCancelled {
        hub.putBack(delivery, for: id)
        return nil
      }
      Database.log(error, "Could not read the transactions of other connections")
      reader.forget()
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
    case .unknown: return try await receiveOrResolveRegions(delivery)
    }
    return next
  }

  private func readTransactions(
    _ reader: any ExternalTransactionsReader, _ includesSchemaChange: Bool
  ) async throws -> ExternalTransactions {
    let request = ExternalTransactions.Request(
      lastOwnVersion: hub.lastRecordedVersion(of: id), limits: limits, includesSchemaChange: includesSchemaChange
    ) { [core] in core.number(of: $0) }
    for _ in 0..<Self.attemptCountMax {
      if let read = try await core.read(isolated: true, { try reader.next($0, request) }) { return read }
    }
    reader.forget()
    return ExternalTransactions(ending: .unknown)
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
