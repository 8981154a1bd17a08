import Foundation
import StressSupport
import Testing
import Tidemark

/// The transactions of several processes on one file are strictly serializable together, also when processes are killed
/// at any moment: a transaction that was interrupted took place entirely, or not at all.
@Suite(.serialized, .enabled(if: Child.isBuilt)) struct ProcessSerializabilityTests {
  private static let programs = ["pool", "groups", "queue"]

  /// Runs and kills processes, beside sessions of this process.
  ///
  /// - Parameter lives: How many processes follow each other in each of three places.
  private func history(
    _ run: Run, _ folder: TestFolder, lives: Int, acknowledgements: ClosedRange<Int>
  ) async throws -> TransactionHistory {
    let pool = try folder.pool(readers: 3)
    try await pool.write(HistoryTables.create)
    let recorder = TransactionRecorder()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await SerializabilityRun(
          run: run, recorder: recorder, size: lives * acknowledgements.upperBound * 20, hasOtherProcesses: true
        ).perform(in: pool)
      }
      group.addTask {
        await Workers(run: run).threads(3, "processes") { place in
          var numbers = RandomNumbers(seed: run.seed, stream: 3_000 + place)
          for life in 0..<lives {
            let firstSession = 100 + 4 * (place * lives + life)
            let program = Self.programs[numbers.below(Self.programs.count)]
            let name = "\(firstSession):\(run.seed):\(program)"
            let child = try Child("transactions", database: folder.database, name: name)
            let bytes = child.wait(acknowledged: Int.random(in: acknowledgements, using: &numbers))
            let complaint = child.kill(afterBytes: bytes).complaint
            if !complaint.isEmpty { run.problem(complaint) }
            run.count("kills")
            try TransactionLog.read(
              path: "\(folder.database)-transactions-\(firstSession)", processEnd: moment(), recorder.ends)
          }
        }
      }
    }
    try HistoryTables.readAll(keyCount: recorder.recorded.keyCount, in: pool, session: 1_999, recorder)
    try pool.close()
    if folder.integrity() != "ok" { run.problem(folder.integrity()) }
    return recorder.recorded
  }

  @Test(arguments: Scale.seeds(daily: 1, full: 6))
  func historiesWithKillsAreStrictlySerializable(seed: UInt64) async throws {
    let run = Run("kills-serializability", seed: seed, limit: 3_600)
    let folder = try TestFolder()
    let history = try await history(
      run, folder, lives: Scale.of(daily: 2, full: 20), acknowledgements: 1...Scale.of(daily: 4, full: 20))
    let verdict = SerializabilityChecker.verdict(on: history)
    for anomaly in verdict.anomalies { run.problem("\(anomaly)") }
    run.count("histories")
    run.count("operations", history.operationCount)
    run.count("unknown", verdict.seenUnknownCount)
    run.finish()
  }

  /// A control: one value of a transaction that a process has committed is removed from the file.
  @Test func aPartialTransactionOfAKilledProcessIsFound() async throws {
    let run = Run("planted-partial", seed: Scale.seed)
    let folder = try TestFolder()
    let pool = try folder.pool()
    try await pool.write(HistoryTables.create)
    let log = try TransactionLog(path: folder.path("log"))
    let operations: [TransactionHistory.Operation] = [.append(key: 0, value: 1), .append(key: 1, value: 2)]
    log.begins(.init(session: 1, begin: moment(), end: 0, operations: operations))
    _ = try await pool.write { try HistoryTables.perform(operations, $0) }
    try await pool.write { try $0.execute(sql: "DELETE FROM element WHERE key = 1") }
    let recorder = TransactionRecorder()
    try TransactionLog.read(path: folder.path("log"), processEnd: moment(), recorder.ends)
    try HistoryTables.readAll(keyCount: 2, in: pool, session: 2, recorder)
    let anomalies = SerializabilityChecker.verdict(on: recorder.recorded).anomalies
    if anomalies != [.lost(key: 1, value: 2, writer: 0)] { run.problem("found \(anomalies)") }
    run.count("planted")
    run.finish()
  }

  @Test func theLogOfAProcessIsReadAsItWasWritten() throws {
    let folder = try TestFolder()
    let transactions = [
      TransactionHistory.Transaction(
        session: 7, begin: 1, end: 2,
        operations: [
          .append(key: 0, value: 1), .list(key: 0, [1, 2, 3]), .write(key: 1, value: 4), .read(key: 1, 4),
          .read(key: 2, nil), .list(key: 3, []),
        ]),
      TransactionHistory.Transaction(
        session: 8, begin: 2, end: 3, outcome: .aborted, operations: [.append(key: 0, value: 5)]),
    ]
    let unfinished = TransactionHistory.Transaction(
      session: 7, begin: 3, end: 0, operations: [.append(key: 0, value: 6)])
    do {
      let log = try TransactionLog(path: folder.path("log"))
      for transaction in transactions {
        log.begins(transaction)
        log.ends(transaction)
      }
      log.begins(unfinished)
    }
    // The process was killed while it wrote an entry.
    let file = try FileHandle(forWritingTo: URL(filePath: folder.path("log")))
    try file.seekToEnd()
    try file.write(contentsOf: Data([9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]))
    try file.close()
    var read: [TransactionHistory.Transaction] = []
    try TransactionLog.read(path: folder.path("log"), processEnd: 99) { read.append($0) }
    var last = unfinished
    (last.outcome, last.end) = (.unknown, 99)
    #expect(read == transactions + [last])
  }
}
