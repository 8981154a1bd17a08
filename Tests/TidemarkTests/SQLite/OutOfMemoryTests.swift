import CSQLite
import Foundation
import Testing
import Tidemark

/// Lack of memory is an error, and never NULL: hazard D7.
///
/// The memory limit applies to the whole process, so each test runs in a process of its own.
@Suite struct OutOfMemoryTests {
  /// A text stored in UTF-16, which needs memory to be read; and a blob that SQLite allocates when it is read.
  private static func withScarceMemory(_ body: (Database, _ sql: String) throws -> Void) throws {
    try inMemory { db throws in
      try db.execute(sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (x)")
      try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [String(repeating: "é", count: 1_000_000)])
      for sql in ["SELECT x FROM t", "SELECT zeroblob(50000000) AS x"] {
        sqlite3_hard_heap_limit64(sqlite3_memory_used() + 5_000_000)
        try body(db, sql)
        sqlite3_hard_heap_limit64(0)
      }
    }
  }

  private static func expectNoMemory(_ body: () throws -> some Any) {
    do {
      let value = try body()
      fatalError("not an error, but \(type(of: value))")
    } catch DatabaseError.SQLITE_NOMEM {
    } catch {
      fatalError("another error: \(error)")
    }
  }

  @Test func fetchedValuesThrowOnLackOfMemory() async {
    await #expect(processExitsWith: .success) {
      try Self.withScarceMemory { db, sql in
        Self.expectNoMemory { try DatabaseValue.fetchOne(db, sql: sql) }
        Self.expectNoMemory { try Row.fetchAll(db, sql: sql) }
        if sql.contains("FROM") {
          Self.expectNoMemory { try String.fetchAll(db, sql: sql) }
          Self.expectNoMemory { try String.fetchOne(db, sql: sql) }
        } else {
          Self.expectNoMemory { try Data.fetchAll(db, sql: sql) }
        }
      }
    }
  }

  @Test func optionalValuesThrowOnLackOfMemory() async {
    await #expect(processExitsWith: .success) {
      try Self.withScarceMemory { db, sql in
        Self.expectNoMemory { try Data?.fetchAll(db, sql: sql) }
        Self.expectNoMemory { try Data.fetchOne(db, sql: sql) }
        Self.expectNoMemory { try DatabaseValue?.fetchOne(db, sql: sql) }
      }
    }
  }

  @Test func borrowedBytesThrowOnLackOfMemory() async {
    await #expect(processExitsWith: .success) {
      try Self.withScarceMemory { db, sql in
        Self.expectNoMemory {
          let cursor = try Row.fetchCursor(db, sql: sql)
          return try cursor.next()?.withUnsafeData(atIndex: 0) { $0?.count }
        }
      }
    }
  }

  /// A conversion without memory leaves NULL behind.
  @Test func integersAreNotReadAsMissingText() async {
    await #expect(processExitsWith: .success) {
      try inMemory { db in
        let columnCount = 1000
        let cursor = try Row.fetchCursor(db, sql: "SELECT " + (1...columnCount).map(String.init).joined(separator: ","))
        guard let row = try cursor.next() else { fatalError("no row") }
        sqlite3_hard_heap_limit64(sqlite3_memory_used())
        var failureCount = 0
        for index in 0..<columnCount {
          do {
            let text = try row.decode(String?.self, atIndex: index)
            if text != "\(index + 1)" { fatalError("\(index): \(String(describing: text))") }
          } catch DatabaseError.SQLITE_NOMEM {
            failureCount += 1
          }
        }
        sqlite3_hard_heap_limit64(0)
        if failureCount == 0 { fatalError("memory was not scarce") }
      }
    }
  }

  @Test func copyingARowTrapsOnLackOfMemory() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Self.withScarceMemory { db, sql in
        let cursor = try Row.fetchCursor(db, sql: sql)
        _ = try cursor.next()?.copy()
      }
    }
    #expect(result.words.contains("SQLite error 7: out of memory"))
  }
}
