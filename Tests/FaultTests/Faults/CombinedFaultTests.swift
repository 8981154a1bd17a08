import Foundation
import StressSupport
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// All at the same time: writing and reading threads and tasks, whose writes may share transactions, cancellations,
/// timeouts, observers, a disk that fails or is full, checkpoints, and a close in the middle of it (guarantees P1 to
/// P7).
@Suite(.serialized) struct CombinedFaultTests {
  @Test(arguments: Scale.seeds(daily: 8, full: 150))
  func combinedFaultsLoseNoAcknowledgedWrite(seed: UInt64) async throws {
    let run = Run("combined-faults", seed: seed, limit: 120)
    var numbers = RandomNumbers(seed: seed)
    let kind: World.Kind = numbers.once(in: 2) ? .pool : .durablePool
    let storm = try FaultStorm(kind, try Template(kind), groupsWrites: numbers.once(in: 2), run)
    await storm.runStorm(closesEarly: numbers.once(in: 2))
    storm.checkTheEnd()
    run.count("cases")
    for problem in storm.problems { run.problem(problem) }
    run.finish()
  }

  /// A control: the test detects an acknowledged write that is undone.
  @Test(arguments: [false, true]) func anUndoneWriteIsDetected(groupsWrites: Bool) async throws {
    let run = Run("combined-faults", seed: Scale.seed, limit: 120)
    let storm = try FaultStorm(.pool, try Template(.pool), groupsWrites: groupsWrites, run)
    storm.loseAWrite()
    await storm.runStorm(closesEarly: false)
    storm.checkTheEnd()
    let isFound = storm.problems.contains { $0.hasSuffix("was acknowledged, and is lost") }
    run.count("planted", isFound ? 1 : 0)
    if !isFound { run.problem("nothing was found: \(storm.problems)") }
    run.finish()
  }
}

/// A pool on a failing disk, and its users.
private final class FaultStorm: Sendable {
  private let run: Run
  private let folder: TestFolder
  private let vfs = FaultVFS()
  private let pool: DatabasePool
  private let observers: StormObservers
  private let ledger: StressSupport.Mutex<Ledger>
  private let allProblems = StressSupport.Mutex<[String]>([])

  init(_ kind: World.Kind, _ template: Template, groupsWrites: Bool, _ run: Run) throws {
    self.run = run
    folder = try TestFolder()
    ledger = StressSupport.Mutex(template.ledger)
    try FileManager.default.copyItem(atPath: template.path, toPath: folder.database)
    var configuration = Configuration()
    configuration.environment.vfs = vfs.name
    // Calls are counted: periodic checks of the file would make their number vary.
    configuration.externalCommitDetection = .disabled
    configuration.maximumReaderCount = 2
    configuration.groupsWrites = groupsWrites
    configuration.busyMode = .timeout(0.05)
    if kind == .durablePool { configuration.durability = .full }
    configuration.prepareDatabase { db in
      if db.description.hasSuffix("writer") { try db.execute(sql: "PRAGMA wal_autocheckpoint = 10") }
    }
    pool = try DatabasePool(path: folder.database, configuration: configuration)
    observers = try StormObservers(pool)
  }

  var problems: [String] { allProblems.withLock { $0 } }

  private func problem(_ words: String) { allProblems.withLock { $0.append(words) } }

  func runStorm(closesEarly: Bool) async {
    let workers = Workers(run: run)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [self] in await workers.threads(3, "thread") { [self] in work(as: $0) } }
      group.addTask { [self] in await workers.tasks(5, "task") { [self] in await workInTasks(as: 10 + $0) } }
      group.addTask { [self] in await workers.threads(1, "disk") { [self] _ in failNowAndThen() } }
      if closesEarly {
        group.addTask { [self] in await workers.threads(1, "close") { [self] _ in closeInTheMiddle() } }
      }
    }
  }

  // MARK: Users of the pool

  private static let rounds = 25

  func work(as worker: Int) {
    var numbers = RandomNumbers(seed: run.seed, stream: worker)
    for _ in 0..<Self.rounds {
      let limit: Duration = numbers.once(in: 4) ? .microseconds(numbers.below(5000)) : .seconds(60)
      Database.withAccessTimeLimit(limit) {
        switch numbers.below(8) {
        case 0...2: write { number in try pool.write { try World.insert(number, $0) } }
        case 3: write { number in try pool.barrierWriteWithoutTransaction { try Self.insert(number, $0) } }
        case 4: attempt { try pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) } }
        case 5: pool.invalidateReadOnlyConnections()
        default: read { try pool.read($0) }
        }
      }
    }
  }

  func workInTasks(as worker: Int) async {
    var numbers = RandomNumbers(seed: run.seed, stream: worker)
    for _ in 0..<Self.rounds {
      let limit: Duration = numbers.once(in: 4) ? .microseconds(numbers.below(5000)) : .seconds(60)
      let kind = numbers.below(6)
      let task = Task { [self] in
        await Database.withAccessTimeLimit(limit) {
          switch kind {
          case 0, 1: await write { number in try await self.pool.write { try World.insert(number, $0) } }
          case 2:
            await write { number in
              try await self.pool.barrierWriteWithoutTransaction { try Self.insert(number, $0) }
            }
          case 3: await read { try await self.pool.readInline($0) }
          default: await read { try await self.pool.read($0) }
          }
        }
      }
      if numbers.once(in: 3) {
        for _ in 0..<numbers.below(20) { await Task.yield() }
        task.cancel()
      }
      await task.value
    }
  }

  private static func insert(_ number: Int, _ db: Database) throws {
    try db.inTransaction {
      try World.insert(number, db)
      return .commit
    }
  }

  // MARK: Results and errors

  private func begin() -> Int { ledger.withLock { $0.nextNumber() } }

  private func end(_ number: Int, _ error: (any Error)?) {
    let isUnknown = (error as? DatabaseError)?.commitOutcome == .unknown
    ledger.withLock { $0.note(number, error == nil ? .acknowledged : isUnknown ? .unknown : .refused) }
    if let error { checkError(error) } else { run.count("transactions") }
  }

  private func write(_ body: (Int) throws -> Void) {
    let number = begin()
    do {
      try body(number)
      end(number, nil)
    } catch {
      end(number, error)
    }
  }

  private func write(_ body: (Int) async throws -> Void) async {
    let number = begin()
    do {
      try await body(number)
      end(number, nil)
    } catch {
      end(number, error)
    }
  }

  private func attempt(_ body: () throws -> Void) {
    do { try body() } catch { checkError(error) }
  }

  private typealias Read = @Sendable (Database) throws -> (one: [Int], two: [Int])

  private static let numbers: Read = { db in
    try (
      Int.fetchAll(db, sql: "SELECT n FROM one ORDER BY n"), Int.fetchAll(db, sql: "SELECT n FROM two ORDER BY n")
    )
  }

  private func read(_ body: (Read) throws -> (one: [Int], two: [Int])) {
    let before = ledger.withLock { $0 }
    attempt { see(try body(Self.numbers), before) }
  }

  private func read(_ body: (@escaping Read) async throws -> (one: [Int], two: [Int])) async {
    let before = ledger.withLock { $0 }
    do { see(try await body(Self.numbers), before) } catch { checkError(error) }
  }

  /// A read sees complete writes, and all that were acknowledged before it.
  private func see(_ rows: (one: [Int], two: [Int]), _ before: Ledger) {
    run.count("reads")
    if rows.one != rows.two { problem("half a write: \(rows)") }
    let lost = before.words.filter { $0.value == .acknowledged }.map(\.key).filter { !rows.one.contains($0) }
    if !lost.isEmpty { problem("a read does not see \(lost)") }
  }

  /// Each error states its cause.
  private func checkError(_ error: any Error) {
    switch error {
    case is CancellationError: run.count("cancelled")
    case let error as DatabaseError where error.message == "Connection is closed": run.count("closed")
    case DatabaseError.SQLITE_MISUSE: problem("misuse: \(error)")
    case is DatabaseError: run.count("refused")
    default: problem("an error of another kind: \(error)")
    }
  }

  // MARK: Disturbances

  func failNowAndThen() {
    var numbers = RandomNumbers(seed: run.seed, stream: 100)
    for _ in 0..<6 {
      usleep(UInt32(numbers.below(4000)))
      let fault = FaultVFS.Fault.all[numbers.below(FaultVFS.Fault.all.count)]
      vfs.arm(fault, at: 1 + numbers.below(40), forGood: numbers.once(in: 2))
      usleep(UInt32(numbers.below(4000)))
      run.count("faults", vfs.injectedCount)
      vfs.disarm()
    }
  }

  func closeInTheMiddle() {
    var numbers = RandomNumbers(seed: run.seed, stream: 101)
    usleep(UInt32(numbers.below(20_000)))
    attempt { try pool.close() }
  }

  /// The planted fault.
  func loseAWrite() {
    write { number in
      try pool.writeWithoutTransaction { db in
        try db.inTransaction {
          try World.insert(number, db)
          return .rollback
        }
      }
    }
  }

  func checkTheEnd() {
    vfs.disarm()
    do {
      attempt { try observers.waitForQuery(try pool.read(Self.numbers).one) }
      // The live query may be reading.
      try Wait.until("the end of all reads") { pool.readers.load == (0, 0) }
      try pool.close()
      if !folder.openFiles.isEmpty { problem("still open: \(folder.openFiles)") }
      let db = try PlainDatabase(path: folder.database)
      let report = try db.texts("PRAGMA integrity_check(3)")
      if report != ["ok"] { problem("\(report)") }
      let rows = try (db.numbers("SELECT n FROM one ORDER BY n"), db.numbers("SELECT n FROM two ORDER BY n"))
      let ledger = ledger.withLock { $0 }
      if let complaint = ledger.complaint(about: rows.0, rows.1) { problem(complaint) }
      for complaint in try observers.complaints(about: folder.database, ledger) { problem(complaint) }
      run.count("shared", observers.follower.sharedVersionCount)
      run.count("incomplete", observers.follower.incompleteCount)
    } catch {
      problem("at the end: \(error)")
    }
  }
}
