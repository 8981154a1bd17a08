import StressSupport
import Foundation

import Tidemark
@testable import TidemarkEssentials

/// A pool and its users in a simulation: tasks and threads that read and write, are cancelled, have short
/// timeouts, write inside reads, wait for all others, observe live queries, and sometimes close the pool in the middle
/// of it.
final class PoolScenario: @unchecked Sendable {
  private let simulation: Simulation
  private let seed: UInt64
  private let hasUnreportedCommit: Bool
  private let pool: DatabasePool
  private let store: ListStore
  private var tasks: [Task<Void, Never>] = []
  private var cancelled: Set<Int> = []
  private var isClosing = false
  private var accessesOfWriter = 0
  private var accessesOfReaders = 0
  private var observers: [SimulatedObserver] = []

  /// The values that the last transaction with a number has appended. After a rollback, the next one has the same number.
  private var appended: [Int: [(key: Int, value: Int)]] = [:]

  private var lastCommit = 0

  private(set) var problems: [String] = []
  private(set) var counts: [String: Int] = [:]

  var trace: UInt64 { simulation.trace }
  var stepCount: Int { simulation.stepCount }

  struct PlannedFailure: Error {}

  /// - Parameter path: A copy of an empty store, which is not used elsewhere.
  /// - Parameter hasUnreportedCommit: Whether the last commit is not reported to live queries: a planted fault.
  init(seed: UInt64, path: String, hasUnreportedCommit: Bool = false) throws {
    self.seed = seed
    self.hasUnreportedCommit = hasUnreportedCommit
    simulation = Simulation(seed: seed)
    var configuration = Configuration()
    configuration.maximumReaderCount = 1 + simulation.below(3)
    configuration.environment = simulation.environment
    configuration.busyMode = .timeout(600)
    configuration.groupsWrites = seed.isMultiple(of: 2)
    // The events of the system are not simulated.
    configuration.externalCommitDetection = .disabled
    pool = try DatabasePool(path: path, configuration: configuration)
    store = ListStore(existing: pool)
  }

  /// Plays it to its end.
  func play() {
    let actorCount = 3 + simulation.below(5)
    for actor in 0..<actorCount {
      var numbers = RandomNumbers(seed: seed, stream: actor)
      if numbers.once(in: 3) {
        simulation.thread { [self, numbers] in
          var numbers = numbers
          for _ in 0..<(1 + numbers.below(4)) { syncAccess(actor, &numbers) }
        }
      } else {
        tasks.append(
          simulation.task { [self, numbers] in
            var numbers = numbers
            for _ in 0..<(1 + numbers.below(4)) { await asyncAccess(actor, &numbers) }
          })
        if numbers.once(in: 3) { cancelLater(tasks.count - 1, actor, numbers.below(40)) }
      }
    }
    for _ in 0..<simulation.below(4) { observe() }
    if simulation.below(5) == 0 { closeLater(simulation.below(60)) }
    do {
      try simulation.run()
      try checkTheEnd()
    } catch {
      problems.append("\(error)")
    }
    // They retain this object.
    for observer in observers { observer.stop = nil }
    observers = []
    for fault in HistoryChecker.faults(of: store.recorder.recorded) { problems.append("\(fault)") }
  }

  private func cancelLater(_ index: Int, _ actor: Int, _ delay: Int) {
    _ = simulation.after(.milliseconds(delay)) { [self] in
      cancelled.insert(actor)
      tasks[index].cancel()
    }
  }

  private func close() {
    do {
      try pool.close()
    } catch {
      problems.append("close: \(error)")
    }
  }

  private func closeLater(_ delay: Int) {
    simulation.thread { [self] in
      simulation.sleep(.milliseconds(delay))
      isClosing = true
      close()
      count("closes")
    }
  }

  // MARK: - Live queries

  /// Starts a live query after some time, and sometimes cancels it.
  private func observe() {
    var numbers = RandomNumbers(seed: seed, stream: 100 + observers.count)
    let observer = SimulatedObserver(&numbers)
    observers.append(observer)
    let isCancelled = numbers.once(in: 4)
    let (start, end) = (Duration.milliseconds(numbers.below(30)), Duration.milliseconds(numbers.below(40)))
    if numbers.once(in: 3) {
      let task = simulation.task(isEndless: true) { [self] in await observer.iterate(in: pool, pause) }
      observer.stop = { task.cancel() }
      if isCancelled { _ = simulation.after(end) { observer.cancel() } }
    } else {
      let isImmediate = numbers.once(in: 2)
      simulation.thread { [self] in
        simulation.sleep(start)
        observer.start(in: pool, isImmediate: isImmediate, pause)
        guard isCancelled else { return }
        simulation.sleep(end)
        observer.cancel()
      }
    }
  }

  /// Commits with another connection: the pool does not detect it.
  private func commitUnreported() throws {
    let other = try DatabaseQueue(path: pool.path)
    let appends = (0..<ListStore.keyCount).map { (key: $0, value: -1) }
    appended[try other.write { try ListStore.append(appends, $0) }] = appends
    try other.close()
  }

  private func checkObservers() {
    for observer in observers {
      count("live values", observer.values.count)
      switch observer.end {
      case .failed(let error): checkError(error, -1, hasLimit: false, isRefused: false, isNested: false)
      case .cancelled: count("cancelled live queries")
      case nil: if isClosing { problems.append("a live query has not ended when the pool was closed") }
      }
      problems += observer.problems(appended, lastCommit: isClosing ? nil : lastCommit)
    }
  }

  /// All connections have been returned, and all requests granted.
  private func checkTheEnd() throws {
    if pool.readers.load != (0, 0) { problems.append("load at the end: \(pool.readers.load)") }
    if isClosing { return checkObservers() }
    if hasUnreportedCommit { try commitUnreported() }
    simulation.thread { [self] in
      do {
        try pool.barrierWriteWithoutTransaction { db in
          if db.isInsideTransaction { problems.append("the writer is left in a transaction") }
          lastCommit = try Int.fetchOne(db, sql: "SELECT n FROM counter") ?? 0
        }
        try pool.unsafeRead { db in
          if db.isInsideTransaction { problems.append("a reader is left in a transaction") }
        }
      } catch {
        problems.append("at the end: \(error)")
      }
    }
    try simulation.run()
    checkObservers()
    isClosing = true
    simulation.thread { [self] in close() }
    try simulation.run()
  }

  // MARK: - Accesses

  private func asyncAccess(_ actor: Int, _ numbers: inout RandomNumbers) async {
    let kind = numbers.below(7)
    let limit: Int? = numbers.once(in: 4) ? numbers.below(30) : nil
    let appends = kind < 3 ? store.appends(&numbers) : []
    let isRefused = numbers.once(in: 8)
    let begin = store.recorder.now()
    do {
      try await withLimit(limit) {
        switch kind {
        case 0, 1:
          let commit = try await self.pool.write { try self.write($0, appends, isRefused) }
          self.store.record(appends, since: begin, commit: commit)
        case 2:
          let commit = try await self.pool.barrierWriteWithoutTransaction { db in
            if self.accessesOfReaders > 0 { self.problems.append("a read runs during a barrier write") }
            return try self.writeInTransaction(db, appends, isRefused)
          }
          self.store.record(appends, since: begin, commit: commit)
        case 3:
          self.saw(try await self.pool.readInline { try self.read($0) }, begin, actor, "read in place")
        default:
          self.saw(try await self.pool.read { try self.read($0) }, begin, actor, "async read")
        }
      }
      count("accesses")
    } catch {
      checkError(error, actor, hasLimit: limit != nil, isRefused: isRefused && kind < 3, isNested: false)
    }
  }

  private func syncAccess(_ actor: Int, _ numbers: inout RandomNumbers) {
    let kind = numbers.below(6)
    let limit: Int? = numbers.once(in: 4) ? numbers.below(30) : nil
    let appends = kind < 4 ? store.appends(&numbers) : []
    let isRefused = numbers.once(in: 8)
    let begin = store.recorder.now()
    do {
      try withLimit(limit) {
        switch kind {
        case 0, 1:
          let commit = try pool.write { try write($0, appends, isRefused) }
          store.record(appends, since: begin, commit: commit)
        case 2:
          let commit = try pool.barrierWriteWithoutTransaction { db in
            if accessesOfReaders > 0 { problems.append("a read runs during a barrier write") }
            return try writeInTransaction(db, appends, isRefused)
          }
          store.record(appends, since: begin, commit: commit)
        case 3:
          try pool.read { db in
            _ = try read(db)
            let commit = try pool.write { try write($0, appends, isRefused) }
            store.record(appends, since: begin, commit: commit)
          }
        default:
          saw(try pool.read { try read($0) }, begin, actor, "read")
        }
      }
      count("accesses")
    } catch {
      checkError(error, actor, hasLimit: limit != nil, isRefused: isRefused && kind < 4, isNested: kind == 3)
    }
  }

  private func withLimit(_ limit: Int?, _ body: () throws -> Void) throws {
    guard let limit else { return try body() }
    try Database.withAccessTimeLimit(.milliseconds(limit), body)
  }

  private func withLimit(_ limit: Int?, _ body: () async throws -> Void) async throws {
    guard let limit else { return try await body() }
    try await Database.withAccessTimeLimit(.milliseconds(limit), body)
  }

  // MARK: - What they do

  /// Lets others go first, and time pass.
  private func pause() {
    switch simulation.below(3) {
    case 0 where simulation.current != nil: simulation.sleep(.milliseconds(simulation.below(10)))
    default: simulation.yield()
    }
  }

  private func write(_ db: Database, _ appends: [(key: Int, value: Int)], _ isRefused: Bool) throws -> Int {
    if accessesOfWriter > 0 { problems.append("two accesses write") }
    accessesOfWriter += 1
    defer { accessesOfWriter -= 1 }
    pause()
    let commit = try ListStore.append(appends, db)
    appended[commit] = appends
    pause()
    if isRefused { throw PlannedFailure() }
    return commit
  }

  private func writeInTransaction(
    _ db: Database, _ appends: [(key: Int, value: Int)], _ isRefused: Bool
  ) throws -> Int {
    var commit = 0
    try db.inTransaction {
      commit = try write(db, appends, isRefused)
      return .commit
    }
    return commit
  }

  private func read(_ db: Database) throws -> History.Lists {
    accessesOfReaders += 1
    defer { accessesOfReaders -= 1 }
    if accessesOfReaders > pool.configuration.maximumReaderCount { problems.append("more accesses read than can") }
    let half = ListStore.keyCount / 2
    let first = try ListStore.lists(db, of: 0..<half)
    pause()
    return try first + ListStore.lists(db, of: half..<ListStore.keyCount)
  }

  private func saw(_ lists: History.Lists, _ begin: Int, _ actor: Int, _ kind: String) {
    store.record(lists, since: begin, session: actor, kind: kind)
  }

  private func count(_ what: String, _ number: Int = 1) { counts[what, default: 0] += number }

  /// Each error has its reason.
  private func checkError(_ error: any Error, _ actor: Int, hasLimit: Bool, isRefused: Bool, isNested: Bool) {
    switch error {
    case is PlannedFailure where isRefused: count("refused")
    case is CancellationError where cancelled.contains(actor): count("cancelled")
    case DatabaseError.SQLITE_INTERRUPT where hasLimit: count("late")
    case DatabaseError.SQLITE_LOCKED where isNested: count("deadlocks avoided")
    case let error as DatabaseError where isClosing && error.message == "Connection is closed": count("closed")
    default: problems.append("unexpected: \(error)")
    }
  }
}
