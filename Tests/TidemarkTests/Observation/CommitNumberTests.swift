import TestSupport
import Testing

@testable import Tidemark
@testable import TidemarkEssentials

/// A value reports the commit at which it was read.
@Suite struct CommitNumberTests {
  let folder: TemporaryFolder
  var path: String { folder.path("db") }

  init() throws { folder = try TemporaryFolder() }

  enum Home: String, CaseIterable {
    case pool, queue, memory

    func open(_ path: String) throws -> any DatabaseWriter {
      switch self {
      case .pool: try DatabasePool(path: path)
      case .queue: try DatabaseQueue(path: path)
      case .memory: try DatabaseQueue()
      }
    }
  }

  private static let schema =
    "CREATE TABLE a (n INTEGER); CREATE TABLE b (n INTEGER); "
    + "INSERT INTO a VALUES (0); INSERT INTO b VALUES (0)"

  private static func number(in table: String) -> ValueObservation<ValueReducers.Fetch<Int>> {
    ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT n FROM \(table)") ?? -1 }
  }

  @Test(arguments: Home.allCases)
  func itIsThatOfTheLastCommitWhenNobodyWrites(_ home: Home) throws {
    let writer = try home.open(path)
    try writer.write { try $0.execute(sql: Self.schema) }
    let (deliveries, cancellable) = Self.number(in: "a").withCommitNumbers().collect(in: writer)
    var last = try writer.commitNumber()
    try deliveries.wait(forLast: NumberedValue(value: 0, commitNumber: last))
    for n in 1...5 {
      try writer.write { try $0.execute(sql: "UPDATE a SET n = ?", arguments: [n]) }
      let number = try writer.commitNumber()
      #expect(number == last + 1)
      try deliveries.wait(forLast: NumberedValue(value: n, commitNumber: number))
      last = number
    }
    cancellable.cancel()
  }

  @Test(arguments: Home.allCases)
  func whoHasWrittenFindsTheFirstValueThatHasSeenIt(_ home: Home) async throws {
    let writer = try home.open(path)
    try await writer.write { try $0.execute(sql: Self.schema) }
    var values = Self.number(in: "a").withCommitNumbers().values(in: writer).makeAsyncIterator()
    for n in 1...20 {
      try await writer.write { try $0.execute(sql: "UPDATE a SET n = ?", arguments: [n]) }
      let own = try await writer.commitNumber()
      var value = try await values.next()
      while let number = value?.commitNumber, number < own { value = try await values.next() }
      #expect(value?.value == n)
    }
  }

  /// With any writers, values that were fetched separately and have the same number are from the same state.
  @Test func valuesOfOneNumberAreOfOneState() async throws {
    let pool = try DatabasePool(path: path)
    try await pool.write { try $0.execute(sql: Self.schema) }
    let other = try DatabaseQueue(path: path, configuration: .patient)
    let writers: [any DatabaseWriter] = [pool, other]
    let (a, aEnd) = Self.number(in: "a").withCommitNumbers().collect(in: pool)
    let (b, bEnd) = Self.number(in: "b").withCommitNumbers().collect(in: pool)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in writers {
        group.addTask {
          for _ in 0..<300 {
            try await writer.write { try $0.execute(sql: "UPDATE a SET n = n + 1; UPDATE b SET n = n + 1") }
          }
        }
      }
      try await group.waitForAll()
    }
    try a.wait { $0.last?.value == 600 }
    try b.wait { $0.last?.value == 600 }
    let numbers = a.values.map(\.commitNumber)
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 <= $1 })
    let values = (a.values + b.values).reduce(into: [UInt64: Set<Int>]()) { values, value in
      values[value.commitNumber, default: []].insert(value.value)
    }
    #expect(values.values.allSatisfy { $0.count == 1 })
    // And each commit has its own number.
    #expect(Set(values.values.map(\.first)).count == values.count)
    for end in [aEnd, bEnd] { end.cancel() }
  }

  @Test func aValueThatIsDeliveredAtOnceHasOne() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: Self.schema) }
    let (deliveries, cancellable) = Self.number(in: "a").withCommitNumbers().collect(in: pool, scheduling: AtOnce())
    #expect(deliveries.values == [NumberedValue(value: 0, commitNumber: try pool.commitNumber())])
    cancellable.cancel()
  }

  @Test func aStateThatWasTakenBeforeHasNone() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: Self.schema) }
    let observation = Self.number(in: "a").withCommitNumbers()
    let (deliveries, cancellable) = try pool.read { db in
      _ = try Int.fetchOne(db, sql: "SELECT n FROM a")
      return observation.collect(in: pool, scheduling: AtOnce())
    }
    #expect(deliveries.values.first == NumberedValue(value: 0, commitNumber: 0))
    cancellable.cancel()
  }

  @Test func aSnapshotHasNone() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: Self.schema) }
    let snapshot = try pool.makeSnapshot()
    #expect(try snapshot.commitNumber() == 0)
    let (deliveries, cancellable) = Self.number(in: "a").withCommitNumbers().collect(in: snapshot)
    try deliveries.wait(forLast: NumberedValue(value: 0, commitNumber: 0))
    cancellable.cancel()
  }

  @Test func whatNeedsToWriteHasTheNumberOfTheCommitBefore() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: Self.schema) }
    var observation = Self.number(in: "a")
    observation.requiresWriteAccess = true
    let (deliveries, cancellable) = observation.withCommitNumbers().collect(in: pool)
    try deliveries.wait { $0.last?.value == 0 }
    let number = try pool.commitNumber()
    try pool.write { try $0.execute(sql: "UPDATE a SET n = 1") }
    try deliveries.wait(forLast: NumberedValue(value: 1, commitNumber: number + 1))
    cancellable.cancel()
  }

  @Test func aPoolOfAFileWithoutLogTellsNone() throws {
    let dbQueue = try DatabaseQueue(path: path)
    try dbQueue.write { try $0.execute(sql: Self.schema) }
    try dbQueue.close()
    var configuration = Configuration()
    configuration.readonly = true
    let pool = try DatabasePool(path: path, configuration: configuration)
    #expect(try pool.commitNumber() == 0)
  }

  /// Invariant: a number belongs to the state, or is zero if unknown. A header that is being written is read again.
  @Test func aHeadThatCannotBeReadIsAskedForAnotherTime() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: Self.schema) }
    let (torn, none) = try pool.read { db in
      (
        try pool._ground.commitNumber(of: TakenState(hasLog: true), db),
        try pool._ground.commitNumber(of: TakenState(), db)
      )
    }
    #expect(torn == (0, true))
    #expect(none == (0, false))
  }

  @Test func mapsAndDuplicatesAreSeenThroughNumbers() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: Self.schema) }
    let observation = Self.number(in: "a").map { $0 / 10 }.removeDuplicates().withCommitNumbers().map { ($0.value, $0) }
    let (deliveries, cancellable) = observation.collect(in: pool)
    try deliveries.wait { $0.last?.0 == 0 }
    for n in [1, 2, 30] { try pool.write { try $0.execute(sql: "UPDATE a SET n = ?", arguments: [n]) } }
    try deliveries.wait { $0.last?.0 == 3 }
    #expect(deliveries.values.map(\.0) == [0, 3])
    #expect(deliveries.values.last?.1.commitNumber == (try pool.commitNumber()))
    cancellable.cancel()
  }
}

extension Configuration {
  fileprivate static var patient: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(Patience.seconds)
    return configuration
  }
}
