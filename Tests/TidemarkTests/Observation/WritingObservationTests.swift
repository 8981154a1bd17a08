import Testing
import Tidemark

/// Observations whose fetches may write: they are not triggered by their own fetches, and trigger others.
@Suite struct WritingObservationTests {
  /// The writes of a fetch.
  enum Writing: String, CaseIterable {
    case nothing = ""
    case ownTable = "INSERT INTO team (name) VALUES ('fetched')"
    case temporaryTable = "CREATE TEMPORARY TABLE draft (n); DROP TABLE draft"
    case schema = "CREATE TABLE draft (n); DROP TABLE draft"
  }

  /// How the first value is fetched.
  enum Start: String, CaseIterable {
    case scheduled, immediate
  }

  private final class Fetches: Sendable {
    private let number = Mutex(0)
    func add() { number.withLock { $0 += 1 } }
    var count: Int { number.withLock { $0 } }
  }

  /// An observation of the number of players and of teams.
  private func counts(
    _ writing: Writing, _ fetches: Fetches
  ) -> ValueObservation<ValueReducers.Fetch<[Int]>> {
    var observation = ValueObservation.tracking { db in
      fetches.add()
      try db.execute(sql: writing.rawValue)
      return try Int.fetchAll(db, sql: "SELECT COUNT(*) FROM player UNION ALL SELECT COUNT(*) FROM team")
    }
    observation.requiresWriteAccess = true
    return observation
  }

  private func collect(
    _ observation: ValueObservation<ValueReducers.Fetch<[Int]>>, _ start: Start, in writer: any DatabaseWriter
  ) -> (deliveries: Deliveries<[Int]>, cancellable: AnyDatabaseCancellable) {
    switch start {
    case .scheduled: observation.collect(in: writer)
    case .immediate: observation.collect(in: writer, scheduling: ImmediateScheduler())
    }
  }

  /// Waits until the writer connection has performed all scheduled accesses, including a requested fetch.
  private func waitForWriter(_ writer: any DatabaseWriter) {
    for _ in 0..<3 { writer.writeWithoutTransaction { _ in } }
  }

  @Test(arguments: Observed.allCases, Writing.allCases)
  func fetchesDoNotTriggerThemselves(_ observed: Observed, _ writing: Writing) throws {
    for start in Start.allCases {
      try observed.withDatabase { writer in
        let fetches = Fetches()
        let (deliveries, cancellable) = collect(counts(writing, fetches), start, in: writer)
        let step = writing == .ownTable ? 1 : 0
        try deliveries.wait(forLast: [0, step])
        waitForWriter(writer)
        #expect(fetches.count == 1, "\(start)")
        try writer.write { try $0.addPlayer("Arthur") }
        try deliveries.wait(forLast: [1, 2 * step])
        waitForWriter(writer)
        #expect(fetches.count == 2, "\(start)")
        #expect(deliveries.values.count == 2, "\(start)")
        cancellable.cancel()
      }
    }
  }

  @Test(arguments: Observed.allCases, Start.allCases)
  func aFetchThatWritesTriggersOtherObservations(_ observed: Observed, _ start: Start) throws {
    try observed.withDatabase { writer in
      let teamCount = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM team") ?? 0 }
      let (others, other) = teamCount.collect(in: writer)
      try others.wait(forLast: 0)
      let (deliveries, cancellable) = collect(counts(.ownTable, Fetches()), start, in: writer)
      try deliveries.wait(forLast: [0, 1])
      try others.wait(forLast: 1)
      cancellable.cancel()
      other.cancel()
    }
  }

  /// Both observations have the same query: a fetch for the second one writes a row that the first one counts.
  @Test(arguments: Observed.allCases, Start.allCases)
  func anObserverReceivesRowsWrittenByTheFetchOfAnotherOne(_ observed: Observed, _ start: Start) throws {
    try observed.withDatabase { writer in
      let fetches = Fetches()
      let observation = counts(.ownTable, fetches)
      let (first, firstCancellable) = observation.collect(in: writer)
      try first.wait(forLast: [0, 1])
      let (second, secondCancellable) = collect(observation, start, in: writer)
      switch start {
      case .scheduled:
        try first.wait(forLast: [0, 2])
        try second.wait(forLast: [0, 2])
        waitForWriter(writer)
        #expect(fetches.count == 2)
      case .immediate:
        // The first value is fetched on its own. It triggers a fetch for the first observer, which writes, too, and
        // whose value may replace the first one of the second observer before it is delivered.
        try first.wait(forLast: [0, 3])
        try second.wait(forLast: [0, 3])
        waitForWriter(writer)
        #expect(fetches.count == 3)
        #expect([[0, 2], [0, 3]].contains(second.values[0]))
      }
      firstCancellable.cancel()
      secondCancellable.cancel()
    }
  }

  /// A transaction observer may write when it is notified of the commit of a fetch: this write is a separate commit.
  @Test(arguments: Observed.allCases, Start.allCases)
  func writesAfterTheCommitOfAFetchAreDelivered(_ observed: Observed, _ start: Start) throws {
    final class Follower: TransactionObserver, @unchecked Sendable {
      private var hasWritten = false

      func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
      func databaseDidChange(with event: DatabaseEvent) {}
      func databaseDidRollback(_ db: Database) {}

      func databaseDidCommit(_ db: Database) {
        if hasWritten { return }
        hasWritten = true
        do {
          try db.addPlayer("after the commit")
        } catch {
          Issue.record(error)
        }
      }
    }
    for writing in Writing.allCases {
      try observed.withDatabase { writer in
        writer.add(transactionObserver: Follower(), extent: .databaseLifetime)
        let (deliveries, cancellable) = collect(counts(writing, Fetches()), start, in: writer)
        try deliveries.wait { $0.last?[0] == 1 }
        cancellable.cancel()
      }
    }
  }

  @Test(arguments: Observed.allCases)
  func anImmediateStartThatFailsInItsTransactionLeavesNothing(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      var observation = ValueObservation.tracking { db -> Int in
        try db.execute(sql: "INSERT INTO team (name) VALUES ('undone')")
        throw Planned()
      }
      observation.requiresWriteAccess = true
      let (deliveries, cancellable) = observation.collect(in: writer, scheduling: ImmediateScheduler())
      let error = try deliveries.error()
      #expect(error is Planned)
      cancellable.cancel()
      let (counts, other) = collect(counts(.nothing, Fetches()), .immediate, in: writer)
      #expect(counts.values == [[0, 0]])
      try writer.write { try $0.addPlayer("Arthur") }
      try counts.wait(forLast: [1, 0])
      other.cancel()
    }
  }
}
