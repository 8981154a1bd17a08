import Testing
import Tidemark

@testable import TidemarkEssentials

/// `DatabaseMigrator.applyNextMigration`.
@Suite struct ReplicatedMigrationTests {
  private var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("tables") { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY);
          CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent ON DELETE CASCADE);
          INSERT INTO parent VALUES (1);
          INSERT INTO child VALUES (1, 1);
          """)
    }
    migrator.registerMigration("rebuild") { db in
      try db.execute(
        sql: """
          CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT);
          INSERT INTO new (id) SELECT id FROM parent;
          DROP TABLE parent;
          ALTER TABLE new RENAME TO parent;
          """)
    }
    return migrator
  }

  @Test func `migrations are replicated one by one`() throws {
    let pair = try ReplicatedPair()
    var applied: [String?] = []
    for _ in 0..<3 {
      try pair.replicate { db in applied.append(try migrator.applyNextMigration(db)) }
      try pair.expectEqual()
    }
    #expect(applied == ["tables", "rebuild", nil])
    #expect(try pair.target.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM child") } == 1)
    #expect(try pair.target.read(migrator.hasCompletedMigrations))
  }

  @Test func `deferred checks report violations with the migration, and foreign keys are enforced again`() throws {
    var migrator = migrator
    migrator.registerMigration("orphan") { try $0.execute(sql: "INSERT INTO child VALUES (2, 9)") }
    let queue = try DatabaseQueue()
    _ = try queue.recordReplicated { _ = try migrator.applyNextMigration($0) }
    _ = try queue.recordReplicated { _ = try migrator.applyNextMigration($0) }
    let error = #expect(throws: DatabaseError.self) {
      try queue.recordReplicated { _ = try migrator.applyNextMigration($0) }
    }
    #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    #expect(error?.migration == "orphan")
    try queue.write { db throws in
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO child VALUES (2, 9)") }
      #expect(try migrator.appliedMigrations(db) == ["tables", "rebuild"])
    }
  }

  @Test func `immediate checks enforce foreign keys in the migration`() throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("tables", foreignKeyChecks: .immediate) { db in
      try db.execute(sql: "CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (parent REFERENCES parent)")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO child VALUES (9)") }
    }
    let pair = try ReplicatedPair()
    try pair.replicate { db throws in #expect(try migrator.applyNextMigration(db) == "tables") }
    try pair.expectEqual()
  }

  @Test func `a migration that replaces others removes their identifiers`() throws {
    var old = DatabaseMigrator()
    old.registerMigration("a") { try $0.execute(sql: "CREATE TABLE a (x)") }
    var new = DatabaseMigrator()
    new.registerMigration("b", merging: ["a"]) { db, applied in
      #expect(applied == ["a"])
      try db.execute(sql: "CREATE TABLE b (x)")
    }
    let pair = try ReplicatedPair()
    try pair.replicate { _ = try old.applyNextMigration($0) }
    try pair.replicate { _ = try new.applyNextMigration($0) }
    try pair.expectEqual()
    #expect(try pair.target.read(new.appliedIdentifiers) == ["b"])
  }

  @Test func `a migration outside of a transaction is refused`() throws {
    try DatabaseQueue().writeWithoutTransaction { db throws in
      _ = #expect(throws: DatabaseError.self) { try migrator.applyNextMigration(db) }
    }
  }
}
