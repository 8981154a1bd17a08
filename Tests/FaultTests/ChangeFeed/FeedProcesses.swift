import StressSupport
import Tidemark

/// Two processes that insert rows with their name and consecutive numbers, and a consumer in this process, which stops
/// and continues from stored tokens.
final class FeedProcesses {
  /// A defect that the audit must detect.
  enum Defect: CaseIterable {
    /// A process writes a row without the feed.
    case rowBesideFeed

    /// A process inserts a row twice.
    case repeatedRow

    /// An entry is removed from the middle of the feed.
    case removedEntry
  }

  private let run: Run
  private let folder: TestFolder
  private let pool: DatabasePool
  private let defect: Defect?
  private var numbers: RandomNumbers

  private var children: [(name: String, child: Child)] = []
  private var startCount = 0

  /// The rows that the processes have inserted, or will insert soon.
  private var permitted: [String: Int] = [:]
  private var acknowledged: [String: Int] = [:]

  /// The rows that the consumer has received, or has found in the table.
  private var seen: [String: Int] = [:]

  /// The text of the consumer's token.
  private var position: String

  private static let batchSize = 50
  private static let names = ["left", "right"]

  init(_ run: Run, _ defect: Defect? = nil) async throws {
    (self.run, self.defect) = (run, defect)
    folder = try TestFolder(onDisk: Scale.isFull)
    numbers = RandomNumbers(seed: run.seed)
    // The same as in the processes.
    pool = try folder.feedPool(ChangeFeedConfiguration(keptByteCount: 20_000))
    try await pool.write { db in
      try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, n INTEGER)")
    }
    position = try await pool.read { try $0.changeToken().description }
  }

  // MARK: - The processes

  func startProcesses() throws {
    for name in Self.names {
      let operation =
        switch defect {
        case .rowBesideFeed? where name == "left": "rows-beside-feed"
        case .repeatedRow? where name == "left": "rows-twice"
        default: "rows"
        }
      children.append((name, try Child(operation, database: folder.database, name: name)))
      startCount += 1
    }
  }

  func endProcesses() async {
    await waitForRows()
    for (_, child) in children {
      let (_, complaint) = child.kill(afterBytes: 0)
      if !complaint.isEmpty { run.problem(complaint) }
    }
    children = []
  }

  private func permit(batches: Int) {
    for (name, child) in children {
      for _ in 0..<batches { child.goOn() }
      permitted[name, default: 0] += batches * Self.batchSize
    }
  }

  /// Waits until all permitted rows are inserted.
  private func waitForRows() async {
    for (name, child) in children {
      let count = permitted[name, default: 0] - acknowledged[name, default: 0]
      await Workers(run: run).threads(1, "wait") { [run] _ in
        if child.wait(acknowledged: count) < count * 8 { run.problem("the process \(name) has ended") }
      }
      acknowledged[name] = permitted[name]
      run.count("transactions", count)
    }
  }

  // MARK: - The consumer

  /// The consumer continues a few times while the processes write, and stops again after some entries.
  func follow() async throws {
    permit(batches: 1 + numbers.below(2))
    if defect == .removedEntry { try await removeEntry() }
    while seen != permitted, run.allProblems.isEmpty {
      let isSlow = numbers.once(in: 3)
      try await resume(entryCount: 1 + numbers.below(60), pause: isSlow ? .microseconds(numbers.below(1_500)) : .zero)
    }
  }

  /// The consumer stops until the entries after its token are removed.
  func fallBehind() async throws {
    permit(batches: 8)
    await waitForRows()
    let expiredCount = run.counted("expired")
    try await resume(entryCount: 1, pause: .zero)
    if run.counted("expired") == expiredCount { run.problem("the consumer is far behind, and has not expired") }
  }

  /// Continues after the stored token.
  private func resume(entryCount: Int, pause: Duration) async throws {
    guard let token = ChangeToken(position) else { return run.problem("\(position) is no token") }
    run.count("resumed")
    var last = token
    do {
      var count = 0
      for try await entry in try await pool.changes(after: token) {
        check(entry, after: last)
        last = entry.token
        position = last.description
        count += 1
        if count == entryCount || seen == permitted || !run.allProblems.isEmpty { return }
        if pause > .zero { try await Task.sleep(for: pause) }
      }
    } catch ChangeFeedError.expired(let oldest) {
      run.count("expired")
      try await reload(after: last, oldest: oldest)
    } catch let error as ChangeFeedError {
      run.problem("after \(last.version): \(error)")
    }
  }

  /// Versions are consecutive, and each row appears once, in the order of its process.
  private func check(_ entry: ChangeFeedEntry, after last: ChangeToken) {
    run.count("entries")
    let version = entry.token.version
    if version.count != last.version.count + 1 { run.problem("version \(version) follows \(last.version)") }
    guard entry.changes.isComplete else {
      // A process that opens the file while the log restarts cannot know whether the last commit has an entry.
      run.count("unknown")
      if run.counted("unknown") > startCount { run.problem("version \(version): \(entry.changes)") }
      return
    }
    guard entry.changes.rows.count == 1, let row = entry.changes.rows.first?.newRow else {
      return run.problem("version \(version): \(entry.changes)")
    }
    let (name, number): (String, Int) = (row["name"], row["n"])
    if number != seen[name, default: 0] + 1 { run.problem("\(name): row \(number) after \(seen[name] ?? 0)") }
    seen[name] = number
  }

  /// Reads the table as a whole. This must have been necessary.
  private func reload(after token: ChangeToken, oldest: DatabaseVersion) async throws {
    for try await entry in try await pool.changes(after: nil) {
      let first = entry.token.version
      if oldest.count <= token.version.count + 1 || first < oldest {
        run.problem("\(token.version) has expired, \(oldest) is the oldest version, and \(first) is kept")
      }
      break
    }
    let (rows, next) = try await pool.read { db in
      let rows = try Row.fetchAll(db, sql: "SELECT name, max(n), count(*) FROM item GROUP BY name")
      let values: [(name: String, last: Int, count: Int)] = rows.map { ($0[0], $0[1], $0[2]) }
      return try (values, db.changeToken())
    }
    for (name, last, count) in rows {
      if last != count || last < seen[name, default: 0] { run.problem("\(name): \(count) rows up to \(last)") }
      seen[name] = last
    }
    position = next.description
  }

  // MARK: - The end

  /// Plants a defect: removes the second entry after the consumer's token.
  private func removeEntry() async throws {
    await waitForRows()
    guard let token = ChangeToken(position) else { return }
    try PlainDatabase(path: folder.database).execute(
      "DELETE FROM tidemark_feed WHERE id = \((token.version.count + 2) << 20)")
  }

  func finish() async throws {
    if permitted != acknowledged { run.problem("\(permitted) rows were permitted, \(acknowledged) acknowledged") }
    let count = try await pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM item") }
    if count != seen.values.reduce(0, +) { run.problem("\(count ?? 0) rows are in the table, \(seen) were received") }
    try pool.close()
    if folder.integrity() != "ok" { run.problem(folder.integrity()) }
  }
}
