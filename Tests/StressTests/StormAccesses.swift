import StressSupport
import Synchronization
import Tidemark

/// The accesses of the tasks in a cancellation storm.
///
/// A write inserts a number into two tables, by two statements: a half of a write would be seen.
struct StormAccesses: Sendable {
  let pool: DatabasePool
  let run: Run
  let moments: CancellationMoments
  private let ledger = Ledger()

  init(_ pool: DatabasePool, _ run: Run, _ moments: CancellationMoments) throws {
    self.pool = pool
    self.run = run
    self.moments = moments
    try pool.write { db in
      try db.execute(sql: "CREATE TABLE one (n INTEGER PRIMARY KEY); CREATE TABLE two (n INTEGER PRIMARY KEY)")
    }
  }

  // MARK: Tasks that are cancelled

  func cancelTasks(as worker: Int, _ rounds: Int) async throws {
    var numbers = RandomNumbers(seed: run.seed, stream: worker)
    for _ in 0..<rounds {
      let kind = numbers.below(8)
      let patience = numbers.below(5)
      let delay = numbers.below(2000)
      let number = moments.number()
      let stops = patience == 3 ? number : 0
      let task = Task { try await access(kind, number, stops) }
      moments.register(number) { task.cancel() }
      switch patience {
      case 0: task.cancel()
      case 1:
        for _ in 0..<(delay % 20) { await Task.yield() }
        task.cancel()
      case 2:
        // Some microseconds, without a clock.
        var sum = 0
        for i in 0..<(delay * 20) { sum &+= i ^ sum }
        if sum != 1 { task.cancel() }
      default: break
      }
      do {
        let isWrite = try await task.value
        if isWrite { ledger.acknowledge(number) }
        run.count(isWrite ? "transactions" : "reads")
      } catch is CancellationError {
        if patience == 4 { run.problem("access \(kind) threw CancellationError without being cancelled") }
        run.count("cancelled")
      }
      moments.forget(number)
    }
  }

  /// - Returns: Whether it has written.
  private func access(_ kind: Int, _ number: Int, _ stops: Int) async throws -> Bool {
    switch kind {
    case 0: try await pool.write { try Self.write($0, number, stops) }
    case 1:
      try await pool.writeWithoutTransaction { db in
        try db.inTransaction {
          try Self.write(db, number, stops)
          return .commit
        }
      }
    case 2:
      try await pool.barrierWriteWithoutTransaction { db in
        try db.inTransaction {
          try Self.write(db, number, stops)
          return .commit
        }
      }
    case 3:
      try await pool.read { check($0, stops) }
      return false
    case 4:
      try await pool.readInline { check($0, stops) }
      return false
    case 5:
      // Long enough to be cancelled in the middle.
      _ = try await pool.unsafeRead { db in
        try Int.fetchOne(db, sql: Self.longQuery, arguments: [stops])
      }
      return false
    case 6:
      let snapshot = try pool.makeSnapshot()
      try await snapshot.read { check($0, stops) }
      return false
    default:
      try await pool.write { db in
        try db.inSavepoint {
          try Self.write(db, number, stops)
          return .commit
        }
      }
    }
    return true
  }

  private static let longQuery = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
    SELECT SUM(CASE i WHEN 1500 THEN moment(?) ELSE i END) FROM n
    """

  private static func write(_ db: Database, _ number: Int, _ stops: Int) throws {
    try db.execute(sql: "INSERT INTO one VALUES (?)", arguments: [number])
    _ = try Int.fetchOne(db, sql: "SELECT moment(?)", arguments: [stops])
    try db.execute(sql: "INSERT INTO two VALUES (?)", arguments: [number])
  }

  /// Both tables have the same rows. A read that is cancelled knows nothing.
  private func check(_ db: Database, _ stops: Int = 0) {
    do {
      let one = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM one") ?? -1
      _ = try Int.fetchOne(db, sql: "SELECT moment(?)", arguments: [stops])
      let two = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM two") ?? -1
      if one != two { run.problem("a read sees \(one) rows and \(two)") }
    } catch is CancellationError {
    } catch {
      run.problem("a read: \(error)")
    }
  }

  // MARK: Threads, which are not cancelled

  func writeAndRead(as worker: Int, _ rounds: Int) throws {
    for _ in 0..<rounds {
      let number = moments.number()
      try pool.write { try Self.write($0, number, 0) }
      ledger.acknowledge(number)
      run.count("transactions")
      try pool.read { check($0) }
      run.count("reads")
    }
  }

  // MARK: The end

  /// Does wrong what a pool could do wrong.
  func plant(_ fault: CancellationStorm.Fault?) throws {
    let number = moments.number()
    switch fault {
    case .halfWrite:
      try pool.write { try $0.execute(sql: "INSERT INTO one VALUES (?)", arguments: [number]) }
      ledger.acknowledge(number)
    case .lostWrite: ledger.acknowledge(number)
    case .openFile, nil: break
    }
  }

  /// Only acknowledged writes are there, and connections have the settings with which they were opened.
  func checkThatAllIsClean() async throws {
    let rows = try await pool.read { try Set(Int.fetchAll($0, sql: "SELECT n FROM one")) }
    let acknowledged = ledger.all
    if rows != acknowledged {
      run.problem(
        "\(acknowledged.subtracting(rows).count) writes lost, \(rows.subtracting(acknowledged).count) not acknowledged"
      )
    }
    try await pool.read { check($0) }
    try await pool.writeWithoutTransaction { db in
      let isQueryOnly = try Bool.fetchOne(db, sql: "PRAGMA query_only")
      if db.isInsideTransaction || isQueryOnly == true { run.problem("the writer is not clean") }
      try db.execute(sql: "INSERT INTO one VALUES (-1); DELETE FROM one WHERE n = -1")
      // A reader would have an old snapshot.
      try db.checkpoint(.truncate)
    }
    let states = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<12 { group.addTask { try await pool.unsafeRead { $0.isInsideTransaction } } }
      return try await group.reduce(into: Set<Bool>()) { $0.insert($1) }
    }
    if states != [false] { run.problem("a reader is inside a transaction") }
  }
}

/// The writes that were acknowledged.
private final class Ledger: Sendable {
  private let numbers = Mutex<Set<Int>>([])

  var all: Set<Int> { numbers.withLock { $0 } }

  func acknowledge(_ number: Int) { _ = numbers.withLock { $0.insert(number) } }
}
