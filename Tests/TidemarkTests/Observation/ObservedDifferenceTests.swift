import TestSupport
import Testing
import Tidemark

/// A consumer that applies the differences of an observation gets its newest result.
@Suite(.untilItHangs) struct ObservedDifferenceTests {
  private struct Player: Codable, Equatable, Identifiable, FetchableRecord, PersistableRecord, Sendable {
    var id: Int
    var score: Int
  }

  private static let ranking = ValueObservation.tracking { db in
    try Player.fetchAll(db, sql: "SELECT id, score FROM player ORDER BY score DESC, id")
  }

  private func table(_ writer: some DatabaseWriter) throws {
    try writer.write { db in
      try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER)")
    }
  }

  @Test func firstDifferenceArrivesForEmptyResults() async throws {
    let dbQueue = try DatabaseQueue()
    try table(dbQueue)
    var differences = Self.ranking.differences().values(in: dbQueue).makeAsyncIterator()
    #expect(try await differences.next()?.isEmpty == true)
    try await dbQueue.write { try Player(id: 1, score: 10).insert($0) }
    #expect(try await differences.next()?.insertions.map(\.element.id) == [1])
  }

  @Test func equalValuesYieldNoDifference() async throws {
    let dbQueue = try DatabaseQueue()
    try table(dbQueue)
    try await dbQueue.write { try Player(id: 1, score: 10).insert($0) }
    // The region is the whole table: each commit requires a fetch.
    let observation = ValueObservation.tracking(region: Table("player")) { db in
      try Player.fetchAll(db, sql: "SELECT id, score FROM player WHERE score > 5 ORDER BY id")
    }
    var differences = observation.differences().values(in: dbQueue).makeAsyncIterator()
    _ = try await differences.next()
    try await dbQueue.write { try Player(id: 2, score: 1).insert($0) }
    try await dbQueue.write { try Player(id: 3, score: 20).insert($0) }
    #expect(try await differences.next()?.insertions.map(\.element.id) == [3])
  }

  @Test func errorsEndTheSequence() async throws {
    let dbQueue = try DatabaseQueue()
    var differences = Self.ranking.differences().values(in: dbQueue).makeAsyncIterator()
    await #expect(throws: DatabaseError.self) { try await differences.next() }
  }

  @Test func cancellationEndsTheSequence() async throws {
    let dbQueue = try DatabaseQueue()
    try table(dbQueue)
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var count = 0
      for try await _ in Self.ranking.differences().values(in: dbQueue) {
        count += 1
        start.yield()
      }
      return count
    }
    for await _ in started { break }
    task.cancel()
    #expect(try await task.value == 1)
  }

  /// A slow consumer misses values, but no step: each difference starts from the value that it has received.
  @Test(arguments: [false, true])
  func appliedDifferencesYieldTheLatestResult(isSlow: Bool) async throws {
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    try table(pool)
    let writes = Task {
      var generator = SeededRandom(function: "appliedDifferencesYieldTheLatestResult")
      for _ in 0..<400 {
        let (id, score) = (Int.random(in: 0..<30, using: &generator), Int.random(in: 0..<1_000, using: &generator))
        let isRemoval = Int.random(in: 0..<4, using: &generator) == 0
        try await pool.write { db in
          if isRemoval { try Player.deleteOne(db, key: id) } else { try Player(id: id, score: score).upsert(db) }
        }
      }
      try await pool.write { try Player(id: 99, score: -1).insert($0) }
    }
    var players: [Player] = []
    var differenceCount = 0
    for try await difference in Self.ranking.differences().values(in: pool) {
      players.apply(difference)
      differenceCount += 1
      if players.contains(where: { $0.id == 99 }) { break }
      if isSlow, differenceCount % 3 == 1 { try await pool.read { _ = try Player.fetchCount($0) } }
    }
    try await writes.value
    let expected = try await pool.read { db in
      try Player.fetchAll(db, sql: "SELECT id, score FROM player ORDER BY score DESC, id")
    }
    #expect(players == expected)
  }
}
