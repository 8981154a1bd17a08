import Foundation
import StressSupport
import Synchronization
import Testing
import Tidemark

/// A process that writes to the file is killed repeatedly, while this one reads and writes (guarantees P1 and P2).
@Suite(.serialized, .enabled(if: Child.isBuilt)) struct KillTests {
  @Test func killedProcessesLoseNoAcknowledgedWrite() async throws {
    let run = Run("kill", seed: Scale.seed)
    let folder = try TestFolder(onDisk: true)
    let kills = Kills(try folder.pool(), folder, run)
    try kills.prepare()
    let workers = Workers(run: run)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await workers.threads(1, "killer") { _ in try kills.kill(Scale.of(daily: 8, full: 80)) } }
      group.addTask { await workers.tasks(2, "writing task") { _ in try await kills.writeUntilTheEnd() } }
      group.addTask { await workers.tasks(1, "reading task") { _ in try await kills.readUntilTheEnd() } }
    }
    try kills.checkOwnRows()
    try kills.pool.close()
    if folder.integrity() != "ok" { run.problem(folder.integrity()) }
    run.finish()
  }
}

private final class Kills: Sendable {
  let pool: DatabasePool
  private let folder: TestFolder
  private let run: Run
  private let isOver = Atomic<Bool>(false)
  private let ownCount = Atomic<Int>(0)

  init(_ pool: DatabasePool, _ folder: TestFolder, _ run: Run) {
    self.pool = pool
    self.folder = folder
    self.run = run
  }

  func prepare() throws {
    try pool.write { db in
      try db.execute(sql: "CREATE TABLE one (name TEXT, n INTEGER, PRIMARY KEY (name, n))")
      try db.execute(sql: "CREATE TABLE two (name TEXT, n INTEGER, PRIMARY KEY (name, n))")
    }
  }

  func kill(_ cycles: Int) throws {
    defer { isOver.store(true, ordering: .relaxed) }
    var numbers = RandomNumbers(seed: run.seed)
    for cycle in 0..<cycles {
      let name = "child \(cycle)"
      let child = try Child("write", database: folder.database, name: name)
      let bytes = child.wait(acknowledged: numbers.below(60))
      // At another point of its work each time.
      usleep(UInt32(numbers.below(3000)))
      let (acknowledged, complaint) = child.kill(afterBytes: bytes)
      if !complaint.isEmpty { run.problem(complaint) }
      run.count("kills")
      run.count("transactions", acknowledged)
      try checkRows(of: name, acknowledged)
    }
  }

  /// Acknowledged commits are there; others are there completely, or not at all.
  private func checkRows(of name: String, _ acknowledged: Int) throws {
    let (one, two) = try pool.read { db in
      try (
        Int.fetchAll(db, sql: "SELECT n FROM one WHERE name = ? ORDER BY n", arguments: [name]),
        Int.fetchAll(db, sql: "SELECT n FROM two WHERE name = ? ORDER BY n", arguments: [name])
      )
    }
    if one != two { run.problem("\(name): \(one.count) rows and \(two.count)") }
    if one != Array(1..<(one.count + 1)) { run.problem("\(name): rows are missing in the middle") }
    if one.count < acknowledged || one.count > acknowledged + 1 {
      run.problem("\(name): \(acknowledged) writes were acknowledged, \(one.count) are there")
    }
    let report = try pool.read { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") }
    if report != "ok" { run.problem(report ?? "no report") }
  }

  // MARK: This process

  func writeUntilTheEnd() async throws {
    while !isOver.load(ordering: .relaxed) {
      try await pool.write { [self] db in
        let number = ownCount.load(ordering: .relaxed) + 1
        for table in ["one", "two"] {
          try db.execute(sql: "INSERT INTO \(table) VALUES ('parent', ?)", arguments: [number])
        }
        // Inside the transaction: writes are serialized.
        ownCount.store(number, ordering: .relaxed)
      }
      run.count("transactions")
    }
  }

  func readUntilTheEnd() async throws {
    while !isOver.load(ordering: .relaxed) {
      let counts = try await pool.read { db in
        try ["one", "two"].map { try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \($0)") }
      }
      if counts[0] != counts[1] { run.problem("a read sees \(counts)") }
      run.count("reads")
    }
  }

  func checkOwnRows() throws {
    try checkRows(of: "parent", ownCount.load(ordering: .relaxed))
  }
}
