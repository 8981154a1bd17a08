import CFaultVFS
import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// A commit reports its changes even if the disk or the memory has failed meanwhile.
@Suite(.serialized) struct CaptureFaultTests {
  /// The commits of a database.
  private final class Commits: Sendable {
    private let list = StressSupport.Mutex<[CommittedChanges]>([])
    private let subscription = StressSupport.Mutex<ChangeSubscription?>(nil)

    init(_ writer: some DatabaseWriter, _ needs: CaptureNeeds = .all) {
      let subscription = writer.changeBroker.subscribe(needs) { [weak self] changes in
        self?.list.withLock { $0.append(changes) }
      }
      self.subscription.withLock { $0 = subscription }
    }

    func take() -> [CommittedChanges] {
      list.withLock { list in
        defer { list = [] }
        return list
      }
    }
  }

  /// Reads all values before they change, and counts the commits.
  private final class Observer: TransactionObserver {
    private(set) var commitCount = 0

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseWillChange(with event: DatabasePreUpdateEvent) { _ = event.copy() }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { commitCount += 1 }
    func databaseDidRollback(_ db: Database) {}
  }

  // MARK: - The disk

  /// SQLite has called its commit hook before it writes.
  @Test(arguments: [false, true])
  func `a commit that finds the disk busy can be repeated, and is reported once`(isShared: Bool) throws {
    let (folder, vfs) = (try TestFolder(), FaultVFS())
    var configuration = Configuration()
    configuration.environment.vfs = vfs.name
    configuration.durability = .full
    let dbQueue = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: configuration)
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    let (commits, observer) = (Commits(dbQueue), Observer())
    dbQueue.add(transactionObserver: observer)
    try dbQueue.writeWithoutTransaction { db in
      if isShared { _ = db.sqliteConnection }
      try db.execute(sql: "BEGIN; CREATE TABLE u (b); INSERT INTO t VALUES (1)")
      let busy = FaultVFS.Fault(description: "sync, busy", calls: FaultVFS.syncs, code: 5)
      vfs.arm(busy, at: 1, forGood: false)
      let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "COMMIT") }
      #expect(error?.resultCode == .SQLITE_BUSY && error?.commitOutcome == .notCommitted)
      #expect(db.isInsideTransaction && observer.commitCount == 0)
      try db.execute(sql: "COMMIT")
    }
    let changes = commits.take()
    #expect(changes.flatMap(\.tables).map(\.key) == [TableKey("t")])
    #expect(changes.flatMap(\.schemaChanges).map(\.name) == ["u"])
    #expect(observer.commitCount == 1)
    try dbQueue.close()
  }

  /// The rows of the transaction are in a file, which is on another disk than the database.
  @Test func `if stored rows cannot be read again, the commit says that rows are not known`() throws {
    let (folder, vfs) = (try TestFolder(), FaultVFS())
    var configuration = Configuration()
    configuration.environment.changeLogBound = ChangeLog.Bound(
      recordCount: 10, segmentRecordCount: 5, segmentByteCount: 3_000, vfs: vfs.name)
    let dbQueue = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: configuration)
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)") }
    let all = CaptureNeeds.TableNeeds(columns: nil, values: nil, rows: true, storesRows: true)
    let commits = Commits(dbQueue, CaptureNeeds(otherTables: all))
    try dbQueue.write { db in
      for id in 1...12 { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [id]) }
      try db.inSavepoint {
        for id in 13...40 { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [id]) }
        vfs.arm(.init(description: "read", calls: FaultVFS.reads), at: 1, forGood: false)
        return .rollback
      }
    }
    #expect(vfs.injectedCount == 1)
    #expect(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") } == 12)
    #expect(commits.take().map { $0.details?.unreported } == [.rows])
    try dbQueue.close()
  }

  // MARK: - Memory

  /// Statements on a table `t`, whose rows are older than its column `d`, and on a table `w` of the same kind.
  private static let statements: [(sql: String, needs: CaptureNeeds)] = [
    ("INSERT INTO t (a) VALUES ('a new text')", .all), ("UPDATE t SET a = a || '!'", .all), ("DELETE FROM t", .all),
    ("INSERT INTO w (k, a) VALUES ('new', 'a new text')", .all), ("UPDATE w SET a = a || '!'", .all),
    ("DELETE FROM w", .all), ("UPDATE w SET d = d || '!'", valuesOfNewColumn), ("DELETE FROM w", valuesOfNewColumn),
    ("CREATE TABLE copy AS SELECT * FROM t", .all),
  ]

  private static let valuesOfNewColumn = CaptureNeeds(otherTables: .init(columns: ["d"], values: ["d"]))

  private static func schema(_ encoding: String) -> String {
    """
    PRAGMA encoding = '\(encoding)';
    CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); CREATE TABLE w (k TEXT PRIMARY KEY, a TEXT) WITHOUT ROWID;
    INSERT INTO t VALUES (1, 'a text'), (2, 'a text'); INSERT INTO w VALUES ('one', 'a text'), ('two', 'a text');
    ALTER TABLE t ADD COLUMN d TEXT DEFAULT 'a default'; ALTER TABLE w ADD COLUMN d TEXT DEFAULT 'a default';
    """
  }

  /// Each allocation fails in turn. The allocator must be installed before the first use of SQLite, so this runs in a
  /// process of its own.
  @Test(arguments: ["UTF-8", "UTF-16"], [false, true])
  func `a statement that lacks memory fails, or its changes are reported`(encoding: String, isObserved: Bool) async {
    await #expect(processExitsWith: .success) { [encoding, isObserved] in
      guard fault_memory_install() == 0 else { fatalError("SQLite was in use already") }
      for (sql, needs) in Self.statements {
        var (number, isDone) = (Int64(1), false)
        while !isDone {
          isDone = try Self.check(sql, needs, encoding, isObserved, failing: number)
          number += 1
        }
        precondition(number > 3, "no allocation of `\(sql)` has failed")
      }
    }
  }

  /// Executes a statement, and lets an allocation fail.
  ///
  /// - Returns: Whether it needs fewer allocations.
  private static func check(
    _ sql: String, _ needs: CaptureNeeds, _ encoding: String, _ isObserved: Bool, failing number: Int64
  ) throws -> Bool {
    let dbQueue = try DatabaseQueue()
    try dbQueue.inDatabase { try $0.execute(sql: schema(encoding)) }
    let (commits, observer) = (Commits(dbQueue, needs), Observer())
    if isObserved { dbQueue.add(transactionObserver: observer) }
    let query =
      sql.contains("copy")
      ? "SELECT COUNT(*) FROM sqlite_master" : "SELECT k, a, d FROM w UNION ALL SELECT id, a, d FROM t"
    return try dbQueue.inDatabase { db in
      let statement = try db.makeStatement(sql: sql)
      let before = try Row.fetchAll(db, sql: query)
      fault_memory_arm(number, 0)
      let result = Result { try statement.execute() }
      fault_memory_disarm()
      let injectedCount = fault_memory_injected_count()
      let isChanged = try Row.fetchAll(db, sql: query) != before
      let changes = commits.take()
      let isReported = changes.contains { $0.isUnknown || !$0.tables.isEmpty || !$0.schemaChanges.isEmpty }
      precondition(isReported || !isChanged, "`\(sql)` is not reported if allocation \(number) fails: \(result)")
      if case .success = result { precondition(isChanged, "`\(sql)` has changed nothing") }
      return injectedCount == 0
    }
  }
}
