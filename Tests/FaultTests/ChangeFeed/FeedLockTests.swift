import StressSupport
import Testing
import Tidemark

/// The locks of a program that writes the change feed.
@Suite struct FeedLockTests {
  /// Whether a SAVEPOINT that begins a transaction, and an insertion, succeed while another program writes.
  private func insertsBesideAWriter(_ feed: ChangeFeedConfiguration?) throws -> Bool {
    let folder = try TestFolder()
    var configuration = Configuration()
    configuration.changeFeed = feed
    let other = Mutex<PlainDatabase?>(nil)
    configuration.busyMode = .callback { _ in
      other.withLock { other in
        defer { other = nil }
        // An error would leave the lock, and the test would fail.
        return (try? other?.execute("COMMIT")) != nil
      }
    }
    let pool = try DatabasePool(path: folder.database, configuration: configuration)
    try pool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    let writer = try PlainDatabase(path: folder.database)
    try writer.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
    other.withLock { $0 = writer }
    do {
      try pool.writeWithoutTransaction { db in
        try db.execute(sql: "SAVEPOINT a")
        try db.execute(sql: "INSERT INTO t VALUES (2)")
        try db.execute(sql: "RELEASE a")
      }
      return true
    } catch DatabaseError.SQLITE_BUSY {
      return false
    }
  }

  @Test func `a deferred transaction that begins with a write waits for the lock`() throws {
    #expect(try insertsBesideAWriter(nil))
  }

  @Test func `a deferred transaction that begins with a write waits for the lock, with a change feed`() throws {
    // Before the write, change capture reads the schema. SQLite does not wait in a transaction that has read.
    #expect(try insertsBesideAWriter(ChangeFeedConfiguration()))
  }
}
