import Testing
import Tidemark

/// Interrupting a queue from another thread (hazard C4).
@Suite struct InterruptTests {
  @Test(arguments: [Endless.sql, Endless.writeSQL])
  func interruptFailsTheRunningStatement(_ sql: String) throws {
    let endless = Endless()
    let dbQueue = try endless.makeQueue()
    onThread {
      try? endless.hasBegun.wait()
      dbQueue.interrupt()
    }
    let text = message { try dbQueue.inDatabase { try $0.execute(sql: sql) } }
    #expect(text == "SQLite error 9: interrupted - while executing `\(sql)`")
    // No other statement is interrupted.
    #expect(try dbQueue.read { try $0.titles() } == [])
    try dbQueue.write { try $0.execute(sql: "INSERT INTO book (title) VALUES ('a')") }
  }

  @Test func interruptRollsBackTheTransaction() throws {
    let endless = Endless()
    let dbQueue = try endless.makeQueue()
    onThread {
      try? endless.hasBegun.wait()
      dbQueue.interrupt()
    }
    let error = #expect(throws: DatabaseError.self) {
      try dbQueue.write { db in
        try db.execute(sql: "INSERT INTO book (title) VALUES ('a')")
        try db.execute(sql: Endless.writeSQL)
      }
    }
    #expect(error?.isInterruptionError == true)
    #expect(try dbQueue.read { try $0.titles() } == [])
  }

  @Test func interruptingAnIdleQueueDoesNothing() throws {
    let dbQueue = try DatabaseQueue.withBooks()
    dbQueue.interrupt()
    #expect(try dbQueue.read { try $0.titles() } == [])
    dbQueue.interrupt()
    try dbQueue.write { try $0.execute(sql: "INSERT INTO book (title) VALUES ('a')") }
  }

  @Test func interruptingWhileClosingIsSafe() throws {
    // A sanitizer reports any use of the closed connection.
    for _ in 0..<50 {
      let dbQueue = try DatabaseQueue()
      let end = Signal()
      onThread {
        for _ in 0..<20 { dbQueue.interrupt() }
        end.fire()
      }
      try dbQueue.close()
      try end.wait()
    }
  }
}
