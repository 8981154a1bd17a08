import CSQLite
import Foundation
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
  private let withoutLibrary: ConnectionWithoutLibrary?

  private let folder: TestFolder
  private let encoding: String
  private let attachmentCount = Mutex(0)

  init(
    _ kind: Kind, in folder: TestFolder, encoding: String = "UTF-8", feedWriters: ShapeScript.FeedWriters = .none
  ) throws {
    (self.folder, self.encoding) = (folder, encoding)
    var configuration = Self.configuration(encoding)
    let attached = kind == .memory ? ":memory:" : folder.database + "-aux"
    configuration.prepareDatabase { db in
      try db.execute(sql: "ATTACH ? AS aux", arguments: [attached])
    }
    var otherConfiguration = configuration
    if feedWriters != .none { configuration.changeFeed = ChangeFeedConfiguration() }
    if feedWriters == .all { otherConfiguration.changeFeed = ChangeFeedConfiguration() }
    if kind == .memory {
      database = try DatabaseQueue(configuration: configuration)
      (other, withoutLibrary) = (nil, nil)
      return
    }
    configuration.journalMode = .wal
    database =
      kind == .pool
      ? try DatabasePool(path: folder.database, configuration: configuration)
      : try DatabaseQueue(path: folder.database, configuration: configuration)
    try database.unsafeReentrantWrite { try $0.execute(sql: "PRAGMA aux.journal_mode = WAL") }
    other = try DatabaseQueue(path: folder.database, configuration: otherConfiguration)
    withoutLibrary = try ConnectionWithoutLibrary(path: folder.database, attached: attached)
  }

  /// The configuration of connections that can use the schema.
  static func configuration(_ encoding: String) -> Configuration {
    var configuration = Configuration()
    // Some triggers call themselves without end.
    configuration.limits = [.triggerDepth: 10]
    configuration.busyMode = .timeout(WaitLimit.seconds)
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA encoding = '\(encoding)'")
      db.add(collation: Self.collation)
      for function in [Self.pureFunction, Self.function] { db.add(function: function) }
    }
    return configuration
  }

  /// A collation for which many different texts are equal.
  private static let collation = DatabaseCollation("FOLDED", function: order)

  static func order(_ lhs: String, _ rhs: String) -> ComparisonResult {
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

  func execute(_ statements: [ShapeStatement], by executor: ShapeTransaction.Executor = .observed) {
    if executor == .withoutLibrary, let withoutLibrary {
      for statement in statements { statement.execute(withoutLibrary, in: self) }
      if withoutLibrary.isInTransaction { withoutLibrary.execute("ROLLBACK") }
      return
    }
    (executor == .other ? other ?? database : database).unsafeReentrantWrite { db in
      for statement in statements { statement.execute(db, in: self) }
      // A statement or a constraint may have prevented the commit.
      if db.isInsideTransaction { ShapeStatement.sql("ROLLBACK").execute(db, in: self) }
    }
  }

  /// Returns a copy of the main database, in which statements were executed. They may fail.
  func makeCopy(of db: Database, executing statements: [String]) throws -> DatabaseQueue {
    let copy = try DatabaseQueue(configuration: Self.configuration(encoding))
    try copy.inDatabase { copy in
      try db.backup(to: copy)
      for statement in statements { ShapeStatement.sql(statement).execute(copy, in: self) }
    }
    return copy
  }

  /// Attaches a copy of the attached database in its place, in which statements were executed. They may fail.
  func attachAgain(_ db: Database, executing statements: [String]) throws {
    let number = attachmentCount.withLock { count in
      count += 1
      return count
    }
    let path = folder.path("aux\(number)")
    try db.execute(sql: "VACUUM aux INTO ?", arguments: [path])
    try db.execute(sql: "DETACH aux")
    try db.execute(sql: "ATTACH ? AS aux", arguments: [path])
    for statement in statements { ShapeStatement.sql(statement).execute(db, in: self) }
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
    try other?.close()
    try database.close()
  }
}
