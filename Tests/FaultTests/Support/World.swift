import Foundation
import StressSupport

import Tidemark
@testable import TidemarkEssentials

/// A database on a failing file system, a program that writes, and the reported outcomes.
final class World {
  let folder: TestFolder
  let vfs: FaultVFS
  var ledger: Ledger
  private(set) var problems: [String] = []

  /// Whether the program takes an unknown outcome for a rollback.
  var isNaive = false

  /// The number of times that the database was stopped.
  private(set) var stopCount = 0

  /// Further writes that may be in the file completely or not at all, because their outcome is unknown.
  var alternative: Ledger?

  /// The outcome of the operation of a scenario other than writes.
  var operation: Ledger.Word?

  var writer: (any DatabaseWriter)?

  /// A database in memory, which does not fail, to copy from.
  var source: DatabaseQueue?

  /// An observation that lasts as long as the world.
  var observation: AnyDatabaseCancellable?

  /// The options of the change feed; nil for a database without one.
  var changeFeed: ChangeFeedConfiguration?

  /// Whether transactions with more than a few rows are stored in parts, in a temporary file on the failing disk.
  var storesParts = false

  /// Whether asynchronous writes share transactions.
  var groupsWrites = false

  /// Follows the changes until the database is closed.
  var follower: ChangeFollower?

  /// Whether a write has not returned.
  var hasHung = false

  /// The acknowledged writes when the database was stopped.
  private(set) var acknowledgedBeforeStop: Set<Int> = []

  /// Whether entries of the feed may say that anything may have changed, although no other program has written.
  var mayHaveUnknownEntries = false

  private let kind: Kind
  private let clock = VirtualClock()

  enum Kind: Sendable {
    case pool
    /// A pool whose commits wait for the disk.
    case durablePool
    case queue
  }

  var path: String { folder.path("db.sqlite") }

  /// - Parameter template: The initial database; nil for none.
  init(_ kind: Kind, template: Template?) throws {
    self.kind = kind
    folder = try TestFolder()
    vfs = FaultVFS()
    ledger = template?.ledger ?? Ledger()
    if let template { try folder.copyDatabase(template.path, to: "db.sqlite") }
  }

  var configuration: Configuration {
    var configuration = Configuration()
    configuration.environment.vfs = vfs.name
    // Calls are counted: periodic checks of the file would make their number vary.
    configuration.externalCommitDetection = .disabled
    configuration.environment.clock = clock.clock
    configuration.maximumReaderCount = 2
    if kind == .durablePool { configuration.durability = .full }
    configuration.changeFeed = changeFeed
    configuration.groupsWrites = groupsWrites
    if storesParts {
      configuration.environment.changeLogBound = ChangeLog.Bound(
        recordCount: 5, segmentRecordCount: 3, segmentByteCount: 3_000, vfs: vfs.name)
    }
    return configuration
  }

  /// Records a violation.
  func problem(_ words: String) { problems.append(words) }

  // MARK: Operations of a program

  func open() throws {
    writer =
      switch kind {
      case .pool, .durablePool: try DatabasePool(path: path, configuration: configuration)
      case .queue: try DatabaseQueue(path: path, configuration: configuration)
      }
  }

  static let schema = """
    CREATE TABLE one (n INTEGER PRIMARY KEY, filler TEXT);
    CREATE TABLE two (n INTEGER PRIMARY KEY, filler TEXT);
    CREATE INDEX filler ON two (filler)
    """

  static func insert(_ number: Int, _ db: Database) throws {
    for table in ["one", "two"] {
      try db.execute(
        sql: "INSERT INTO \(table) (n, filler) VALUES (?, ?)",
        arguments: [number, String(repeating: "\(number) ", count: 40)])
    }
  }

  /// Runs an operation that fails in a documented way, or not at all.
  ///
  /// - Returns: Whether it succeeded, or why not.
  @discardableResult
  func attempt(_ what: String, _ body: () throws -> Void) -> DatabaseError? {
    do {
      try body()
      return nil
    } catch let error as DatabaseError {
      if error.resultCode == .SQLITE_MISUSE { problem("\(what): misuse: \(error)") }
      return error
    } catch {
      problem("\(what): an error of another kind: \(error)")
      return nil
    }
  }

  /// Writes, and records the reported outcome.
  ///
  /// - Returns: Nil if the write was acknowledged.
  @discardableResult
  func write(_ body: (Int) throws -> Void) -> DatabaseError? {
    let number = ledger.nextNumber()
    do {
      try body(number)
      noteSuccess(number)
      return nil
    } catch {
      return noteFailure(number, error)
    }
  }

  func noteSuccess(_ number: Int) { ledger.note(number, .acknowledged) }

  /// A write has failed intentionally.
  func noteRefusal(_ number: Int) { ledger.note(number, .refused) }

  /// A write has failed.
  ///
  /// - Returns: Its error; nil if it is of an undocumented kind.
  @discardableResult
  func noteFailure(_ number: Int, _ error: any Error) -> DatabaseError? {
    guard let error = error as? DatabaseError else {
      ledger.note(number, .refused)
      problem("write: an error of another kind: \(error)")
      return nil
    }
    ledger.note(number, error.commitOutcome == .unknown && !isNaive ? .unknown : .refused)
    if error.resultCode == .SQLITE_MISUSE { problem("write: misuse: \(error)") }
    return error
  }

  /// An ordinary write.
  @discardableResult
  func write() -> DatabaseError? {
    guard let writer else {
      problem("nothing to write to")
      return nil
    }
    return write { number in try writer.write { db in try Self.insert(number, db) } }
  }

  // MARK: Checks

  private func complaint(about one: [Int], _ two: [Int]) -> String? {
    guard let complaint = ledger.complaint(about: one, two) else { return nil }
    if let alternative, alternative.complaint(about: one, two) == nil { return nil }
    return complaint
  }

  private func settle(_ one: [Int], _ two: [Int]) {
    if let alternative, ledger.complaint(about: one, two) != nil { ledger = alternative }
    alternative = nil
    ledger.settle(with: Set(one))
  }

  /// Reads through the library. The read must fail in a documented way, or return exactly the committed rows.
  ///
  /// - Returns: Whether it succeeded.
  @discardableResult
  func read() -> DatabaseError? {
    guard let writer else { return nil }
    return attempt("read") {
      let (one, two) = try writer.read { db in
        try (
          Int.fetchAll(db, sql: "SELECT n FROM one ORDER BY n"), Int.fetchAll(db, sql: "SELECT n FROM two ORDER BY n")
        )
      }
      if let complaint = complaint(about: one, two) { problem("a read: \(complaint)") }
    }
  }

  /// The contents of the file, read without the library.
  func check(_ path: String, _ when: String, settles: Bool = false) {
    do {
      let db = try PlainDatabase(path: path, keepsLog: changeFeed != nil)
      let report = try db.texts("PRAGMA integrity_check(3)")
      if report != ["ok"] { problem("\(when): \(report)") }
      if try db.numbers("SELECT COUNT(*) FROM sqlite_master WHERE tbl_name IN ('one', 'two')") == [0] {
        if let complaint = complaint(about: [], []) { problem("\(when): no tables: \(complaint)") }
        return
      }
      let one = try db.numbers("SELECT n FROM one ORDER BY n")
      let two = try db.numbers("SELECT n FROM two ORDER BY n")
      if let complaint = complaint(about: one, two) { problem("\(when): \(complaint)") }
      if settles { settle(one, two) }
    } catch {
      problem("\(when): \(error)")
    }
  }

  /// The files that a crash at this moment would leave.
  func checkCrash() {
    do {
      try folder.copyDatabase(path, to: "crash.sqlite")
      if FileManager.default.fileExists(atPath: folder.path("crash.sqlite")) {
        check(folder.path("crash.sqlite"), "after a crash")
      }
    } catch {
      problem("the files could not be copied: \(error)")
    }
  }

  /// Makes the file system work again: then the database must work, too, immediately or, if it says that it is stopped,
  /// after it is opened again.
  func checkRecovery() {
    if writer == nil { return reopen() }
    guard let error = write() else {
      if let error = read() { problem("writes, and does not read: \(error)") }
      return
    }
    guard error.isDatabaseStopped else { return problem("not usable any more: \(error)") }
    stopCount += 1
    acknowledgedBeforeStop = ledger.acknowledged
    if read()?.isDatabaseStopped != true { problem("a stopped database reads") }
    close()
    check(path, "after the stop", settles: true)
    reopen()
  }

  private func reopen() {
    if let error = attempt("open again", { try open() }) { return problem("not opened again: \(error)") }
    // The unknown outcomes are known now.
    check(path, "when it is opened again", settles: true)
    if let error = read() ?? write() { problem("opened again, and not usable: \(error)") }
  }

  /// Checks that closing leaves no file open.
  func close() {
    if let error = attempt("close", { try writer?.close() }) { problem("not closed: \(error)") }
    writer = nil
    if !folder.openFiles.isEmpty { problem("still open: \(folder.openFiles)") }
  }
}

/// The initial database of a scenario.
struct Template {
  let folder: TestFolder
  let ledger: Ledger

  var path: String { folder.path("db.sqlite") }

  init(_ kind: World.Kind, changeFeed: ChangeFeedConfiguration? = nil) throws {
    let world = try World(kind, template: nil)
    world.changeFeed = changeFeed
    try world.open()
    try world.writer?.write { try $0.execute(sql: World.schema) }
    for _ in 0..<8 { world.write() }
    try world.writer?.close()
    world.writer = nil
    folder = world.folder
    ledger = world.ledger
  }
}
