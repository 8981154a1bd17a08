import Testing

import Tidemark
@testable import TidemarkEssentials

/// Large transactions, whose rows are in a temporary file that cannot be read any more.
@Suite struct LargeTransactionFaultTests {
  private static let read = FaultVFS.Fault(description: "read", calls: FaultVFS.reads)
  private static let insertion = """
    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 200)
    INSERT INTO t SELECT n, zeroblob(1000) FROM number
    """

  /// A queue that keeps few rows in memory. Only the temporary files fail.
  private func open(_ vfs: FaultVFS, _ feed: ChangeFeedConfiguration? = nil) async throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.changeFeed = feed
    configuration.environment.changeLogBound = ChangeLog.Bound(
      recordCount: 5, segmentRecordCount: 3, segmentByteCount: 3_000, vfs: vfs.name)
    let dbQueue = try DatabaseQueue(configuration: configuration)
    try await dbQueue.write { try $0.execute(sql: "CREATE TABLE t (n INTEGER PRIMARY KEY, filler)") }
    return dbQueue
  }

  @Test func `a stream says that rows are missing, and continues with the next transaction`() async throws {
    let vfs = FaultVFS()
    let dbQueue = try await open(vfs)
    let stream = try await dbQueue.changes(limits: .init(rowCount: .max))
    try await dbQueue.write { try $0.execute(sql: Self.insertion) }
    vfs.arm(Self.read, at: 1, forGood: true)
    var changes = stream.makeAsyncIterator()
    let large = try #require(try await changes.next())
    #expect(large.completeness == .incomplete(.notStored))
    #expect(large.elements.isEmpty && !large.isContinued)
    vfs.disarm()
    try await dbQueue.write { try $0.execute(sql: "DELETE FROM t WHERE n = 7") }
    #expect(try await changes.next()?.rows.map(\.oldIdentity) == [.rowID(7)])
    try dbQueue.closeNow()
  }

  @Test func `the change feed says that rows are missing, and keeps the notifications`() async throws {
    let vfs = FaultVFS()
    let dbQueue = try await open(vfs, ChangeFeedConfiguration())
    let token = try await dbQueue.read { try $0.changeToken() }
    try await dbQueue.write { db in
      try db.notify(channel: "chat", payload: "hello")
      try db.execute(sql: Self.insertion)
      vfs.arm(Self.read, at: 1, forGood: true)
    }
    vfs.disarm()
    let count = try await dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    #expect(count == 200)
    var entries = try await dbQueue.changes(after: token).makeAsyncIterator()
    let entry = try #require(try await entries.next())
    #expect(entry.changes.completeness == .incomplete(.notStored))
    #expect(entry.changes.elements == [.notification(channel: "chat", payload: "hello")])
    try dbQueue.closeNow()
  }
}

extension DatabaseQueue {
  /// In an async function, other methods would be the asynchronous ones.
  fileprivate func closeNow() throws { try close() }
}
