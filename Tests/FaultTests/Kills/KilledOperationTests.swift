import Foundation
import StressSupport
import Testing

/// A process is killed while it makes a copy, migrates, or closes: the file contains what was acknowledged, and no
/// partial change (guarantees P1 and P2).
@Suite(.serialized, .enabled(if: Child.isBuilt)) struct KilledOperationTests {
  private func kill(_ operation: String, cycles: Int, _ check: (TestFolder, Int) throws -> [String]) throws {
    let run = Run("kill-during-\(operation)", seed: Scale.seed)
    for problem in try problems(of: operation, cycles: cycles, run, check) { run.problem(problem) }
    run.finish()
  }

  /// The violations, up to the first cycle with one.
  private func problems(
    of operation: String, cycles: Int, _ run: Run, _ check: (TestFolder, Int) throws -> [String]
  ) throws -> [String] {
    var numbers = RandomNumbers(seed: run.seed)
    let folder = try TestFolder()
    for cycle in 0..<cycles {
      for name in ["db.sqlite", "db.sqlite-copy"] {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(folder.path(name + suffix)) }
      }
      let path = folder.path("db.sqlite")
      let db = try PlainDatabase(path: path, creates: true)
      try db.execute("CREATE TABLE one (name TEXT, n INTEGER); CREATE TABLE two (name TEXT, n INTEGER)")
      try db.execute("INSERT INTO two SELECT 'first', value FROM json_each('[1,2,3,4,5,6,7,8,9]')")
      let child = try Child(operation, database: path, name: "child \(cycle)")
      let bytes = child.wait(acknowledged: numbers.below(12))
      // At another point of its work each time.
      usleep(UInt32(numbers.below(4000)))
      let (count, complaint) = child.kill(afterBytes: bytes)
      run.count("kills")
      run.count("transactions", count)
      let problems = try check(folder, count) + (complaint.isEmpty ? [] : [complaint])
      if !problems.isEmpty { return problems.map { "cycle \(cycle): \($0)" } }
    }
    return []
  }

  private func complaint(_ db: PlainDatabase, acknowledged: Int, name: String) throws -> [String] {
    var problems: [String] = []
    let report = try db.texts("PRAGMA integrity_check(1)")
    if report != ["ok"] { problems.append("\(name): \(report)") }
    let one = try db.numbers("SELECT n FROM one WHERE name LIKE 'child%' ORDER BY n")
    let two = try db.numbers("SELECT n FROM two WHERE name LIKE 'child%' ORDER BY n")
    if one != two || one != Array(1..<(one.count + 1)) { problems.append("\(name): \(one) and \(two)") }
    if one.count < acknowledged || one.count > acknowledged + 1 {
      problems.append("\(name): \(acknowledged) were acknowledged, \(one.count) are there")
    }
    return problems
  }

  @Test func killedBackupIsCompleteOrAbsent() throws {
    try kill("backup", cycles: Scale.of(daily: 4, full: 40)) { folder, acknowledged in
      let source = try complaint(
        PlainDatabase(path: folder.path("db.sqlite")), acknowledged: acknowledged, name: "the source")
      // Before the first copy is complete, there is an empty file, or none.
      let path = folder.path("db.sqlite-copy")
      if acknowledged == 0, !FileManager.default.fileExists(atPath: path) { return source }
      let copy = try PlainDatabase(path: path)
      if acknowledged == 0, try copy.numbers("SELECT COUNT(*) FROM sqlite_master") == [0] { return source }
      return try source + complaint(copy, acknowledged: acknowledged, name: "the copy")
    }
  }

  @Test func killedMigrationIsCompleteOrAbsent() throws {
    try kill("migrate", cycles: Scale.of(daily: 4, full: 40)) { folder, acknowledged in
      let db = try PlainDatabase(path: folder.path("db.sqlite"))
      let version = try db.numbers("PRAGMA user_version")[0]
      var problems = try db.texts("PRAGMA integrity_check(1)").filter { $0 != "ok" }
      if version < acknowledged || version > acknowledged + 1 {
        problems.append("version \(acknowledged) was acknowledged, and it is \(version)")
      }
      let tables = try db.numbers("SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name LIKE 'm%'")
      let columns = try db.numbers("SELECT COUNT(*) FROM pragma_table_info('one')")
      let indexes = try db.numbers("SELECT COUNT(*) FROM sqlite_master WHERE type = 'index'")
      let smallest = try db.numbers("SELECT MIN(n) FROM two")
      if tables + columns + indexes + smallest != [version, version + 2, version, version + 1] {
        problems.append("version \(version): \(tables) tables, \(columns) columns, \(indexes) indexes, \(smallest)")
      }
      return problems
    }
  }

  /// A control: a process that acknowledges work before its commit is detected.
  @Test func acknowledgingBeforeTheCommitIsDetected() throws {
    let run = Run("kill-during-boast", seed: Scale.seed)
    let problems = try problems(of: "boast", cycles: 200, run) { folder, acknowledged in
      try complaint(PlainDatabase(path: folder.path("db.sqlite")), acknowledged: acknowledged, name: "the file")
    }
    let isFound = problems.contains { $0.contains("were acknowledged") }
    run.count("planted", isFound ? 1 : 0)
    if !isFound { run.problem("nothing was found: \(problems)") }
    run.finish()
  }

  @Test func closedDatabaseSurvivesAKill() throws {
    try kill("close", cycles: Scale.of(daily: 4, full: 40)) { folder, acknowledged in
      try complaint(PlainDatabase(path: folder.path("db.sqlite")), acknowledged: acknowledged, name: "the file")
    }
  }
}
