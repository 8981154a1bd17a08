import Foundation
import StressSupport
import Tidemark

/// A query that did not deliver its current result.
struct ShapeMismatch {
  var query: ShapeQuery

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
    let database = try ShapeDatabase(kind, in: folder, encoding: script.encoding)
    database.execute(script.setup)
    var observed = try observe(script.queries, in: database)
    var mismatch = try firstMismatch(observed, database)
    for number in script.transactions.indices where mismatch == nil {
      mismatch = try execute(number, of: script, &observed, database, &distribution)
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
    database.execute(transaction.statements, byOther: transaction.isExternal)
    distribution.transactionCount += 1
    if transaction.shapes.contains(.schemaChange) {
      for query in observed where query.query.observation.hasFixedRegion { query.cancel() }
      observed.removeAll { $0.query.observation.hasFixedRegion }
    }
    let shapes = script.shapes.union(transaction.shapes)
    let results = try database.database.read { db in observed.map { $0.query.text(db) } }
    var rest: [ObservedShape] = []
    for (query, result) in zip(observed, results) {
      distribution.add(query.query.shapes.union(shapes), isChanged: result != query.result)
      if try !isDelivered(result, by: query, isExternal: transaction.isExternal, database) {
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
      query.result = result
      query.seenNotificationCount = query.currentNotificationCount
      rest.append(query)
    }
    observed = rest
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

  /// Waits until a value is delivered.
  ///
  /// A busy machine may deliver it late. Therefore, it is missing only after the database has fetched other queries
  /// repeatedly in the meantime.
  private func isDelivered(
    _ text: String, by query: ObservedShape, isExternal: Bool, _ database: ShapeDatabase
  ) throws -> Bool {
    // A commit of another connection must be detected first.
    let fetchCount = isExternal ? 10 * fetchCount : fetchCount
    for round in 0..<20 + fetchCount {
      if query.last == text { return true }
      Thread.sleep(forTimeInterval: round < 5 ? 0.000_2 : 0.002)
      if round >= 20 { try database.waitForFetch() }
    }
    return query.last == text
  }

  /// Returns whether a region observation has not reported a local transaction that changes the result.
  private func misses(_ transaction: ShapeTransaction, _ query: ObservedShape, _ result: String) -> Bool {
    fault == nil && !transaction.isExternal && !query.isWithoutNotifications && result != query.result
      && !result.hasPrefix("error:") && !query.result.hasPrefix("error:")
      && query.currentNotificationCount == query.seenNotificationCount
  }
}
