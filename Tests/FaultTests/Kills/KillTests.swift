import Foundation
import StressSupport
import Synchronization
import Testing
import Tidemark

/// A process that writes to the file is killed repeatedly, while this one reads and writes (guarantees P1 and P2).
@Suite(.serialized, .enabled(if: Child.isBuilt)) struct KillTests {
  @Test(arguments: Kills.Program.allCases)
  func killedProcessesLoseNoAcknowledgedWrite(_ program: Kills.Program) async throws {
    let run = Run("kill", seed: Scale.seed)
    let folder = try TestFolder(onDisk: true)
    let kills = Kills(program, try folder.pool(), folder, run)
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

  /// A control: a process whose tasks acknowledge writes before their common commit is detected.
  @Test func acknowledgingInAClosureIsDetected() throws {
    let run = Run("kill-boast-in-tasks", seed: Scale.seed)
    let folder = try TestFolder(onDisk: true)
    let kills = Kills(.tasks, try folder.pool(), folder, run)
    try kills.prepare()
    try kills.kill(100, operation: "boast-in-tasks") {
      run.allProblems.contains { $0.contains("were acknowledged") }
    }
    try kills.pool.close()
    run.finishControl(planted: "an acknowledgement before the commit")
  }
}

final class Kills: Sendable {
  /// The way in which a process writes.
  enum Program: String, CaseIterable, Sendable {
    case thread = "write"

    /// The writes of several tasks share transactions.
    case tasks = "write-in-tasks"

    /// The names in the rows of a process.
    func rowNames(_ name: String) -> [String] {
      switch self {
      case .thread: [name]
      case .tasks: (0..<16).map { "\(name) task \($0)" }
      }
    }

    /// The index of the name of an acknowledged write.
    fileprivate static func nameIndex(_ acknowledgement: Int64) -> Int { Int(acknowledgement >> 32) }
  }

  private let program: Program
  let pool: DatabasePool
  private let folder: TestFolder
  private let run: Run
  private let isOver = Atomic<Bool>(false)
  private let ownCount = Atomic<Int>(0)

  init(_ program: Program, _ pool: DatabasePool, _ folder: TestFolder, _ run: Run) {
    self.program = program
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

  /// Starts a process, and kills it, several times.
  ///
  /// - Parameter operation: Its work, if it is another one than the program's.
  /// - Parameter isEnough: Whether to end early.
  func kill(_ cycles: Int, operation: String? = nil, until isEnough: () -> Bool = { false }) throws {
    defer { isOver.store(true, ordering: .relaxed) }
    var numbers = RandomNumbers(seed: run.seed)
    for cycle in 0..<cycles where !isEnough() {
      let name = "child \(cycle)"
      let child = try Child(operation ?? program.rawValue, database: folder.database, name: name)
      var acknowledgements = (0..<numbers.below(60)).compactMap { _ in child.receive() }
      // At another point of its work each time.
      usleep(UInt32(numbers.below(3000)))
      let (rest, complaint) = child.killReceivingRest()
      acknowledgements += rest
      if !complaint.isEmpty { run.problem(complaint) }
      run.count("kills")
      run.count("transactions", acknowledgements.count)
      for (index, name) in program.rowNames(name).enumerated() {
        try checkRows(of: name, acknowledgements.count { Program.nameIndex($0) == index })
      }
      let report = try pool.read { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") }
      if report != "ok" { run.problem(report ?? "no report") }
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
