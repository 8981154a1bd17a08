import StressSupport
import Tidemark
import TidemarkCluster

/// A session of random transactions on a node, each of which is recorded. It ends with a write of unknown outcome,
/// which may be committed after later transactions of its caller.
struct NodeSession {
  typealias Operation = TransactionHistory.Operation

  let node: Node
  private var session: RandomSession

  /// The first read, which is reported again and again in the mode `stale`.
  private var staleRead: [Operation]?

  /// The position of the last write.
  private var position = LogPosition.start

  init(node: Node, number: Int) {
    self.node = node
    session = RandomSession(number, seed: node.plan.seed)
  }

  private struct Refusal: Error {}

  /// Executes a random transaction.
  ///
  /// - Returns: Whether the session goes on.
  mutating func runTransaction(_ numbers: inout RandomNumbers) async -> Bool {
    let limit = Duration.milliseconds(500 + numbers.below(4_000))
    do {
      switch numbers.below(10) {
      case 0: try await read(isLatest: false) { try await $0.read($1) }
      case 1:
        try await read(isLatest: false) { [position] in
          try await $0.read(after: position, timeLimit: limit, $1)
        }
      case 2: try await read(isLatest: true) { try await $0.readLatest(timeLimit: limit, $1) }
      case 3: try await refuse(limit)
      default: return try await write(limit)
      }
    } catch ClusterError.unavailable {
      // Nothing was read or written.
    } catch {
      node.fail("a transaction has failed", error)
    }
    return true
  }

  // MARK: - Reads

  private mutating func read(
    isLatest: Bool,
    _ access: (ClusterDatabase, @escaping @Sendable (Database) throws -> [Operation]) async throws -> [Operation]
  ) async throws {
    let reads = session.randomReads()
    let begin = moment()
    if let staleRead {
      return node.log.ends(.init(session: session.number, begin: begin, end: moment(), operations: staleRead))
    }
    let operations = try await access(node.database) { try HistoryTables.perform(reads, $0) }
    node.log.ends(
      .init(
        session: session.number, begin: isLatest ? begin : TransactionHistory.noMoment, end: moment(),
        operations: operations))
    session.moveOn(operations)
    if node.plan.mode == .stale { staleRead = operations }
  }

  // MARK: - Writes

  /// A write whose closure throws changes nothing.
  private mutating func refuse(_ limit: Duration) async throws {
    let operations = session.randomOperations()
    let begin = moment()
    do {
      try await node.database.write(timeLimit: limit) { db in
        _ = try HistoryTables.perform(operations, db)
        throw Refusal()
      }
    } catch is Refusal {}
    node.log.ends(
      .init(session: session.number, begin: begin, end: moment(), outcome: .aborted, operations: operations))
  }

  /// - Returns: Whether the session goes on.
  private mutating func write(_ limit: Duration) async throws -> Bool {
    var transaction = TransactionHistory.Transaction(
      session: session.number, begin: moment(), end: 0, operations: session.randomOperations())
    node.log.begins(transaction)
    if node.plan.mode == .early {
      transaction.operations.removeAll { !$0.isWrite }
      end(transaction)
    }
    do {
      let result = try await node.database.writeReturningPosition(timeLimit: limit) { [transaction] db in
        try HistoryTables.perform(transaction.operations, db)
      }
      (transaction.operations, position) = result
      node.committed.add(1, ordering: .relaxed)
    } catch ClusterError.unavailable {
      transaction.outcome = .aborted
    } catch ClusterError.committedElsewhere(let position) {
      self.position = position
      transaction.operations.removeAll { !$0.isWrite }
    } catch ClusterError.outcomeUnknown(let id) {
      await decide(&transaction, id)
      if node.plan.mode != .early { end(transaction) }
      return false
    }
    if node.plan.mode != .early { end(transaction) }
    return true
  }

  private mutating func end(_ transaction: TransactionHistory.Transaction) {
    var transaction = transaction
    if transaction.outcome != .unknown { transaction.end = moment() }
    node.log.ends(transaction)
    if transaction.outcome == .committed { session.moveOn(transaction.operations) }
  }

  /// Asks for the outcome of a write.
  private func decide(_ transaction: inout TransactionHistory.Transaction, _ id: ClusterTransactionID) async {
    // Its reads are not known.
    transaction.operations.removeAll { !$0.isWrite }
    do {
      switch try await node.database.outcome(of: id, timeLimit: .seconds(5)) {
      case .committed: break
      case .notCommitted: transaction.outcome = .aborted
      }
    } catch ClusterError.unavailable, ClusterError.outcomeUnknown, LogError.behindLog {
      // It may be committed at any later time.
      (transaction.outcome, transaction.end) = (.unknown, .max)
    } catch {
      node.fail("the outcome of \(id) could not be decided", error)
    }
  }
}
