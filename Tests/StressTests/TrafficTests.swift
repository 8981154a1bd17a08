import Foundation
import StressSupport
import Synchronization
import Testing
import Tidemark

/// Operations on a pool under load. All other accesses see its invariants, or get an error that explains the reason.
@Suite(.serialized) struct TrafficTests {
  @Test(arguments: Scale.seeds(daily: 2, full: 4))
  func randomPoolOperationsKeepTheDataConsistent(seed: UInt64) async throws {
    let run = Run("traffic", seed: seed)
    try await perform(run, rounds: Scale.of(daily: 150, full: 600))
    run.finish()
  }

  @Test(arguments: Traffic.Fault.allCases)
  func plantedTrafficFaultsAreFound(fault: Traffic.Fault) async throws {
    let run = Run("traffic-control", seed: Scale.seed)
    try await perform(run, rounds: 20, fault)
    run.finishControl(planted: "\(fault)")
  }

  private func perform(_ run: Run, rounds: Int, _ fault: Traffic.Fault? = nil) async throws {
    let folder = try TestFolder(onDisk: true)
    let traffic = try Traffic(folder, run)
    let workers = Workers(run: run)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await workers.threads(2, "writing thread") { try traffic.write(as: $0, rounds) } }
      group.addTask { await workers.tasks(4, "writing task") { try await traffic.writeAsync(as: 10 + $0, rounds) } }
      group.addTask { await workers.threads(2, "reading thread") { try traffic.read(as: 20 + $0, rounds) } }
      group.addTask { await workers.tasks(4, "reading task") { try await traffic.readAsync(as: 30 + $0, rounds) } }
      group.addTask { await workers.threads(2, "disturber") { try traffic.disturb(as: 40 + $0, rounds / 2) } }
    }
    if let fault { try traffic.plant(fault) }
    try traffic.finish()
    withExtendedLifetime(traffic) {
      if !folder.openFiles.isEmpty { run.problem("open after close: \(folder.openFiles)") }
    }
    if folder.integrity() != "ok" { run.problem(folder.integrity()) }
  }
}

/// A pool that is closed and opened, and what uses it meanwhile.
final class Traffic: Sendable {
  /// What may be wrong with a pool, for the controls.
  enum Fault: CaseIterable, CustomTestStringConvertible {
    case halfWrite, lostWrite, unrecordedWrite, openFile

    var testDescription: String { "\(self)" }
  }

  private let folder: TestFolder
  private let run: Run
  private let current: Mutex<DatabasePool>
  private let acknowledged = Mutex<Set<Int>>([])
  private let last = Atomic<Int>(0)
  private let forgotten = Mutex<FileHandle?>(nil)

  init(_ folder: TestFolder, _ run: Run) throws {
    self.folder = folder
    self.run = run
    let pool = try folder.pool()
    try pool.write { db in
      try db.execute(sql: "CREATE TABLE one (n INTEGER PRIMARY KEY); CREATE TABLE two (n INTEGER PRIMARY KEY)")
    }
    current = Mutex(pool)
  }

  private var pool: DatabasePool { current.withLock { $0 } }

  /// The errors of accesses when the pool is closed or interrupted.
  private func isExpected(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return error.resultCode == .SQLITE_INTERRUPT || error.message == "Connection is closed"
  }

  // MARK: Writing

  private static func write(_ db: Database, _ number: Int) throws {
    try db.execute(sql: "INSERT INTO one VALUES (?)", arguments: [number])
    try db.execute(sql: "INSERT INTO two VALUES (?)", arguments: [number])
  }

  private func acknowledge(_ number: Int) {
    _ = acknowledged.withLock { $0.insert(number) }
    run.count("transactions")
  }

  func write(as worker: Int, _ rounds: Int) throws {
    for _ in 0..<rounds {
      let number = last.add(1, ordering: .relaxed).newValue
      do {
        try pool.write { try Self.write($0, number) }
        acknowledge(number)
      } catch let error where isExpected(error) {
        run.count("refused")
      }
    }
  }

  func writeAsync(as worker: Int, _ rounds: Int) async throws {
    for _ in 0..<rounds {
      let number = last.add(1, ordering: .relaxed).newValue
      do {
        try await pool.write { try Self.write($0, number) }
        acknowledge(number)
      } catch let error where isExpected(error) {
        run.count("refused")
      }
    }
  }

  // MARK: Reading

  private func check(_ db: Database) throws {
    let one = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM one") ?? -1
    let two = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM two") ?? -1
    if one != two { run.problem("a read sees \(one) rows and \(two)") }
    run.count("reads")
  }

  func read(as worker: Int, _ rounds: Int) throws {
    for _ in 0..<rounds {
      let before = acknowledged.withLock { $0.count }
      do {
        try pool.read { db in
          try check(db)
          let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM one") ?? -1
          if count < before { run.problem("a read sees \(count) rows of \(before)") }
        }
      } catch let error where isExpected(error) {
        run.count("refused")
      }
    }
  }

  func readAsync(as worker: Int, _ rounds: Int) async throws {
    var numbers = RandomNumbers(seed: run.seed, stream: worker)
    for _ in 0..<rounds {
      do {
        switch numbers.below(4) {
        case 0: try await pool.readInline { try self.check($0) }
        case 1: try await pool.makeSnapshot().read { try self.check($0) }
        default: try await pool.read { try self.check($0) }
        }
      } catch let error where isExpected(error) {
        run.count("refused")
      }
    }
  }

  // MARK: Disturbing

  func disturb(as worker: Int, _ rounds: Int) throws {
    var numbers = RandomNumbers(seed: run.seed, stream: worker)
    let modes: [Database.CheckpointMode] = [.passive, .full, .restart, .truncate]
    for _ in 0..<rounds {
      let pool = pool
      do {
        switch numbers.below(10) {
        case 0...1: pool.invalidateReadOnlyConnections()
        case 2: pool.releaseMemory()
        case 3: pool.releaseMemoryEventually()
        case 4...5: pool.interrupt()
        case 6: try checkpoint(pool, modes[numbers.below(4)])
        case 7: try pool.makeSnapshotPool().read { try check($0) }
        case 8: if numbers.once(in: 4) { try pool.vacuum() }
        default: if numbers.once(in: 3) { try reopen() }
        }
        run.count("disturbances")
      } catch let error where isExpected(error) {
        run.count("refused")
      }
    }
  }

  private func checkpoint(_ pool: DatabasePool, _ mode: Database.CheckpointMode) throws {
    do {
      try pool.writeWithoutTransaction { _ = try $0.checkpoint(mode) }
    } catch DatabaseError.SQLITE_BUSY {
      // Another connection makes one: SQLite does not wait for it.
      run.count("busy")
    }
  }

  private func reopen() throws {
    let fresh = try folder.pool()
    let old = current.withLock { current in
      defer { current = fresh }
      return current
    }
    try old.close()
  }

  // MARK: The end

  func plant(_ fault: Fault) throws {
    let number = last.add(1, ordering: .relaxed).newValue
    switch fault {
    case .halfWrite:
      try pool.write { try $0.execute(sql: "INSERT INTO one VALUES (?)", arguments: [number]) }
      acknowledge(number)
    case .lostWrite: acknowledge(number)
    case .unrecordedWrite: try pool.write { try Self.write($0, number) }
    case .openFile: forgotten.withLock { $0 = FileHandle(forReadingAtPath: folder.database) }
    }
  }

  func finish() throws {
    let rows = try pool.read { try Set(Int.fetchAll($0, sql: "SELECT n FROM one")) }
    let acknowledged = acknowledged.withLock { $0 }
    if rows != acknowledged {
      run.problem(
        "\(acknowledged.subtracting(rows).count) writes lost, \(rows.subtracting(acknowledged).count) not acknowledged"
      )
    }
    try pool.read { try check($0) }
    try pool.close()
  }
}
