import Synchronization

// Transactions that are committed together: see `Database+Groups.swift`.
//
//     open ──► completed, the log begins again ──► … ──► the commit has succeeded ──► published, one by one
//      └─────► undone, the log begins again                └─── rolled back ──► forgotten
//
// Invariant: until the transactions are published or forgotten, each change is in one of the completed transactions, or
// in the log.

extension ChangeCapture {
  /// The transactions that will be committed with the open one.
  struct Group {
    /// A completed transaction.
    struct Transaction {
      /// Its changes; nil if they are not needed.
      var changes: CommittedChanges?
      var needsVersion: Int

      /// Whether it has changed something that subscribers needed.
      var isNeeded: Bool
      var recordedVersion: UInt64?
    }

    /// The end of the transactions.
    enum Outcome {
      case committed
      case rolledBack
      case unknown
    }

    var transactions: [Transaction] = []

    /// The outcome of the last completed transactions, if there is one.
    var outcome: Outcome?

    var isEmpty: Bool { transactions.isEmpty }

    mutating func transactionDidEnd(_ settlement: TransactionMachine.Settlement) {
      switch settlement {
      case .nothing: return
      case .publish, .publishRebuild: outcome = .committed
      case .publishUnknown, .publishUnknownAndContinue, .forget: (outcome, transactions) = (.unknown, [])
      case .discard, .discardAndContinue: (outcome, transactions) = (.rolledBack, [])
      }
    }

    /// The versions under which the transactions are stored, if a settlement commits them.
    func recordedVersions(_ settlement: TransactionMachine.Settlement) -> [UInt64] {
      guard !isEmpty, case .publish = settlement else { return [] }
      return transactions.compactMap(\.recordedVersion)
    }
  }

  /// Whether there are transaction observers.
  var hasObservers: Bool { !needs.observations.isEmpty }

  /// Whether transaction observers wait for the end of the next transaction only.
  var hasObserversOfNextTransaction: Bool { needs.observations.contains { $0.extent == .nextTransaction } }

  /// Stores the changes since the last completed transaction, before `completeTransaction`, if they are to be stored.
  func recordTransaction() throws {
    if let recorder { try record(with: recorder) }
  }

  /// The changes since the last completed transaction are a transaction. Others follow before the commit.
  func completeTransaction() {
    let version = recorder?.transactionIsComplete(db)
    db.capture.mayHaveWritten = false
    group.transactions.append(takeTransaction(version))
    log.reset()
    beginTransaction()
  }

  /// Takes the changes in the log as a transaction.
  private func takeTransaction(_ recordedVersion: UInt64?) -> Group.Transaction {
    var transaction = Group.Transaction(
      changes: nil, needsVersion: log.needsVersion, isNeeded: !needs.ofSubscribers.isEmpty && !log.isEmpty,
      recordedVersion: recordedVersion)
    if broker.hasReceivers, transaction.isNeeded {
      let numbers = needs.ofSubscribers.storedNumbers ? storedNumbers() : StoredNumbers()
      // They keep their rows until they are published.
      transaction.changes = log.report(number: 0, numbers).changes
      transaction.changes?.recordedVersion = recordedVersion
    }
    return transaction
  }

  /// The changes since the last completed transaction were rolled back.
  func transactionWasUndone() {
    recorder?.transactionWasUndone(db)
    db.capture.mayHaveWritten = false
    log.reset()
    beginTransaction()
  }

  /// Publishes the completed transactions, and the one in the log, if it has changed something.
  func publishGroup(_ recordedVersion: UInt64?) {
    // See `publish`.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if !log.isEmpty { group.transactions.append(takeTransaction(recordedVersion)) }
    let transactions = group.transactions
    group.transactions = []
    let broker = self.broker
    for _ in transactions { broker.countWrite() }
    // In this order: see `publish`.
    let (version, hasReceivers) = (broker.version, broker.hasReceivers)
    let reports = transactions.compactMap { $0.report(neededVersion: version, hasReceivers: hasReceivers) }
    for (index, var changes) in reports.enumerated() {
      changes.number = broker.nextCommitNumber()
      changes.isContinued = index < reports.count - 1
      broker.publish(changes)
    }
  }
}

extension ChangeCapture.Group.Transaction {
  /// What subscribers receive; nil if they need nothing.
  ///
  /// - Parameter neededVersion: The current version of the needs.
  fileprivate func report(neededVersion: Int, hasReceivers: Bool) -> CommittedChanges? {
    if !hasReceivers { return nil }
    if let changes { return changes }
    guard isNeeded || needsVersion != neededVersion else { return nil }
    // Subscribers have come meanwhile.
    var unknown = CommittedChanges(number: 0, needsVersion: needsVersion, log: .empty)
    unknown.isUnknown = true
    unknown.recordedVersion = recordedVersion
    return unknown
  }
}
