import CSQLite
import Foundation
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The engine of live queries where something fails, ends, or happens at the same time.
@Suite(.untilItHangs) struct LiveEngineTests {
  private static let names = ValueObservation.tracking { try $0.playerNames() }

  // MARK: - Ends

  @Test func `an observation whose database is closed during its first value ends with an error`() throws {
    let database = try Observed.pool.open()
    let writer = database.writer
    let observation = Self.names.handleEvents(willTrackRegion: { _ in
      do { try writer.close() } catch { Issue.record(error) }
    })
    let (deliveries, cancellable) = observation.collect(in: writer, scheduling: ImmediateScheduler())
    #expect(try deliveries.failureText() == closedMessage)
    cancellable.cancel()
  }

  @Test func `external commits are detected after the database could not be closed`() throws {
    let database = try Observed.pool.open()
    let (deliveries, cancellable) = Self.names.collect(in: database.writer)
    try deliveries.wait(forLast: [])
    let engine = LiveEngine.engine(of: database.writer._core)
    engine.willClose()
    engine.didNotClose()
    try DatabaseQueue(path: database.writer.path).write { try $0.addPlayer("Ada") }
    try deliveries.wait(forLast: ["Ada"])
    cancellable.cancel()
  }

  @Test func `the events of each observer are called, the first ones first`() throws {
    let database = try Observed.queue.open()
    let events = Journal<String>()
    let observation = Self.names
      .handleEvents(
        willStart: { events.append("start 1") }, willFetch: { events.append("fetch 1") },
        didCancel: { events.append("cancel 1") }
      )
      .handleEvents(willStart: { events.append("start 2") }, didCancel: { events.append("cancel 2") })
      .handleEvents(willFetch: { events.append("fetch 3") })
    let (deliveries, cancellable) = observation.collect(in: database.writer)
    try deliveries.wait(forLast: [])
    cancellable.cancel()
    #expect(events.entries == ["start 1", "start 2", "fetch 1", "fetch 3", "cancel 1", "cancel 2"])
  }

  // MARK: - Pauses

  /// A fetch that fails once, and may succeed later.
  private static func failingOnce() -> ValueObservation<ValueReducers.Fetch<[String]>> {
    let count = Mutex(0)
    return ValueObservation.tracking { db in
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      if isFirst { throw DatabaseError(resultCode: .SQLITE_BUSY) }
      return try db.playerNames()
    }
  }

  /// Replaces the timers of pauses. The watchdog has shorter timers, and keeps them: a watchdog that ended at once would
  /// start the next one, again and again.
  private static func replacePauses(
    in configuration: inout Configuration,
    _ after: @escaping @Sendable (@escaping @Sendable () -> Void) -> @Sendable () -> Void
  ) {
    configuration.environment.clock.after = { [clock = configuration.environment.clock] duration, body in
      duration <= LivePolicy().slowFetchDelay ? clock.after(duration, body) : after(body)
    }
  }

  @Test func `a pause that ends at once is followed by another attempt`() throws {
    var configuration = Configuration()
    Self.replacePauses(in: &configuration) { body in
      body()
      return {}
    }
    let database = try Observed.pool.open(configuration)
    let observation = Self.failingOnce().retryingTransientErrors()
    let (deliveries, cancellable) = observation.collect(in: database.writer)
    try deliveries.wait(forLast: [])
    cancellable.cancel()
  }

  @Test func `an observation that is cancelled during a pause releases its timer`() throws {
    final class Timer: Sendable {}
    struct WeakTimer: Sendable { weak let timer: Timer? }
    let timers = Journal<WeakTimer>()
    var configuration = Configuration()
    Self.replacePauses(in: &configuration) { _ in
      let timer = Timer()
      timers.append(WeakTimer(timer: timer))
      return { withExtendedLifetime(timer) {} }
    }
    let database = try Observed.pool.open(configuration)
    let observation = Self.failingOnce().retryingTransientErrors()
    let (deliveries, cancellable) = observation.collect(in: database.writer)
    try waitUntil("a pause") { !timers.entries.isEmpty }
    // The connection is returned when the pause has begun.
    try waitUntil("the end of the read") { database.writer._core.load.busy == 0 }
    #expect(timers.entries.map { $0.timer != nil } == [true])
    cancellable.cancel()
    #expect(timers.entries.map { $0.timer != nil } == [false])
    #expect(deliveries.values == [])
  }

  // MARK: - External commits

  /// Reads planned changes of external commits.
  private final class PlannedReader: StoredChangesReader {
    typealias Step = @Sendable () throws -> StoredChanges

    private let steps: Mutex<[Step]>

    init(_ steps: [Step]) { self.steps = Mutex(steps) }

    func begin(with db: Database) -> Bool { true }
    func forget() {}

    func next(_ db: Database) throws -> StoredChanges? {
      let step = steps.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      return if let step { try step() } else { .unknown }
    }
  }

  private struct Extension: WriterExtension {
    let reader: PlannedReader

    func begin(on db: Database) {}
    func storedChangesReader(_ broker: ChangeBroker) -> any StoredChangesReader { reader }
  }

  private func open(_ steps: [PlannedReader.Step]) throws -> Observed.Opened {
    var configuration = Configuration()
    configuration.writerExtension = Extension(reader: PlannedReader(steps))
    return try Observed.pool.open(configuration)
  }

  @Test func `external commits are unknown if their stored changes cannot be read`() throws {
    let database = try open([{ throw Planned() }])
    let (deliveries, cancellable) = Self.names.collect(in: database.writer)
    try deliveries.wait(forLast: [])
    let other = try DatabaseQueue(path: database.writer.path)
    for names in [["Ada"], ["Ada", "Bob"]] {
      try other.write { try $0.addPlayer(names[names.count - 1]) }
      try deliveries.wait(forLast: names)
    }
    cancellable.cancel()
  }

  @Test func `a query that ends the read of stored changes keeps its value`() throws {
    let database = try open([
      { .known([CommittedChanges(unknownRowsOf: [TableKey("player")])], state: nil) }
    ])
    let count = Mutex(0)
    let observation = ValueObservation.tracking { db in
      let names = try db.playerNames()
      let isSecond = count.withLock { count in
        count += 1
        return count == 2
      }
      // As SQLite does after some errors.
      if isSecond { sqlite3_exec(db.sqliteConnection, "ROLLBACK", nil, nil, nil) }
      return names
    }
    let (deliveries, cancellable) = observation.collect(in: database.writer)
    try deliveries.wait(forLast: [])
    let other = try DatabaseQueue(path: database.writer.path)
    for names in [["Ada"], ["Ada", "Bob"]] {
      try other.write { try $0.addPlayer(names[names.count - 1]) }
      try deliveries.wait(forLast: names)
    }
    cancellable.cancel()
  }

  @Test(arguments: Observed.streamed)
  func `a transaction after a VACUUM, both begun through the C interface, changes a value`(_ kind: Observed) throws {
    let database = try kind.open()
    let (deliveries, cancellable) = Self.names.collect(in: database.writer)
    try deliveries.wait(forLast: [])
    try database.writer.writeWithoutTransaction { db in
      #expect(sqlite3_exec(db.sqliteConnection, "VACUUM; BEGIN", nil, nil, nil) == SQLITE_OK)
      try db.addPlayer("Ada")
      try db.execute(sql: "COMMIT")
    }
    try deliveries.wait(forLast: ["Ada"])
    cancellable.cancel()
  }

  @Test func `a snapshot has no external commits to read`() throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.findsTablesOfExternalCommits = true
    let pool = try DatabasePool(path: folder.path("db"), configuration: configuration)
    #expect(pool._core.changesReader != nil)
    #expect(try pool.makeSnapshot()._core.changesReader == nil)
  }

  // MARK: - Connections

  /// A pool with a commit at the beginning of each snapshot whose version is determined.
  ///
  /// - Returns: The pool, and a closure that ends the commits.
  private func openWithCommits(_ count: Int) throws -> (Observed.Opened, end: () throws -> Void) {
    let (left, writer) = (Mutex(count), Locked<(any DatabaseWriter)?>(nil))
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      db.trace { event in
        guard event.description.contains("rootpage"),
          left.withLock({
            $0 -= 1; return $0 >= 0
          })
        else { return }
        do {
          try writer.value?.unsafeReentrantWrite { try $0.execute(sql: "REPLACE INTO team VALUES (1, 'a')") }
        } catch {
          Issue.record(error)
        }
      }
    }
    let database = try Observed.pool.open(configuration)
    writer.update { $0 = database.writer }
    return (
      database,
      {
        writer.update { $0 = nil }
        try database.writer.close()
      }
    )
  }

  @Test(arguments: [1, 20_000])
  func `a first value is fetched with its version, unless all snapshots coincide with commits`(count: Int) throws {
    let (database, end) = try openWithCommits(count)
    let observation = Self.names.withDatabaseVersions()
    let (deliveries, cancellable) = observation.collect(in: database.writer, scheduling: ImmediateScheduler())
    let first = try #require(deliveries.values.first)
    #expect(first.value == [])
    #expect((first.version != nil) == (count == 1))
    cancellable.cancel()
    try end()
  }
}
