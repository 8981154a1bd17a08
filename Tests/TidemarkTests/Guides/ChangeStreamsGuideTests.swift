import TestSupport
import Testing
import Tidemark

/// The code of `Documentation/ChangeStreams.md`.
@Suite(.untilItHangs) struct ChangeStreamsGuideTests {
  struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
    var id: Int64
    var team: String
    var score: Int

    enum Columns {
      static let team = Column("team")
    }
  }

  private func makePool(_ folder: TemporaryFolder) throws -> DatabasePool {
    let dbPool = try folder.pool()
    try dbPool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, team TEXT, score INTEGER);
          CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
          INSERT INTO player VALUES (1, 'Red', 10), (2, 'Blue', 10);
          """)
    }
    return dbPool
  }

  @Test func `transactions are printed`() async throws {
    let folder = try TemporaryFolder()
    let dbPool = try makePool(folder)
    let changes = try await dbPool.changes(in: Table("player"))
    try await dbPool.write { try $0.execute(sql: "UPDATE player SET score = 20 WHERE id = 1") }
    let task = Task {
      var lines: [String] = []
      // Ends the loop.
      func print(_ change: ChangedRow) {
        lines.append(change.description)
        withUnsafeCurrentTask { $0?.cancel() }
      }
      for try await transaction in changes {
        for change in transaction.rows {
          print(change)
        }
      }
      return lines
    }
    #expect(try await task.value == ["UPDATE player [1]: score 10 → 20"])
  }

  @Test func `the content is read after the stream was created`() async throws {
    let folder = try TemporaryFolder()
    let dbPool = try makePool(folder)
    @Sendable func loadPlayers(_ db: Database) throws -> [Int64] { try Player.fetchAll(db).map(\.id) }
    let changes = try await dbPool.changes(in: Table("player"))
    let version = try await dbPool.databaseVersion()
    var cache = try await dbPool.read(loadPlayers)
    try await dbPool.write { try $0.execute(sql: "INSERT INTO player VALUES (3, 'Red', 0)") }
    for try await transaction in changes {
      if let version, let own = transaction.version, own <= version { continue }
      cache += transaction.rows.compactMap { $0.newRow?["id"] }
      break
    }
    #expect(cache == [1, 2, 3])
  }

  @Test func `rows of a request satisfy its condition before or after the change`() async throws {
    let folder = try TemporaryFolder()
    let dbPool = try makePool(folder)
    let changes = try await dbPool.changes(in: Player.filter { $0.team == "Red" }, Table("team"))
    try await dbPool.write { try $0.execute(sql: "UPDATE player SET score = 11; UPDATE player SET team = 'Blue'") }
    var iterator = changes.makeAsyncIterator()
    let rows = try #require(try await iterator.next()).rows
    #expect(
      rows.map(\.description) == [
        "UPDATE player [1]: score 10 → 11", "UPDATE player [1]: team \"Red\" → \"Blue\"",
      ])
  }

  @Test func `a cache follows the database`() async throws {
    let folder = try TemporaryFolder()
    let dbPool = try makePool(folder)
    @Sendable func loadPlayers(_ db: Database) throws -> [Int64: Player] {
      try Dictionary(uniqueKeysWithValues: Player.fetchAll(db).map { ($0.id, $0) })
    }
    let changes = try await dbPool.changes(
      in: Table("player"), limits: ChangeStream.Limits(rowCount: 1_000, bufferedByteCount: 1_000_000))
    let version = try await dbPool.databaseVersion()
    var cache = try await dbPool.read(loadPlayers)
    try await dbPool.write { db in
      try Player(id: 3, team: "Red", score: 5).insert(db)
      try Player(id: 1, team: "Red", score: 20).update(db)
    }
    try await dbPool.write { try $0.execute(sql: "DELETE FROM player WHERE id = 2") }
    // More rows than the limit.
    try await dbPool.write { db in
      for id in 4...Int64(1_004) { try Player(id: id, team: "Red", score: 1).insert(db) }
    }
    var count = 0
    try await dbPool.write { try $0.execute(sql: "UPDATE player SET score = 0 WHERE id = 1") }
    for try await transaction in changes {
      if let version, let own = transaction.version, own <= version { continue }
      count += 1
      if count == 4 { break }
      if !transaction.isComplete {
        cache = try await dbPool.read(loadPlayers)
        continue
      }
      for change in try transaction.changes(of: Player.self) {
        switch change.operation {
        case .insert, .update: cache[change.newRecord!.id] = change.newRecord
        case .delete: cache[change.oldRecord!.id] = nil
        }
      }
    }
    #expect(cache.keys.sorted() == [1, 3] + Array(4...1_004))
    // The content was read again after the last transaction.
    #expect(cache[1]?.score == 0)
  }

  @Test func `a large transaction is received in parts`() async throws {
    let folder = try TemporaryFolder()
    let dbPool = try makePool(folder)
    let parts = try await dbPool.changes(in: Table("player"), limits: ChangeStream.Limits(rowCount: .max))
    try await dbPool.write { db in
      try db.execute(
        sql: """
          WITH RECURSIVE number (n) AS (SELECT 3 UNION ALL SELECT n + 1 FROM number WHERE n < 120002)
          INSERT INTO player SELECT n, 'Red', n FROM number
          """)
    }
    let task = Task {
      var (count, end) = (0, "")
      func print(_ change: ChangedRow) { count += 1 }
      // Ends the loop.
      func print(_ text: String) {
        end = text
        withUnsafeCurrentTask { $0?.cancel() }
      }
      for try await part in parts {
        for change in part.rows { print(change) }
        if !part.isContinued { print("end of the transaction") }
      }
      return "\(count) rows, \(end)"
    }
    let received = try await task.value
    #expect(received == "120000 rows, end of the transaction")
  }
}
