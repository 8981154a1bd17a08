import Foundation
import Testing
import Tidemark

/// The files on which a pool can be opened, and those on which it cannot.
@Suite struct PoolOpeningTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func journalMode(_ pool: DatabasePool) throws -> String? {
    try pool.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
  }

  @Test func newFilesUseTheWAL() throws {
    let pool = try folder.pool()
    #expect(try journalMode(pool) == "wal")
    // Before the first write.
    #expect(try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master") } == 0)
    #expect(try pool.makeSnapshot().read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master") } == 0)
    #expect(pool.path == folder.database)
    #expect(pool.configuration.maximumReaderCount == 5)
  }

  @Test func queueFilesAreConvertedToWAL() throws {
    let queue = try DatabaseQueue(path: folder.database)
    try queue.write { try $0.execute(sql: "CREATE TABLE t (n); INSERT INTO t VALUES (1)") }
    let pool = try folder.pool()
    #expect(try journalMode(pool) == "wal")
    #expect(try pool.read { try $0.numbers() } == [1])
    try queue.write { try $0.insert(2) }
    #expect(try pool.read { try $0.numbers() } == [1, 2])
  }

  @Test(arguments: [":memory:", ""])
  func poolsRequireAFile(path: String) {
    #expect(
      message { _ = try DatabasePool(path: path) } == "SQLite error 1: could not activate WAL Mode at path: \(path)")
  }

  @Test func missingReadOnlyFilesCannotBeOpened() throws {
    let missingFolder = folder.path("missing/db.sqlite")
    let expected = "SQLite error 14: unable to open database file"
    #expect(message { _ = try DatabasePool(path: missingFolder) }.hasPrefix(expected))
    #expect(message { _ = try DatabasePool(path: folder.path) }.hasPrefix(expected))
    #expect(message { _ = try folder.pool { $0.readonly = true } }.hasPrefix(expected))
    #expect(message { _ = try DatabaseSnapshot(path: folder.database) }.hasPrefix(expected))
    #expect(message { _ = try DatabaseSnapshotPool(path: folder.database) }.hasPrefix(expected))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func otherFileFormatsAreLeftUnchanged() throws {
    let bytes = Array(repeating: UInt8(ascii: "x"), count: 10_000)
    try folder.write(bytes, to: "db.sqlite")
    let words = message { _ = try folder.pool() }
    #expect(
      words.hasPrefix("SQLite error 26: file is not a database - while executing `SELECT * FROM sqlite_master LIMIT 1`")
    )
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == Data(bytes))
    #expect(folder.descriptorCount == 0)
  }

  @Test func damagedPagesFailOnlyTheirReads() throws {
    do {
      let pool = try folder.tablePool()
      try pool.write { db in
        try db.insert(1)
        try db.execute(sql: "CREATE TABLE u (text); INSERT INTO u VALUES (hex(randomblob(20000)))")
      }
      try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      try pool.close()
    }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    let page = 2 * 4096
    bytes.replaceSubrange(page..<(page + 4096), with: Data(repeating: 0xA5, count: 4096))
    try bytes.write(to: URL(fileURLWithPath: folder.database))
    let pool = try folder.pool()
    let damaged = resultCode { _ = try pool.read { try String.fetchAll($0, sql: "SELECT text FROM u") } }
    #expect(damaged == .SQLITE_CORRUPT)
    // The reader works as before on everything that is not damaged.
    #expect(try pool.read { try $0.numbers() } == [1])
    #expect(try pool.read { $0.description } == "Tidemark.DatabasePool.reader.1")
  }

  // MARK: - Read-only

  @Test func readOnlyPoolsRefuseWrites() async throws {
    let writer = try folder.tablePool()
    try await writer.write { try $0.insert(1) }
    let pool = try folder.pool { $0.readonly = true }
    #expect(try await pool.read { try $0.numbers() } == [1])
    await #expect(throws: DatabaseError.self) { try await pool.write { try $0.insert(2) } }
    #expect(throws: DatabaseError.self) { try synchronously { try pool.write { try $0.insert(2) } } }
    // It sees the commits of other connections.
    try await writer.write { try $0.insert(3) }
    #expect(try await pool.read { try $0.numbers() } == [1, 3])
    #expect(try await pool.makeSnapshot().read { try $0.numbers() } == [1, 3])
    #expect(try await pool.makeSnapshotPool().read { try $0.numbers() } == [1, 3])
  }

  @Test func readOnlyPoolsOpenUnusedFiles() throws {
    try folder.tablePool().write { try $0.insert(1) }
    #expect(!FileManager.default.fileExists(atPath: folder.database + "-wal"))
    let pool = try folder.pool { $0.readonly = true }
    #expect(try pool.read { try $0.numbers() } == [1])
  }

  // MARK: - At the same time

  @Test func manyPoolsOpenANewFileConcurrently() throws {
    for _ in 0..<25 {
      let folder = try TemporaryFolder()
      let start = Moment()
      let openings = (0..<4).map { _ in
        Background {
          try start.wait()
          let pool = try folder.pool()
          try pool.write { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (n); INSERT INTO t VALUES (1)")
          }
          return try pool.read { try $0.numbers().count }
        }
      }
      start.happen()
      let counts = try openings.map { try $0.value() }
      #expect(counts.max() == 4)
    }
  }

  @Test func poolsOpenDuringExternalWrites() throws {
    let first = try folder.tablePool()
    try first.write { db in
      try db.insert(1)
      let second = try folder.pool()
      #expect(try second.read { try $0.numbers() } == [])
    }
  }
}
