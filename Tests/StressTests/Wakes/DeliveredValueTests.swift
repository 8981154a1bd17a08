import StressSupport
import TestSupport
import Testing
import Tidemark
@testable import TidemarkEssentials

/// After each transaction, a live query delivers the current result: in queues and pools, with attached files, and
/// after commits of other connections.
@Suite(.serialized) struct DeliveredValueTests {
  enum Kind: CaseIterable {
    case memory
    case queue
    case walQueue
    case pool
  }

  @Test(arguments: Scale.seeds(daily: 2, full: 300))
  func deliveredValuesAreTheCurrentResults(seed: UInt64) throws {
    let run = Run("wakes-live", seed: seed)
    try check(run) { WakeWorld(seed: seed) }
    run.finish()
  }

  @Test(arguments: Scale.seeds(daily: 2, full: 300))
  func deliveredValuesOfAssociationsAreTheCurrentResults(seed: UInt64) throws {
    let run = Run("wakes-associations-live", seed: seed)
    try check(run) { WakeWorld(associationsWithSeed: seed) }
    run.finish()
  }

  private func check(_ run: Run, _ makeWorld: () -> WakeWorld) throws {
    for kind in Kind.allCases {
      var world = makeWorld()
      let folder = try TestFolder()
      let (database, other) = try world.makeDatabase(kind, in: folder)
      let queries = (0..<10).map { _ in DeliveredQuery(world.query(), database) }
      for _ in 0..<Scale.of(daily: 20, full: 40) {
        world.script = ["\(kind)"]
        // The other connection does not create temporary tables, so some of its statements fail.
        let isExternal = other != nil && world.once(in: 4)
        if isExternal { world.script.append("by another connection") }
        (isExternal ? other ?? database : database).unsafeReentrantWrite { world.runTransaction($0) }
        for delivered in queries {
          let expected = try database.read { delivered.query.words($0) }
          try Wait.until("\(delivered.query.name) = \(expected): \(world.script.joined(separator: "; "))") {
            delivered.last == expected
          }
          run.count("comparisons")
        }
        run.count("transactions")
      }
      for query in queries { query.cancel() }
      try other?.close()
      try database.close()
    }
  }
}

extension WakeWorld {
  /// Creates a database with the schema, and another connection to the same files if the kind detects its commits.
  fileprivate mutating func makeDatabase(
    _ kind: DeliveredValueTests.Kind, in folder: TestFolder
  ) throws -> (any DatabaseWriter, DatabaseQueue?) {
    var configuration = Configuration()
    configuration.environment.changeLogBound.recordCount = rowBound()
    configuration.busyMode = .timeout(WaitLimit.seconds)
    let largeTableCount = once(in: 6) ? 2_600 : 0
    let isFile = kind != .memory
    let aux = isFile ? folder.database + "-aux" : ":memory:"
    configuration.prepareDatabase { db in
      // A pool attaches the file to its readers, too.
      try db.execute(sql: "ATTACH ? AS aux", arguments: [aux])
    }
    if kind == .walQueue { configuration.journalMode = .wal }
    let database: any DatabaseWriter =
      switch kind {
      case .memory: try DatabaseQueue(configuration: configuration)
      case .queue, .walQueue: try DatabaseQueue(path: folder.database, configuration: configuration)
      case .pool: try DatabasePool(path: folder.database, configuration: configuration)
      }
    try database.unsafeReentrantWrite { db in
      if kind == .pool { try db.execute(sql: "PRAGMA aux.journal_mode = WAL") }
      try makeSchema(db, largeTableCount: largeTableCount)
    }
    guard kind == .walQueue || kind == .pool else { return (database, nil) }
    var otherConfiguration = Configuration()
    otherConfiguration.busyMode = .timeout(WaitLimit.seconds)
    otherConfiguration.prepareDatabase { try $0.execute(sql: "ATTACH ? AS aux", arguments: [aux]) }
    return (database, try DatabaseQueue(path: folder.database, configuration: otherConfiguration))
  }
}

/// An observed query, and its last delivered value.
private final class DeliveredQuery: Sendable {
  let query: WakeQuery
  private let value = Mutex("")
  private let cancellable: AnyDatabaseCancellable

  init(_ query: WakeQuery, _ database: any DatabaseWriter) {
    self.query = query
    let observation = ValueObservation.tracking { db in query.words(db) }
    cancellable = observation.start(in: database, scheduling: Inline(), onError: { _ in }) { [value] words in
      value.withLock { $0 = words }
    }
  }

  var last: String { value.withLock { $0 } }

  func cancel() { cancellable.cancel() }
}

private struct Inline: ValueObservationScheduler {
  func immediateInitialValue() -> Bool { true }
  func schedule(_ action: @escaping @Sendable () -> Void) { action() }
}
