import CSQLite
import Dispatch
import StressSupport
import TestSupport
import Tidemark

/// A database with an attached one, and another connection to the same files.
struct ShapeDatabase {
  enum Kind: String, CaseIterable, Sendable {
    case memory, queue, pool
  }

  let database: any DatabaseWriter

  /// Another connection, whose commits the database detects. It has no temporary tables.
  let other: DatabaseQueue?

  init(_ kind: Kind, in folder: TestFolder, encoding: String = "UTF-8") throws {
    var configuration = Configuration()
    // Some triggers call themselves without end.
    configuration.limits = [.triggerDepth: 10]
    configuration.busyMode = .timeout(WaitLimit.seconds)
    let attached = kind == .memory ? ":memory:" : folder.database + "-aux"
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA encoding = '\(encoding)'")
      try db.execute(sql: "ATTACH ? AS aux", arguments: [attached])
      db.add(collation: Self.collation)
      for function in [Self.pureFunction, Self.function] { db.add(function: function) }
    }
    if kind == .memory {
      database = try DatabaseQueue(configuration: configuration)
      other = nil
      return
    }
    let otherConfiguration = configuration
    configuration.journalMode = .wal
    database =
      kind == .pool
      ? try DatabasePool(path: folder.database, configuration: configuration)
      : try DatabaseQueue(path: folder.database, configuration: configuration)
    try database.unsafeReentrantWrite { try $0.execute(sql: "PRAGMA aux.journal_mode = WAL") }
    other = try DatabaseQueue(path: folder.database, configuration: otherConfiguration)
  }

  /// A collation for which many different texts are equal.
  private static let collation = DatabaseCollation("FOLDED") { lhs, rhs in
    let (left, right) = (lhs.lowercased().prefix(1), rhs.lowercased().prefix(1))
    return left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
  }

  private static let pureFunction = DatabaseFunction("twice", argumentCount: 1, pure: true) { twice($0[0]) }

  /// A function that SQLite may not assume to be deterministic.
  private static let function = DatabaseFunction("twice_again", argumentCount: 1) { twice($0[0]) }

  private static func twice(_ value: DatabaseValue) -> (any DatabaseValueConvertible)? {
    switch value.storage {
    case .int64(let number): number &* 2
    case .double(let number): number * 2
    case .string(let text): text + text
    case .null, .blob: nil
    }
  }

  func execute(_ statements: [ShapeStatement], byOther isExternal: Bool = false) {
    (isExternal ? other ?? database : database).unsafeReentrantWrite { db in
      for statement in statements { statement.execute(db) }
      // A statement or a constraint may have prevented the commit.
      if db.isInsideTransaction { ShapeStatement.sql("ROLLBACK").execute(db) }
    }
  }

  /// Returns the number of rows of a query; nil if it is invalid or takes many steps.
  func rowCount(of query: ShapeQuery) throws -> Int? {
    try database.read { db in
      do {
        let statement = try db.makeStatement(sql: query.sql)
        let rows = try Row.fetchAll(statement, arguments: StatementArguments(query.arguments))
        let stepCount = sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, 0)
        return stepCount < 10_000 ? rows.count : nil
      } catch is DatabaseError {
        return nil
      }
    }
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
    try other?.close()
    try database.close()
  }
}
