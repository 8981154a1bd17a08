import TestSupport
import Testing
import Tidemark

@testable import TidemarkEssentials

/// The positions that identify commits, where the database does not know them.
@Suite(.untilItHangs) struct StreamPositionTests {
  @Test func `a queue knows its position only inside of an access`() throws {
    let database = try Observed.queue.open()
    let core = database.writer._core
    #expect(core.currentPosition() == nil)
    #expect(core.positionOfOwnCommit() == nil)
    let inside = database.writer.writeWithoutTransaction { _ in core.currentPosition() }
    #expect(inside?.ownCommitCount == 1)
  }

  @Test func `a closed queue has no external commits`() throws {
    let database = try Observed.queue.open()
    let core = database.writer._core
    try database.writer.close()
    let position = try #require(database.writer.writeWithoutTransaction { _ in core.currentPosition() })
    #expect(position.version == position.ownCommitCount)
  }

  @Test func `a snapshot has no positions, and its streams receive nothing`() async throws {
    let folder = try TemporaryFolder()
    let pool = try DatabasePool(path: folder.path("db"))
    try await pool.write { try $0.createPlayers() }
    let snapshot = try pool.makeSnapshot()
    let core = snapshot._core
    #expect(core.currentPosition() == nil)
    #expect(core.positionOfOwnCommit() == nil)
    let consumer = ChangeConsumer([Table("team")], ChangeStream.Limits(), in: core)
    let isStarted = try await snapshot.read { try consumer.start($0) }
    #expect(isStarted)
    try await pool.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red')") }
    guard case .nothing = consumer.hub.next(consumer.id) else {
      Issue.record("A stream of a snapshot has received something")
      return
    }
  }
}
