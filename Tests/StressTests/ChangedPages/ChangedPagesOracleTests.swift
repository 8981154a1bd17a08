import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// A program without the library writes tables with deep trees, overflow pages and free pages. Each table whose content
/// has changed is found from the pages in the write-ahead log, or the changes are unknown.
@Suite(.serialized) struct ChangedPagesOracleTests {
  @Test(arguments: Scale.seeds(daily: 6, full: 400))
  func changedTablesAreFound(seed: UInt64) throws {
    let run = Run("changed-pages", seed: seed)
    try check(run)
    run.finish()
  }

  /// A control: tables that are left out are noticed.
  @Test func missingTablesAreNoticed() throws {
    let run = Run("changed-pages-control", seed: Scale.seed)
    try check(run, hasLongValues: false) { $0.removeAll { $0 == TableKey("a") } }
    run.finishControl(planted: "a table is left out")
  }

  /// Without values longer than a page, most changes are known.
  @Test func mostTablesAreKnown() throws {
    let run = Run("changed-pages-share", seed: Scale.seed)
    for round in 0..<UInt64(6) {
      let part = Run("changed-pages", seed: run.seed &+ round)
      try check(part, hasLongValues: false)
      for name in ["known", "unknown", "superfluous"] { run.count(name, part.counted(name)) }
      part.finish()
    }
    let (known, unknown) = (run.counted("known"), run.counted("unknown"))
    print("stress: changed pages: \(known) known, \(unknown) unknown, \(run.counted("superfluous")) superfluous")
    #expect(known > 2 * unknown)
    run.finish()
  }

  private func check(
    _ run: Run, hasLongValues: Bool = true, planting plant: (inout [TableKey]) -> Void = { _ in }
  ) throws {
    let folder = try TestFolder()
    var writer = PageWriter(path: folder.database, seed: run.seed, hasLongValues: hasLongValues)
    let pool = try DatabasePool(path: folder.database)
    var reader = ChangedPagesReader()
    _ = try pool.read { try reader.next($0) }
    var before = try pool.read { try TableContent.all($0) }
    for round in 0..<Scale.of(daily: 60, full: 400) {
      if round % 5 == 4 {
        // The next commits are found without a map of the state before them.
        reader = ChangedPagesReader()
        _ = try pool.read { [reader] in reader.begin(with: $0) }
      }
      let script = writer.runTransactions()
      // The state is not known while another connection commits.
      guard let changes = try pool.read({ [reader] in try reader.next($0) }) else { continue }
      let after = try pool.read { try TableContent.all($0) }
      let changed = TableContent.changedTables(from: before, to: after)
      before = after
      run.count("rounds")
      guard case .known(let commits, _) = changes else {
        run.count("unknown")
        continue
      }
      run.count("known")
      var keys = commits.flatMap { $0.tables.map(\.key) }
      plant(&keys)
      run.count("superfluous", keys.count { !changed.contains($0) })
      for table in changed where !keys.contains(table) {
        run.problem("round \(round): \(table) is missing in \(keys); \(script.joined(separator: "; "))")
      }
      if !run.allProblems.isEmpty { break }
    }
    try pool.close()
    if folder.integrity() != "ok" { run.problem(folder.integrity()) }
  }
}

/// The content of tables, as texts.
private enum TableContent {
  static func all(_ db: Database) throws -> [String: String] {
    let names = try String.fetchAll(
      db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('a', 'b', 'c', 'd', 'e', 'f')")
    var content: [String: String] = [:]
    for name in names {
      let isVirtual = name == "f"
      content[name] =
        try String.fetchOne(
          db,
          sql: isVirtual
            ? "SELECT group_concat(rowid || w) FROM f"
            : "SELECT group_concat(x) FROM (SELECT quote(n) || quote(length(v)) || hex(v) x FROM \(name) ORDER BY 1)"
        ) ?? ""
    }
    return content
  }

  static func changedTables(from old: [String: String], to new: [String: String]) -> [TableKey] {
    Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.map { TableKey($0) }
  }
}
