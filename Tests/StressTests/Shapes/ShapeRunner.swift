import Foundation
import StressSupport
import Tidemark

/// A query that did not deliver its current result, or changes that do not lead to the current content.
struct ShapeMismatch {
  /// The query; nil if a copy that follows the changes is different.
  var query: ShapeQuery?

  /// The number of the transaction; nil before the first one.
  var transaction: Int?
  var message: String
}

/// Executes a script, and compares the last value of each observed query with its current result after each
/// transaction.
struct ShapeRunner {
  let kind: ShapeDatabase.Kind
  var fault: ShapeFault?

  /// The number of other fetches after which a value is missing, and not late.
  var fetchCount = 400

  /// The number of queries that are observed at the same time.
  var observedCount = 24

  /// Runs until the first mismatch.
  func run(_ script: ShapeScript, _ distribution: inout ShapeDistribution) throws -> ShapeMismatch? {
    let folder = try TestFolder()
    let database = try ShapeDatabase(kind, in: folder, for: script)
    database.execute(script.setup)
    if script.isFollowed { try ShapeFollower.prepare(database.database) }
    var observed = try observe(script.queries, in: database)
    let followers = try followers(script, database)
    var mismatch = try firstMismatch(observed, database)
    for number in script.transactions.indices where mismatch == nil {
      mismatch =
        try execute(number, of: script, &observed, database, &distribution)
        ?? follow(number, of: script, followers, database, &distribution)
    }
    for query in observed { query.cancel() }
    try database.close()
    return mismatch
  }

  /// Checks the values that are delivered before the first transaction.
  private func firstMismatch(_ observed: [ObservedShape], _ database: ShapeDatabase) throws -> ShapeMismatch? {
    for query in observed where try !isDelivered(query.result, by: query, isExternal: false, database) {
      return ShapeMismatch(query: query.query, transaction: nil, message: message(query, query.result))
    }
    return nil
  }

  /// Executes a transaction, and checks the values that are delivered after it.
  private func execute(
    _ number: Int, of script: ShapeScript, _ observed: inout [ObservedShape], _ database: ShapeDatabase,
    _ distribution: inout ShapeDistribution
  ) throws -> ShapeMismatch? {
    let transaction = script.transactions[number]
    try database.execute(transaction)
    distribution.transactionCount += 1
    if transaction.shapes.contains(.schemaChange) {
      for query in observed where query.query.observation.hasFixedRegion { query.cancel() }
      observed.removeAll { $0.query.observation.hasFixedRegion }
    }
    let shapes = script.shapes.union(transaction.shapes)
    let results = try database.database.read { db in observed.map { $0.query.text(db) } }
    var rest: [ObservedShape] = []
    for (query, result) in zip(observed, results) {
      let incremental: Set<Shape> = query.isIncremental ? [.incrementalResult] : []
      distribution.add(query.query.shapes.union(shapes).union(incremental), isChanged: result != query.result)
      let isDelivered = try isDelivered(result, by: query, isExternal: transaction.isExternal, database)
      if let error = query.endingError {
        let isExpected = isDelivered || !transaction.isAtomic || transaction.shapes.contains(.schemaChange)
        if !isExpected { return ShapeMismatch(query: query.query, transaction: number, message: "ended by \(error)") }
        query.cancel()
        continue
      }
      if !isDelivered {
        let other = database.database.unsafeReentrantWrite { query.query.text($0) }
        if other == result {
          return ShapeMismatch(query: query.query, transaction: number, message: message(query, result))
        }
        // Without a complete order, the plans of the connections may give different results.
        query.cancel()
        distribution.ambiguousCount += 1
        continue
      }
      if misses(transaction, query, result) {
        let message = message(query, result) + "\nThe region observation has not reported the transaction."
        return ShapeMismatch(query: query.query, transaction: number, message: message)
      }
      if let problem = try orderProblem(of: query, after: transaction, database) {
        return ShapeMismatch(query: query.query, transaction: number, message: problem)
      }
      query.result = result
      query.seenNotificationCount = query.currentNotificationCount
      rest.append(query)
    }
    observed = try rest.enumerated().map { try isRestarted($0, after: number) ? restarted($1, in: database) : $1 }
    return nil
  }

  /// Whether the observation of a query ends after a transaction, and begins again: the database may use its former
  /// analysis of the query again.
  private func isRestarted(_ index: Int, after number: Int) -> Bool { (index + number).isMultiple(of: 7) }

  private func restarted(_ query: ObservedShape, in database: ShapeDatabase) throws -> ObservedShape {
    query.cancel()
    return try ObservedShape(query.query, in: database.database, fault: fault)
  }

  private func followers(_ script: ShapeScript, _ database: ShapeDatabase) throws -> [ShapeFollower] {
    let sources: [ShapeFollower.Source] =
      !script.isFollowed || fault == .ignoredTable ? [] : script.feedWriters == .none ? [.stream] : [.stream, .feed]
    return try sources.map { try ShapeFollower($0, of: database.database, fault: fault) }
  }

  /// Lets copies follow a transaction, and compares them with the database.
  private func follow(
    _ number: Int, of script: ShapeScript, _ followers: [ShapeFollower], _ database: ShapeDatabase,
    _ distribution: inout ShapeDistribution
  ) throws -> ShapeMismatch? {
    let transaction = script.transactions[number]
    for follower in followers {
      let outcome = try follower.follow(
        database, fetchCount: 10 * fetchCount, isExternal: transaction.isExternal)
      if let problem = outcome.problem { return ShapeMismatch(transaction: number, message: problem) }
      var shapes: Set<Shape> = [follower.source == .stream ? .changeStream : .changeFeed]
      if transaction.isExternal, outcome.changeCount != nil { shapes.insert(.rowsOfExternalCommit) }
      distribution.add(shapes, isChanged: (outcome.changeCount ?? 0) > 0)
    }
    return nil
  }

  private func message(_ query: ObservedShape, _ result: String) -> String {
    "current:\n\(result)\ndelivered:\n\(query.last ?? "nothing")"
  }

  /// Observes valid queries. The results of most are not empty: they change more often.
  private func observe(_ queries: [ShapeQuery], in database: ShapeDatabase) throws -> [ObservedShape] {
    var observed: [ObservedShape] = []
    var emptyCount = 0
    for query in queries where observed.count < observedCount {
      guard let count = try database.rowCount(of: query) else { continue }
      if count == 0 { emptyCount += 1 }
      if count == 0, emptyCount > observedCount / 4 { continue }
      observed.append(try ObservedShape(query, in: database.database, fault: fault))
    }
    return observed
  }

  /// Returns a description of a list whose rows do not have the order in which all connections fetch them.
  ///
  /// After a change of the schema, SQLite may choose another order, although no row has changed.
  private func orderProblem(
    of query: ObservedShape, after transaction: ShapeTransaction, _ database: ShapeDatabase
  ) throws -> String? {
    guard query.isIncremental, let rows = query.rows, transaction.mayKeepPlans else { return nil }
    func fetch(_ db: Database) throws -> [String] { try query.query.fetchRecords(db).map(\.text) }
    let (first, second) = (try database.database.read(fetch), try database.database.unsafeReentrantWrite(fetch))
    if try first != second || waits(isExternal: transaction.isExternal, database, until: { query.rows == first }) {
      return nil
    }
    return "order:\n\(first.joined(separator: "\n"))\nlist:\n\(rows.joined(separator: "\n"))"
  }

  /// Waits until a value is delivered.
  private func isDelivered(
    _ text: String, by query: ObservedShape, isExternal: Bool, _ database: ShapeDatabase
  ) throws -> Bool {
    try waits(isExternal: isExternal, database) { query.last == text || query.endingError != nil } && query.last == text
  }

  /// Waits until a condition is satisfied, and returns whether it is.
  ///
  /// A busy machine may deliver a value late. Therefore, it is missing only after the database has fetched other
  /// queries repeatedly in the meantime.
  private func waits(isExternal: Bool, _ database: ShapeDatabase, until condition: () -> Bool) throws -> Bool {
    // A commit of another connection must be detected first.
    try database.waits(fetchCount: isExternal ? 10 * fetchCount : fetchCount, until: condition)
  }

  /// Returns whether a region observation has not reported a local transaction that changes the result.
  private func misses(_ transaction: ShapeTransaction, _ query: ObservedShape, _ result: String) -> Bool {
    // SQLite may change a counter without a row: see `INSERT OR IGNORE`.
    fault == nil && !transaction.isExternal && !query.isWithoutNotifications
      && !query.query.shapes.contains(.internalTable) && result != query.result
      && !result.hasPrefix("error:") && !query.result.hasPrefix("error:")
      && query.currentNotificationCount == query.seenNotificationCount
  }
}
