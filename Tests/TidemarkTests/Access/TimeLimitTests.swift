import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// SQL that does not end (hazard A7).
@Suite struct TimeLimitTests {
  private static let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT MAX(x) FROM n"
  private static let isOver = "access timed out after 0.05 s"

  private func message(_ body: () throws -> Void) -> String? {
    #expect(throws: DatabaseError.self, performing: body)?.message
  }

  private func queue(on clock: FakeClock) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.environment.clock = clock.clock
    return try DatabaseQueue(configuration: configuration)
  }

  @Test func endlessStatementsTimeOut() throws {
    let dbQueue = try DatabaseQueue()
    let text = message {
      try dbQueue.read { db in
        _ = try db.withTimeLimit(.milliseconds(50)) { try Int.fetchOne(db, sql: Self.endless) }
      }
    }
    #expect(text == Self.isOver)
    let one = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT 1") }
    #expect(one == 1)
  }

  @Test func configuredTimeLimitAppliesToAllAccesses() throws {
    var configuration = Configuration()
    configuration.accessTimeLimit = .milliseconds(50)
    let dbQueue = try DatabaseQueue(configuration: configuration)
    for access in [dbQueue.read, dbQueue.write, dbQueue.writeWithoutTransaction]
      as [((Database) throws -> Int?) throws -> Int?]
    {
      #expect(message { _ = try access { try Int.fetchOne($0, sql: Self.endless) } } == Self.isOver)
    }
  }

  @Test func timedOutWritesAreRolledBack() throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY)") }
    _ = message {
      try dbQueue.write { db in
        try db.withTimeLimit(.milliseconds(50)) {
          try db.execute(sql: "INSERT INTO book VALUES (1)")
          _ = try Int.fetchOne(db, sql: Self.endless)
        }
      }
    }
    let count = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM book") }
    #expect(count == 0)
  }

  @Test func timeLimitCoversAllStatements() throws {
    let clock = FakeClock()
    let dbQueue = try queue(on: clock)
    let text = message {
      try dbQueue.read { db in
        try db.withTimeLimit(.seconds(10)) {
          for number in 1...3 {
            _ = try Int.fetchOne(db, sql: "SELECT \(number)")
            clock.advance(by: .seconds(5))
          }
        }
      }
    }
    #expect(text == "access timed out after 10.0 s")
  }

  @Test func innerTimeLimitsOnlyShorten() throws {
    let clock = FakeClock()
    let dbQueue = try queue(on: clock)
    let text = message {
      try dbQueue.read { db in
        try db.withTimeLimit(.seconds(1)) {
          try db.withTimeLimit(.seconds(100)) {
            clock.advance(by: .seconds(2))
            _ = try Int.fetchOne(db, sql: "SELECT 1")
          }
        }
      }
    }
    #expect(text == "access timed out after 1.0 s")
  }

  @Test func accessesContinueAfterATimeLimit() throws {
    let dbQueue = try DatabaseQueue()
    let answer = try dbQueue.read { db in
      do {
        return try db.withTimeLimit(.milliseconds(50)) { try Int.fetchOne(db, sql: Self.endless) }
      } catch DatabaseError.SQLITE_INTERRUPT {
        return try Int.fetchOne(db, sql: "SELECT 2")
      }
    }
    #expect(answer == 2)
  }
}
