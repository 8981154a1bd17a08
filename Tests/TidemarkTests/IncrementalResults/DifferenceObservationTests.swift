import Dispatch
import TestSupport
import Testing
import Tidemark

/// Differences are observed like values: with schedulers, shared, and with errors.
@Suite(.untilItHangs) struct DifferenceObservationTests {
  struct Player: Codable, Equatable, Identifiable, FetchableRecord, PersistableRecord, Sendable {
    var id: Int
    var name: String?
    var score: Int?
  }

  /// How the differences of a ranking are computed.
  enum Kind: String, CaseIterable {
    case byValue, byRow

    var ranking: DifferenceObservation<Player> {
      let request = Player.order(Column("score").desc)
      return switch self {
      case .byValue: ValueObservation.tracking { db in try request.fetchAll(db) }.differences()
      case .byRow: request.differencesByRow()
      }
    }
  }

  /// A subscriber that applies the differences it receives.
  private final class Follower: Sendable {
    let lists = Deliveries<[Player]>()
    let differenceCount = Locked(0)

    func apply(_ difference: KeyedDifference<Player>) {
      var list = lists.values.last ?? []
      list.apply(difference)
      differenceCount.update { $0 += 1 }
      lists.append(list)
    }

    /// Waits for a list with these IDs, in order.
    func wait(for ids: [Int], line: Int = #line) throws {
      try lists.wait(line: line) { $0.last?.map(\.id) == ids }
    }
  }

  private func follow(
    _ observation: DifferenceObservation<Player>, in reader: some DatabaseReader,
    scheduling scheduler: some ValueObservationScheduler = Inline()
  ) -> (follower: Follower, cancellable: AnyDatabaseCancellable) {
    let follower = Follower()
    let cancellable = observation.start(
      in: reader, scheduling: scheduler, onError: { follower.lists.fail($0) }, onChange: { follower.apply($0) })
    return (follower, cancellable)
  }

  private func follow(
    _ shared: SharedDifferenceObservation<Player>
  ) -> (follower: Follower, cancellable: AnyDatabaseCancellable) {
    let follower = Follower()
    let cancellable = shared.start(onError: { follower.lists.fail($0) }, onChange: { follower.apply($0) })
    return (follower, cancellable)
  }

  // MARK: Schedulers

  @Test(arguments: Kind.allCases, Observed.allCases)
  func closuresReceiveDifferences(_ kind: Kind, _ observed: Observed) throws {
    try observed.withDatabase { writer in
      try writer.write { try Player(id: 1, score: 10).insert($0) }
      let queue = DispatchQueue(label: "differences")
      let (follower, cancellable) = follow(kind.ranking, in: writer, scheduling: .async(onQueue: queue))
      try follower.wait(for: [1])
      try writer.write { try Player(id: 2, score: 20).insert($0) }
      try follower.wait(for: [2, 1])
      try writer.write { try Player(id: 2, score: 5).update($0) }
      try follower.wait(for: [1, 2])
      try writer.write { _ = try Player.deleteOne($0, key: 1) }
      try follower.wait(for: [2])
      cancellable.cancel()
    }
  }

  @Test(arguments: Kind.allCases, Observed.allCases)
  func firstDifferenceArrivesBeforeAnImmediateStartReturns(_ kind: Kind, _ observed: Observed) throws {
    try observed.withDatabase { writer in
      try writer.write { try Player(id: 1, score: 10).insert($0) }
      let (follower, cancellable) = follow(kind.ranking, in: writer, scheduling: ImmediateScheduler())
      #expect(follower.lists.values.map { $0.map(\.id) } == [[1]])
      try writer.write { try Player(id: 2, score: 20).insert($0) }
      try follower.wait(for: [2, 1])
      cancellable.cancel()
    }
  }

  @MainActor @Test(arguments: Kind.allCases)
  func mainActorClosuresAccessState(_ kind: Kind) throws {
    try Observed.pool.withDatabase { writer in
      try writer.write { try Player(id: 1, score: 10).insert($0) }
      var players: [Player] = []
      let cancellable = kind.ranking.start(
        in: writer, scheduling: .immediate, onError: { Issue.record($0) }, onChange: { players.apply($0) })
      #expect(players.map(\.id) == [1])
      cancellable.cancel()
    }
  }

  @Test(arguments: Kind.allCases)
  func sequencesUseTheirScheduler(_ kind: Kind) async throws {
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    try await pool.write { try $0.createPlayers() }
    let queue = DispatchQueue(label: "differences")
    var differences = kind.ranking.values(in: pool, scheduling: .async(onQueue: queue)).makeAsyncIterator()
    #expect(try await differences.next()?.isEmpty == true)
    try await pool.write { try Player(id: 1, score: 10).insert($0) }
    #expect(try await differences.next()?.insertions.map(\.element.id) == [1])
  }

  /// The closure does not return while three commits follow: the next difference contains all of them.
  @Test(arguments: Kind.allCases)
  func slowClosuresMissNoChange(_ kind: Kind) throws {
    try Observed.pool.withDatabase { writer in
      let (follower, isDelivering, mayContinue) = (Follower(), Signal(), Signal())
      let queue = DispatchQueue(label: "differences")
      let cancellable = kind.ranking.start(
        in: writer, scheduling: .async(onQueue: queue), onError: { follower.lists.fail($0) },
        onChange: { difference in
          isDelivering.fire()
          try? mayContinue.wait()
          follower.apply(difference)
        })
      try isDelivering.wait()
      for id in 1...3 { try writer.write { try Player(id: id, score: id).insert($0) } }
      let fetchCount = writer.observationMetrics.fetchCount
      mayContinue.fire()
      try follower.wait(for: [3, 2, 1])
      #expect(fetchCount > 0)
      cancellable.cancel()
    }
  }

  // MARK: Sharing

  @Test(arguments: Kind.allCases, Observed.allCases)
  func subscribersShareFetches(_ kind: Kind, _ observed: Observed) throws {
    try observed.withDatabase { writer in
      try writer.write { try Player(id: 1, score: 10).insert($0) }
      let shared = kind.ranking.shared(in: writer, scheduling: Inline())
      let (first, firstCancellable) = follow(shared)
      try first.wait(for: [1])
      try writer.write { try Player(id: 2, score: 20).insert($0) }
      try first.wait(for: [2, 1])
      let fetchCount = writer.observationMetrics.fetchCount
      let (late, lateCancellable) = follow(shared)
      // It receives the current result at once.
      #expect(late.lists.values.map { $0.map(\.id) } == [[2, 1]])
      #expect(writer.observationMetrics.fetchCount == fetchCount)
      try writer.write { _ = try Player.deleteOne($0, key: 2) }
      try first.wait(for: [1])
      try late.wait(for: [1])
      #expect(writer.observationMetrics.observationCount == 1)
      firstCancellable.cancel()
      try writer.write { try Player(id: 3, score: 30).insert($0) }
      try late.wait(for: [3, 1])
      #expect(first.lists.values.last?.map(\.id) == [1])
      lateCancellable.cancel()
      #expect(writer.observationMetrics.observationCount == 0)
    }
  }

  @Test(arguments: Kind.allCases)
  func sharedObservationsRestart(_ kind: Kind) throws {
    try Observed.pool.withDatabase { writer in
      let shared = kind.ranking.shared(in: writer, scheduling: Inline())
      let (first, firstCancellable) = follow(shared)
      try first.wait(for: [])
      firstCancellable.cancel()
      try writer.write { try Player(id: 1, score: 10).insert($0) }
      let (second, secondCancellable) = follow(shared)
      try second.wait(for: [1])
      #expect(second.differenceCount.value == 1)
      secondCancellable.cancel()
    }
  }

  @Test(arguments: Kind.allCases)
  func sharedSequencesAreIndependent(_ kind: Kind) async throws {
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    try await pool.write { try $0.createPlayers() }
    try await pool.write { try Player(id: 1, score: 10).insert($0) }
    let shared = kind.ranking.shared(in: pool, scheduling: .task)
    var (one, other) = (shared.values().makeAsyncIterator(), shared.values().makeAsyncIterator())
    #expect(try await one.next()?.insertions.map(\.element.id) == [1])
    try await pool.write { try Player(id: 2, score: 20).insert($0) }
    #expect(try await one.next()?.insertions.map(\.element.id) == [2])
    // The other one has not asked yet: its first difference may include the second player.
    var players: [Player] = []
    while players.count < 2, let difference = try await other.next() { players.apply(difference) }
    #expect(players.map(\.id) == [2, 1])
    #expect(pool.observationMetrics.observationCount == 1)
  }

  // MARK: Errors

  @Test(arguments: Kind.allCases, Observed.allCases)
  func errorsEndTheObservation(_ kind: Kind, _ observed: Observed) throws {
    try observed.withDatabase { writer in
      let (follower, cancellable) = follow(kind.ranking, in: writer)
      try follower.wait(for: [])
      try writer.write { try $0.drop(table: "player") }
      #expect(try follower.lists.failureText().contains("no such table: player"))
      #expect(writer.observationMetrics.observationCount == 0)
      cancellable.cancel()
    }
  }

  @Test func observationsKeepTheirRetryPolicy() throws {
    try Observed.pool.withDatabase { writer in
      let failures = Locked(2)
      let differences =
        ValueObservation
        .tracking { db in
          let isFailing = failures.update { count in
            count -= 1
            return count >= 0
          }
          if isFailing { throw DatabaseError(resultCode: .SQLITE_BUSY) }
          return try Player.fetchAll(db)
        }
        .retryingTransientErrors(after: .milliseconds(1))
        .differences()
      let (follower, cancellable) = follow(differences, in: writer)
      try follower.wait(for: [])
      #expect(failures.value < 0)
      cancellable.cancel()
    }
  }

  @Test(arguments: Kind.allCases)
  func nothingIsDeliveredAfterCancel(_ kind: Kind) throws {
    try Observed.pool.withDatabase { writer in
      let (follower, cancellable) = follow(kind.ranking, in: writer)
      try follower.wait(for: [])
      cancellable.cancel()
      try writer.write { try Player(id: 1, score: 10).insert($0) }
      let (other, otherCancellable) = follow(kind.ranking, in: writer)
      try other.wait(for: [1])
      #expect(follower.differenceCount.value == 1)
      otherCancellable.cancel()
    }
  }
}
