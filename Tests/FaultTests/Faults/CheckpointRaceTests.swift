import StressSupport
import Synchronization
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Somebody commits in the middle of a checkpoint: many versions of SQLite lose commits then (hazard F1).
@Suite struct CheckpointRaceTests {
  private let world: World

  init() throws {
    world = try World(.pool, template: Template(.pool))
    try world.open()
    for _ in 0..<3 { world.write() }
  }

  /// Runs something during which another database of the same file tries to write, each time that a page goes from the
  /// log into the file.
  ///
  /// - returns: How often it tried, and how often it succeeded.
  private func meeting(_ body: () throws -> Void) throws -> (attempts: Int, successes: Int) {
    var configuration = Configuration()
    configuration.busyMode = .immediateError
    let other = try DatabasePool(path: world.path, configuration: configuration)
    try other.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS other (n)") }
    let attempts = Atomic<Int>(0)
    let successes = Atomic<Int>(0)
    world.vfs.onCall(FaultVFS.writes) {
      attempts.add(1, ordering: .relaxed)
      do {
        try other.write { try $0.execute(sql: "INSERT INTO other VALUES (1)") }
        successes.add(1, ordering: .relaxed)
      } catch DatabaseError.SQLITE_BUSY {
      } catch {
        Issue.record("\(error)")
      }
    }
    try body()
    world.vfs.onNoCall()
    // Nothing that was acknowledged is lost.
    let count = try other.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM other") }
    #expect(count == successes.load(ordering: .relaxed))
    try other.close()
    return (attempts.load(ordering: .relaxed), successes.load(ordering: .relaxed))
  }

  @Test(arguments: [Database.CheckpointMode.passive, .full, .restart, .truncate])
  func aCommitDoesNotMeetACheckpoint(_ mode: Database.CheckpointMode) throws {
    let (attempts, successes) = try meeting {
      try world.writer?.writeWithoutTransaction { _ = try $0.checkpoint(mode) }
    }
    #expect(attempts > 0)
    #expect(successes == 0)
    #expect(world.write() == nil)
    world.close()
    world.check(world.path, "at the end")
    #expect(world.problems == [])
  }

  /// A checkpoint of SQLite's own is met: this test can see.
  @Test func aCheckpointWithoutTheLockOfTheWriterIsMet() throws {
    let (attempts, successes) = try meeting {
      _ = try PlainDatabase(path: world.path, vfs: world.vfs.name).numbers("PRAGMA wal_checkpoint(PASSIVE)")
    }
    #expect(attempts > 0)
    #expect(successes > 0)
    world.close()
  }

  /// And what is committed after such a meeting is lost, where SQLite has the fault: what is kept from happening does
  /// harm.
  @Test(
    .enabled(if: SQLiteFault.all.contains { $0.concerns == .writeAheadLog && $0.isIn(SQLiteLibrary.versionNumber) }))
  func whatFollowsAMeetingIsLost() throws {
    let other = try DatabasePool(path: world.path)
    try other.write { try $0.execute(sql: "CREATE TABLE other (n)") }
    @Sendable func write(_ numbers: Range<Int>) throws {
      for number in numbers {
        try other.write { try $0.execute(sql: "INSERT INTO other VALUES (?)", arguments: [number]) }
      }
    }
    // It has seen the log before others write into it, and looks again when it makes its checkpoint.
    let checkpointer = try PlainDatabase(path: world.path, vfs: world.vfs.name)
    _ = try checkpointer.numbers("SELECT COUNT(*) FROM one")
    try write(0..<20)
    // All of it is in the file: the next commit begins the log anew. It comes between the look and the first page.
    try other.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
    world.vfs.onCall(FaultVFS.unfetches) { #expect(throws: Never.self) { try write(20..<22) } }
    _ = try checkpointer.numbers("PRAGMA wal_checkpoint(PASSIVE)")
    world.vfs.onNoCall()
    // SQLite takes what is written now for something that it has moved already, and begins the log anew once more.
    try write(22..<30)
    try other.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try other.close()
    world.close()
    // If it can be read at all.
    let left = try? PlainDatabase(path: world.path).numbers("SELECT COUNT(*) FROM other")
    #expect(left != [30], "nothing was lost")
  }
}
