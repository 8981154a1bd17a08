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
