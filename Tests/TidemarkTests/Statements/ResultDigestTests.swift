import Testing
import Tidemark
@testable import TidemarkEssentials

/// A digest of the results of statements shows whether they return the same again.
@Suite struct ResultDigestTests {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try DatabaseQueue()
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE t (a, b)") }
  }

  /// The digest of a query's result, after executing some SQL.
  private func digest(
    after sql: String,
    _ question: @escaping (Database) throws -> Void = { _ = try Row.fetchAll($0, sql: "SELECT * FROM t") }
  ) throws -> ResultDigest? {
    try dbQueue.write { try $0.execute(sql: "DELETE FROM t; \(sql)") }
    return try dbQueue.read { db in try db.digesting { try question(db) }.digest }
  }

  @Test func equalResultsHaveEqualDigests() throws {
    let sql = "INSERT INTO t VALUES (1, 'one'), (2.5, x'00FF'), (NULL, '')"
    let first = try #require(try digest(after: sql))
    #expect(try digest(after: sql) == first)
  }

  /// Rows with a single difference.
  static let rows = [
    "", "(1, 2)", "(2, 1)", "(1, 2), (1, 2)", "(1, NULL)", "(NULL, 1)", "('1', 2)", "(1.0, 2)", "(x'31', 2)", "('', 2)",
    "(x'', 2)", "('ab', 'c')", "('a', 'bc')", "('abc', '')", "(0, 2)", "(-1, 2)", "('12345678', 2)", "('123456789', 2)",
    "('12345678' || char(0), 2)", "(zeroblob(8), 2)", "(zeroblob(9), 2)", "(zeroblob(16), 2)",
  ]

  @Test func differentResultsHaveDifferentDigests() throws {
    var digests: [ResultDigest] = []
    for rows in Self.rows {
      let digest = try #require(try digest(after: rows.isEmpty ? "" : "INSERT INTO t VALUES \(rows)"))
      #expect(!digests.contains(digest), "\(rows)")
      digests.append(digest)
    }
  }

  @Test func rowOrderAffectsTheDigest() throws {
    func digest(_ order: String) throws -> ResultDigest? {
      try self.digest(after: "INSERT INTO t VALUES (1, 1), (2, 2)") { db in
        _ = try Row.fetchAll(db, sql: "SELECT * FROM t ORDER BY a \(order)")
      }
    }
    #expect(try digest("ASC") != digest("DESC"))
  }

  @Test func columnNamesAffectTheDigest() throws {
    func digest(_ name: String) throws -> ResultDigest? {
      try self.digest(after: "") { db in _ = try Row.fetchAll(db, sql: "SELECT 1 AS \(name)") }
    }
    #expect(try digest("a") != digest("b"))
  }

  @Test func statementBoundariesAffectTheDigest() throws {
    func digest(_ limits: [Int]) throws -> ResultDigest? {
      try self.digest(after: "INSERT INTO t VALUES (1, 1), (1, 1), (1, 1)") { db in
        for limit in limits { _ = try Row.fetchAll(db, sql: "SELECT * FROM t LIMIT \(limit)") }
      }
    }
    #expect(try digest([1, 2]) != digest([2, 1]))
  }

  @Test func closuresThatReadNothingHaveNoDigest() throws {
    #expect(try digest(after: "") { _ in } == nil)
  }

  @Test func readsOutsideTheLibraryHaveNoDigest() throws {
    #expect(try digest(after: "") { db in _ = try (Row.fetchAll(db, sql: "SELECT 1"), db.sqliteConnection) } == nil)
    #expect(
      try digest(after: "") { db in
        _ = try Row.fetchAll(db, sql: "SELECT 1")
        try db.recordingReads { try db.registerAccess(to: Table("t")) }.result
      } == nil)
  }

  @Test func schemaQueriesAffectTheDigest() throws {
    func digest(_ sql: String) throws -> ResultDigest? {
      try self.digest(after: sql) { db in
        _ = try Row.fetchAll(db, sql: "SELECT 1")
        _ = try db.tableExists("t")
      }
    }
    let first = try digest("")
    #expect(try digest("") == first)
    #expect(try digest("CREATE TABLE u (a)") != first)
  }

  @Test func pragmaResultsAreDigested() throws {
    func digest(_ version: Int) throws -> ResultDigest? {
      try self.digest(after: "PRAGMA user_version = \(version)") { db in
        _ = try Int.fetchOne(db, sql: "PRAGMA user_version")
      }
    }
    let first = try digest(1)
    #expect(first != nil)
    #expect(try digest(2) != first)
    #expect(try digest(1) == first)
  }

  @Test func textsAreDigestedAsStored() throws {
    let utf16 = try DatabaseQueue()
    try utf16.write {
      try $0.execute(sql: "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (a); INSERT INTO t VALUES ('é')")
    }
    let (text, digest) = try utf16.read { db in
      try db.digesting { try String.fetchOne(db, sql: "SELECT a FROM t") }
    }
    #expect(text == "é")
    #expect(digest != nil)
  }
}
