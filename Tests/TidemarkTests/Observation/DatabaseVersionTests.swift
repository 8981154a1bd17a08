import TestSupport
import Testing

@testable import Tidemark
@testable import TidemarkEssentials

/// Values report the version of the database at which they were read.
@Suite(.untilItHangs) struct DatabaseVersionTests {
  let folder: TemporaryFolder
  var path: String { folder.path("db") }

  init() throws { folder = try TemporaryFolder() }

  enum DatabaseKind: String, CaseIterable {
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

  @Test(arguments: DatabaseKind.allCases)
  func withoutWritesTheVersionIsThatOfTheLastCommit(_ home: DatabaseKind) throws {
    let writer = try home.open(path)
    try writer.write { try $0.execute(sql: Self.schema) }
    let (deliveries, cancellable) = Self.number(in: "a").withDatabaseVersions().collect(in: writer)
    var last = try #require(try writer.databaseVersion())
    try deliveries.wait(forLast: Versioned(value: 0, version: last))
    for n in 1...5 {
      try writer.write { try $0.execute(sql: "UPDATE a SET n = ?", arguments: [n]) }
      let version = try #require(try writer.databaseVersion())
      #expect(version.number == last.number + 1)
      #expect(version > last)
      try deliveries.wait(forLast: Versioned(value: n, version: version))
      last = version
    }
    cancellable.cancel()
  }

  @Test(arguments: DatabaseKind.allCases)
  func aWriterFindsTheFirstValueThatIncludesItsWrite(_ home: DatabaseKind) async throws {
    let writer = try home.open(path)
    try await writer.write { try $0.execute(sql: Self.schema) }
    var values = Self.number(in: "a").withDatabaseVersions().values(in: writer).makeAsyncIterator()
    for n in 1...20 {
      try await writer.write { try $0.execute(sql: "UPDATE a SET n = ?", arguments: [n]) }
      let version = try await writer.databaseVersion()
      var value = try await values.next()
      while value?.includes(version) == false { value = try await values.next() }
      #expect(value?.value == n)
    }
  }

  /// With any writers, values that were fetched separately and have the same version are from the same state.
  @Test func valuesWithTheSameVersionComeFromTheSameState() async throws {
    let pool = try DatabasePool(path: path)
    try await pool.write { try $0.execute(sql: Self.schema) }
    let other = try DatabaseQueue(path: path, configuration: .patient)
    let writers: [any DatabaseWriter] = [pool, other]
    let (a, aEnd) = Self.number(in: "a").withDatabaseVersions().collect(in: pool)
    let (b, bEnd) = Self.number(in: "b").withDatabaseVersions().collect(in: pool)
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
    let versions = try a.values.map { try #require($0.version) }
    #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 <= $1 })
    let values = try (a.values + b.values).reduce(into: [DatabaseVersion: Set<Int>]()) { values, value in
      values[try #require(value.version), default: []].insert(value.value)
    }
    #expect(values.values.allSatisfy { $0.count == 1 })
    // And each commit has its own version.
    #expect(Set(values.values.map(\.first)).count == values.count)
    for end in [aEnd, bEnd] { end.cancel() }
  }

  @Test func aValueThatIsDeliveredImmediatelyHasAVersion() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: Self.schema) }
    let (deliveries, cancellable) = Self.number(in: "a").withDatabaseVersions().collect(
      in: pool, scheduling: ImmediateScheduler())
    #expect(deliveries.values == [Versioned(value: 0, version: try pool.databaseVersion())])
    cancellable.cancel()
  }

  @Test func aValueFromAnEarlierSnapshotHasNoVersion() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: Self.schema) }
    let observation = Self.number(in: "a").withDatabaseVersions()
    let (deliveries, cancellable) = try pool.read { db in
      _ = try Int.fetchOne(db, sql: "SELECT n FROM a")
      return observation.collect(in: pool, scheduling: ImmediateScheduler())
    }
    #expect(deliveries.values.first == Versioned(value: 0, version: nil))
    #expect(deliveries.values.first?.includes(try pool.databaseVersion()) == false)
    cancellable.cancel()
  }

  @Test func aSnapshotHasNoVersion() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: Self.schema) }
    let snapshot = try pool.makeSnapshot()
    #expect(try snapshot.databaseVersion() == nil)
    let (deliveries, cancellable) = Self.number(in: "a").withDatabaseVersions().collect(in: snapshot)
    try deliveries.wait(forLast: Versioned(value: 0, version: nil))
    cancellable.cancel()
  }

  @Test func aFetchThatWritesHasTheVersionBeforeItsCommit() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: Self.schema) }
    var observation = Self.number(in: "a")
    observation.requiresWriteAccess = true
    let (deliveries, cancellable) = observation.withDatabaseVersions().collect(in: pool)
    try deliveries.wait { $0.last?.value == 0 }
    let version = try #require(try pool.databaseVersion())
    try pool.write { try $0.execute(sql: "UPDATE a SET n = 1") }
    try deliveries.wait(forLast: Versioned(value: 1, version: DatabaseVersion(version.number + 1)))
    cancellable.cancel()
  }

  @Test func poolsWithoutAWriteAheadLogHaveNoVersion() throws {
    let dbQueue = try DatabaseQueue(path: path)
    try dbQueue.write { try $0.execute(sql: Self.schema) }
    try dbQueue.close()
    var configuration = Configuration()
    configuration.readonly = true
    let pool = try DatabasePool(path: path, configuration: configuration)
    #expect(try pool.databaseVersion() == nil)
  }

  /// Invariant: a version belongs to the snapshot, or is nil if unknown. A header that is being written is read again.
  @Test func unreadableHeadersAreReadAgain() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: Self.schema) }
    let (torn, none) = try pool.read { db in
      (
        try pool._core.databaseVersion(of: SnapshotState(hasLog: true), db),
        try pool._core.databaseVersion(of: SnapshotState(), db)
      )
    }
    #expect(torn == .atLeast(nil))
    #expect(none == .known(nil))
  }

  @Test func mapsAndRemovedDuplicatesKeepVersions() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: Self.schema) }
    let observation = Self.number(in: "a")
      .map { $0 / 10 }.removeDuplicates().withDatabaseVersions().map { ($0.value, $0) }
    let (deliveries, cancellable) = observation.collect(in: pool)
    try deliveries.wait { $0.last?.0 == 0 }
    for n in [1, 2, 30] { try pool.write { try $0.execute(sql: "UPDATE a SET n = ?", arguments: [n]) } }
    try deliveries.wait { $0.last?.0 == 3 }
    #expect(deliveries.values.map(\.0) == [0, 3])
    #expect(deliveries.values.last?.1.version == (try pool.databaseVersion()))
    cancellable.cancel()
  }
}

extension Configuration {
  fileprivate static var patient: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(WaitLimit.seconds)
    return configuration
  }
}
