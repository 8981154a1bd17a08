import CSQLite
import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Migrations that replace others.
@Suite struct MergedMigrationTests {
  private func old(_ count: Int) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for number in 1..<(count + 1) {
      migrator.registerMigration("m\(number)") { try $0.execute(sql: "CREATE TABLE t\(number) (a)") }
    }
    return migrator
  }

  private var merging: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("m3", merging: ["m1", "m2", "m3"]) { db, applied in
      for number in 1...2 where !applied.contains("m\(number)") {
        try db.execute(sql: "CREATE TABLE t\(number) (a)")
      }
      try db.execute(sql: "CREATE TABLE t3 (a)")
    }
    return migrator
  }

  @Test(arguments: 0...2)
  func closuresKnowTheAppliedMigrations(count: Int) throws {
    let dbQueue = try DatabaseQueue()
    try old(count).migrate(dbQueue)
    try dbQueue.read { db in
      try #expect(!merging.hasBeenSuperseded(db))
      try #expect(!merging.hasCompletedMigrations(db))
      try #expect(!merging.hasSchemaChanges(db))
    }
    try merging.migrate(dbQueue)
    try dbQueue.read { db in
      try #expect(merging.appliedIdentifiers(db) == ["m3"])
      try #expect(merging.hasCompletedMigrations(db))
      try #expect(!merging.hasSchemaChanges(db))
      for number in 1...3 { try #expect(db.tableExists("t\(number)")) }
    }
    try merging.migrate(dbQueue)
  }

  @Test func erasingMigrationsRunTheseStatements() throws {
    let recorder = TraceRecorder()
    let dbQueue = try recorder.makeQueue()
    try old(2).migrate(dbQueue)
    recorder.clear()
    try merging.migrate(dbQueue)
    #expect(
      recorder.lines.dropFirst(6) == [
        "CREATE TABLE t3 (a)", "DELETE FROM grdb_migrations WHERE identifier IN (?,?)",
        "INSERT INTO grdb_migrations (identifier) VALUES (?)", "PRAGMA foreign_key_check", "COMMIT TRANSACTION",
        "PRAGMA foreign_keys = ON",
      ])
  }

  @Test func mergedIdentifiersAreForgotten() throws {
    let recorder = TraceRecorder()
    let dbQueue = try recorder.makeQueue()
    try old(3).migrate(dbQueue)
    recorder.clear()
    try merging.migrate(dbQueue)
    #expect(recorder.lines.dropFirst(3) == ["DELETE FROM grdb_migrations WHERE identifier IN (?,?)"])
    try dbQueue.read { try #expect(merging.appliedIdentifiers($0) == ["m3"]) }
  }
}

/// `disablingDeferredForeignKeyChecks()`.
@Suite struct DeferredCheckTests {
  @Test func disablingChecksAppliesToLaterMigrationsOnly() throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("checked") { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (parentId REFERENCES parent (id));
          INSERT INTO child VALUES (1);
          """)
    }
    migrator = migrator.disablingDeferredForeignKeyChecks()
    migrator.registerMigration("unchecked") { _ in }
    let dbQueue = try DatabaseQueue()
    let error = #expect(throws: DatabaseError.self) { try migrator.migrate(dbQueue) }
    #expect(error?.migration == "checked")
    try dbQueue.read { try #expect(migrator.appliedMigrations($0) == []) }
  }
}

/// `eraseDatabaseOnSchemaChange`.
@Suite struct ErasingMigratorTests {
  private func migrator(_ definitions: [(String, String)]) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.eraseDatabaseOnSchemaChange = true
    for (identifier, sql) in definitions { migrator.registerMigration(identifier) { try $0.execute(sql: sql) } }
    return migrator
  }

  private let first = [("m1", "CREATE TABLE t (a); INSERT INTO t VALUES (1)"), ("m2", "CREATE INDEX i ON t (a)")]

  private func rowCount(_ dbQueue: DatabaseQueue) throws -> Int? {
    try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
  }

  private func migrated() throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue()
    try migrator(first).migrate(dbQueue)
    try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    return dbQueue
  }

  @Test func unchangedMigrationsKeepTheData() throws {
    let dbQueue = try migrated()
    try migrator(first).migrate(dbQueue)
    try migrator(first + [("m3", "CREATE TABLE u (a)")]).migrate(dbQueue)
    try #expect(rowCount(dbQueue) == 2)
    try dbQueue.read { try #expect($0.tableExists("u")) }
  }

  // swift-format-ignore
  @Test(arguments: [
    [("m1", "CREATE TABLE t (a, b); INSERT INTO t (a) VALUES (1)"), ("m2", "CREATE INDEX i ON t (a)")],
    [("m1", "CREATE TABLE t (a); INSERT INTO t VALUES (1)"), ("m2", "CREATE INDEX j ON t (a)")],
    [("m1", "CREATE TABLE t (a); INSERT INTO t VALUES (1)")],
    [("m1", "CREATE TABLE t (a); INSERT INTO t VALUES (1)"), ("renamed", "CREATE INDEX i ON t (a)")],
  ])
  func changedMigrationsEraseTheData(changed: [(String, String)]) throws {
    let dbQueue = try migrated()
    let migrator = migrator(changed)
    try dbQueue.read { try #expect(migrator.hasSchemaChanges($0)) }
    try migrator.migrate(dbQueue)
    try #expect(rowCount(dbQueue) == 1)
    try dbQueue.read { db in
      try #expect(migrator.appliedIdentifiers(db) == Set(changed.map(\.0)))
      try #expect(!migrator.hasSchemaChanges(db))
    }
  }

  @Test func schemaChangesAreFoundWhenPrepareDatabaseNeedsAFile() throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      var isPersistent: CInt = 1
      let code = sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &isPersistent)
      guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
    let dbQueue = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    try migrator(first).migrate(dbQueue)
    try migrator([("m1", "CREATE TABLE t (a, b)")]).migrate(dbQueue)
    try #expect(rowCount(dbQueue) == 0)
  }

  @Test func theTemporaryDatabaseLeavesNoFileBehind() throws {
    let paths = Locked<[String]>([])
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      let path = try String.fetchOne(db, sql: "SELECT file FROM pragma_database_list") ?? ""
      if !path.isEmpty { paths.update { $0.append(path) } }
    }
    let dbQueue = try DatabaseQueue(configuration: configuration)
    try migrator(first).migrate(dbQueue)
    try migrator(first).migrate(dbQueue)
    #expect(paths.value.count == 1)
    for path in paths.value {
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      #expect(!FileManager.default.fileExists(atPath: folder))
    }
  }

  @Test func dataIsKeptByDefault() throws {
    let dbQueue = try migrated()
    var migrator = migrator([("m1", "CREATE TABLE t (a, b)")])
    migrator.eraseDatabaseOnSchemaChange = false
    try migrator.migrate(dbQueue)
    try #expect(rowCount(dbQueue) == 2)
  }

  @Test func erasingMigrationsRunTheseStatements() throws {
    let recorder = TraceRecorder()
    let dbQueue = try DatabaseQueue()
    try migrator(first).migrate(dbQueue)
    dbQueue.inDatabase { db in db.trace { recorder.append($0.description) } }
    try migrator(first).migrate(dbQueue)
    #expect(
      recorder.lines == [
        "BEGIN DEFERRED TRANSACTION", "SELECT identifier FROM grdb_migrations", "COMMIT TRANSACTION",
        "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)",
        "SELECT identifier FROM grdb_migrations", "SELECT identifier FROM grdb_migrations",
      ])
  }

  @Test func poolsAreErasedWithOpenReaders() throws {
    let folder = try TemporaryFolder()
    let pool = try DatabasePool(path: folder.path("library"))
    try migrator(first).migrate(pool)
    try pool.read { try #expect($0.columns(in: "t").count == 1) }
    try migrator([("m1", "CREATE TABLE t (a, b)")]).migrate(pool)
    try pool.read { try #expect($0.columns(in: "t").count == 2) }
  }

  @Test func databasesWithWALAreErased() throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.journalMode = .wal
    let dbQueue = try DatabaseQueue(path: folder.path("library"), configuration: configuration)
    try migrator(first).migrate(dbQueue)
    try migrator(first).migrate(dbQueue)
    try #expect(rowCount(dbQueue) == 1)
  }
}

/// Migrations that run on another thread or connection.
@Suite struct AsyncMigratorTests {
  private var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("m1") { try $0.execute(sql: "CREATE TABLE t (a)") }
    migrator.registerMigration("m2") { try $0.execute(sql: "CREATE TABLE u (a)") }
    return migrator
  }

  private func applied(_ dbQueue: DatabaseQueue) async throws -> [String] {
    let migrator = migrator
    return try await dbQueue.read { try migrator.appliedMigrations($0) }
  }

  @Test func tasksCanMigrate() async throws {
    let dbQueue = try DatabaseQueue()
    try await migrator.asyncMigrate(dbQueue, upTo: "m1")
    #expect(try await applied(dbQueue) == ["m1"])
    try await migrator.asyncMigrate(dbQueue)
    #expect(try await applied(dbQueue) == ["m1", "m2"])
  }

  @Test func tasksCanMigrateWithoutSuspending() async throws {
    let dbQueue = try DatabaseQueue()
    try migrator.migrate(dbQueue)
    #expect(try await applied(dbQueue) == ["m1", "m2"])
  }

  @Test func completionIsCalled() async throws {
    let folder = try TemporaryFolder()
    let pool = try DatabasePool(path: folder.path("library"))
    let migrator = migrator
    let applied = try await withCheckedThrowingContinuation { continuation in
      migrator.asyncMigrate(pool) { result in
        continuation.resume(with: Result { try migrator.appliedMigrations(result.get()) })
      }
    }
    #expect(applied == ["m1", "m2"])
  }

  @Test func completionReceivesErrors() async throws {
    var migrator = migrator
    migrator.registerMigration("m3") { _ in throw Planned() }
    let dbQueue = try DatabaseQueue()
    let text = await withCheckedContinuation { continuation in
      migrator.asyncMigrate(dbQueue) { result in
        continuation.resume(returning: message { _ = try result.get() })
      }
    }
    #expect(text == "Planned(number: 0)")
    #expect(try await applied(dbQueue) == ["m1", "m2"])
  }

  @Test func invariant2CancelledMigrationsChangeNothing() async throws {
    let endless = Endless()
    let dbQueue = try endless.makeQueue()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("m1") { try $0.execute(sql: "CREATE TABLE t (a)") }
    migrator.registerMigration("m2") { db in
      try db.execute(sql: "CREATE TABLE u (a)")
      try db.execute(sql: Endless.sql)
    }
    let task = Task { [migrator] in try await migrator.asyncMigrate(dbQueue) }
    try endless.hasBegun.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try dbQueue.inDatabase { db in
      try #expect(migrator.appliedMigrations(db) == ["m1"])
      try #expect(!db.tableExists("u"))
      try #expect(Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
    }
  }
}
