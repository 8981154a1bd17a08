import StressSupport
import Testing

/// The checker finds each kind of contradiction, and none in histories that are strictly serializable.
@Suite struct SerializabilityCheckerTests {
  typealias Transaction = TransactionHistory.Transaction
  typealias Operation = TransactionHistory.Operation

  /// Transactions of sessions of their own, all at the same time unless their times are given.
  private func anomalies(_ transactions: Transaction...) -> [Anomaly] {
    var history = TransactionHistory()
    for transaction in transactions { history.add(transaction) }
    return SerializabilityChecker.verdict(on: history).anomalies
  }

  private func transaction(
    _ session: Int, _ time: ClosedRange<Int> = 0...1_000, _ outcome: TransactionHistory.Outcome = .committed,
    _ operations: Operation...
  ) -> Transaction {
    Transaction(
      session: session, begin: time.lowerBound, end: time.upperBound, outcome: outcome, operations: operations)
  }

  private func cycle(
    _ kind: Anomaly.Cycle.Kind, _ transactions: [Int], _ steps: [Anomaly.Cycle.Step]
  ) -> Anomaly {
    .cycle(Anomaly.Cycle(kind: kind, transactions: transactions, steps: steps))
  }

  // MARK: Lists

  @Test func readsOfCommittedListsAreAccepted() {
    #expect(
      anomalies(
        transaction(1, 0...1_000, .committed, .append(key: 0, value: 1), .list(key: 0, [1])),
        transaction(2, 0...1_000, .committed, .list(key: 0, [1]), .append(key: 0, value: 2)),
        transaction(3, 0...1_000, .committed, .list(key: 0, []), .list(key: 1, [])),
        transaction(4, 0...1_000, .committed, .list(key: 0, [1, 2]))) == [])
  }

  @Test func aValueThatNobodyHasWrittenIsFound() {
    #expect(
      anomalies(transaction(1, 0...1_000, .committed, .list(key: 0, [7])))
        == [.unwrittenValue(key: 0, value: 7, reader: 0)])
    #expect(
      anomalies(transaction(1, 0...1_000, .committed, .read(key: 0, 7)))
        == [.unwrittenValue(key: 0, value: 7, reader: 0)])
  }

  @Test func aValueOfATransactionThatWasRolledBackIsFound() {
    #expect(
      anomalies(
        transaction(1, 0...1_000, .aborted, .append(key: 0, value: 1), .write(key: 1, value: 2)),
        transaction(2, 0...1_000, .committed, .list(key: 0, [1])),
        transaction(3, 0...1_000, .committed, .read(key: 1, 2)))
        == [
          .abortedRead(key: 0, value: 1, reader: 1, writer: 0), .abortedRead(key: 1, value: 2, reader: 2, writer: 0),
        ])
  }

  @Test func aValueFromTheMiddleOfATransactionIsFound() {
    #expect(
      anomalies(
        transaction(1, 0...1_000, .committed, .append(key: 0, value: 1), .append(key: 0, value: 2)),
        transaction(2, 0...1_000, .committed, .list(key: 0, [1])),
        transaction(3, 0...1_000, .committed, .list(key: 0, [1, 2]))
      )
      .contains(.intermediateRead(key: 0, value: 1, reader: 1, writer: 0)))
    #expect(
      anomalies(
        transaction(1, 0...1_000, .committed, .write(key: 0, value: 1), .write(key: 0, value: 2)),
        transaction(2, 0...1_000, .committed, .read(key: 0, 1)))
        == [.intermediateRead(key: 0, value: 1, reader: 1, writer: 0)])
  }

  @Test func aRepeatedValueIsFound() {
    #expect(
      anomalies(
        transaction(1, 0...1_000, .committed, .append(key: 0, value: 1)),
        transaction(2, 0...1_000, .committed, .list(key: 0, [1, 1])))
        == [.duplicate(key: 0, value: 1, reader: 1)])
  }

  @Test func listsOfDifferentOrdersAreFound() {
    #expect(
      anomalies(
        transaction(1, 0...1_000, .committed, .append(key: 0, value: 1)),
        transaction(2, 0...1_000, .committed, .append(key: 0, value: 2)),
        transaction(3, 0...1_000, .committed, .list(key: 0, [1, 2])),
        transaction(4, 0...1_000, .committed, .list(key: 0, [2])))
        == [.incompatibleOrder(key: 0, reader: 3)])
  }

  @Test func valuesOfOneTransactionInAnotherOrderAreFound() {
    #expect(
      anomalies(
        transaction(1, 0...1_000, .committed, .append(key: 0, value: 1), .append(key: 0, value: 2)),
        transaction(2, 0...1_000, .committed, .append(key: 0, value: 3)),
        transaction(3, 0...1_000, .committed, .list(key: 0, [2, 1, 3])))
        == [.exchanged(key: 0, value: 2, reader: 2, writer: 0)])
  }

  @Test func aTransactionThatDoesNotSeeItsOwnWritesIsFound() {
    #expect(
      anomalies(
        transaction(1, 0...1_000, .committed, .append(key: 0, value: 1), .list(key: 0, [])),
        transaction(2, 0...1_000, .committed, .write(key: 1, value: 2), .read(key: 1, nil)))
        == [.inconsistentInside(key: 0, transaction: 0), .inconsistentInside(key: 1, transaction: 1)])
  }

  @Test func aReadThatIsNotRepeatableIsFound() {
    #expect(
      anomalies(
        transaction(1, 0...1_000, .committed, .append(key: 0, value: 1)),
        transaction(2, 0...1_000, .committed, .list(key: 0, []), .list(key: 0, [1]))
      )
      .contains(.inconsistentInside(key: 0, transaction: 1)))
  }

  @Test func anAcknowledgedValueThatIsMissingLaterIsFound() {
    let append = transaction(1, 0...10, .committed, .append(key: 0, value: 1))
    #expect(
      anomalies(append, transaction(2, 11...20, .committed, .list(key: 0, [])))
        == [.lost(key: 0, value: 1, writer: 0)])
    // The read may have happened before.
    #expect(anomalies(append, transaction(2, 9...20, .committed, .list(key: 0, []))) == [])
  }

  // MARK: Unknown outcomes

  @Test func aTransactionWithUnknownOutcomeMayBeSeenOrNot() {
    let unknown = transaction(1, 0...10, .unknown, .append(key: 0, value: 1))
    #expect(anomalies(unknown, transaction(2, 11...20, .committed, .list(key: 0, [1]))) == [])
    #expect(anomalies(unknown, transaction(2, 11...20, .committed, .list(key: 0, []))) == [])
  }

  @Test func aTransactionOfWhichAPartIsSeenIsFound() {
    #expect(
      anomalies(
        transaction(1, 0...10, .unknown, .append(key: 0, value: 1), .append(key: 1, value: 2)),
        transaction(2, 11...20, .committed, .list(key: 0, [1]), .list(key: 1, [])))
        == [.lost(key: 1, value: 2, writer: 0)])
  }

  // MARK: Cycles

  @Test func writesThatOverwriteEachOtherAreFound() {
    #expect(
      anomalies(
        transaction(1, 0...1_000, .committed, .append(key: 0, value: 1), .append(key: 1, value: 2)),
        transaction(2, 0...1_000, .committed, .append(key: 0, value: 3), .append(key: 1, value: 4)),
        transaction(3, 0...1_000, .committed, .list(key: 0, [1, 3])),
        transaction(4, 0...1_000, .committed, .list(key: 1, [4, 2])))
        == [cycle(.writes, [1, 0], [.overwritten, .overwritten])])
  }

  @Test func transactionsThatSeeEachOtherAreFound() {
    #expect(
      anomalies(
        transaction(1, 0...1_000, .committed, .append(key: 0, value: 1), .list(key: 1, [2])),
        transaction(2, 0...1_000, .committed, .append(key: 1, value: 2), .list(key: 0, [1])))
        == [cycle(.information, [1, 0], [.seen, .seen])])
  }

  @Test func aReadOfPartsOfTwoStatesIsFound() {
    #expect(
      anomalies(
        transaction(1, 0...1_000, .committed, .append(key: 0, value: 1), .append(key: 1, value: 2)),
        transaction(2, 0...1_000, .committed, .list(key: 0, []), .list(key: 1, [2])),
        transaction(3, 0...1_000, .committed, .list(key: 0, [1])))
        == [cycle(.singleMissedWrite, [1, 0], [.missed, .seen])])
  }

  @Test func writeSkewIsFound() {
    let found = anomalies(
      transaction(1, 0...1_000, .committed, .list(key: 0, []), .append(key: 1, value: 1)),
      transaction(2, 0...1_000, .committed, .list(key: 1, []), .append(key: 0, value: 2)),
      transaction(3, 0...1_000, .committed, .list(key: 0, [2]), .list(key: 1, [1])))
    #expect(found == [cycle(.missedWrites, [1, 0], [.missed, .missed])])
  }

  @Test func aStaleReadIsFoundByItsTimeOnly() {
    let read = { transaction(3, $0, .committed, .list(key: 0, [])) }
    let others = [
      transaction(1, 0...10, .committed, .append(key: 0, value: 1)),
      transaction(2, 0...50, .committed, .list(key: 0, [1])),
    ]
    #expect(
      anomalies(others[0], others[1], read(11...20)) == [cycle(.singleMissedWrite, [2, 0], [.missed, .time])])
    #expect(anomalies(others[0], others[1], read(10...20)) == [])
  }

  @Test func aSessionThatGoesBackIsFound() {
    let append = transaction(1, 0...1_000, .committed, .append(key: 0, value: 1))
    let reads = [[1], []].map { (values: [Int]) in
      Transaction(session: 2, begin: TransactionHistory.noMoment, end: 1_000, operations: [.list(key: 0, values)])
    }
    #expect(anomalies(append, reads[1], reads[0]) == [])
    #expect(
      anomalies(append, reads[0], reads[1]) == [cycle(.singleMissedWrite, [2, 0, 1], [.missed, .seen, .session])])
  }

  // MARK: Registers

  @Test func aLostUpdateIsFound() {
    #expect(
      anomalies(
        transaction(1, 0...1_000, .committed, .read(key: 0, nil), .write(key: 0, value: 1)),
        transaction(2, 0...1_000, .committed, .read(key: 0, nil), .write(key: 0, value: 2)))
        == [cycle(.missedWrites, [1, 0], [.missed, .missed])])
  }

  @Test func chainsOfUpdatesAreAccepted() {
    #expect(
      anomalies(
        transaction(1, 0...1_000, .committed, .read(key: 0, 2), .write(key: 0, value: 3)),
        transaction(2, 0...1_000, .committed, .read(key: 0, nil), .write(key: 0, value: 1)),
        transaction(3, 0...1_000, .committed, .read(key: 0, 1), .write(key: 0, value: 2)),
        transaction(4, 0...1_000, .committed, .read(key: 0, nil))) == [])
  }

  @Test func anOldValueOfARegisterIsFound() {
    let writes = [
      transaction(1, 0...10, .committed, .write(key: 0, value: 1)),
      transaction(1, 11...20, .committed, .write(key: 0, value: 2)),
    ]
    #expect(anomalies(writes[0], writes[1], transaction(2, 15...30, .committed, .read(key: 0, 1))) == [])
    #expect(
      anomalies(writes[0], writes[1], transaction(2, 21...30, .committed, .read(key: 0, 1)))
        == [cycle(.singleMissedWrite, [2, 1], [.missed, .time])])
    #expect(
      anomalies(writes[0], transaction(2, 21...30, .committed, .read(key: 0, nil)))
        == [cycle(.singleMissedWrite, [1, 0], [.missed, .time])])
  }

  @Test func anUpdateOfAnOldValueIsFound() {
    #expect(
      anomalies(
        transaction(1, 0...10, .committed, .write(key: 0, value: 1)),
        transaction(1, 11...20, .committed, .write(key: 0, value: 2)),
        transaction(2, 21...30, .committed, .read(key: 0, 1), .write(key: 0, value: 3)))
        == [cycle(.singleMissedWrite, [2, 1], [.missed, .time])])
  }

  // MARK: Random histories

  @Test(arguments: Scale.seeds(daily: 100, full: 20_000))
  func randomSerializableHistoriesAreAccepted(seed: UInt64) {
    let history = RandomHistory(seed: seed, count: 40).history
    #expect(SerializabilityChecker.verdict(on: history).anomalies == [], "TIDEMARK_SEED=\(seed)")
  }

  @Test(arguments: RandomHistory.Fault.allCases, Scale.seeds(daily: 30, full: 3_000))
  func plantedContradictionsAreFound(fault: RandomHistory.Fault, seed: UInt64) {
    var random = RandomHistory(seed: seed, count: 40)
    guard random.plant(fault) else { return }
    #expect(SerializabilityChecker.verdict(on: random.history).anomalies != [], "TIDEMARK_SEED=\(seed)")
  }

  @Test func everyContradictionIsPlanted() {
    for fault in RandomHistory.Fault.allCases {
      let planted = (0..<20 as Range<UInt64>).count { seed in
        var random = RandomHistory(seed: seed, count: 40)
        return random.plant(fault)
      }
      #expect(planted > 10, "\(fault)")
    }
  }
}
