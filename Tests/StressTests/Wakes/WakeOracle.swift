import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

// The oracle: each query is executed after each transaction, whether the transaction has woken it or not.

/// Checks that each transaction wakes the queries whose results it changes.
///
/// - Parameters:
///   - tables: The only tables that regions contain: a planted fault. Nil means all tables.
///   - plant: Removes woken queries: a planted fault.
func checkWakes(
  _ run: Run, _ world: WakeWorld, readsOnly tables: Set<String>? = nil,
  planting plant: (inout Set<Int>) -> Void = { _ in }
) throws {
  var world = world
  let dbQueue = try world.makeDatabase()
  let watched = WatchedQueries(dbQueue, rowCountMin: world.rowCountMin(), readsOnly: tables)
  for _ in 0..<25 { try watched.add(world.query()) }
  for number in 0..<Scale.of(daily: 40, full: 80) {
    world.script = []
    dbQueue.inDatabase { db in
      world.runTransaction(db)
    }
    var woken = watched.takeWoken()
    plant(&woken)
    let missed = try watched.refetch(woken)
    for query in missed {
      run.problem(
        "transaction \(number) changes, and does not wake, \(query): \(world.script.joined(separator: "; "))")
    }
    run.count("transactions")
    run.count("woken", woken.count)
    if run.allProblems.count > 3 { break }
  }
  run.count("changed", watched.changedCount)
  run.count("checked", watched.checkedCount)
  run.count("failed", watched.failedCount)
  run.count("empty", watched.emptyCount)
}

/// Queries whose regions are in an index, like the regions of live queries. The index is searched at each commit.
private final class WatchedQueries: @unchecked Sendable {
  // Used on the thread of the test only.
  private struct Query {
    var query: WakeQuery
    var result: String
    var registration: RegionIndex<Int>.Registration
  }

  private let dbQueue: DatabaseQueue
  private var queries: [Query] = []
  private let index: RegionIndex<Int>
  private var woken: Set<Int> = []
  private var subscription: ChangeSubscription?
  private var version = 0
  private(set) var changedCount = 0
  private(set) var checkedCount = 0

  /// The number of executions that failed, because tables were missing.
  private(set) var failedCount = 0

  /// The number of executions that returned no rows.
  private(set) var emptyCount = 0

  /// A planted fault: the only tables that regions contain.
  private let tables: Set<String>?

  init(_ dbQueue: DatabaseQueue, rowCountMin: Int, readsOnly tables: Set<String>?) {
    self.dbQueue = dbQueue
    index = RegionIndex(rowCountMin: rowCountMin)
    self.tables = tables
    let subscription = dbQueue.changeBroker.subscribe(index.needs) { [weak self] in self?.didCommit($0) }
    version = subscription.version
    self.subscription = subscription
  }

  func add(_ query: WakeQuery) throws {
    let (result, region) = try look(query)
    queries.append(Query(query: query, result: result, registration: index.insert(region, queries.count)))
    updateNeeds()
  }

  private func updateNeeds() { version = subscription?.setNeeds(index.needs) ?? version }

  private func didCommit(_ changes: CommittedChanges) {
    if changes.isUnknown || !changes.schemaChanges.isEmpty || changes.needsVersion < version {
      woken.formUnion(queries.indices)
    }
    for table in changes.tables { index.match(table) { woken.insert($0) } }
  }

  func takeWoken() -> Set<Int> {
    defer { woken = [] }
    return woken
  }

  /// Executes all queries, and updates the regions of the woken ones.
  ///
  /// - Returns: The queries whose results have changed, and which were not woken.
  func refetch(_ woken: Set<Int>) throws -> [String] {
    var missed: [String] = []
    for number in queries.indices {
      let (result, region) = try look(queries[number].query)
      checkedCount += 1
      let isChanged = result != queries[number].result
      if isChanged { changedCount += 1 }
      if isChanged, !woken.contains(number) {
        missed.append("\(queries[number].query.name) (\(queries[number].result.prefix(80)) -> \(result.prefix(80)))")
      }
      queries[number].result = result
      // A query that was not woken keeps the region of its last fetch.
      guard woken.contains(number) else { continue }
      index.remove(queries[number].registration, number)
      queries[number].registration = index.insert(region, number)
    }
    updateNeeds()
    return missed
  }

  /// Returns the result of a query, and the region that a live query would observe.
  private func look(_ query: WakeQuery) throws -> (result: String, region: DatabaseRegion) {
    try dbQueue.inDatabase { db in
      do {
        let (words, selection) = try db.recordingReads(usesBounds: true) { try query.fetch(db) }
        var region = selection.region
        if words.isEmpty { emptyCount += 1 }
        if let tables { region = DatabaseRegion(tables: region.tables?.filter { tables.contains($0.key.name) }) }
        return (words, try region.observable(db))
      } catch let error as DatabaseError {
        // A table of the query is missing: any change may bring it back.
        failedCount += 1
        return ("error: \(error.message ?? "")", .fullDatabase)
      }
    }
  }
}

extension WakeWorld {
  /// Creates an in-memory database with the schema, which captures only few rows of each transaction.
  fileprivate mutating func makeDatabase() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.environment.changeLogBound.recordCount = rowBound()
    let dbQueue = try DatabaseQueue(configuration: configuration)
    try dbQueue.inDatabase { db in
      try db.execute(sql: "ATTACH ':memory:' AS aux")
      try makeSchema(db)
    }
    return dbQueue
  }
}
