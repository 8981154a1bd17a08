import CSQLite
import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The state of a database after a commit with an unknown outcome (hazard D4).
@Suite struct StopTests {
  private static let sync = FaultVFS.Fault(description: "sync", calls: FaultVFS.syncs)

  @Test(arguments: [World.Kind.durablePool, .queue])
  func commitWithUnknownOutcomeStopsTheDatabase(_ kind: World.Kind) throws {
    let world = try World(kind, template: Template(kind))
    try world.open()
    let database = try #require(world.writer)
    world.vfs.arm(Self.sync, at: 2, forGood: false)
    let error = #expect(throws: DatabaseError.self) { try database.write { try World.insert(100, $0) } }
    #expect(error?.extendedResultCode == .SQLITE_IOERR_FSYNC)
    #expect(error?.commitOutcome == .unknown)
    #expect(error?.isTransient == false)
    #expect(error?.isDatabaseStopped == false)
    // The disk works again, but the database remains unusable.
    let refusals = [
      #expect(throws: DatabaseError.self) { try database.write { try World.insert(101, $0) } },
      #expect(throws: DatabaseError.self) { try database.read { try Int.fetchOne($0, sql: "SELECT 1") } },
      #expect(throws: DatabaseError.self) {
        try database.writeWithoutTransaction { try $0.execute(sql: "DELETE FROM one") }
      },
      #expect(throws: DatabaseError.self) { try database.backup(to: DatabaseQueue()) },
    ]
    for refusal in refusals {
      #expect(refusal?.isDatabaseStopped == true)
      #expect(refusal?.isTransient == false)
      #expect(refusal?.commitOutcome == nil)
      #expect((refusal?.cause as? DatabaseError)?.commitOutcome == .unknown)
    }
    try database.close()
    #expect(world.folder.openFiles == [])
  }

  /// After such a RELEASE, SQLite reports an open transaction, which is empty.
  @Test func `a RELEASE of unknown outcome stops the database`() throws {
    let world = try World(.durablePool, template: Template(.durablePool))
    try world.open()
    let database = try #require(world.writer)
    try database.writeWithoutTransaction { db in
      try db.execute(sql: "SAVEPOINT a")
      try World.insert(100, db)
      world.vfs.arm(Self.sync, at: 2, forGood: false)
      let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "RELEASE a") }
      #expect(error?.commitOutcome == .unknown)
      #expect(!db.isInsideTransaction)
    }
    let refusal = #expect(throws: DatabaseError.self) { try database.write { try World.insert(101, $0) } }
    #expect(refusal?.isDatabaseStopped == true)
    try database.close()
  }

  /// The lock cannot be obtained: the commit has not begun.
  @Test func `a refused RELEASE ends the transaction`() throws {
    let world = try World(.queue, template: Template(.queue))
    try world.open()
    let database = try #require(world.writer)
    let lock = FaultVFS.Fault(description: "lock", calls: FaultVFS.locks)
    try database.writeWithoutTransaction { db in
      try db.execute(sql: "SAVEPOINT a")
      try World.insert(100, db)
      world.vfs.arm(lock, at: 1, forGood: false)
      let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "RELEASE a") }
      #expect(error?.commitOutcome == .notCommitted)
      #expect(!db.isInsideTransaction)
      // It would be committed alone.
      _ = #expect(throws: DatabaseError.self) { try World.insert(101, db) }
    }
    #expect(try database.read { try Int.fetchOne($0, sql: "SELECT max(n) FROM one") } == 8)
    try database.close()
    #expect(world.problems == [])
  }

  /// SQLite leaves the transaction open, without the changes. The library cannot end it.
  @Test(arguments: [true, false])
  func `the transaction of a refused RELEASE must be rolled back`(usesLibrary: Bool) throws {
    let world = try World(.queue, template: Template(.queue))
    try world.open()
    let database = try #require(world.writer)
    let lock = FaultVFS.Fault(description: "lock", calls: FaultVFS.locks)
    try database.writeWithoutTransaction { db in
      try db.execute(sql: "SAVEPOINT a")
      try World.insert(100, db)
      let release = try db.makeStatement(sql: "RELEASE a")
      world.vfs.arm(lock, at: 1, forGood: false)
      // ROLLBACK is too long.
      let limit = sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_SQL_LENGTH, 4)
      let error = #expect(throws: DatabaseError.self) { try release.execute() }
      sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_SQL_LENGTH, limit)
      #expect(error?.commitOutcome == .notCommitted)
      #expect(db.isInsideTransaction)
      let refusal = #expect(throws: DatabaseError.self) { try World.insert(101, db) }
      #expect(refusal?.resultCode == .SQLITE_ABORT)
      #expect((refusal?.cause as? DatabaseError)?.resultCode == .SQLITE_TOOBIG)
      if usesLibrary {
        try db.rollback()
      } else {
        #expect(sqlite3_exec(db.sqliteConnection, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
      }
      #expect(!db.isInsideTransaction)
      try World.insert(102, db)
    }
    #expect(try database.read { try Int.fetchAll($0, sql: "SELECT n FROM one WHERE n > 50") } == [102])
    try database.close()
  }

  @Test func `a stopped database allows only ROLLBACK`() throws {
    let world = try World(.durablePool, template: Template(.durablePool))
    try world.open()
    let database = try #require(world.writer)
    try database.writeWithoutTransaction { db in
      let rollback = try db.makeStatement(sql: "ROLLBACK")
      world.vfs.arm(Self.sync, at: 2, forGood: false)
      #expect(throws: DatabaseError.self) {
        try db.inTransaction {
          try World.insert(100, db); return .commit
        }
      }
      let refusal = #expect(throws: DatabaseError.self) { try db.execute(sql: "BEGIN") }
      #expect(refusal?.isDatabaseStopped == true)
      let error = #expect(throws: DatabaseError.self) { try rollback.execute() }
      #expect(error?.message == "cannot rollback - no transaction is active")
    }
    try database.close()
  }

  @Test func `a checkpoint of which the disk is not known to have the pages stops the database`() throws {
    let world = try World(.pool, template: Template(.pool))
    try world.open()
    let database = try #require(world.writer as? DatabasePool)
    #expect(world.write() == nil)
    world.vfs.arm(Self.sync, at: 1, forGood: false)
    let error = #expect(throws: DatabaseError.self) {
      try database.writeWithoutTransaction { try $0.checkpoint(.full) }
    }
    #expect(error?.extendedResultCode == .SQLITE_IOERR_FSYNC)
    #expect(world.write()?.isDatabaseStopped == true)
    #expect(world.read()?.isDatabaseStopped == true)
    world.close()
    world.check(world.path, "after the stop")
    #expect(world.problems == [])
  }

  /// The way to continue that the documentation shows.
  @Test func stoppedDatabaseCanBeReopened() throws {
    let world = try World(.durablePool, template: Template(.durablePool))
    var configuration = world.configuration
    let path = world.path
    var dbPool = try DatabasePool(path: path, configuration: configuration)
    world.vfs.arm(Self.sync, at: 2, forGood: false)
    func transfer(_ db: Database) throws { try World.insert(100, db) }
    // The disk works from here on.
    configuration.environment.vfs = nil
    do {
      try dbPool.write(transfer)
    } catch let error as DatabaseError where error.commitOutcome == .unknown || error.isDatabaseStopped {
      try dbPool.close()
      dbPool = try DatabasePool(path: path)
    }
    // The write had reached the file.
    #expect(try dbPool.read { try Int.fetchOne($0, sql: "SELECT MAX(n) FROM one") } == 100)
  }

  /// A database in memory has no disk, and its commits never have an unknown outcome.
  @Test func fullDatabaseDoesNotStop() throws {
    let world = try World(.durablePool, template: Template(.durablePool))
    try world.open()
    let full = FaultVFS.Fault(description: "full", calls: FaultVFS.writes, code: 13)
    for number in 1...4 {
      world.vfs.arm(full, at: number, forGood: true)
      let error = world.write()
      #expect(error?.resultCode == .SQLITE_FULL)
      #expect(error?.commitOutcome != .unknown)
      #expect(error?.isTransient == true)
      #expect(world.read() == nil)
      world.checkCrash()
    }
    world.vfs.disarm()
    #expect(world.write() == nil)
    world.close()
    #expect(world.problems == [])
  }
}
