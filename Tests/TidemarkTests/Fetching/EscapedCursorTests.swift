import Synchronization
import Testing
import Tidemark

/// Cursors and statements that have left their access can be released anywhere, at any time. Also run by `make tsan`.
@Suite struct EscapedCursorTests {
  // These types are rightly not Sendable: only their release happens elsewhere.
  private final class Escaped: @unchecked Sendable {
    var objects: [AnyObject] = []
  }

  @Test func escapedObjectsAreReleasedSafelyOnOtherThreads() async throws {
    let queue = try DatabaseQueue()
    try await queue.write { db throws in
      try db.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)")
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          for round in 0..<50 {
            let escaped = try await queue.read { db throws in
              let escaped = Escaped()
              let cursor = try Int.fetchCursor(db, sql: "SELECT x + ? FROM t", arguments: [round])
              _ = try cursor.next()
              let statement = try db.makeStatement(sql: "SELECT x FROM t -- \(number) \(round)")
              let second = try Row.fetchCursor(statement)
              let row = try second.next()
              escaped.objects = [cursor, statement, second] + (row.map { [$0] } ?? [])
              return escaped
            }
            // Released here, while other tasks read and write.
            escaped.objects = []
            #expect(
              try await queue.read { try Int.fetchAll($0, sql: "SELECT x + ? FROM t", arguments: [0]) } == [1, 2, 3])
          }
        }
      }
      group.addTask {
        for round in 0..<200 {
          try await queue.write { db throws in
            try db.execute(sql: "UPDATE t SET x = x WHERE x = ?", arguments: [round % 4])
          }
        }
      }
      try await group.waitForAll()
    }
    try queue.close()
  }

  @Test func escapedStatementsDoNotKeepATableLocked() throws {
    let queue = try DatabaseQueue()
    let escaped = try queue.inDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t AS SELECT 1 AS x UNION ALL SELECT 2")
      let escaped = Escaped()
      let cursor = try Int.fetchCursor(db, sql: "SELECT x FROM t")
      _ = try cursor.next()
      escaped.objects = [cursor]
      return escaped
    }
    escaped.objects = []
    try queue.inDatabase { try $0.execute(sql: "DROP TABLE t") }
  }

  @Test func releasingACursorDoesNotStopALaterRun() throws {
    let queue = try DatabaseQueue()
    let escaped = try queue.inDatabase { db throws in
      let escaped = Escaped()
      let cursor = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
      _ = try cursor.next()
      escaped.objects = [cursor]
      return escaped
    }
    try queue.inDatabase { db throws in
      let cursor = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
      #expect(try cursor.next() == 1)
      escaped.objects = []
      #expect(try cursor.next() == 2)
    }
  }

  @Test func escapedObjectsOutliveTheQueue() throws {
    let escaped = Escaped()
    do {
      let queue = try DatabaseQueue()
      try queue.inDatabase { db throws in
        let cursor = try Int.fetchCursor(db, sql: "SELECT 1")
        _ = try cursor.next()
        escaped.objects = [cursor, try db.makeStatement(sql: "SELECT 2")]
      }
    }
    escaped.objects = []
  }
}
