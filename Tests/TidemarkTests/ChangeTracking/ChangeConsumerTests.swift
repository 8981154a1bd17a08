import TestSupport
import Testing
import Tidemark

@testable import TidemarkEssentials

/// The consumers of change streams: several, slow, cancelled, and of a closed database.
@Suite(.untilItHangs) struct ChangeConsumerTests {
  @Test func `each stream receives all transactions`() async throws {
    let database = try Observed.pool.open()
    let streams = [try await database.writer.changes(), try await database.writer.changes()]
    let writer = database.writer
    let received = try await withThrowingTaskGroup(of: [Int64].self) { group in
      for stream in streams {
        group.addTask {
          var ids: [Int64] = []
          for try await transaction in stream {
            ids += transaction.rows.compactMap { $0.newRow?["id"] }
            if ids.count == 200 { break }
          }
          return ids
        }
      }
      for id in 1...200 { try await writer.write { try $0.execute(sql: "INSERT INTO team VALUES (\(id), 'a')") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(received == [Array(1...200), Array(1...200)])
  }

  @Test func `a consumer that is too slow learns which versions it has missed`() async throws {
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes(limits: .init(bufferedByteCount: 5_000))
    let first = try #require(try await database.writer.databaseVersion())
    for id in 1...100 {
      try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (\(id), 'a')") }
    }
    let last = try #require(try await database.writer.databaseVersion())
    var iterator = stream.makeAsyncIterator()
    let missed = try #require(try await iterator.next())
    #expect(missed.completeness == .incomplete(.missed))
    let versions = try #require(missed.versions)
    #expect(versions.lowerBound > first && versions.upperBound < last)
    // The others follow, without a gap.
    var version = versions.upperBound
    while version < last {
      let transaction = try #require(try await iterator.next())
      #expect(transaction.isComplete && transaction.versions?.lowerBound == transaction.version)
      #expect(try #require(transaction.version) > version)
      version = try #require(transaction.version)
    }
  }

  @Test(arguments: Observed.streamed)
  func `a transaction has the version of the database after its commit`(_ kind: Observed) async throws {
    let database = try kind.open()
    let stream = try await database.writer.changes()
    var iterator = stream.makeAsyncIterator()
    for id in 1...3 {
      try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (\(id), 'a')") }
      let version = try await database.writer.databaseVersion()
      let transaction = try await iterator.next()
      #expect(transaction?.version == version, "\(String(describing: transaction))")
    }
  }

  @Test func `a cancelled iteration ends, and another one continues`() async throws {
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes()
    let task = Task {
      var count = 0
      for try await _ in stream { count += 1 }
      return count
    }
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'a')") }
    task.cancel()
    let count = try await task.value
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (2, 'b')") }
    // The first transaction was delivered to one of the two.
    #expect(
      try await lines(stream) == ["INSERT team [\(count + 1)]: id \(count + 1), name \"\(count == 0 ? "a" : "b")\""])
  }

  @Test(arguments: Observed.streamed)
  func `a stream of a closed database ends with an error`(_ kind: Observed) async throws {
    let database = try kind.open()
    let stream = try await database.writer.changes()
    let task = Task<Void, any Error> {
      var iterator = stream.makeAsyncIterator()
      let error = await #expect(throws: DatabaseError.self) { try await iterator.next() }
      #expect(error?.message == "Connection is closed")
      let next = try await iterator.next()
      #expect(next == nil)
    }
    try database.writer.close()
    try await task.value
  }

  @Test func `transactions before a close are delivered`() async throws {
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes()
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red')") }
    try database.writer.close()
    #expect(try await lines(stream) == ["INSERT team [1]: id 1, name \"Red\""])
  }

  @Test func `row changes are not captured any more when the stream was released`() async throws {
    let database = try Observed.pool.open()
    var stream: ChangeStream? = try await database.writer.changes()
    #expect(database.writer.changeBroker.rowNeeds.exist)
    _ = stream
    stream = nil
    #expect(!database.writer.changeBroker.rowNeeds.exist)
  }
}
