import CSQLite
import Testing
import Tidemark

@testable import TidemarkEssentials

/// Regions that are not found by the value of a single column.
@Suite struct RegionIndexLimitTests {
  /// An index of the regions of queries of a table.
  private final class IndexedQueries {
    private let queue: DatabaseQueue
    private let index = RegionIndex<Int>()
    private var registrations: [Int: RegionIndex<Int>.Registration] = [:]

    init() throws {
      queue = try DatabaseQueue()
      try queue.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c, d, n INTEGER)") }
    }

    func region(_ sql: String) throws -> DatabaseRegion {
      try queue.read { try $0.makeStatement(sql: sql).databaseRegion }
    }

    func add(_ number: Int, _ region: DatabaseRegion) { registrations[number] = index.insert(region, number) }

    func add(_ number: Int, _ sql: String) throws { add(number, try region(sql)) }

    func remove(_ number: Int) throws {
      let registration = registrations.removeValue(forKey: number)
      index.remove(try #require(registration), number)
    }

    func execute(_ sql: String) throws {
      try queue.write { try $0.execute(sql: sql) }
    }

    /// Replaces the bytes of a value.
    func overwrite(_ column: String, ofRow id: Int64, with text: String) throws {
      try queue.write { db in
        var blob: OpaquePointer?
        try #require(sqlite3_blob_open(db.sqliteConnection, "main", "t", column, id, 1, &blob) == SQLITE_OK)
        defer { sqlite3_blob_close(blob) }
        try #require(sqlite3_blob_write(blob, text, CInt(text.utf8.count), 0) == SQLITE_OK)
      }
    }

    /// Captures what the queries of this moment need, during a closure that may replace them. It receives a function
    /// that returns the queries that a commit affects.
    func capturing<Result>(_ body: (_ affected: (String) throws -> Set<Int>) throws -> Result) throws -> Result {
      let found = Mutex<Set<Int>>([])
      let subscription = queue.changeBroker.subscribe(index.needs) { [index] changes in
        for table in changes.tables { index.match(table) { id in found.withLock { _ = $0.insert(id) } } }
      }
      defer { subscription.cancel() }
      return try body { sql in
        found.withLock { $0 = [] }
        try execute(sql)
        return found.withLock { $0 }
      }
    }

    /// The queries that a commit affects.
    func affected(by sql: String) throws -> Set<Int> { try capturing { affected in try affected(sql) } }
  }

  @Test func `more expressions than are indexed select rows, too`() throws {
    let queries = try IndexedQueries()
    for number in 0..<40 { try queries.add(number, "SELECT id FROM t WHERE a + \(number) = 100") }
    #expect(try queries.affected(by: "INSERT INTO t (a) VALUES (90)") == [10])
    #expect(try queries.affected(by: "INSERT INTO t (a) VALUES (65)") == [35])
    #expect(try queries.affected(by: "INSERT INTO t (a) VALUES (60)") == [])
  }

  @Test func `an expression takes the place of one that is not used any more`() throws {
    let queries = try IndexedQueries()
    for number in 0..<40 { try queries.add(number, "SELECT id FROM t WHERE a + \(number) = 100") }
    for number in 0..<10 { try queries.remove(number) }
    for number in 50..<60 { try queries.add(number, "SELECT id FROM t WHERE a - \(number) = 0") }
    #expect(try queries.affected(by: "INSERT INTO t (a) VALUES (95)") == [])
    #expect(try queries.affected(by: "INSERT INTO t (a) VALUES (90)") == [10])
    #expect(try queries.affected(by: "INSERT INTO t (a) VALUES (55)") == [55])
  }

  @Test func `a region with filters of two expressions contains rows that satisfy both`() throws {
    let queries = try IndexedQueries()
    try queries.add(1, "SELECT id FROM t WHERE a + 0 IN (1, 2) AND abs(b) = 3")
    try queries.add(2, "SELECT id FROM t WHERE abs(b) IN (3, 4, 5) AND a + 0 IN (1, 9)")
    #expect(try queries.affected(by: "INSERT INTO t (a, b) VALUES (1, -3)") == [1, 2])
    #expect(try queries.affected(by: "INSERT INTO t (a, b) VALUES (2, 3)") == [1])
    #expect(try queries.affected(by: "INSERT INTO t (a, b) VALUES (9, 4)") == [2])
    #expect(try queries.affected(by: "INSERT INTO t (a, b) VALUES (2, 4)") == [])
  }

  @Test func `a query that takes the place of another is found by the columns that it reads itself`() throws {
    let queries = try IndexedQueries()
    try queries.execute("INSERT INTO t (id, a, d) VALUES (1, 1, 0)")
    let update = "UPDATE t SET d = d + 1 WHERE id = 1"
    // All columns are captured all the time.
    try queries.add(0, "SELECT * FROM t WHERE a = 2")
    let (c, d) = (try queries.region("SELECT c FROM t WHERE a = 1"), try queries.region("SELECT d FROM t WHERE a = 1"))
    queries.add(1, c)
    try queries.capturing { affected in
      #expect(try affected(update) == [])
      try queries.remove(1)
      queries.add(2, d)
      #expect(try affected(update) == [2])
      try queries.remove(2)
      queries.add(3, c)
      #expect(try affected(update) == [])
    }
  }

  @Test func `a text that SQLite compares as a number may leave the rows of a number`() throws {
    let queries = try IndexedQueries()
    try queries.execute("INSERT INTO t (id, n) VALUES (1, 'xx'), (2, 13)")
    try queries.overwrite("n", ofRow: 1, with: "12")
    try queries.add(1, "SELECT count(*) FROM t WHERE n = 12")
    #expect(try queries.affected(by: "UPDATE t SET n = 14 WHERE id = 2") == [])
    #expect(try queries.affected(by: "UPDATE t SET n = 14 WHERE id = 1") == [1])
  }

  @Test func `many rows are compared with many formulas by their columns only`() throws {
    let queries = try IndexedQueries()
    try queries.execute(
      """
      WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 600)
      INSERT INTO t (id, a, b, c, d) SELECT i, 9, 0, 0, 0 FROM number
      """)
    for number in 1...10 { try queries.add(number, "SELECT c FROM t WHERE a + \(number) < b") }
    try queries.add(11, "SELECT d FROM t WHERE a = 1")
    // No row is in the region of a query.
    #expect(try queries.affected(by: "UPDATE t SET c = 1 WHERE id = 5") == [])
    #expect(try queries.affected(by: "UPDATE t SET d = 1") == [])
    #expect(try queries.affected(by: "UPDATE t SET c = 2") == Set(1...10))
  }
}
