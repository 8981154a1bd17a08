import Foundation
import StressSupport
import TestSupport
import Testing
import Tidemark

/// Another process is stopped (`SIGSTOP`), for example by Ctrl-Z or in a debugger, while it has the file open.
@Suite(.serialized, .enabled(if: Child.isBuilt)) struct StoppedProcessTests {
  private func makePool(_ folder: TestFolder, busyMode: Database.BusyMode) throws -> DatabasePool {
    let pool = try folder.pool { $0.busyMode = busyMode }
    try pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS one (name TEXT, n INTEGER, PRIMARY KEY (name, n));
          CREATE TABLE IF NOT EXISTS two (name TEXT, n INTEGER, PRIMARY KEY (name, n))
          """)
    }
    return pool
  }

  private func insert(_ number: Int, _ pool: DatabasePool) throws {
    try pool.write { db in
      for table in ["one", "two"] {
        try db.execute(sql: "INSERT INTO \(table) VALUES ('own', ?)", arguments: [number])
      }
    }
  }

  private func count(_ pool: DatabasePool, _ name: String) throws -> Int? {
    try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM one WHERE name = ?", arguments: [name]) }
  }

  /// Inserts again as long as the stopped process holds the lock.
  private func insertAgain(_ number: Int, _ pool: DatabasePool) throws {
    try Wait.until("write lock") {
      do {
        try insert(number, pool)
        return true
      } catch let error as DatabaseError where error.isTransient {
        return false
      }
    }
  }

  @Test func `writes beside a process that is stopped in a transaction throw, and reads go on`() async throws {
    let folder = try TestFolder()
    let pool = try makePool(folder, busyMode: .immediateError)
    let child = try Child("stop-in-writes", database: folder.database, name: "other")
    try child.waitUntilStopped()
    #expect(try count(pool, "other") == 0)
    let error = #expect(throws: DatabaseError.self) { try insert(1, pool) }
    #expect(error?.resultCode == .SQLITE_BUSY)
    #expect(error?.isTransient == true)
    var values = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM one") ?? 0 }
      .values(in: pool).makeAsyncIterator()
    #expect(try await values.next() == 0)

    // It commits, and stops in its second transaction.
    child.resume()
    _ = child.wait(acknowledged: 1)
    try child.waitUntilStopped()
    #expect(try await values.next() == 1)
    #expect(throws: DatabaseError.self) { try insert(1, pool) }
    // The transaction of the process is rolled back with its end.
    #expect(child.kill(afterBytes: 8).complaint == "")
    try insert(1, pool)
    #expect(try count(pool, "other") == 1)
    #expect(try await values.next() == 2)
    try pool.close()
    #expect(folder.integrity() == "ok")
  }

  @Test func `accesses beside a process that is stopped in a read go on`() throws {
    let folder = try TestFolder()
    let pool = try makePool(folder, busyMode: .immediateError)
    let child = try Child("stop-in-reads", database: folder.database, name: "other")
    try child.waitUntilStopped()
    for number in 1...100 { try insert(number, pool) }
    #expect(try count(pool, "own") == 100)
    // The log cannot be reset while the process reads an old state. Only a checkpoint that must reset it fails.
    try pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
    #expect(throws: DatabaseError.self) { try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
    child.resume()
    _ = child.wait(acknowledged: 1)
    // It reads the new state now: the log can be moved.
    try child.waitUntilStopped()
    try pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
    #expect(child.kill(afterBytes: 8).complaint == "")
    try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try pool.close()
    #expect(folder.integrity() == "ok")
  }

  @Test func `stopping a process at any moment loses nothing`() throws {
    let run = Run("stopped-process", seed: Scale.seed)
    let folder = try TestFolder()
    let pool = try makePool(folder, busyMode: .immediateError)
    var numbers = RandomNumbers(seed: run.seed)
    let child = try Child("write", database: folder.database, name: "other")
    var bytes = child.wait(acknowledged: 1)
    let rounds = Scale.of(daily: 20, full: 2_000)
    for round in 1...rounds {
      bytes += child.wait(acknowledged: numbers.below(3))
      try child.stop()
      let before = try count(pool, "other")
      do {
        try insert(-round, pool)
        run.count("writes")
      } catch let error as DatabaseError where error.isTransient {
        run.count("busy")
      }
      if try count(pool, "other") != before { run.problem("a stopped process has written") }
      child.resume()
      try insertAgain(round, pool)
    }
    let (acknowledged, complaint) = child.kill(afterBytes: bytes)
    if !complaint.isEmpty { run.problem(complaint) }
    let own = try count(pool, "own") ?? 0
    if own != rounds + run.counted("writes") { run.problem("\(own) own rows after \(rounds) rounds") }
    let other = try count(pool, "other") ?? 0
    if other < acknowledged { run.problem("\(acknowledged) writes were acknowledged, \(other) are there") }
    run.count("transactions", own + other)
    try pool.close()
    if folder.integrity() != "ok" { run.problem(folder.integrity()) }
    run.finish()
  }
}
