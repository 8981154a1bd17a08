import Foundation
import Testing
import Tidemark

@testable import TidemarkEssentials

/// The memory of captured changes, which the next transaction uses again.
@Suite struct ReusedMemoryTests {
  private let dbPool: DatabasePool
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.changeFeed = ChangeFeedConfiguration()
    dbPool = try DatabasePool(path: folder.path("test.sqlite"), configuration: configuration)
    try dbPool.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)") }
  }

  private func insert(_ count: Int) throws {
    try dbPool.write { db in
      try db.execute(
        sql: """
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
          INSERT INTO t (a) SELECT 'row ' || n FROM number
          """, arguments: [count])
    }
  }

  /// The number of rows for which memory is reserved.
  private var capacity: Int { dbPool.writeWithoutTransaction { $0.changeCapture.log.records.capacity } }

  @Test func `a large transaction after another one uses its memory`() throws {
    try insert(20_000)
    #expect(capacity >= 20_000)
  }

  @Test func `a small transaction frees the memory of a large one`() throws {
    try insert(20_000)
    try insert(1)
    #expect(capacity <= 1_024)
  }

  @Test func `releaseMemory frees the memory of a large transaction`() throws {
    try insert(20_000)
    dbPool.releaseMemory()
    #expect(capacity == 0)
  }

  @Test func `releaseMemory in a transaction keeps its changes`() async throws {
    let token = try await dbPool.read { try $0.changeToken() }
    try await dbPool.write { db in
      try db.execute(sql: "INSERT INTO t VALUES (1, 'one')")
      db.releaseMemory()
      try db.execute(sql: "INSERT INTO t VALUES (2, 'two')")
    }
    for try await entry in try await dbPool.changes(after: token) {
      #expect(entry.changes.rows.map(\.newIdentity) == [.rowID(1), .rowID(2)])
      break
    }
  }

  @Test(arguments: [(capacity: 100, count: 1, isKept: true), (5_000, 2_000, true), (5_000, 1_000, false)])
  func `an array keeps memory that is small or was used`(_ capacity: Int, _ count: Int, _ isKept: Bool) {
    var array: [Int] = []
    array.reserveCapacity(capacity)
    array += Array(repeating: 0, count: count)
    array.removeAllForReuse(smallCapacity: 1_024)
    #expect(array.isEmpty)
    #expect((array.capacity >= capacity) == isKept)
  }

  @Test func `a writer whose memory is used again contains only its new bytes`() {
    var writer = ByteWriter()
    writer.append(bytes: Array(repeating: 1, count: 200_000))
    writer.removeAllForReuse()
    #expect(writer.isEmpty)
    writer.append(byte: 2)
    #expect(writer.bytes == [2])
    writer.removeAllForReuse()
    writer.append(byte: 3)
    #expect(writer.bytes == [3])
  }
}
