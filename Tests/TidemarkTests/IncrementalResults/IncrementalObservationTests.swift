import TestSupport
import Testing

@testable import Tidemark
@testable import TidemarkEssentials

/// The observations whose request the library knows are incremental, however they are started. The closure of a
/// `ValueObservation` decodes its whole result.
@Suite(.untilItHangs) struct IncrementalObservationTests {
  struct Item: Equatable, Identifiable, FetchableRecord, Sendable {
    var id: Int
    var name: String

    init(id: Int, name: String) { (self.id, self.name) = (id, name) }

    init(row: Row) { (id, name) = (row["id"], row["name"]) }
  }

  /// The ways of starting the observation of a request.
  enum Start: CaseIterable {
    case sequence, closures, immediate, shared, sharedSequence, retrying
  }

  private static let request = SQLRequest<Item>(sql: "SELECT * FROM item ORDER BY name")
  private static let count = 1_000

  private func open(_ home: RequestDatabase, _ folder: TemporaryFolder) throws -> any DatabaseWriter {
    let writer = try home.open(folder.path("db"))
    try writer.write { db in
      try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
      for id in 1...Self.count { try db.execute(sql: "INSERT INTO item VALUES (?, ?)", arguments: [id, "\(id)"]) }
    }
    return writer
  }

  /// Starts an observation, and calls a closure with each difference.
  private func start(
    _ start: Start, _ observation: DifferenceObservation<Item>, in writer: any DatabaseWriter,
    _ receive: @escaping @Sendable (KeyedDifference<Item>) -> Void
  ) -> AnyDatabaseCancellable {
    let fail: @Sendable (any Error) -> Void = { Issue.record($0) }
    switch start {
    case .sequence:
      let task = Task { for try await difference in observation.values(in: writer) { receive(difference) } }
      return AnyDatabaseCancellable { task.cancel() }
    case .sharedSequence:
      let shared = observation.shared(in: writer, scheduling: .task)
      let task = Task { for try await difference in shared.values() { receive(difference) } }
      return AnyDatabaseCancellable { task.cancel() }
    case .closures:
      return observation.start(in: writer, scheduling: Inline(), onError: fail, onChange: receive)
    case .immediate:
      return observation.start(in: writer, scheduling: ImmediateScheduler(), onError: fail, onChange: receive)
    case .shared:
      return observation.shared(in: writer, scheduling: Inline()).start(onError: fail, onChange: receive)
    case .retrying:
      return observation.retryingTransientErrors()
        .start(in: writer, scheduling: Inline(), onError: fail, onChange: receive)
    }
  }

  /// The first fetch of an immediate start is not followed row by row. A pool fetches the whole result if it cannot
  /// identify a snapshot within a millisecond. So there are several changes.
  @Test(arguments: Start.allCases, RequestDatabase.kinds)
  func everyStartOfARequestFetchesOnlyChangedRows(_ way: Start, _ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    let writer = try open(home, folder)
    let (counts, list) = (Locked(RequestFetchCounts()), Locked<[Item]>([]))
    let cancellable = start(way, Self.request.differences(counts: counts), in: writer) { difference in
      list.update { $0.apply(difference) }
    }
    try await waitUntil("the first result") { list.value.count == Self.count }
    for id in 1...20 where counts.value.rows == 0 {
      try await writer.write { try $0.execute(sql: "UPDATE item SET name = '!' || name WHERE id = ?", arguments: [id]) }
      try await waitUntil("change \(id)") { list.value.contains { $0 == Item(id: id, name: "!\(id)") } }
    }
    #expect(counts.value.rows == 1)
    cancellable.cancel()
  }

  /// An initializer may have effects that reused elements would not have. So a closure is called as it is, and fetches
  /// every row, even if it is the method of a request.
  @Test(arguments: RequestDatabase.kinds)
  func closuresDecodeEveryRow(_ home: RequestDatabase) throws {
    struct Counted: FetchableRecord, Sendable {
      static let decodeCount = Locked(0)

      /// The number of this instance, which no other instance has.
      var number: Int

      init(row: Row) {
        number = Counted.decodeCount.update { count in
          count += 1
          return count
        }
      }
    }
    let folder = try TemporaryFolder()
    let writer = try open(home, folder)
    let request = SQLRequest<Counted>(sql: "SELECT * FROM item ORDER BY name")
    let values = Deliveries<[Int]>()
    let cancellable = ValueObservation.tracking(request.fetchAll).map { $0.map(\.number) }
      .start(in: writer, scheduling: Inline(), onError: { values.fail($0) }, onChange: { values.append($0) })
    let first = try #require(try values.wait { $0.count == 1 }.last)
    try writer.write { try $0.execute(sql: "UPDATE item SET name = '!' WHERE id = 500") }
    let second = try #require(try values.wait { $0.count == 2 }.last)
    #expect(Set(second).count == Self.count)
    #expect(Set(second).isDisjoint(with: first))
    cancellable.cancel()
  }
}
