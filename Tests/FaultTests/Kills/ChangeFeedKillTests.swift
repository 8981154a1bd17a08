import Foundation
import StressSupport
import Synchronization
import TestSupport
import Testing
import Tidemark

/// Processes that write the change feed are killed. The feed contains each committed transaction once, a consumer that
/// acknowledges in its transactions handles each event exactly once, and consumers in this process miss nothing.
@Suite(.serialized, .enabled(if: Child.isBuilt), .untilItHangs) struct ChangeFeedKillTests {
  /// In the second kind of process, the writes of several tasks and of its consumer share transactions of SQLite.
  @Test(arguments: ["feed", "feed-in-tasks"])
  func `killed processes leave a feed without gaps and duplicates`(_ operation: String) async throws {
    let run = Run("feed-kill", seed: Scale.seed)
    let folder = try TestFolder(onDisk: true)
    let kills = try FeedKills(operation, folder, run)
    let audit = Task { try await kills.audit() }
    let position = Task { try await kills.followNamed() }
    await Workers(run: run).threads(1, "killer") { _ in try kills.kill(Scale.of(daily: 10, full: 1_000)) }
    try await kills.finishCopies()
    let (events, versions) = try await audit.value
    position.cancel()
    do {
      try await position.value
    } catch is CancellationError {
      run.count("cancelled")
    }
    kills.check(events, versions)
    try kills.pool.close()
    if folder.integrity() != "ok" { run.problem(folder.integrity()) }
    run.finish()
  }
}

private final class FeedKills: Sendable {
  private let operation: String
  let pool: DatabasePool
  private let folder: TestFolder
  private let run: Run
  private let start: ChangeToken
  private let acknowledged = Mutex<[String: Int]>([:])

  /// The last version that the audit reads.
  private let lastVersion = Mutex<DatabaseVersion?>(nil)

  init(_ operation: String, _ folder: TestFolder, _ run: Run) throws {
    (self.operation, self.folder, self.run) = (operation, folder, run)
    pool = try folder.feedPool()
    start = try pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE event (id INTEGER PRIMARY KEY, name TEXT, n INTEGER);
          CREATE TABLE copy (id INTEGER PRIMARY KEY, name TEXT, n INTEGER, version INTEGER)
          """)
      return try db.changeToken()
    }
    try pool.write { db in
      let token = try db.changeToken()
      for name in ["copier", "follower"] { try db.acknowledge(token, by: name) }
    }
  }

  func kill(_ cycles: Int) throws {
    var numbers = RandomNumbers(seed: run.seed)
    for cycle in 0..<cycles {
      let name = "child \(cycle)"
      let child = try Child(operation, database: folder.database, name: name)
      let bytes = child.wait(acknowledged: numbers.below(40))
      // At another point of its work each time.
      usleep(UInt32(numbers.below(3_000)))
      let (count, complaint) = child.kill(afterBytes: bytes)
      // Two children never run at the same time: the name of the consumer is used once.
      if !complaint.isEmpty { run.problem(complaint) }
      acknowledged.withLock { $0[name] = count }
      run.count("kills")
      run.count("transactions", count)
      // This process writes, too.
      try pool.write { try $0.execute(sql: "INSERT INTO event (name, n) VALUES ('parent', ?)", arguments: [cycle]) }
    }
  }

  /// Copies the events that no child has copied, as a child does.
  func finishCopies() async throws {
    let last = try await pool.read { try $0.changeToken() }
    for try await entry in try await pool.changes(for: "copier") {
      try await pool.write { db in
        for row in entry.changes.rows where row.table.name == "event" {
          let version = Int64(entry.token.version.description).databaseValue
          try db.execute(
            sql: "INSERT INTO copy (id, name, n, version) VALUES (?, ?, ?, ?)",
            arguments: StatementArguments((row.newValues ?? []) + [version]))
        }
        try db.acknowledge(entry.token, by: "copier")
      }
      if entry.token.version >= last.version { break }
    }
    let end = try await pool.read { try $0.changeToken() }
    lastVersion.withLock { $0 = end.version }
    // Wakes the audit.
    try await pool.write { try $0.execute(sql: "INSERT INTO event (name, n) VALUES ('end', 0)") }
  }

  /// Follows the feed all the time. Returns the events, and the versions of all entries.
  func audit() async throws -> (events: [String], versions: [DatabaseVersion]) {
    var events: [String] = []
    var versions: [DatabaseVersion] = []
    var entries = EventEntries()
    for try await entry in try await pool.changes(after: start) {
      versions.append(entry.token.version)
      if entry.changes.completeness == .incomplete(.unknown) { run.count("unknown") }
      for problem in entries.add(entry) { run.problem(problem) }
      for row in entry.changes.rows where row.table.name == "event" {
        events.append("\(row.newValues?[1] ?? .null) \(row.newValues?[2] ?? .null)")
      }
      if events.last == "\("end".databaseValue) \(0.databaseValue)" { break }
    }
    return (events, versions)
  }

  /// Acknowledges each transaction in a transaction of its own, and begins again now and then.
  func followNamed() async throws {
    while !Task.isCancelled {
      var count = 0
      for try await entry in try await pool.changes(for: "follower", in: Table("event")) {
        try await pool.write { try $0.acknowledge(entry.token, by: "follower") }
        count += 1
        if count == 50 { break }
      }
    }
  }

  func check(_ events: [String], _ versions: [DatabaseVersion]) {
    run.count("entries", versions.count)
    for (version, next) in zip(versions, versions.dropFirst())
    where Int(version.description).map({ $0 + 1 }) != Int(next.description) {
      run.problem("version \(next) follows \(version)")
    }
    do {
      let (stored, copied, counts) = try pool.read { db in
        let stored = try Row.fetchAll(db, sql: "SELECT name, n FROM event ORDER BY id")
        let copied = try String.fetchAll(db, sql: "SELECT id || name || n FROM copy ORDER BY id")
        let rows = try Row.fetchAll(db, sql: "SELECT name, count(DISTINCT n) FROM event GROUP BY name")
        let counts: [String: Int] = Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
        return (stored.map { "\($0[0] as DatabaseValue) \($0[1] as DatabaseValue)" }, copied, counts)
      }
      if events.sorted() != stored.sorted() {
        run.problem("the feed has \(events.count) events, the table \(stored.count)")
      }
      let expected = try pool.read {
        try String.fetchAll($0, sql: "SELECT id || name || n FROM event WHERE name != 'end' ORDER BY id")
      }
      if copied != expected { run.problem("\(copied.count) events were copied, of \(expected.count)") }
      for (name, count) in acknowledged.withLock({ $0 }) where counts[name, default: 0] < count {
        run.problem("\(name): \(count) events were acknowledged, \(counts[name, default: 0]) are there")
      }
    } catch {
      run.problem("\(error)")
    }
  }
}

/// The entries with events so far. Each write has one entry, and the entries are in the order of the commits.
private struct EventEntries {
  private var writes: Set<String> = []
  private var lastID: Int64 = 0

  /// - Returns: The violations.
  mutating func add(_ entry: ChangeFeedEntry) -> [String] {
    var problems: [String] = []
    var names: Set<String> = []
    for row in entry.changes.rows {
      guard row.table.name == "event", let values = row.newValues, case .int64(let id) = values[0].storage else {
        names.insert("a copy")
        continue
      }
      names.insert("\(values[1]) \(values[2])")
      // Rows are never deleted.
      if id != lastID + 1 { problems.append("\(entry.token.version): event \(id) follows \(lastID)") }
      lastID = id
    }
    if names.count > 1 { problems.append("\(entry.token.version) has the writes \(names.sorted())") }
    for name in names where name != "a copy" && !writes.insert(name).inserted {
      problems.append("\(entry.token.version): the write \(name) has another entry")
    }
    return problems
  }
}
