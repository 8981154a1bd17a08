import Foundation
import StressSupport
import Synchronization
import TestSupport
import Tidemark
import TidemarkCluster

/// The node with its sessions.
final class Node: Sendable {
  let plan: Plan
  let database: ClusterDatabase
  let log: TransactionLog

  /// The number of transactions that were committed.
  let committed = Atomic(0)

  /// The last value of a live query: a digest of the contents.
  private let observedDigest = Atomic(Int64(0))

  private let sessionCount = Atomic(0)
  private let isEnding = Atomic(false)

  private static let writerCount = 3

  init(_ plan: Plan) async throws {
    self.plan = plan
    log = try TransactionLog(path: plan.transactions)
    database = try await ClusterDatabase.open(plan.path, log: plan.log, plan.configuration)
  }

  /// Executes transactions and orders, until the end of the orders.
  func run() async throws {
    let sessions = Task {
      await self.migrate()
      Task { await self.observeDigest() }
      let observer = Task { await self.observe() }
      await self.runSessions()
      // It waits for changes.
      observer.cancel()
      await observer.value
    }
    let orders = AsyncStream<Int64> { continuation in
      Thread.detachNewThread {
        while let order = readNumber() { continuation.yield(order) }
        continuation.finish()
      }
    }
    for await order in orders { try await obey(order, sessions) }
  }

  // MARK: - Orders

  private func obey(_ order: Int64, _ sessions: Task<Void, Never>) async throws {
    switch order {
    case 0:
      // The number of committed transactions.
      writeNumber(Int64(committed.load(ordering: .relaxed)))
    case 1:
      // The end of the sessions.
      isEnding.store(true, ordering: .relaxed)
      await sessions.value
      writeNumber(0)
    default:
      // The position and a digest of the contents, after a live query has returned the same digest.
      try await database.catchUp(timeLimit: .seconds(60))
      let (digest, position) = try await database.read { db in
        (try HistoryTables.digest(db), try ClusterDatabase.position(db))
      }
      try await Wait.until("the value of the live query of \(plan.node)") {
        self.observedDigest.load(ordering: .relaxed) == digest
      }
      writeNumber(Int64(position.number))
      writeNumber(digest)
    }
  }

  // MARK: - Transactions

  private func migrate() async {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("history") { try HistoryTables.create($0) }
    while true {
      do {
        return try await database.migrate(migrator, timeLimit: .seconds(5))
      } catch ClusterError.unavailable, ClusterError.outcomeUnknown, ClusterError.committedElsewhere {
        continue
      } catch {
        fail("a migration has failed", error)
      }
    }
  }

  private func runSessions() async {
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<Self.writerCount {
        group.addTask {
          var numbers = RandomNumbers(seed: self.plan.seed, stream: self.plan.firstSession * 10 + writer)
          while !self.isEnding.load(ordering: .relaxed) {
            var session = NodeSession(node: self, number: self.nextSession())
            while !self.isEnding.load(ordering: .relaxed), await session.runTransaction(&numbers) {}
          }
        }
      }
    }
  }

  /// The number of a new session.
  private func nextSession() -> Int {
    let count = sessionCount.add(1, ordering: .relaxed).oldValue
    precondition(count < Plan.sessionLimit, "A process has too many sessions")
    return plan.firstSession + count
  }

  /// The values of a live query are reads whose age is unknown, and never go back.
  private func observe() async {
    var session = RandomSession(nextSession(), seed: plan.seed)
    while !Task.isCancelled {
      let reads = (0..<3).flatMap { _ in session.randomReads() }
      var count = 0
      do {
        let observation = ValueObservation.tracking { try HistoryTables.perform(reads, $0) }
        for try await operations in observation.values(in: database) {
          log.ends(
            .init(
              session: session.number, begin: TransactionHistory.noMoment, end: moment(), operations: operations))
          session.moveOn(operations)
          count += 1
          if count == 10 { break }
        }
      } catch is CancellationError {
        return
      } catch {
        fail("an observation has failed", error)
      }
    }
  }

  private func observeDigest() async {
    do {
      for try await digest in ValueObservation.tracking({ try HistoryTables.digest($0) }).values(in: database) {
        observedDigest.store(digest, ordering: .relaxed)
      }
    } catch {
      fail("the observation of the contents has failed", error)
    }
  }

  /// Ends the process.
  func fail(_ words: String, _ error: any Error) -> Never {
    complain("node \(plan.node): \(words): \(error)")
    exit(4)
  }
}
