import Testing
import Tidemark

/// A task that is cancelled while it writes a full-text table leaves nothing behind.
@Suite struct FullTextCancellationTests {
  private let folder: TemporaryFolder
  private let isRunning = Moment()

  init() throws { folder = try TemporaryFolder() }

  private func makeDatabase(_ observed: Observed) throws -> any DatabaseWriter {
    var configuration = Configuration()
    NeverEnding.add(to: &configuration) { [isRunning] in isRunning.happen() }
    configuration.prepareDatabase { db in db.add(tokenizer: HotelTokenizer.self) }
    switch observed {
    case .queue: return try DatabaseQueue(configuration: configuration)
    case .fileQueue: return try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration)
    case .pool: return try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
    }
  }

  @Test(arguments: Observed.allCases, [FTS5TokenizerDescriptor.unicode61(), HotelTokenizer.tokenizerDescriptor()])
  func `cancelled writes are rolled back`(observed: Observed, tokenizer: FTS5TokenizerDescriptor) async throws {
    let database = try makeDatabase(observed)
    try await database.write { db in
      try db.createDocuments(tokenizer)
      try db.execute(sql: "INSERT INTO d VALUES ('one')")
    }
    let task = Task {
      try await database.write { db in
        try db.execute(
          sql: """
            INSERT INTO d VALUES ('two');
            INSERT INTO d WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT running(i) FROM n
            """)
      }
    }
    await isRunning.reached()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await database.write { db in
      try #expect(Int.fetchAll(db, sql: "SELECT rowid FROM d") == [1])
      try db.execute(sql: "INSERT INTO d VALUES ('three'); INSERT INTO d (d) VALUES ('integrity-check')")
    }
    let found = try await database.read { db in try matches(db, "d", "two OR three") }
    #expect(found == [2])
    try database.close()
  }
}
