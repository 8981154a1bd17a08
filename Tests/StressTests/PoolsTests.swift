import StressSupport
import Synchronization
import TestSupport
import Testing
import Tidemark

/// Several pools, and a queue, on the same file, all of which write and move the log into the database.
@Suite(.serialized) struct PoolsTests {
  @Test(arguments: Scale.seeds(daily: 1, full: 2))
  func severalPoolsOnOneFileLoseNothing(seed: UInt64) async throws {
    let run = Run("pools", seed: seed)
    try await perform(run, rounds: Scale.of(daily: 100, full: 800))
    run.finish()
  }

  @Test func lostWritesOfAnotherPoolAreFound() async throws {
    let run = Run("pools-control", seed: Scale.seed)
    try await perform(run, rounds: 10, losesAWrite: true)
    run.finishControl(planted: "a lost write")
  }

  private func perform(_ run: Run, rounds: Int, losesAWrite: Bool = false) async throws {
    let folder = try TestFolder(onDisk: true)
    let writers = try Self.open(3, in: folder)
    try await writers[0].write { try $0.execute(sql: "CREATE TABLE t (writer, n, PRIMARY KEY (writer, n))") }
    await Workers(run: run).threads(writers.count * 2, "thread") { worker in
      let writer = writers[worker % writers.count]
      var numbers = RandomNumbers(seed: run.seed, stream: worker)
      for number in 1...rounds {
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [worker, number]) }
        run.count("transactions")
        if losesAWrite, worker == 1, number == 5 { try writers[2].write { try $0.execute(sql: Self.loss) } }
        // What this thread has written is there for all of them.
        let reader = writers[numbers.below(writers.count)]
        let count = try reader.read { db in
          try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t WHERE writer = ?", arguments: [worker])
        }
        if count != number { run.problem("thread \(worker) has written \(number) rows, \(count ?? 0) are there") }
        run.count("reads")
      }
    }
    let count = try await writers[0].read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    if count != run.counted("transactions") {
      run.problem("\(run.counted("transactions")) writes were acknowledged, \(count ?? 0) are there")
    }
    for writer in writers { try writer.close() }
    if folder.integrity() != "ok" { run.problem(folder.integrity()) }
  }

  private static let loss = "DELETE FROM t WHERE writer = 1 AND n = 5"

  private static func open(_ poolCount: Int, in folder: TestFolder) throws -> [any DatabaseWriter] {
    let oftenCheckpointing: @Sendable (Database) throws -> Void = { db in
      if !db.description.contains("reader") { try db.execute(sql: "PRAGMA wal_autocheckpoint = 5") }
    }
    let pools = try (0..<poolCount).map { _ in try folder.pool { $0.prepareDatabase(oftenCheckpointing) } }
    var configuration = Configuration()
    configuration.busyMode = .timeout(WaitLimit.seconds)
    configuration.prepareDatabase(oftenCheckpointing)
    return pools + [try DatabaseQueue(path: folder.database, configuration: configuration)]
  }
}
