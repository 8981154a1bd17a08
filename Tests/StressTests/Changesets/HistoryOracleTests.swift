import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Undoing everything gives the first state, redoing everything the last one.
@Suite(.serialized) struct HistoryOracleTests {
  @Test(arguments: Scale.seeds(daily: 8, full: 300))
  func `undo of everything gives the first state, and redo the last one`(seed: UInt64) throws {
    let run = Run("history", seed: seed)
    _ = try check(run, seed)
    run.finish()
  }

  /// The control: a change that does not belong to the history is found.
  @Test func `a change that is not undone is found`() throws {
    var seed = Scale.seed
    let run = Run("history-control", seed: seed)
    let planted = "CREATE TABLE main.planted (a); INSERT INTO planted VALUES (1)"
    while try !check(run, seed, planting: planted) { seed &+= 1 }
    run.finishControl(planted: "a change that is not undone")
  }

  /// - Returns: Whether everything was undone and redone.
  private func check(_ run: Run, _ seed: UInt64, planting sql: String? = nil) throws -> Bool {
    var world = CaptureWorld(seed: seed)
    world.isAlone = true
    let dbQueue = try DatabaseQueue()
    try dbQueue.inDatabase { db in
      try world.makeSchema(db)
      // Temporary triggers cannot be turned off.
      for name in try String.fetchAll(db, sql: "SELECT name FROM temp.sqlite_master WHERE type = 'trigger'") {
        try db.execute(sql: "DROP TRIGGER temp.\(name.quotedDatabaseIdentifier)")
      }
    }
    let limits = ChangeHistory.Limits(stepCount: 1_000)
    // Some histories are stored, and restored again and again.
    let isStored = seed.isMultiple(of: 2)
    var history =
      try isStored ? ChangeHistory(dbQueue, named: "a", limits: limits) : ChangeHistory(dbQueue, limits: limits)
    let (first, last) = (try ChangeReplica(), try ChangeReplica())
    try first.copy(dbQueue)
    var random = RandomNumbers(seed: seed ^ 0x77)
    for _ in 0..<Scale.of(daily: 40, full: 150) {
      if isStored, random.below(4) == 0 {
        history = try ChangeHistory(dbQueue, named: "a", limits: limits)
        run.count("restored")
      }
      do {
        switch random.below(8) {
        case 0: if try history.undo() { run.count("undone") }
        case 1: if try history.redo() { run.count("redone") }
        case 2:
          try history.group {
            for _ in 0..<random.below(3) { try history.record { db in try world.runPart(db, try CaptureShapes(db)) } }
          }
        default: try history.record { db in try world.runPart(db, try CaptureShapes(db)) }
        }
        run.count("steps")
      } catch let error as ChangesetConflict {
        run.problem("nothing else has changed the database: \(error); \(world.script.joined(separator: "; "))")
      } catch {
        run.count("refused")
      }
      // SQLite deletes '5' although an untyped column refers to it as 5. It would not insert this 5 again.
      if try dbQueue.read(hasMissingReferences) {
        run.count("ended by a foreign key that SQLite does not enforce")
        return false
      }
    }
    if let sql { try dbQueue.inDatabase { try $0.execute(sql: sql) } }
    while try history.redo() {}
    try last.copy(dbQueue)
    while try history.undo() {}
    for difference in try first.differences(from: dbQueue).prefix(5) { run.problem("after undo, \(difference)") }
    while try history.redo() {}
    for difference in try last.differences(from: dbQueue).prefix(5) { run.problem("after redo, \(difference)") }
    return true
  }

  /// Whether a foreign key refers to a missing row. Each table is checked alone: the check fails for a table with a key
  /// of another shape than the referenced one, which SQLite does not enforce.
  private func hasMissingReferences(_ db: Database) throws -> Bool {
    try Row.fetchAll(db, sql: "SELECT schema, name FROM pragma_table_list WHERE type = 'table'").contains { table in
      let (schema, name): (String, String) = (table["schema"], table["name"])
      do {
        let check = "\(schema.quotedDatabaseIdentifier).foreign_key_check(\(name.quotedDatabaseIdentifier))"
        return try Row.fetchOne(db, sql: "PRAGMA \(check)") != nil
      } catch let error as DatabaseError where error.message?.hasPrefix("foreign key mismatch") == true {
        return false
      }
    }
  }
}
