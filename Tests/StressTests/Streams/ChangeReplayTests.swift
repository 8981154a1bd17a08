import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// A copy of a database, to which the transactions of a change stream are applied, remains a copy: schema, rows, row
/// IDs and counters.
@Suite(.serialized) struct ChangeReplayTests {
  @Test(arguments: Scale.seeds(daily: 12, full: 500))
  func `a copy that follows a change stream equals the database`(seed: UInt64) async throws {
    let run = Run("change-replay", seed: seed)
    try await check(run, seed)
    run.finish()
  }

  @Test(arguments: Scale.seeds(daily: 12, full: 500))
  func `a copy that follows the change feed equals the database`(seed: UInt64) async throws {
    let run = Run("feed-replay", seed: seed)
    try await check(run, seed, source: .feed)
    run.finish()
  }

  /// The control: a row that is not applied is found.
  @Test func `a change that is left out is found`() async throws {
    let seed = Scale.seed
    let run = Run("change-replay-control", seed: seed)
    var isPlanted = false
    try await check(run, seed, resynchronizes: false) { elements in
      // The sentinels are written by each transaction.
      guard !isPlanted, let index = elements.firstIndex(where: { if case .row = $0 { true } else { false } }) else {
        return
      }
      elements.remove(at: index)
      isPlanted = true
    }
    run.finishControl(planted: "a change that is left out")
  }

  /// Where the transactions come from.
  private enum Source {
    case stream

    /// It contains the changes of the main database.
    case feed
  }

  /// - Parameter resynchronizes: Whether the database is copied again after changes that are incomplete.
  private func check(
    _ run: Run, _ seed: UInt64, source: Source = .stream, resynchronizes: Bool = true,
    planting plant: (inout [TransactionChanges.Element]) -> Void = { _ in }
  ) async throws {
    var world = CaptureWorld(seed: seed)
    world.isAlone = seed.isMultiple(of: 2)
    if seed.isMultiple(of: 3) { world.habits = RandomNumbers(seed: seed ^ 0x5A5A) }
    var configuration = Configuration()
    if source == .feed { configuration.changeFeed = ChangeFeedConfiguration(keptByteCount: 100_000) }
    let dbQueue = try DatabaseQueue(configuration: configuration)
    let replica = try ChangeReplica(comparing: source == .feed ? ["main"] : ["main", "temp", "Aux"])
    try dbQueue.inDatabase { db in
      try world.makeSchema(db)
      try db.execute(sql: "CREATE TABLE sentinel (number INTEGER PRIMARY KEY)")
    }
    try replica.copy(dbQueue)
    // With FAIL in a trigger or a constraint, rows of any transaction may be unknown.
    let hasFailing = try await dbQueue.read { db in
      try ["main", "temp", "Aux"].contains { name in
        try Bool.fetchOne(db, sql: "SELECT 1 FROM \(name).sqlite_master WHERE sql LIKE '%FAIL%'") == true
      }
    }
    let next = try await transactions(of: dbQueue, from: source)
    for number in 0..<Scale.of(daily: 60, full: 200) {
      try dbQueue.inDatabase { db in
        var shapes = try CaptureShapes(db)
        shapes.tables.removeAll { $0.key.name == "sentinel" || $0.key.name.hasPrefix("tidemark_feed") }
        try world.runTransaction(db, shapes)
        try db.execute(sql: "INSERT INTO sentinel VALUES (?)", arguments: [number])
      }
      run.count("transactions")
      let script = world.script.joined(separator: "; ")
      var isCopyNeeded = false
      while let transaction = try await next() {
        run.count("rows", transaction.rows.count)
        var elements = transaction.elements
        plant(&elements)
        if !isComplete(transaction) {
          run.count("incomplete")
          isCopyNeeded = resynchronizes
          if world.isAlone, !hasFailing, !world.mayBeCoarse, try !isDueToGeneratedColumns(transaction, dbQueue) {
            run.count("needless")
            // A single case may be a coincidence, as in `CaptureOracleTests`.
            if run.counted("needless") > 1 {
              run.problem("transaction \(number) is \(transaction.completeness); \(script)")
            }
          }
        }
        if !isCopyNeeded {
          do {
            try replica.apply(elements)
          } catch {
            if resynchronizes { run.problem("transaction \(number): \(error); \(script)") }
            isCopyNeeded = resynchronizes
          }
        }
        // The last commit inserts the sentinel, and nothing else.
        if case .row(let row)? = transaction.elements.last, row.table.name == "sentinel" { break }
      }
      if isCopyNeeded {
        try replica.copy(dbQueue)
        continue
      }
      let differences = try replica.differences(from: dbQueue)
      if differences.isEmpty { continue }
      run.problem("transaction \(number): \(differences.prefix(5).joined(separator: "\n")); \(script)")
      if run.allProblems.count > 3 || !resynchronizes { return }
      try replica.copy(dbQueue)
    }
  }

  /// Returns a function that returns the next transaction.
  private func transactions(
    of dbQueue: DatabaseQueue, from source: Source
  ) async throws -> () async throws -> TransactionChanges? {
    switch source {
    case .stream:
      var iterator = try await dbQueue.changes().makeAsyncIterator()
      return { try await iterator.next() }
    case .feed:
      let token = try await dbQueue.read { try $0.changeToken() }
      var iterator = try await dbQueue.changes(after: token).makeAsyncIterator()
      return { try await iterator.next()?.changes }
    }
  }

  /// Whether the unknown rows belong to tables with generated columns: SQLite's hook confuses their columns.
  private func isDueToGeneratedColumns(_ transaction: TransactionChanges, _ dbQueue: DatabaseQueue) throws -> Bool {
    let names = try dbQueue.read { db in
      try ["main", "temp", "Aux"].flatMap { name in
        try String.fetchAll(db, sql: "SELECT name FROM \(name).sqlite_master WHERE sql LIKE '% AS (%'")
      }
    }
    return transaction.completeness == .incomplete(.notReported)
      && transaction.elements.allSatisfy { element in
        if case .unknownRows(_, let name) = element {
          names.contains(name) || ["docs", "box"].contains(name)
        } else {
          true
        }
      }
  }

  /// Whether the rows of all tables are known. The shadow tables contain the rows of virtual tables.
  private func isComplete(_ transaction: TransactionChanges) -> Bool {
    if transaction.isComplete { return true }
    guard transaction.completeness == .incomplete(.notReported) else { return false }
    return transaction.elements.allSatisfy { element in
      if case .unknownRows(_, let name) = element { return ["docs", "box"].contains(name) }
      return true
    }
  }
}
