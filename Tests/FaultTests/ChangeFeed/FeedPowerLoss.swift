import CFaultVFS
import Foundation
import StressSupport

import Tidemark
@testable import TidemarkEssentials

/// A program that writes the change feed, and loses power at each call to the disk.
struct FeedPowerLoss {
  let program: PowerLoss.Program
  private let feed: ChangeFeedConfiguration
  private let events: [fault_event]

  /// The state after each transaction of SQLite, beginning with the one before the first.
  private let states: [FeedStart]

  /// Whether the consumers remember the version of a token only, which must be detected.
  var forgetsDigests = false

  // Owns the events.
  private let vfs = FaultVFS()
  private let folder: TestFolder

  /// Runs a program that writes to a new file, and records its calls to the disk.
  init(_ program: PowerLoss.Program, feed: ChangeFeedConfiguration, transactionCount: Int) throws {
    (self.program, self.feed) = (program, feed)
    folder = try TestFolder()
    if program.isOnLyingDisk { vfs.lie() }
    vfs.record()
    var configuration = Configuration()
    configuration.environment.vfs = vfs.name
    configuration.externalCommitDetection = .disabled
    configuration.durability = program.durability
    configuration.changeFeed = feed
    configuration.groupsWrites = program.groupsWrites
    // A group has no limited time.
    configuration.environment.clock = VirtualClock().clock
    configuration.environment.changeLogBound = ChangeLog.Bound(
      recordCount: 5, segmentRecordCount: 3, segmentByteCount: 3_000)
    let path = folder.path("db.sqlite")
    let database: any DatabaseWriter =
      program.isQueue
      ? try DatabaseQueue(path: path, configuration: configuration)
      : try DatabasePool(path: path, configuration: configuration)
    try database.write { try $0.execute(sql: World.schema) }
    var states = [try FeedStart(database)]
    vfs.mark(0)
    var count = 0
    for number in 1...transactionCount {
      let last = count + program.writeCount(inTransaction: number)
      if program.groupsWrites {
        try program.write(count + 1...last, database, World.insert)
      } else {
        try Self.write(number, database)
      }
      count = last
      vfs.mark(number)
      states.append(try FeedStart(database))
      if number % 7 == 0, !program.isQueue {
        try database.writeWithoutTransaction { _ = try $0.checkpoint(number % 14 == 0 ? .truncate : .full) }
      }
    }
    try database.close()
    self.states = states
    events = vfs.events
  }

  private static func write(_ number: Int, _ database: any DatabaseWriter) throws {
    switch number % 5 {
    case 0:
      // Enough rows for several parts.
      try database.write { db in
        try db.execute(sql: "UPDATE two SET filler = filler || 'x'")
        try World.insert(number, db)
      }
    case 1:
      try database.writeWithoutTransaction { db in
        try db.execute(sql: "SAVEPOINT a")
        try World.insert(number, db)
        try db.execute(sql: "RELEASE a")
      }
    default: try database.write { try World.insert(number, $0) }
    }
  }

  struct Verdict {
    var imageCount = 0
    /// The images in which acknowledged transactions of SQLite are missing, and the largest number of them.
    var lostImageCount = 0
    var lostMax = 0
    /// The tokens of lost transactions whose versions were used again, and which were refused.
    var refusedCount = 0
    var unknownCount = 0
    var problems: [String] = []
  }

  /// Cuts the power after every `stride`th event, and opens the resulting files.
  func verdict(_ folders: Disk.Folders, seed: UInt64, stride: Int) async throws -> Verdict {
    var numbers = RandomNumbers(seed: seed)
    var disk = Disk(folders)
    var verdict = Verdict()
    let begin = numbers.below(stride)
    for (index, event) in events.enumerated() {
      guard disk.play(event), (index + begin) % stride == 0 else { continue }
      for damage in Disk.Damage.allCases {
        verdict.imageCount += 1
        var problems: [String] = []
        do {
          try write(disk.image(damage, &numbers))
          problems = try await check(mark: disk.mark ?? -1, &numbers, &verdict)
        } catch {
          problems = ["\(error)"]
        }
        verdict.problems += problems.map {
          "\(program.rawValue), \(folders), \(damage), event \(index) of \(events.count): \($0)"
        }
      }
    }
    return verdict
  }

  private func write(_ image: [String: Data]) throws {
    for suffix in ["", "-wal", "-journal", "-shm"] {
      let path = folder.path("image.sqlite" + suffix)
      unlink(path)
      if let bytes = image[folder.path("db.sqlite" + suffix)] { try bytes.write(to: URL(filePath: path)) }
    }
  }

  // MARK: - An image

  private func check(mark: Int, _ numbers: inout RandomNumbers, _ verdict: inout Verdict) async throws -> [String] {
    var configuration = Configuration()
    configuration.changeFeed = feed
    // No other process writes: the file is not watched for each stream.
    configuration.externalCommitDetection = .disabled
    let database = try DatabaseQueue(path: folder.path("image.sqlite"), configuration: configuration)
    var problems: [String] = []
    let content = try Self.read(database) { db in
      let report = try String.fetchAll(db, sql: "PRAGMA integrity_check(1)")
      if report != ["ok"] { problems += report }
      return try db.tableExists("one") ? try FeedCopy(db) : nil
    }
    // The last transaction in the file; -1 before the creation of the tables.
    let last = content.map { content in states.firstIndex { $0.copy == content } ?? states.count } ?? -1
    if let content, last == states.count {
      problems.append("not the state after a commit: \(content.numbers(in: "one")), \(content.numbers(in: "two"))")
    }
    if last < mark {
      verdict.lostImageCount += 1
      verdict.lostMax = max(verdict.lostMax, mark - last)
      if program.keepsAll { problems.append("\(mark - last) transactions are lost") }
    } else if last > mark + 1 {
      problems.append("\(last) transactions, and \(mark) were acknowledged")
    }
    guard problems.isEmpty else { return problems }

    problems += try await checkTokens(database, last, "after the power failure", &verdict)
    if last >= 0 { problems += try await audit(database, after: numbers.below(last + 1), &verdict) }
    // The versions of the lost transactions are used again.
    let newCount = 2 + (last < mark ? states[mark].writeCount - (last < 0 ? 0 : states[last].writeCount) : 0)
    try Self.write(database) { db in if try !db.tableExists("one") { try db.execute(sql: World.schema) } }
    for number in 1...newCount { try Self.write(database) { try World.insert(1_000 + number, $0) } }
    problems += try await checkTokens(database, last, "after \(newCount) new transactions", &verdict)
    if last >= 0 { problems += try await audit(database, after: numbers.below(last + 1), &verdict) }
    return problems
  }

  /// The entries after a transaction lead to the content of the database.
  private func audit(
    _ database: DatabaseQueue, after number: Int, _ verdict: inout Verdict
  ) async throws -> [String] {
    do {
      let audit = try await FeedAudit(database, after: states[number])
      // An unknown entry is correct here: without its end, or after its restart, the log does not show whether the last
      // entry belongs to the last commit.
      verdict.unknownCount += audit.unknownCount
      return audit.problems.map { "after transaction \(number): \($0)" }
    } catch ChangeFeedError.expired where feed.keptByteCount != ChangeFeedConfiguration().keptByteCount {
      return []
    }
  }

  /// The tokens of transactions in the file are valid, or have expired. The others are refused.
  private func checkTokens(
    _ database: DatabaseQueue, _ last: Int, _ when: String, _ verdict: inout Verdict
  ) async throws -> [String] {
    var problems: [String] = []
    let current = try Self.read(database) { try $0.changeToken() }
    let mayExpire = feed.keptByteCount != ChangeFeedConfiguration().keptByteCount
    for (number, state) in states.enumerated() {
      guard var token = state.token else { continue }
      if forgetsDigests, number > last { token = try Self.read(database) { try token.withDigest(in: $0) } }
      let answer = try await Self.answer(to: token, database, current)
      let isCorrect =
        switch answer {
        case .accepted: number <= last
        case .expired: mayExpire
        case .refused: number > last
        }
      if !isCorrect { problems.append("\(when), the token of transaction \(number) of \(last) is \(answer)") }
      if number > last, token.version <= current.version, answer != .accepted { verdict.refusedCount += 1 }
    }
    return problems
  }

  private enum Answer { case accepted, expired, refused }

  private static func answer(
    to token: ChangeToken, _ database: DatabaseQueue, _ current: ChangeToken
  ) async throws -> Answer {
    do {
      let stream = try await database.changes(after: token)
      if token == current { return .accepted }
      // The digest of the next entry shows whether it follows.
      var iterator = stream.makeAsyncIterator()
      _ = try await iterator.next()
      return .accepted
    } catch ChangeFeedError.otherHistory {
      return .refused
    } catch ChangeFeedError.expired {
      return .expired
    }
  }

  // In an async function, the methods of the database would be the asynchronous ones.

  private static func read<T>(_ database: DatabaseQueue, _ body: (Database) throws -> T) throws -> T {
    try database.read(body)
  }

  private static func write(_ database: DatabaseQueue, _ body: (Database) throws -> Void) throws {
    try database.write(body)
  }
}

extension FeedStart {
  fileprivate var writeCount: Int { copy.numbers(in: "one").count }
}

extension ChangeToken {
  /// A token without knowledge of the transactions up to it: it has the digest that its version has in a database.
  fileprivate func withDigest(in db: Database) throws -> ChangeToken {
    let tables = db.moduleState(ChangeFeedTables.self)
    guard let history = try tables.history(db), let row = try tables.row(id, db) else { return self }
    return ChangeToken(history: history, id: id, digest: row.digest)
  }
}
