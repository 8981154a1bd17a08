import Foundation
import Synchronization
import TestSupport
import Testing
import Tidemark

@testable import TidemarkEssentials

/// Change streams whose regions are other ones after a schema change.
@Suite(.untilItHangs) struct ResolvedRegionTests {
  private static let view = SQLRequest<Row>(sql: "SELECT * FROM current")

  /// A region that cannot be resolved without its table or view.
  private static func existing(_ name: String) -> Computed {
    Computed { db in
      guard try db.tableExists(name) || db.viewExists(name) else { throw Planned() }
      return try SQLRequest<Row>(sql: "SELECT * FROM \(name)").databaseRegion(db)
    }
  }

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

  @Test func `a region that cannot be resolved ends with an error after the transaction`() async throws {
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes(in: Self.existing("team"))
    var changes = stream.makeAsyncIterator()
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red')") }
    try await database.writer.write { try $0.execute(sql: "DROP TABLE team") }
    #expect(try await changes.next()?.lines == ["INSERT team [1]: id 1, name \"Red\""])
    #expect(try await changes.next()?.lines == ["DROP TABLE team"])
    for _ in 1...2 { await #expect(throws: Planned()) { try await changes.next() } }
  }

  @Test func `a stream continues when its region can be resolved again`() async throws {
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes(in: Self.existing("team"))
    var changes = stream.makeAsyncIterator()
    try await database.writer.write { try $0.execute(sql: "DROP TABLE team") }
    #expect(try await changes.next()?.lines == ["DROP TABLE team"])
    await #expect(throws: Planned()) { try await changes.next() }
    let table = "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT)"
    try await database.writer.write { try $0.execute(sql: table) }
    #expect(try await changes.next()?.lines == [table])
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red')") }
    #expect(try await changes.next()?.lines == ["INSERT team [1]: id 1, name \"Red\""])
  }

  @Test func `a region that is resolved to another one after an error is an unknown element`() async throws {
    let database = try open(.pool)
    let stream = try await database.writer.changes(in: Self.existing("current"))
    var changes = stream.makeAsyncIterator()
    try await database.writer.write { try $0.execute(sql: "DROP VIEW current") }
    #expect(try await changes.next()?.lines == ["DROP VIEW current"])
    await #expect(throws: Planned()) { try await changes.next() }
    try await database.writer.write { db in
      try db.execute(sql: "CREATE VIEW current AS SELECT id, name FROM team; INSERT INTO team VALUES (1, 'Red')")
    }
    let version = try #require(try await database.writer.databaseVersion())
    let unknown = try #require(try await changes.next())
    #expect(unknown.completeness == .incomplete(.unknown) && unknown.elements.isEmpty)
    #expect(unknown.version == version)
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (2, 'Blue')") }
    #expect(try await changes.next()?.lines == ["INSERT team [2]: id 2, name \"Blue\""])
  }

  @Test func `a region that has changed in a missed transaction is one missed element`() async throws {
    let database = try open(.pool)
    let stream = try await database.writer.changes(in: Self.view, limits: .init(bufferedByteCount: 2_000))
    let first = try #require(try await database.writer.databaseVersion())
    try await database.writer.write { try $0.execute(sql: Self.redefinition) }
    for id in 1...50 {
      try await database.writer.write { try $0.execute(sql: "INSERT INTO player VALUES (\(id), 'a', 0)") }
    }
    let last = try #require(try await database.writer.databaseVersion())
    var changes = stream.makeAsyncIterator()
    let missed = try #require(try await changes.next())
    #expect(missed.completeness == .incomplete(.missed) && missed.elements.isEmpty)
    #expect(missed.versions == DatabaseVersion(first.number + 1)...last)
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red')") }
    let next = try #require(try await changes.next())
    #expect(next.lines == ["INSERT team [1]: id 1, name \"Red\""], "\(next) after \(missed)")
  }

  @Test func `an error after a region has changed is thrown, and the stream continues with the new region`()
    async throws
  {
    let database = try open(.pool)
    let writer = database.writer
    let resolutions = Mutex(0)
    let racing = Racing(afterResolution: 2) {
      try writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red')") }
    }
    // The second resolution finds another region, and is repeated because of the commit: the repetition fails.
    let region = Computed { db in
      if resolutions.withLock({
        $0 += 1; return $0 == 3
      }) {
        throw Planned()
      }
      return try racing.databaseRegion(db)
    }
    let stream = try await writer.changes(in: region)
    var changes = stream.makeAsyncIterator()
    try await writer.write { try $0.execute(sql: Self.redefinition) }
    await #expect(throws: Planned()) { try await changes.next() }
    #expect(try await changes.next()?.completeness == .incomplete(.unknown))
    try await writer.write { try $0.execute(sql: "INSERT INTO team VALUES (2, 'Blue')") }
    #expect(try await changes.next()?.lines == ["INSERT team [2]: id 2, name \"Blue\""])
  }

  @Test func `a task that is cancelled while a region is resolved loses no transaction`() async throws {
    let database = try open(.pool)
    let reader = Locked<Task<TransactionChanges?, any Error>?>(nil)
    let resolutions = Mutex(0)
    let region = Computed { db in
      if resolutions.withLock({
        $0 += 1; return $0 == 2
      }) {
        reader.value?.cancel()
        throw CancellationError()
      }
      return try Self.view.databaseRegion(db)
    }
    let stream = try await database.writer.changes(in: region)
    try await database.writer.write { try $0.execute(sql: Self.redefinition) }
    let (mayBegin, changes) = (Moment(), stream)
    let task = Task {
      await mayBegin.reached()
      var changes = changes.makeAsyncIterator()
      return try await changes.next()
    }
    reader.update { $0 = task }
    mayBegin.happen()
    #expect(try await task.value == nil)
    var later = stream.makeAsyncIterator()
    #expect(try await later.next()?.completeness == .incomplete(.unknown))
  }

  @Test func `a stream that begins during a commit misses none after it`() async throws {
    let database = try Observed.pool.open()
    let writer = database.writer
    try await writer.write { try $0.execute(sql: "CREATE VIEW current AS SELECT id, name FROM player") }
    let region = Racing(afterResolution: 1) {
      try writer.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 10)") }
    }
    let stream = try synchronously { try writer.changes(in: region) }
    try await writer.write { try $0.execute(sql: "INSERT INTO player VALUES (2, 'Bob', 20)") }
    #expect(try await lines(stream) == ["INSERT player [2]: id 2, name \"Bob\", score 20"])
  }

  /// A region that a closure computes.
  private struct Computed: DatabaseRegionConvertible {
    let region: @Sendable (Database) throws -> DatabaseRegion

    init(_ region: @escaping @Sendable (Database) throws -> DatabaseRegion) { self.region = region }

    func databaseRegion(_ db: Database) throws -> DatabaseRegion { try region(db) }
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
