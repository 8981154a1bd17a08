import StressSupport
import Synchronization
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Another connection commits during a checkpoint: many versions of SQLite lose commits in this case (hazard F1).
@Suite struct CheckpointRaceTests {
  private let world: World

  init() throws {
    world = try World(.pool, template: Template(.pool))
    try world.open()
    for _ in 0..<3 { world.write() }
  }

  /// Runs an operation during which another database of the same file tries to write, each time that a page moves from
  /// the log into the file.
  ///
  /// - Returns: The numbers of attempts and of successful ones.
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
    // No acknowledged commit is lost.
    let count = try other.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM other") }
    #expect(count == successes.load(ordering: .relaxed))
    try other.close()
    return (attempts.load(ordering: .relaxed), successes.load(ordering: .relaxed))
  }

  @Test(arguments: [Database.CheckpointMode.passive, .full, .restart, .truncate])
  func commitsAndCheckpointsDoNotOverlap(_ mode: Database.CheckpointMode) throws {
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

  /// A control: a commit during SQLite's own checkpoint is detected.
  @Test func checkpointWithoutTheWriteLockOverlapsACommit() throws {
    let (attempts, successes) = try meeting {
      _ = try PlainDatabase(path: world.path, vfs: world.vfs.name).numbers("PRAGMA wal_checkpoint(PASSIVE)")
    }
    #expect(attempts > 0)
    #expect(successes > 0)
    world.close()
  }

  /// A control: a commit at such a moment loses data where SQLite has the fault, so the test above tests something
  /// that matters.
  @Test(
    .enabled(if: SQLiteFault.all.contains { $0.concerns == .writeAheadLog && $0.isIn(SQLiteLibrary.versionNumber) }))
  func overlappingCheckpointLosesCommits() throws {
    let other = try DatabasePool(path: world.path)
    try other.write { try $0.execute(sql: "CREATE TABLE other (n)") }
    @Sendable func write(_ numbers: Range<Int>) throws {
      for number in numbers {
        try other.write { try $0.execute(sql: "INSERT INTO other VALUES (?)", arguments: [number]) }
      }
    }
    // It has read the log before others write to it, and reads it again at its checkpoint.
    let checkpointer = try PlainDatabase(path: world.path, vfs: world.vfs.name)
    _ = try checkpointer.numbers("SELECT COUNT(*) FROM one")
    try write(0..<20)
    // All commits are in the file, so the next one restarts the log. It happens between the reading and the first page.
    try other.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
    world.vfs.onCall(FaultVFS.unfetches) { #expect(throws: Never.self) { try write(20..<22) } }
    _ = try checkpointer.numbers("PRAGMA wal_checkpoint(PASSIVE)")
    world.vfs.onNoCall()
    // SQLite assumes that it has already moved the new frame, and restarts the log once more.
    try write(22..<30)
    try other.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try other.close()
    world.close()
    // The file may be unreadable.
    let left = try? PlainDatabase(path: world.path).numbers("SELECT COUNT(*) FROM other")
    #expect(left != [30], "nothing was lost")
  }
}
