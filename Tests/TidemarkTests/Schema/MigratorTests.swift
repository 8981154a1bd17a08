import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The invariants of `DatabaseMigrator`.
@Suite struct MigratorTests {
  private func migrator(_ identifiers: String...) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for identifier in identifiers {
      migrator.registerMigration(identifier) { try $0.execute(sql: "CREATE TABLE \(identifier) (a)") }
    }
    return migrator
  }

  // MARK: Invariant 1

  @Test func invariant1MigrationsAreAppliedInOrderAndOnce() throws {
    let log = Locked<[String]>([])
    var migrator = DatabaseMigrator()
    for identifier in ["z", "a", "m"] {
      migrator.registerMigration(identifier) { _ in log.update { $0.append(identifier) } }
    }
    let dbQueue = try DatabaseQueue()
    try migrator.migrate(dbQueue)
    try migrator.migrate(dbQueue)
    #expect(log.value == ["z", "a", "m"])
    #expect(migrator.migrations == ["z", "a", "m"])
    try dbQueue.read { db in
      try #expect(migrator.appliedMigrations(db) == ["z", "a", "m"])
      try #expect(migrator.appliedIdentifiers(db) == ["a", "m", "z"])
    }
  }

  @Test func invariant1LaterInsertedMigrationsAreApplied() throws {
    let dbQueue = try DatabaseQueue()
    try migrator("m1", "m3").migrate(dbQueue)
    let later = migrator("m1", "m2", "m3")
    try dbQueue.read { db in
      try #expect(later.completedMigrations(db) == ["m1"])
      try #expect(later.appliedMigrations(db) == ["m1", "m3"])
      try #expect(!later.hasCompletedMigrations(db))
    }
    try later.migrate(dbQueue)
    try dbQueue.read { db in
      try #expect(later.hasCompletedMigrations(db))
      try #expect(db.tableExists("m2"))
    }
  }

  @Test func migrationStopsAtTheTarget() throws {
    let dbQueue = try DatabaseQueue()
    let migrator = migrator("m1", "m2", "m3")
    try migrator.migrate(dbQueue, upTo: "m2")
    try migrator.migrate(dbQueue, upTo: "m2")
    try dbQueue.read { try #expect(migrator.appliedMigrations($0) == ["m1", "m2"]) }
    try migrator.migrate(dbQueue)
    try dbQueue.read { try #expect(migrator.appliedMigrations($0) == ["m1", "m2", "m3"]) }
  }

  @Test func newDatabasesHaveNoMigrations() throws {
    let migrator = migrator("m1")
    try inMemory { db in
      try #expect(migrator.appliedIdentifiers(db) == [])
      try #expect(migrator.completedMigrations(db) == [])
      try #expect(!migrator.hasCompletedMigrations(db))
      try #expect(!migrator.hasBeenSuperseded(db))
      try #expect(!migrator.hasSchemaChanges(db))
      try #expect(DatabaseMigrator().hasCompletedMigrations(db))
      try #expect(!db.tableExists("grdb_migrations"))
    }
  }

  @Test func unknownMigrationsSupersede() throws {
    let dbQueue = try DatabaseQueue()
    try migrator("m1", "m2").migrate(dbQueue)
    try dbQueue.read { db in
      try #expect(migrator("m1").hasBeenSuperseded(db))
      try #expect(migrator("m1").hasCompletedMigrations(db))
      try #expect(!migrator("m1", "m2", "m3").hasBeenSuperseded(db))
    }
  }

  // MARK: Invariant 2

  struct Failure: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var body: @Sendable (Database) throws -> Void
    var text: String
  }

  static let failures = [
    Failure(testDescription: "an error of the program", body: { _ in throw Planned() }, text: "Planned(number: 0)"),
    Failure(
      testDescription: "an error of SQLite", body: { try $0.execute(sql: "CREATE TABLE m1 (a)") },
      text: #"""
        SQLite error 1: table m1 already exists - while executing `CREATE TABLE m1 (a)`
        """#),
    Failure(
      testDescription: "a constraint", body: { try $0.execute(sql: "INSERT INTO u VALUES (1), (1)") },
      text: #"""
        SQLite error 19: UNIQUE constraint failed: u.a - while executing `INSERT INTO u VALUES (1), (1)`
        """#),
    Failure(
      testDescription: "a constraint that undoes the transaction",
      body: { try $0.execute(sql: "INSERT OR ROLLBACK INTO u VALUES (1), (1)") },
      text: """
        SQLite error 19: UNIQUE constraint failed: u.a - while executing \
        `INSERT OR ROLLBACK INTO u VALUES (1), (1)`
        """),
    Failure(
      testDescription: "a transaction that the migration ends", body: { try $0.execute(sql: "ROLLBACK") },
      text: """
        SQLite error 4: Transaction was aborted - while executing \
        `INSERT INTO grdb_migrations (identifier) VALUES (?)`
        """),
    Failure(
      testDescription: "a foreign key", body: { try $0.execute(sql: "INSERT INTO child VALUES (1, 999)") },
      text: """
        SQLite error 19: FOREIGN KEY constraint violation - from child(parentId) to m1(a), in [id:1 parentId:999]
        """),
    Failure(
      testDescription: "a full disk",
      body: { db in
        try db.execute(sql: "PRAGMA max_page_count = 20")
        try db.execute(sql: "CREATE TABLE big (a)")
        for _ in 0..<100 { try db.execute(sql: "INSERT INTO big VALUES (zeroblob(4000))") }
      },
      text: """
        SQLite error 13: database or disk is full - while executing `INSERT INTO big VALUES (zeroblob(4000))`
        """),
    Failure(
      testDescription: "an interruption",
      body: { db in
        try db.withTimeLimit(.zero) { try db.execute(sql: "INSERT INTO u VALUES (1)") }
      },
      text: #"""
        SQLite error 9: access timed out after 0.0 s
        """#),
  ]

  @Test(arguments: failures)
  func invariant2FailedMigrationsChangeNothing(failure: Failure) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("m1") { db in
      try db.execute(
        sql: """
          CREATE TABLE m1 (a INTEGER PRIMARY KEY);
          CREATE TABLE u (a UNIQUE);
          CREATE TABLE child (id INTEGER PRIMARY KEY, parentId REFERENCES m1 (a));
          """)
    }
    migrator.registerMigration("m2") { db in
      try db.execute(sql: "CREATE TABLE half (a)")
      try failure.body(db)
    }
    migrator.registerMigration("m3") { try $0.execute(sql: "CREATE TABLE m3 (a)") }
    let dbQueue = try DatabaseQueue()
    let text = message { try migrator.migrate(dbQueue) }
    #expect(text == failure.text)
    try dbQueue.inDatabase { db in
      #expect(!db.isInsideTransaction)
      try #expect(migrator.appliedMigrations(db) == ["m1"])
      try #expect(!db.tableExists("half"))
      try #expect(!db.tableExists("m3"))
      try #expect(Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
    }
  }

  @Test func invariant2ErrorsNameTheirMigration() throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("m1") { try $0.execute(sql: "nonsense") }
    do {
      try migrator.migrate(DatabaseQueue())
      Issue.record("nothing thrown")
    } catch let error as DatabaseError {
      #expect(error.migration == "m1")
      #expect(error.message == #"near "nonsense": syntax error"#)
      #expect(error.description == #"SQLite error 1: near "nonsense": syntax error - while executing `nonsense`"#)
      #expect(error.debugDescription == error.description + #" - in migration "m1""#)
      #expect(error.resultCode == .SQLITE_ERROR)
    }
  }

  @Test func invariant2ConcurrentMigrationsAreDetected() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("library")
    var migrator = migrator("m1")
    migrator.registerMigration("m2") { db in
      // Like another process that starts at the same time, between the check and the transaction of "m3".
      try db.execute(sql: "CREATE TABLE m2 (a); INSERT INTO grdb_migrations VALUES ('m3')")
    }
    migrator.registerMigration("m3") { _ in throw Planned() }
    try migrator.migrate(DatabaseQueue(path: path))
    try DatabaseQueue(path: path).read { try #expect(migrator.hasCompletedMigrations($0)) }
  }

  // MARK: Invariant 3

  @Test func invariant3DeferredChecksAllowTableReplacement() throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("m1") { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY);
          CREATE TABLE child (parentId REFERENCES parent (id) ON DELETE CASCADE);
          INSERT INTO parent VALUES (1);
          INSERT INTO child VALUES (1);
          """)
    }
    migrator.registerMigration("m2") { db in
      try #expect(Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == false)
      try db.execute(
        sql: """
          CREATE TABLE new_parent (id INTEGER PRIMARY KEY, name);
          INSERT INTO new_parent (id) SELECT id FROM parent;
          DROP TABLE parent;
          ALTER TABLE new_parent RENAME TO parent;
          """)
    }
    let dbQueue = try DatabaseQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.inDatabase { db in
      try #expect(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM child") == 1)
      try #expect(Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO child VALUES (2)") }
    }
  }

  @Test func invariant3ImmediateChecksRunDuringTheMigration() throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("m1", foreignKeyChecks: .immediate) { db in
      try #expect(Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
      try db.execute(
        sql: "CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (parentId REFERENCES parent (id))")
      try db.execute(sql: "INSERT INTO child VALUES (1)")
    }
    #expect(
      message { try migrator.migrate(DatabaseQueue()) } == """
        SQLite error 19: FOREIGN KEY constraint failed - while executing `INSERT INTO child VALUES (1)`
        """)
  }

  @Test func invariant3ChecksCanBeDisabled() throws {
    var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
    migrator.registerMigration("m1") { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (parentId REFERENCES parent (id));
          INSERT INTO child VALUES (1);
          """)
    }
    let dbQueue = try DatabaseQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.inDatabase { db in
      #expect(throws: DatabaseError.self) { try db.checkForeignKeys() }
      try #expect(Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
    }
  }

  @Test func invariant3PersistentInterruptionsLeaveChecksOn() throws {
    nonisolated(unsafe) var held: RowCursor?
    var migrator = DatabaseMigrator()
    migrator.registerMigration("m1") { db in
      try db.execute(sql: "CREATE TABLE t (a)")
      // While a statement is running, SQLite stays interrupted: even a rollback fails.
      held = try Row.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
      _ = try held?.next()
      sqlite3_interrupt(db.sqliteConnection)
      throw Planned()
    }
    let dbQueue = try DatabaseQueue()
    #expect(throws: Planned.self) { try migrator.migrate(dbQueue) }
    held = nil
    try dbQueue.inDatabase { db in
      try #expect(Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
      try #expect(!db.tableExists("t"))
    }
  }

  @Test func openTransactionsAreLeftAlone() throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let dbQueue = try DatabaseQueue(configuration: configuration)
    try migrator("m1").migrate(dbQueue)
    try dbQueue.inDatabase { db in
      try db.beginTransaction()
      try db.execute(sql: "CREATE TABLE t (a)")
    }
    let text = message { try migrator("m1", "m2").migrate(dbQueue) }
    #expect(text.contains("cannot start a transaction within a transaction"))
    try dbQueue.inDatabase { db in
      try db.commit()
      try #expect(db.tableExists("t"))
      try #expect(Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
    }
  }

  @Test func invariant3DisabledForeignKeysStayDisabled() throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let dbQueue = try DatabaseQueue(configuration: configuration)
    try migrator("m1", "m2").migrate(dbQueue)
    try dbQueue.inDatabase { try #expect(Bool.fetchOne($0, sql: "PRAGMA foreign_keys") == false) }
  }

  // MARK: Invariant 4

  @Test func invariant4FailedMigrationsAreRetried() throws {
    let fails = Locked(true)
    var migrator = migrator("m1")
    migrator.registerMigration("m2") { db in
      try db.execute(sql: "CREATE TABLE m2 (a)")
      if fails.value { throw Planned() }
    }
    let dbQueue = try DatabaseQueue()
    #expect(throws: Planned.self) { try migrator.migrate(dbQueue) }
    fails.update { $0 = false }
    try migrator.migrate(dbQueue)
    try dbQueue.read { try #expect(migrator.hasCompletedMigrations($0)) }
  }

  // MARK: Statements

  @Test func deferredChecksRunTheseStatements() throws {
    let recorder = TraceRecorder()
    let dbQueue = try recorder.makeQueue()
    try migrator("m1").migrate(dbQueue)
    #expect(
      recorder.lines == [
        "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)",
        "SELECT identifier FROM grdb_migrations", "SELECT identifier FROM grdb_migrations", "PRAGMA foreign_keys",
        "PRAGMA foreign_keys = OFF", "BEGIN IMMEDIATE TRANSACTION", "CREATE TABLE m1 (a)",
        "INSERT INTO grdb_migrations (identifier) VALUES (?)", "PRAGMA foreign_key_check", "COMMIT TRANSACTION",
        "PRAGMA foreign_keys = ON",
      ])
  }

  @Test func immediateChecksRunTheseStatements() throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("m1", foreignKeyChecks: .immediate) { try $0.execute(sql: "CREATE TABLE m1 (a)") }
    let recorder = TraceRecorder()
    try migrator.migrate(recorder.makeQueue())
    #expect(
      recorder.lines.dropFirst(3) == [
        "PRAGMA foreign_keys", "BEGIN IMMEDIATE TRANSACTION", "CREATE TABLE m1 (a)",
        "INSERT INTO grdb_migrations (identifier) VALUES (?)", "COMMIT TRANSACTION",
      ])
  }

  @Test func violationsAreDescribedBeforeTheRollback() throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("m1") { db in
      try db.execute(
        sql: "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (pid REFERENCES p); INSERT INTO c VALUES (7)")
    }
    let recorder = TraceRecorder()
    #expect(throws: DatabaseError.self) { try migrator.migrate(recorder.makeQueue()) }
    #expect(
      recorder.lines.suffix(4) == [
        "PRAGMA foreign_key_check", #"SELECT * FROM "c" WHERE rowid = 1"#, "ROLLBACK TRANSACTION",
        "PRAGMA foreign_keys = ON",
      ])
  }

  // MARK: Traps

  @Test func duplicateIdentifiersTrap() async {
    let words = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var migrator = MigratorTests().migrator("m1")
      migrator.registerMigration("m1") { _ in }
    }.words
    #expect(words.contains(#"already registered migration: "m1""#))
  }

  @Test func unknownTargetsTrap() async {
    let words = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try MigratorTests().migrator("m1").migrate(DatabaseQueue(), upTo: "m9")
    }.words
    #expect(words.contains(#"undefined migration: "m9""#))
  }

  @Test func earlierTargetsTrap() async {
    let words = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let dbQueue = try DatabaseQueue()
      let migrator = MigratorTests().migrator("m1", "m2")
      try migrator.migrate(dbQueue)
      try migrator.migrate(dbQueue, upTo: "m1")
    }.words
    #expect(words.contains(#"database is already migrated beyond migration "m1""#))
  }
}
