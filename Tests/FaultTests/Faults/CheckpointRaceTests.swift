import StressSupport
import Synchronization
import Testing

@testable import Tidemark

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
}
