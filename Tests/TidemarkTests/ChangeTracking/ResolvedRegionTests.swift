import Foundation
import Synchronization
import TestSupport
import Testing
import Tidemark

@testable import TidemarkEssentials

/// Change streams whose regions are other ones after a schema change.
@Suite(.untilItHangs) struct ResolvedRegionTests {
  private static let view = SQLRequest<Row>(sql: "SELECT * FROM current")

  private func open(_ kind: Observed) throws -> Observed.Opened {
    let database = try kind.open()
    try database.writer.write { try $0.execute(sql: "CREATE VIEW current AS SELECT id, name FROM player") }
    return database
  }

  private static let redefinition = "DROP VIEW current; CREATE VIEW current AS SELECT id, name FROM team"

  @Test(arguments: Observed.streamed)
  func `a region with another table is one unknown element, and its later rows follow`(_ kind: Observed) async throws {
    let database = try open(kind)
    let stream = try await database.writer.changes(in: Self.view)
    var changes = stream.makeAsyncIterator()
    try await database.writer.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 10)") }
    let first = try #require(try await changes.next())
    #expect(first.lines == ["INSERT player [1]: id 1, name \"Ada\", score 10"])
    try await database.writer.write { try $0.execute(sql: Self.redefinition) }
    // It is not captured yet.
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red')") }
    try await database.writer.write { try $0.execute(sql: "INSERT INTO player VALUES (2, 'Bob', 20)") }
    let version = try #require(try await database.writer.databaseVersion())
    let unknown = try #require(try await changes.next())
    #expect(unknown.completeness == .incomplete(.unknown) && unknown.elements.isEmpty)
    let firstVersion: DatabaseVersion = try #require(first.version)
    #expect(unknown.versions?.lowerBound.number == firstVersion.number + 1)
    #expect(unknown.version == version)
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (2, 'Blue')") }
    let last = try #require(try await changes.next())
    #expect(last.lines == ["INSERT team [2]: id 2, name \"Blue\""])
    let lastVersion = try #require(try await database.writer.databaseVersion())
    #expect(last.version == lastVersion)
  }

  @Test func `a region with the same tables and other rows is an unknown element, too`() async throws {
    let database = try Observed.pool.open()
    try await database.writer.write { db in
      try db.execute(sql: "CREATE VIEW current AS SELECT * FROM player WHERE id = 1")
    }
    let stream = try await database.writer.changes(in: Self.view)
    var changes = stream.makeAsyncIterator()
    try await database.writer.write { db in
      try db.execute(sql: "DROP VIEW current; CREATE VIEW current AS SELECT * FROM player WHERE id = 2")
    }
    try await database.writer.write { try $0.execute(sql: "INSERT INTO player VALUES (2, 'Bob', 20)") }
    #expect(try await changes.next()?.completeness == .incomplete(.unknown))
    try await database.writer.write { try $0.execute(sql: "UPDATE player SET score = 21") }
    #expect(try await lines(stream) == ["UPDATE player [2]: score 20 → 21"])
  }

  @Test func `a schema change that does not concern the region makes nothing unknown`() async throws {
    let database = try open(.pool)
    let stream = try await database.writer.changes(in: Self.view)
    try await database.writer.write { db in
      try db.execute(sql: "CREATE TABLE note (text); INSERT INTO player VALUES (1, 'Ada', 10)")
    }
    var changes = stream.makeAsyncIterator()
    let transaction = try #require(try await changes.next())
    #expect(transaction.isComplete)
    #expect(
      transaction.lines == ["CREATE TABLE note (text)", "INSERT player [1]: id 1, name \"Ada\", score 10"])
  }

  /// A region that makes a commit of another thread after it was resolved for the n-th time.
  private final class Racing: DatabaseRegionConvertible, Sendable {
    private let count = Mutex(0)
    private let number: Int
    private let commit: @Sendable () throws -> Void

    init(afterResolution number: Int, _ commit: @escaping @Sendable () throws -> Void) {
      (self.number, self.commit) = (number, commit)
    }

    func databaseRegion(_ db: Database) throws -> DatabaseRegion {
      let region = try ResolvedRegionTests.view.databaseRegion(db)
      let isNow = count.withLock { count in
        count += 1
        return count == number
      }
      if isNow {
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [commit] in
          do { try commit() } catch { Issue.record(error) }
          end.signal()
        }
        end.wait()
      }
      return region
    }
  }

  @Test func `a schema change while a stream begins is noticed`() async throws {
    let database = try open(.pool)
    let writer = database.writer
    let region = Racing(afterResolution: 1) { try writer.write { try $0.execute(sql: Self.redefinition) } }
    let stream = try await writer.changes(in: region)
    try await writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red')") }
    #expect(try await lines(stream) == ["INSERT team [1]: id 1, name \"Red\""])
  }

  @Test func `a commit while a region is resolved again is included in the unknown element`() async throws {
    let database = try open(.pool)
    let writer = database.writer
    let region = Racing(afterResolution: 2) {
      try writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red')") }
    }
    let stream = try await writer.changes(in: region)
    var changes = stream.makeAsyncIterator()
    try await writer.write { try $0.execute(sql: Self.redefinition) }
    let unknown = try #require(try await changes.next())
    #expect(unknown.completeness == .incomplete(.unknown))
    let version = try #require(try await writer.databaseVersion())
    #expect(unknown.version == version)
    try await writer.write { try $0.execute(sql: "INSERT INTO team VALUES (2, 'Blue')") }
    #expect(try await changes.next()?.lines == ["INSERT team [2]: id 2, name \"Blue\""])
  }

  @Test func `a schema change while a region is resolved again is noticed`() async throws {
    let database = try open(.pool)
    let writer = database.writer
    let region = Racing(afterResolution: 2) {
      try writer.write { db in
        try db.execute(sql: "DROP VIEW current; CREATE VIEW current AS SELECT id, name FROM player")
      }
    }
    let stream = try await writer.changes(in: region)
    var changes = stream.makeAsyncIterator()
    try await writer.write { try $0.execute(sql: Self.redefinition) }
    #expect(try await changes.next()?.completeness == .incomplete(.unknown))
    try await writer.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 10)") }
    #expect(try await changes.next()?.lines == ["INSERT player [1]: id 1, name \"Ada\", score 10"])
  }

  @Test func `a dropped table is an unknown element, and a new table is followed`() async throws {
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes(in: Table("team"))
    var changes = stream.makeAsyncIterator()
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red'); DROP TABLE team") }
    #expect(try await changes.next()?.completeness == .incomplete(.unknown))
    try await database.writer.write {
      try $0.execute(sql: "CREATE TABLE team (name); INSERT INTO team VALUES ('Blue')")
    }
    #expect(try await changes.next()?.completeness == .incomplete(.unknown))
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES ('Green')") }
    #expect(try await changes.next()?.lines == ["INSERT team [2]: name \"Green\""])
  }

  @Test func `a cancelled resolution loses no transaction`() async throws {
    let database = try open(.pool)
    let stream = try await database.writer.changes(in: Self.view)
    try await database.writer.write { try $0.execute(sql: Self.redefinition) }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var changes = stream.makeAsyncIterator()
      return try await changes.next()
    }
    #expect(try await task.value == nil)
    var changes = stream.makeAsyncIterator()
    #expect(try await changes.next()?.completeness == .incomplete(.unknown))
  }
}
