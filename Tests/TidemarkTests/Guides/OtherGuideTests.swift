import Foundation
import Testing
import Tidemark
@testable import TidemarkEssentials

// The code of `Documentation/Values.md`.

struct Isbn: Equatable {
  var digits: String
}

extension Isbn: DatabaseValueConvertible {
  var databaseValue: DatabaseValue { digits.databaseValue }

  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Isbn? {
    guard let digits = String.fromDatabaseValue(dbValue), digits.count == 13 else { return nil }
    return Isbn(digits: digits)
  }
}

@Suite struct ValuesGuideTests {
  enum Grape: String, DatabaseValueConvertible {
    case chardonnay, merlot, riesling
  }

  struct Color: Codable, DatabaseValueConvertible {
    var red: Double
    var green: Double
    var blue: Double
  }

  @Test func rawValuesExampleWorks() throws {
    let color = Color(red: 1, green: 0.5, blue: 0)
    let row = try DatabaseQueue().read { db in
      try #require(
        try Row.fetchOne(db, sql: "SELECT ? AS grape, ? AS color", arguments: [Grape.merlot, color]))
    }
    #expect(row["grape"] == Grape.merlot)
    #expect(row["grape"] == "merlot")
    #expect((row["color"] as Color).green == 0.5)
  }

  @Test func customTypeExampleWorks() throws {
    let isbn = Isbn(digits: "9780441013593")
    let dbQueue = try DatabaseQueue()
    let found = try dbQueue.read { try Isbn.fetchOne($0, sql: "SELECT ?", arguments: [isbn]) }
    #expect(found == isbn)
    #expect(throws: RowDecodingError.self) {
      try dbQueue.read { try Isbn.fetchOne($0, sql: "SELECT 'short'") }
    }
  }
}

/// The code of `Documentation/Accesses.md`.
@Suite struct AccessesGuideTests {
  private func library() throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT)") }
    return dbQueue
  }

  @Test func readingAndWritingExampleWorks() throws {
    let dbQueue = try library()
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book (title) VALUES (?)", arguments: ["Dune"])
    }
    let count = try dbQueue.read { db in
      try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book")
    }
    #expect(count == 1)
  }

  @Test func suspendingExampleWorks() async throws {
    let dbQueue = try library()
    let titles = try await dbQueue.read { db in
      try String.fetchAll(db, sql: "SELECT title FROM book")
    }
    #expect(titles.isEmpty)
  }

  @Test func savepointsExampleWorks() throws {
    let dbQueue = try library()
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book (title) VALUES ('Solaris')")
      try db.inSavepoint {
        try db.execute(sql: "DELETE FROM book")
        return .rollback
      }
    }
    let count = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM book") }
    #expect(count == 1)
  }

  @Test func errorsExampleWorks() throws {
    let dbQueue = try library()
    do {
      try dbQueue.write { db in
        try db.execute(sql: "INSERT INTO book (id, title) VALUES (1, 'Dune')")
      }
    } catch DatabaseError.SQLITE_CONSTRAINT_PRIMARYKEY {
      print("there already")
    } catch DatabaseError.SQLITE_BUSY {
      print("another connection is writing")
    }
    #expect(throws: DatabaseError.self) {
      try dbQueue.write { try $0.execute(sql: "INSERT INTO book (id, title) VALUES (1, 'Dune')") }
    }
  }
}

/// The code of `Documentation/Accesses.md` on pools.
@Suite struct PoolGuideTests {
  @Test func timeLimitsAndInlineReadsExampleWorks() async throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    // The deadline must not pass on a busy machine.
    configuration.environment.clock = FakeClock().clock
    let dbPool = try DatabasePool(path: folder.path("library.sqlite"), configuration: configuration)
    try await dbPool.write { try $0.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY)") }
    #expect(try rows(of: dbPool).isEmpty)
    let count = try await dbPool.readInline { db in
      try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book")
    }
    #expect(count == 0)
    let limited = try await Database.withAccessTimeLimit(.seconds(1)) {
      try await dbPool.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book") }
    }
    #expect(limited == 0)
  }

  @Test func concurrentWritesExampleWorks() async throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.groupsWrites = true
    let dbPool = try DatabasePool(path: folder.path("library.sqlite"), configuration: configuration)
    try await dbPool.write { try $0.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in 1...100 {
        group.addTask { try await dbPool.write { try $0.execute(sql: "INSERT INTO book VALUES (?)", arguments: [id]) } }
      }
      try await group.waitForAll()
    }
    #expect(try rows(of: dbPool).count == 100)
  }

  private func rows(of dbPool: DatabasePool) throws -> [Row] {
    let query = "SELECT * FROM book"
    let rows = try dbPool.read { db in
      try db.withTimeLimit(.seconds(1)) {
        try Row.fetchAll(db, sql: query)
      }
    }
    return rows
  }
}

/// The code of `Documentation/Safety.md`.
@Suite struct SafetyGuideTests {
  @Test func untrustedFilesExampleWorks() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "tidemark-\(UUID().uuidString).sqlite").path()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY)") }
    let upload = try DatabaseQueue(path: path, configuration: .forUntrustedFiles)
    let tables = try upload.read { db in
      try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
    }
    #expect(tables == ["book"])
  }
}
