import CSQLite
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Live queries of a pool that finds the tables of external commits.
@Suite struct ChangedTablesTests {
  /// Queries of the tables `a`, `b` and `c`, after other connections have written each of them.
  private final class Tables {
    let folder: TemporaryFolder
    let pool: DatabasePool
    private let other: DatabaseQueue
    private var sums: [String: Deliveries<Int>] = [:]
    private var cancellables: [AnyDatabaseCancellable] = []
    private var baseline = 0

    init(setUp: String = "", findsTables: Bool = true) throws {
      folder = try TemporaryFolder()
      other = try DatabaseQueue(path: folder.path("db"))
      try other.writeWithoutTransaction { db in
        try db.execute(sql: setUp)
        for table in ["a", "b", "c"] {
          try db.execute(sql: "CREATE TABLE \(table) (n INTEGER, v BLOB); INSERT INTO \(table) VALUES (0, NULL)")
        }
      }
      var configuration = Configuration()
      configuration.findsTablesOfExternalCommits = findsTables
      pool = try DatabasePool(path: folder.path("db"), configuration: configuration)
      for table in ["a", "b", "c"] { try observe("SELECT SUM(n) FROM \(table)", as: table) }
      try otherExecutes("UPDATE a SET n = 1; UPDATE b SET n = 1; UPDATE c SET n = 1")
      for table in ["a", "b", "c"] { try wait(for: 1, of: table) }
      _ = try wakes(after: 0)
    }

    func observe(_ sql: String, as name: String, _ scheduler: some ValueObservationScheduler = Inline()) throws {
      let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: sql) ?? 0 }
      let deliveries = Deliveries<Int>()
      sums[name] = deliveries
      cancellables.append(
        observation.start(
          in: pool, scheduling: scheduler, onError: { deliveries.fail($0) }, onChange: { deliveries.append($0) }))
      try deliveries.wait { !$0.isEmpty }
    }

    func otherExecutes(_ sql: String) throws { try other.write { try $0.execute(sql: sql) } }

    /// Writes a table, and waits until its query has the value.
    func otherUpdates(_ table: String, to value: Int) throws {
      try otherExecutes("UPDATE \(table) SET n = \(value)")
      try wait(for: value, of: table)
    }

    func wait(for sum: Int, of name: String) throws { try #require(sums[name]).wait(forLast: sum) }

    /// The number of queries that were fetched since the last call, which is at least some number.
    func wakes(after count: Int) throws -> Int {
      try Wait.until("\(count) fetches") { pool.observationMetrics.wakeCount - baseline >= count }
      let engine = LiveEngine.engine(of: pool._core)
      try Wait.until("the end of all fetches") { engine.guarded.withLock { $0.state.busyQueryCount } == 0 }
      let wakeCount = pool.observationMetrics.wakeCount
      defer { baseline = wakeCount }
      return wakeCount - baseline
    }
  }

  @Test func `only the queries of changed tables are fetched`() throws {
    let tables = try Tables()
    for number in 2...20 {
      try tables.otherUpdates("b", to: number)
    }
    #expect(try tables.wakes(after: 19) == 19)
    try tables.otherExecutes("UPDATE a SET n = 30; UPDATE c SET n = 30")
    try tables.wait(for: 30, of: "a")
    try tables.wait(for: 30, of: "c")
    #expect(try tables.wakes(after: 2) == 2)
  }

  @Test func `the first external commit is known`() throws {
    let folder = try TemporaryFolder()
    let other = try DatabaseQueue(path: folder.path("db"))
    try other.write { db in
      try db.execute(sql: "CREATE TABLE a (n); CREATE TABLE b (n); INSERT INTO a VALUES (0); INSERT INTO b VALUES (0)")
    }
    var config = Configuration()
    config.findsTablesOfExternalCommits = true
    let pool = try DatabasePool(path: folder.path("db"), configuration: config)
    let observations = ["a", "b"].map { table in
      ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT n FROM \(table)") ?? 0 }.collect(in: pool)
    }
    for (deliveries, _) in observations { try deliveries.wait(forLast: 0) }
    try other.write { try $0.execute(sql: "UPDATE b SET n = 1") }
    try observations[1].deliveries.wait(forLast: 1)
    #expect(pool.observationMetrics.fetchCount == 3)
    for (_, cancellable) in observations { cancellable.cancel() }
  }

  @Test func `without the setting, all queries are fetched`() throws {
    let tables = try Tables(findsTables: false)
    try tables.otherUpdates("b", to: 2)
    #expect(try tables.wakes(after: 3) == 3)
  }

  @Test func `all queries are fetched after a change of the schema, and then those of changed tables`() throws {
    let tables = try Tables()
    try tables.otherExecutes("CREATE INDEX a_n ON a (n); UPDATE b SET n = 2")
    try tables.wait(for: 2, of: "b")
    #expect(try tables.wakes(after: 3) == 3)
    try tables.otherUpdates("a", to: 3)
    #expect(try tables.wakes(after: 1) == 1)
  }

  @Test func `tables that grow and shrink are found`() throws {
    let tables = try Tables(setUp: "PRAGMA page_size = 512")
    for round in 1...3 {
      try tables.otherExecutes(
        """
        WITH RECURSIVE i (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i LIMIT 2000)
        INSERT INTO c SELECT 1, 'a text of some length ' || i FROM i
        """)
      try tables.wait(for: 2_001, of: "c")
      #expect(try tables.wakes(after: 1) == 1, "round \(round)")
      try tables.otherExecutes("DELETE FROM c WHERE v IS NOT NULL")
      try tables.wait(for: 1, of: "c")
      #expect(try tables.wakes(after: 1) == 1, "round \(round)")
    }
  }

  @Test func `commits after a checkpoint that restarts the log are found`() throws {
    let tables = try Tables()
    try tables.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    for number in 2...4 {
      try tables.otherUpdates("b", to: number)
    }
    #expect(try tables.wakes(after: 3) == 3)
  }

  @Test func `commits that have left the log make the changes unknown once`() throws {
    let tables = try Tables()
    try tables.pool.writeWithoutTransaction { db in
      try db.execute(sql: "UPDATE a SET n = 2")
      _ = try db.checkpoint(.truncate)
    }
    try tables.wait(for: 2, of: "a")
    _ = try tables.wakes(after: 1)
    try tables.otherUpdates("b", to: 2)
    #expect(try tables.wakes(after: 3) == 3)
    try tables.otherUpdates("b", to: 3)
    #expect(try tables.wakes(after: 1) == 1)
  }

  @Test func `a query that is first fetched in an older snapshot does not miss an external commit`() throws {
    let tables = try Tables()
    try tables.pool.unsafeReentrantRead { db in
      try db.inTransaction(.deferred) {
        #expect(try Int.fetchOne(db, sql: "SELECT n FROM b") == 1)
        try tables.otherUpdates("b", to: 2)
        try tables.observe("SELECT MAX(n) FROM b", as: "maximum", ImmediateScheduler())
        return .commit
      }
    }
    try tables.wait(for: 2, of: "maximum")
  }

  @Test func `a value of several pages that is overwritten in place is noticed`() throws {
    let tables = try Tables()
    try tables.otherExecutes("UPDATE c SET v = zeroblob(10000)")
    _ = try tables.wakes(after: 1)
    try tables.observe("SELECT SUM(instr(v, x'FF')) FROM c", as: "position")
    try tables.otherExecutes("UPDATE c SET v = CAST(zeroblob(9999) || x'FF' AS BLOB)")
    try tables.wait(for: 10_000, of: "position")
  }

  @Test func `the queries of a full-text table are fetched when its rows change`() throws {
    let tables = try Tables(setUp: "CREATE VIRTUAL TABLE f USING fts5(w)")
    try tables.observe("SELECT COUNT(*) FROM f WHERE f MATCH 'word'", as: "f")
    try tables.otherExecutes("INSERT INTO f VALUES ('a word')")
    try tables.wait(for: 1, of: "f")
    _ = try tables.wakes(after: 1)
    try tables.otherExecutes("UPDATE f SET w = 'nothing'")
    try tables.wait(for: 0, of: "f")
    #expect(try tables.wakes(after: 1) == 1)
  }

  @Test(arguments: ["FULL", "INCREMENTAL"])
  func `databases whose pages move have no map`(mode: String) throws {
    let tables = try Tables(setUp: "PRAGMA auto_vacuum = \(mode)")
    try tables.otherUpdates("b", to: 2)
    #expect(try tables.wakes(after: 3) == 3)
  }

  @Test func `the number of pages that may be read grows with each read of changes`() {
    var budget = ChangedPagesReader.ReadBudget()
    budget.use(16_000)
    #expect(!budget.suffices)
    var count = 0
    while !budget.suffices, count < 1_000 {
      budget.grow()
      count += 1
    }
    #expect(count == 244)
    budget.use(16_384)
    budget.grow()
    #expect(!budget.suffices)
  }
}

/// A disk without powersafe overwrite, which SQLite assumes with `psow=0`: it repeats the last frame of a commit up to the
/// end of the sector.
@Suite struct RepeatedFrameTests {
  /// A connection that repeats frames.
  private final class Repeating {
    private var connection: OpaquePointer?

    init(_ path: String) throws {
      let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
      try #require(sqlite3_open_v2("file:\(path)?psow=0", &connection, flags, nil) == SQLITE_OK)
      try execute("PRAGMA page_size = 512; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }

    deinit { sqlite3_close(connection) }

    func execute(_ sql: String) throws {
      try #require(sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK)
    }
  }

  /// The pages of the frames in the log that end a commit.
  private func lastPages(_ db: Database) throws -> [UInt32] {
    let header = try #require(try db.acquireSnapshotState().header)
    var pages: [UInt32] = []
    try #require(StoredPages(try db.openHandle(), header)).forEachFrame(after: 0) {
      if $0.endsCommit { pages.append($0.page) }
      return true
    }
    return pages
  }

  @Test func `lost commits are not hidden by the repeated frames of the next one`() throws {
    let folder = try TemporaryFolder()
    let other = try Repeating(folder.path("db"))
    try other.execute("CREATE TABLE a (n); CREATE TABLE b (n); INSERT INTO a VALUES (0); INSERT INTO b VALUES (0)")
    let pool = try DatabasePool(path: folder.path("db"))
    let restartAndWrite = "PRAGMA wal_checkpoint(TRUNCATE); UPDATE b SET n = n + 1"
    try other.execute(restartAndWrite)
    let pages = try pool.read { try lastPages($0) }
    #expect(pages.count > 1 && pages.allSatisfy { $0 == 3 })
    let reader = ChangedPagesReader()
    _ = try pool.read { try reader.next($0) }
    // As many lost commits as repeated frames.
    for _ in pages.dropFirst() { try other.execute("UPDATE a SET n = n + 1") }
    try other.execute(restartAndWrite)
    try pool.read { db in
      #expect(try lastPages(db) == pages)
      guard case .unknown = try reader.next(db) else {
        Issue.record("the changes of the table a are missing")
        return
      }
    }
  }
}

/// Pages that are read through SQLite's files.
@Suite struct StoredPagesTests {
  @Test func `a restart of the log while its pages are read is noticed`() throws {
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n); INSERT INTO t VALUES (1)") }
    // Then a snapshot needs only the file, and does not prevent a restart.
    _ = try pool.writeWithoutTransaction { try $0.checkpoint(.full) }
    try pool.read { db in
      let header = try #require(try db.acquireSnapshotState().header)
      let pages = try #require(StoredPages(try db.openHandle(), header))
      try pages.checkLog()
      try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
      #expect(throws: StoredPages.Unavailable.self) { try pages.checkLog() }
      #expect(throws: StoredPages.Unavailable.self) { try pages.forEachFrame(after: 0) { _ in true } }
    }
  }

  @Test func `the frames of a commit are in the log, and its pages in the last of them`() throws {
    let folder = try TemporaryFolder()
    let pool = try folder.pool()
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n)") }
    try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    try pool.read { db in
      let header = try #require(try db.acquireSnapshotState().header)
      let pages = try #require(StoredPages(try db.openHandle(), header))
      var frames: [StoredPages.Frame] = []
      try pages.forEachFrame(after: header.frameCount - 1) {
        frames.append($0)
        return true
      }
      #expect(frames.map(\.page) == [2])
      #expect(frames.map(\.endsCommit) == [true])
      try withUnsafeTemporaryAllocation(byteCount: header.pageSize, alignment: 8) { bytes in
        try pages.read(2, in: frames[0].index, into: bytes)
        // A leaf of a table with one row.
        #expect(bytes[0] == 13 && bytes[4] == 1)
        #expect(throws: StoredPages.Unavailable.self) {
          try pages.read(2, in: header.frameCount + 100, into: bytes)
        }
      }
    }
  }
}
