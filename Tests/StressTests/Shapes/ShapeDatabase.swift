import CSQLite
import Foundation
import StressSupport
import TestSupport
import Tidemark

/// A database with an attached one, and other connections to the same files.
struct ShapeDatabase {
  enum Kind: String, CaseIterable, Sendable {
    case memory, queue, pool

    /// A pool beside another process, which has the other connections.
    case processes

    var isPool: Bool { self == .pool || self == .processes }
  }

  let database: any DatabaseWriter

  /// The connections whose commits the database detects. They have no temporary tables.
  private enum Others {
    case none
    case inProcess(ShapeWriters)
    case process(Child)
  }

  private let others: Others
  private let site: ShapeSite

  init(_ kind: Kind, in folder: TestFolder, for script: ShapeScript) throws {
    site = ShapeSite(path: folder.database, encoding: script.encoding)
    var configuration = site.configuration(attaching: kind == .memory ? ":memory:" : site.attachedPath)
    configuration.groupsWrites = script.groupsWrites
    if script.feedWriters != .none { configuration.changeFeed = ChangeFeedConfiguration() }
    if kind == .memory {
      database = try DatabaseQueue(configuration: configuration)
      others = .none
      return
    }
    configuration.journalMode = .wal
    database =
      kind.isPool
      ? try DatabasePool(path: site.path, configuration: configuration)
      : try DatabaseQueue(path: site.path, configuration: configuration)
    try database.unsafeReentrantWrite { try $0.execute(sql: "PRAGMA aux.journal_mode = WAL") }
    let plan = ShapeWriters.Plan(encoding: script.encoding, writesFeed: script.feedWriters == .all)
    guard kind == .processes else {
      others = .inProcess(try ShapeWriters(plan, path: site.path))
      return
    }
    let child = try Child("shapes", database: site.path, name: plan.text)
    others = .process(child)
    try Self.expect(child)
  }

  /// Waits for an acknowledgement.
  private static func expect(_ child: Child) throws {
    if child.receive() == nil { throw EndedProcess(complaint: child.killReceivingRest().complaint) }
  }

  /// The other process has ended, although it should not.
  private struct EndedProcess: Error {
    var complaint: String
  }

  func execute(_ transaction: ShapeTransaction) throws {
    switch transaction.executor {
    case .observed: database.execute(transaction.statements, at: site)
    case .concurrent: try executeInTasks(transaction.statements)
    case .other, .withoutLibrary:
      let order = ShapeWriters.Order(transaction.statements, usesLibrary: transaction.executor == .other)
      switch others {
      case .none: break
      case .inProcess(let writers): writers.execute(order)
      case .process(let child):
        child.send(try JSONEncoder().encode(order))
        try Self.expect(child)
      }
    }
  }

  func execute(_ statements: [ShapeStatement]) { database.execute(statements, at: site) }

  /// Executes each statement in a task of its own. Every third write is undone by an error.
  private func executeInTasks(_ statements: [ShapeStatement]) throws {
    let isFinished = DispatchSemaphore(value: 0)
    for (number, statement) in statements.enumerated() {
      Task { [database, site] in
        do {
          try await database.write { db in
            statement.execute(db, at: site)
            if number % 3 == 2 { throw CancellationError() }
          }
        } catch {
          // A statement may have ended the transaction, or violate a constraint when it is committed.
        }
        isFinished.signal()
      }
    }
    for _ in statements { try Wait.on(isFinished, "a concurrent write") }
  }

  /// Returns the number of rows of a query; nil if it is invalid or takes many steps.
  func rowCount(of query: ShapeQuery) throws -> Int? {
    try database.read { db in
      do {
        if let request = query.composed {
          // Without rows, no associated rows are fetched: their queries may be invalid.
          _ = try request.databaseRegion(db)
          return try request.fetchAll(db).count
        }
        let statement = try db.makeStatement(sql: query.sql)
        let rows = try Row.fetchAll(statement, arguments: StatementArguments(query.arguments))
        let stepCount = sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, 0)
        return stepCount < 10_000 ? rows.count : nil
      } catch is DatabaseError {
        return nil
      }
    }
  }

  /// Waits until a condition is satisfied, and returns whether it is.
  ///
  /// - Parameter fetchCount: The number of other fetches after which it counts as not satisfied.
  func waits(fetchCount: Int, until condition: () -> Bool) throws -> Bool {
    for round in 0..<20 + fetchCount {
      if condition() { return true }
      Thread.sleep(forTimeInterval: round < 5 ? 0.000_2 : 0.002)
      if round >= 20 { try waitForFetch() }
    }
    return condition()
  }

  /// Waits until the database has fetched a query that is not observed yet. It then has had the opportunity to fetch
  /// the queries that were observed before.
  func waitForFetch() throws {
    let isFetched = DispatchSemaphore(value: 0)
    let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT 1") }
    let cancellable = observation.start(
      in: database, scheduling: .async(onQueue: .global()), onError: { _ in isFetched.signal() },
      onChange: { _ in isFetched.signal() })
    try Wait.on(isFetched, "the first value of an observation")
    cancellable.cancel()
  }

  func close() throws {
    switch others {
    case .none: break
    case .inProcess(let writers): try writers.close()
    case .process(let child):
      let complaint = child.killReceivingRest().complaint
      if !complaint.isEmpty { throw EndedProcess(complaint: complaint) }
    }
    try database.close()
  }
}
