import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Recorded changes lead from the state before to the state after, and their inverse leads back: schema, rows, row IDs
/// and counters.
@Suite(.serialized) struct ChangesetOracleTests {
  @Test(arguments: Scale.seeds(daily: 12, full: 500))
  func `recorded changes lead to the state after, and their inverse to the state before`(seed: UInt64) throws {
    let run = Run("changesets", seed: seed)
    try check(run, seed)
    run.finish()
  }

  /// The control: a change that is left out is found.
  @Test func `a change that is left out of a changeset is found`() throws {
    let seed = Scale.seed
    let run = Run("changesets-control", seed: seed)
    var isPlanted = false
    try check(run, seed) { changes in
      var elements = changes.net.elements
      let index = elements.firstIndex { if case .row = $0 { true } else { false } }
      guard !isPlanted, let index else { return changes }
      isPlanted = true
      elements.remove(at: index)
      return Changeset(known: elements, formerNumbers: changes.formerNumbers)
    }
    run.finishControl(planted: "a change that is left out")
  }

  private func check(
    _ run: Run, _ seed: UInt64, planting plant: (Changeset) -> Changeset = { $0 }
  ) throws {
    var world = CaptureWorld(seed: seed)
    world.isAlone = !seed.isMultiple(of: 4)
    if seed.isMultiple(of: 3) { world.habits = RandomNumbers(seed: seed ^ 0x5A5A) }
    let dbQueue = try DatabaseQueue()
    try dbQueue.inDatabase { try world.makeSchema($0) }
    let states = try States(dbQueue)
    for number in 0..<Scale.of(daily: 60, full: 200) {
      let recorded: Changeset?
      do {
        recorded = try dbQueue.inDatabase { try record(&world, $0) }
      } catch {
        run.count(error is ChangesetError ? "refused" : "failed")
        recorded = nil
        if let error = error as? ChangesetError, case .incomplete = error.reason, world.isAlone, !world.mayBeCoarse,
          try !mayBeUnknown(dbQueue)
        {
          run.count("needless")
          // A single case may be a coincidence, as in `CaptureOracleTests`.
          if run.counted("needless") > 1 { run.problem("recording \(number): \(error)") }
        }
      }
      run.count("recordings")
      let problems: [String]
      if let recorded {
        run.count("recorded rows", recorded.rows.count)
        problems = try states.problems(of: plant(recorded), dbQueue)
      } else {
        problems = try states.before.differences(from: dbQueue).map { "changes were kept after an error: \($0)" }
      }
      if !problems.isEmpty {
        let words = problems.prefix(3).joined(separator: "\n")
        run.problem("recording \(number): \(words); \(world.script.joined(separator: "; "))")
        if run.allProblems.count > 3 { return }
        try states.begin(dbQueue)
      }
    }
    if run.counted("recorded rows") == 0, Scale.isFull { run.problem("no row was recorded") }
  }

  private func record(_ world: inout CaptureWorld, _ db: Database) throws -> Changeset {
    var shapes = try CaptureShapes(db)
    return try db.recordingChanges {
      // A recording in a recording has no effect.
      if world.random.once(in: 3) { _ = try db.recordingChanges { try world.runPart(db, shapes) } }
      if !db.isInsideTransaction { return }
      shapes = try CaptureShapes(db)
      try world.runPart(db, shapes)
    }
  }

  /// Whether rows may be unknown because of the schema: with generated columns, virtual tables, and `FAIL`.
  private func mayBeUnknown(_ dbQueue: DatabaseQueue) throws -> Bool {
    try dbQueue.read { db in
      try ["main", "temp", "Aux"].contains { name in
        try Bool.fetchOne(
          db,
          sql: """
            SELECT 1 FROM \(name).sqlite_master
            WHERE sql LIKE '%FAIL%' OR sql LIKE '% AS (%' OR sql LIKE '%VIRTUAL%'
            """) == true
      }
    }
  }
}

/// Copies of a database, to which changesets are applied.
private struct States {
  /// The state before the next recording.
  let before: ChangeReplica
  private let working: ChangeReplica

  init(_ dbQueue: DatabaseQueue) throws {
    (before, working) = (try ChangeReplica(), try ChangeReplica())
    try begin(dbQueue)
  }

  func begin(_ dbQueue: DatabaseQueue) throws {
    try before.copy(dbQueue)
    try working.copy(dbQueue)
  }

  /// Checks recorded changes. Then the copies are in the state after them.
  func problems(of changes: Changeset, _ dbQueue: DatabaseQueue) throws -> [String] {
    do {
      let decoded = try Changeset(decoding: changes.encoded())
      if decoded != changes { return ["the decoded changeset is another one"] }
      try working.apply(decoded)
      var problems = try working.differences(from: dbQueue).map { "after the changes, \($0)" }
      if !problems.isEmpty || changes.hasSchemaChanges {
        if problems.isEmpty { try before.copy(working) }
        return problems
      }
      try working.apply(changes.inverted())
      problems = try working.differences(from: before).map { "after the inverse, \($0)" }
      try working.apply(changes.net)
      problems += try working.differences(from: dbQueue).map { "after the net changes, \($0)" }
      try working.apply(changes.net.inverted())
      problems += try working.differences(from: before).map { "after the inverse of the net changes, \($0)" }
      try working.apply(changes.combined(with: changes.inverted()))
      problems += try working.differences(from: before).map { "after the changes and their inverse, \($0)" }
      if !changes.combined(with: try changes.inverted()).net.isEmpty {
        problems.append("the combination has an effect")
      }
      try working.apply(changes.inverted().inverted())
      try before.copy(working)
      return problems
    } catch {
      return ["\(error)\n\(changes)"]
    }
  }
}
