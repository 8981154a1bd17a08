import Synchronization
import Testing

import Tidemark
@testable import TidemarkEssentials

/// After any schema change, in any situation, the next transaction is reported exactly.
@Suite struct SchemaChangeCaptureTests {
  @Test func `the transaction after a schema change is reported exactly`() throws {
    var rowCount = 0
    for situation in SchemaSituation.all { rowCount += try check(situation) }
    #expect(rowCount > SchemaSituation.all.count * 8)
  }

  /// - Returns: The number of rows that were reported.
  private func check(_ situation: SchemaSituation) throws -> Int {
    let dbQueue = try DatabaseQueue()
    let commits = Mutex<[CommittedChanges]>([])
    let subscription = dbQueue.changeBroker.subscribe(.all) { changes in commits.withLock { $0.append(changes) } }
    defer { subscription.cancel() }
    var oracle = CaptureOracle()
    try dbQueue.inDatabase { db in
      try situation.makeSchema(db)
      try situation.changeSchema(db)
      for _ in 1...2 {
        commits.withLock { $0 = [] }
        let shapes = try CaptureShapes(db)
        let before = try CaptureDump(db, shapes)
        try db.execute(sql: "BEGIN")
        try SchemaSituation.writeAll(db)
        try db.execute(sql: "COMMIT")
        oracle.check(commits.withLock { $0 }, before, try CaptureDump(db, shapes), mayBeCoarse: false)
      }
    }
    #expect(oracle.problems.isEmpty, "\(situation)")
    #expect(oracle.needlesslyCoarse.isEmpty, "\(situation)")
    return oracle.rowCount
  }
}
