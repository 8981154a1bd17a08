import TestSupport
import Testing
import Tidemark

/// The changes of a request's result are reported, and only the changed rows are fetched.
@Suite(.untilItHangs) struct RequestDifferenceTests {
  private struct Player: Codable, Equatable, Identifiable, FetchableRecord, PersistableRecord, Sendable {
    var id: Int
    var name: String
    var score: Int
  }

  // Created for each use: leak sanitizers do not see references in constants of enumerations.
  private static var ranking: QueryInterfaceRequest<Player> { Player.order(Column("score").desc) }

  private func createPlayers(_ writer: some DatabaseWriter, count: Int = 100) async throws {
    try await writer.write { db in
      try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
      for id in 0..<count { try Player(id: id, name: "Player \(id)", score: 10 * id).insert(db) }
    }
  }

  // MARK: Fetches

  @Test(arguments: RequestDatabase.kinds)
  func onlyChangedRowsAreFetched(_ home: RequestDatabase) async throws {
    let (folder, recorder) = (try TemporaryFolder(), TraceRecorder())
    var configuration = Configuration()
    recorder.attach(to: &configuration)
    let writer = try home.open(folder.path("db"), configuration)
    try await createPlayers(writer)
    var differences = Self.ranking.differences().values(in: writer).makeAsyncIterator()
    #expect(try await differences.next()?.insertions.count == 100)
    recorder.clear()
    try await writer.write { try $0.execute(sql: "UPDATE player SET score = 995 WHERE id = 7") }
    let difference = try await differences.next()
    #expect(difference?.moves.map { [$0.oldOffset, $0.offset] } == [[92, 0]])
    #expect(difference?.updates.map(\.element) == [Player(id: 7, name: "Player 7", score: 995)])
    let selects = recorder.playerSelects
    #expect(selects == [#"SELECT * FROM "player" WHERE "player"."id" = :tidemarkRowID"#])
  }

  @Test(arguments: RequestDatabase.kinds)
  func `only the rows that another connection has changed are fetched if it writes the change feed`(
    _ home: RequestDatabase
  ) async throws {
    let (folder, recorder) = (try TemporaryFolder(), TraceRecorder())
    var configuration = Configuration()
    configuration.changeFeed = ChangeFeedConfiguration()
    let other = try home.open(folder.path("db"), configuration)
    try await createPlayers(other)
    recorder.attach(to: &configuration)
    let writer = try home.open(folder.path("db"), configuration)
    var differences = Self.ranking.differences().values(in: writer).makeAsyncIterator()
    #expect(try await differences.next()?.insertions.count == 100)
    // The first one may be noticed as an unknown commit, if it was made while the observation began.
    for score in 2_001...2_004 {
      recorder.clear()
      try await other.write { try $0.execute(sql: "UPDATE player SET score = \(score) WHERE id = 7") }
      #expect(try await differences.next()?.updates.map(\.element.score) == [score])
    }
    #expect(recorder.playerSelects == [#"SELECT * FROM "player" WHERE "player"."id" = :tidemarkRowID"#])
  }

  @Test(arguments: RequestDatabase.kinds)
  func commitsInOtherTablesFetchNothing(_ home: RequestDatabase) async throws {
    let (folder, recorder) = (try TemporaryFolder(), TraceRecorder())
    var configuration = Configuration()
    recorder.attach(to: &configuration)
    let writer = try home.open(folder.path("db"), configuration)
    try await createPlayers(writer)
    try await writer.write { try $0.execute(sql: "CREATE TABLE other (n)") }
    var differences = Self.ranking.differences().values(in: writer).makeAsyncIterator()
    _ = try await differences.next()
    recorder.clear()
    for n in 0..<20 { try await writer.write { try $0.execute(sql: "INSERT INTO other VALUES (?)", arguments: [n]) } }
    try await writer.write { _ = try Player.deleteOne($0, key: 3) }
    #expect(try await differences.next()?.removals.map(\.element.id) == [3])
    #expect(recorder.playerSelects.count == 1)
  }

  @Test(arguments: RequestDatabase.kinds)
  func manyChangedRowsAreFetchedTogether(_ home: RequestDatabase) async throws {
    let (folder, recorder) = (try TemporaryFolder(), TraceRecorder())
    var configuration = Configuration()
    recorder.attach(to: &configuration)
    let writer = try home.open(folder.path("db"), configuration)
    try await createPlayers(writer)
    var differences = Self.ranking.differences().values(in: writer).makeAsyncIterator()
    _ = try await differences.next()
    recorder.clear()
    try await writer.write { try $0.execute(sql: "UPDATE player SET score = score + 1") }
    #expect(try await differences.next()?.updates.count == 100)
    #expect(recorder.playerSelects.count == 1)
  }

  // MARK: Differences

  @Test(arguments: RequestDatabase.kinds)
  func firstDifferenceArrivesForEmptyResults(_ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    try await createPlayers(writer, count: 0)
    var differences = Self.ranking.differences().values(in: writer).makeAsyncIterator()
    #expect(try await differences.next()?.isEmpty == true)
    try await writer.write { try Player(id: 1, name: "Arthur", score: 10).insert($0) }
    #expect(try await differences.next()?.insertions.map(\.offset) == [0])
  }

  @Test(arguments: RequestDatabase.kinds)
  func revertedChangesAreNotReported(_ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    try await createPlayers(writer)
    var differences = Self.ranking.differences().values(in: writer).makeAsyncIterator()
    _ = try await differences.next()
    // Each of them requires a fetch of the row.
    try await writer.write { try $0.execute(sql: "UPDATE player SET name = 'other' WHERE id = 1") }
    try await writer.write { try $0.execute(sql: "UPDATE player SET name = 'Player 1' WHERE id = 1") }
    try await writer.write { try $0.execute(sql: "UPDATE player SET name = 'last' WHERE id = 2") }
    var names: [String] = []
    while !names.contains("last"), let difference = try await differences.next() {
      #expect(!difference.isEmpty)
      names += difference.updates.map(\.element.name)
    }
    #expect(names.contains("last"))
  }

  /// The program determines the identity: a row that replaces another one can be the same element.
  @Test func elementsWithANewRowIDKeepTheirIdentity() async throws {
    struct Visit: Equatable, FetchableRecord, Sendable {
      var name: String
      var time: Int

      init(row: Row) { (name, time) = (row["name"], row["time"]) }
    }
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    try await pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE visit (name TEXT PRIMARY KEY, time INTEGER);
          INSERT INTO visit VALUES ('a', 1), ('b', 2), ('c', 3), ('d', 4);
          """)
    }
    let request: SQLRequest<Visit> = "SELECT name, time FROM visit ORDER BY time"
    var differences = request.differences(by: \.name).values(in: pool).makeAsyncIterator()
    _ = try await differences.next()
    try await pool.write { try $0.execute(sql: "INSERT OR REPLACE INTO visit VALUES ('b', 9)") }
    let difference = try #require(try await differences.next())
    #expect(difference.removals.isEmpty && difference.insertions.isEmpty)
    #expect(difference.moves.map { [$0.oldOffset, $0.offset] } == [[1, 3]])
    #expect(difference.updates.map(\.element.time) == [9])
  }

  @Test func schemaChangesAreFollowed() async throws {
    struct Wide: Equatable, FetchableRecord, Sendable {
      var name: String
      var columns: [String]
      init(row: Row) { (name, columns) = (row["name"], Array(row.columnNames)) }
    }
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    try await createPlayers(pool, count: 2)
    // Rows are sorted by columns that are not selected.
    let request: SQLRequest<Wide> = "SELECT name, player.* FROM player ORDER BY score"
    var differences = request.differences(by: \.name).values(in: pool).makeAsyncIterator()
    #expect(try await differences.next()?.insertions.last?.element.columns == ["name", "id", "name", "score"])
    try await pool.write { try $0.execute(sql: "ALTER TABLE player ADD COLUMN team") }
    #expect(try await differences.next()?.updates.last?.element.columns == ["name", "id", "name", "score", "team"])
    for score in [100, -100, 100] {
      try await pool.write { try $0.execute(sql: "UPDATE player SET score = ? WHERE id = 0", arguments: [score]) }
      #expect(try await differences.next()?.moves.count == 1)
    }
  }

  @Test(arguments: RequestDatabase.kinds)
  func externalCommitsAreReported(_ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    try await createPlayers(writer)
    var differences = Self.ranking.differences().values(in: writer).makeAsyncIterator()
    _ = try await differences.next()
    let other = try DatabaseQueue(path: folder.path("db"))
    for id in 0..<10 {
      try await other.write { _ = try Player.deleteOne($0, key: id) }
      #expect(try await differences.next()?.removals.map(\.element.id) == [id])
      try await writer.write { _ = try Player.deleteOne($0, key: id + 50) }
      #expect(try await differences.next()?.removals.map(\.element.id) == [id + 50])
    }
  }

  /// External commits that happened in the meantime are visible as a whole, or not at all.
  @Test func resultsBelongToOneCommit() async throws {
    let folder = try TemporaryFolder()
    let pool = try RequestDatabase.pool.open(folder.path("db"))
    try await createPlayers(pool)
    let loop = Task {
      var players: [Player] = []
      var tornCount = 0
      for try await difference in Self.ranking.differences().values(in: pool) {
        players.apply(difference)
        // All commits change two players by the same amount.
        if players.contains(where: { $0.id == 99 && $0.name == "end" }) { break }
        if players.reduce(0, { $0 + $1.score }) % 1_000 != 500 { tornCount += 1 }
      }
      return tornCount
    }
    let others = Task {
      let other = try DatabaseQueue(path: folder.path("db"), configuration: Configuration.patient)
      for id in 0..<150 { try await other.write { try $0.movePoints(from: id % 50, to: 20 + id % 70) } }
    }
    for id in 0..<150 { try await pool.write { try $0.movePoints(from: 3 + id % 80, to: id % 90) } }
    try await others.value
    try await pool.write { try $0.execute(sql: "UPDATE player SET name = 'end' WHERE id = 99") }
    #expect(try await loop.value == 0)
  }

  // MARK: Ends

  @Test(arguments: RequestDatabase.kinds)
  func errorsEndTheSequence(_ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    var differences = Self.ranking.differences().values(in: writer).makeAsyncIterator()
    await #expect(throws: DatabaseError.self) { try await differences.next() }
  }

  @Test(arguments: RequestDatabase.kinds)
  func droppingTheTableEndsTheSequence(_ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    try await createPlayers(writer)
    var differences = Self.ranking.differences().values(in: writer).makeAsyncIterator()
    _ = try await differences.next()
    try await writer.write { try $0.drop(table: "player") }
    await #expect(throws: DatabaseError.self) { try await differences.next() }
  }

  @Test(arguments: RequestDatabase.kinds)
  func cancellationEndsTheSequence(_ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    try await createPlayers(writer)
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var count = 0
      for try await _ in Self.ranking.differences().values(in: writer) {
        count += 1
        start.yield()
      }
      return count
    }
    for await _ in started { break }
    task.cancel()
    #expect(try await task.value == 1)
    try writer.close()
  }

  @Test func snapshotsYieldOneDifference() async throws {
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    try await createPlayers(pool)
    let snapshot = try pool.makeSnapshot()
    var differences = Self.ranking.differences().values(in: snapshot).makeAsyncIterator()
    #expect(try await differences.next()?.count == 100)
  }

  @Test func iterationsAreIndependent() async throws {
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    try await createPlayers(pool)
    let sequence = Self.ranking.differences().values(in: pool)
    var (one, other) = (sequence.makeAsyncIterator(), sequence.makeAsyncIterator())
    _ = try await one.next()
    try await pool.write { _ = try Player.deleteOne($0, key: 3) }
    #expect(try await one.next()?.removals.count == 1)
    // The first value of the other one may be older.
    var count = 0
    while count != 99, let difference = try await other.next() { count = difference.count }
    #expect(count == 99)
  }
}

extension TraceRecorder {
  /// The fetches of the request. On a busy machine, the pool may open another reader, which reads the schema.
  fileprivate var playerSelects: [String] { lines.filter { $0.hasPrefix(#"SELECT * FROM "player""#) } }
}

extension Configuration {
  fileprivate static var patient: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(WaitLimit.seconds)
    return configuration
  }
}

extension Database {
  fileprivate func movePoints(from id: Int, to other: Int) throws {
    if id == other { return }
    try execute(sql: "UPDATE player SET score = score - 7 WHERE id = ?", arguments: [id])
    try execute(sql: "UPDATE player SET score = score + 7 WHERE id = ?", arguments: [other])
  }
}
