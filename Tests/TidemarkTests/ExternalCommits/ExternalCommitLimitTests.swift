import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// External commits where system resources are scarce, and at the beginning and end of an observation.
@Suite struct ExternalCommitLimitTests {
  let folder: TemporaryFolder
  var path: String { folder.path("db") }

  init() throws { folder = try TemporaryFolder() }

  private static let names = ValueObservation.tracking { db in try db.playerNames() }

  private func pool(_ setUp: (inout Configuration) -> Void = { _ in }) throws -> DatabasePool {
    var configuration = Configuration()
    setUp(&configuration)
    let pool = try DatabasePool(path: path, configuration: configuration)
    try pool.write { try $0.createPlayers() }
    return pool
  }

  @Test func missingFileEventsIncreasePolling() throws {
    let pool = try pool { $0.environment.usesFileEvents = false }
    let (deliveries, cancellable) = Self.names.collect(in: pool)
    try deliveries.wait(forLast: [])
    try DatabaseQueue(path: path).write { try $0.addPlayer("Arthur") }
    try deliveries.wait(forLast: ["Arthur"])
    cancellable.cancel()
  }

  @Test(arguments: [false, true])
  func `the last value of many external commits is delivered in spite of a low limit`(hasFeed: Bool) throws {
    var configuration = Configuration()
    configuration.externalCommitLimit = .init(processorShare: 0.000_1, delayMax: .milliseconds(20))
    if hasFeed { configuration.changeFeed = ChangeFeedConfiguration() }
    let pool = try DatabasePool(path: path, configuration: configuration)
    try pool.write { try $0.createPlayers() }
    let (deliveries, cancellable) = ValueObservation.tracking { try $0.playerCount() }.collect(in: pool)
    try deliveries.wait(forLast: 0)
    let other = try DatabaseQueue(path: path, configuration: configuration)
    for number in 1...200 { try other.write { try $0.addPlayer("\(number)") } }
    try deliveries.wait(forLast: 200)
    // Each of the few fetches is followed by a pause.
    #expect(deliveries.values.count < 200)
    cancellable.cancel()
  }

  @Test(.enabled(if: ProcessCounters.areAvailable))
  func stoppedObservationsLeakNothing() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let pool = try DatabasePool(path: folder.path("db"))
      try pool.write { try $0.createPlayers() }
      let other = try DatabaseQueue(path: folder.path("db"))
      func observe() throws {
        let (deliveries, cancellable) = ValueObservation.tracking { try $0.playerCount() }.collect(in: pool)
        let count = try pool.read { try $0.playerCount() }
        try deliveries.wait(forLast: count)
        try other.write { try $0.addPlayer("somebody") }
        try deliveries.wait(forLast: count + 1)
        cancellable.cancel()
      }
      try observe()
      let before = ProcessCounters.current
      for _ in 0..<100 { try observe() }
      // The pool may have opened some of its connections since, and threads end some time later.
      try waitUntil("what is left goes") {
        let after = ProcessCounters.current
        return after.threads <= before.threads + 8 && after.descriptors <= before.descriptors + 16
      }
    }
  }

  @Test func concurrentlyEndingObservationsAreSafe() throws {
    let pool = try pool()
    for _ in 0..<100 { Self.names.collect(in: pool).cancellable.cancel() }
    #expect(pool.observationMetrics.observationCount == 0)
  }

  @Test(.enabled(if: ProcessCounters.areAvailable))
  func detectionRecoversFromMissingDescriptors() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let pool = try DatabasePool(path: folder.path("db"))
      try pool.write { try $0.createPlayers() }
      let other = try DatabaseQueue(path: folder.path("db"))
      try other.write { try $0.addPlayer("Arthur") }
      // The connection of live queries is open already.
      let (first, firstCancellable) = ValueObservation.tracking { try $0.playerCount() }.collect(in: pool)
      try first.wait(forLast: 1)
      firstCancellable.cancel()
      // All descriptors are in use.
      var taken: [CInt] = []
      while case let descriptor = dup(2), descriptor >= 0 { taken.append(descriptor) }
      let (deliveries, cancellable) = ValueObservation.tracking { try $0.playerCount() }.collect(in: pool)
      try deliveries.wait(forLast: 1)
      try other.write { try $0.addPlayer("Barbara") }
      for descriptor in taken { close(descriptor) }
      try deliveries.wait(forLast: 2)
      cancellable.cancel()
    }
  }

  /// Not for connections without locks: their reads may see half of a commit, and the other half is not detected.
  @Test func fileSystemsWithoutSharedMemoryArePolled() throws {
    var configuration = Configuration()
    configuration.environment.vfs = "unix-dotfile"
    let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
    try dbQueue.write { try $0.createPlayers() }
    let (deliveries, cancellable) = Self.names.collect(in: dbQueue)
    try deliveries.wait(forLast: [])
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try other.write { try $0.addPlayer("Arthur") }
    try deliveries.wait(forLast: ["Arthur"])
    cancellable.cancel()
  }

  @Test func exclusiveConnectionsCreateNoSharedMemory() throws {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = exclusive") }
    configuration.journalMode = .wal
    let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
    try dbQueue.write { try $0.createPlayers() }
    let (deliveries, cancellable) = Self.names.collect(in: dbQueue)
    try deliveries.wait(forLast: [])
    for number in 1...20 {
      try dbQueue.write { try $0.addPlayer("\(number)") }
      try deliveries.wait { $0.last?.count == number }
    }
    #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
    cancellable.cancel()
  }

  @Test func queuesWithoutWALCreateNoSharedMemory() throws {
    let dbQueue = try DatabaseQueue(path: path)
    try dbQueue.write { try $0.createPlayers() }
    let observed = (0..<5).map { number in
      ValueObservation.tracking { db in try db.playerCount() + number }.collect(in: dbQueue)
    }
    for number in 1...20 {
      try dbQueue.write { try $0.addPlayer("\(number)") }
      for (index, one) in observed.enumerated() { try one.deliveries.wait(forLast: number + index) }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["db"])
    for one in observed { one.cancellable.cancel() }
  }

  @Test func closingDuringExternalCommitsEndsObservations() throws {
    let other = try pool()
    try other.write { try $0.addPlayer("Arthur") }
    let isOver = Locked(false)
    let ended = Signal()
    onThread {
      // Whether one of them fails is irrelevant.
      while !isOver.value { try? other.write { try $0.execute(sql: "UPDATE player SET score = score + 1") } }
      ended.fire()
    }
    for _ in 0..<10 {
      let pool = try DatabasePool(path: path)
      let (deliveries, cancellable) = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT score FROM player")
      }.collect(in: pool)
      try deliveries.wait { $0.count >= 2 }
      try pool.close()
      #expect(try deliveries.failureText().contains("closed"))
      cancellable.cancel()
    }
    isOver.update { $0 = true }
    try ended.wait()
  }

  @Test func closingAPoolEndsItsObservationsAlsoWhenAStatementIsHeld() throws {
    let pool = try pool()
    let (deliveries, cancellable) = Self.names.collect(in: pool)
    try deliveries.wait(forLast: [])
    let statement = try pool.writeWithoutTransaction { try $0.makeStatement(sql: "SELECT 1") }
    #expect(throws: DatabaseError.self) { try pool.close() }
    withExtendedLifetime(statement) {}
    #expect(try deliveries.failureText().contains("closed"))
    cancellable.cancel()
  }

  @Test func queuesThatCannotBeClosedKeepDetectingCommits() throws {
    let dbQueue = try DatabaseQueue(path: path)
    try dbQueue.write { try $0.createPlayers() }
    let (deliveries, cancellable) = Self.names.collect(in: dbQueue)
    try deliveries.wait(forLast: [])
    let statement = try dbQueue.inDatabase { try $0.makeStatement(sql: "SELECT 1") }
    #expect(throws: DatabaseError.self) { try dbQueue.close() }
    withExtendedLifetime(statement) {}
    try DatabaseQueue(path: path).write { try $0.addPlayer("Arthur") }
    try deliveries.wait(forLast: ["Arthur"])
    cancellable.cancel()
  }

  @Test func newObserversValuesAreDeliveredToAll() throws {
    // External commits are not detected.
    let pool = try pool { $0.externalCommitDetection = .polling(every: .seconds(3_600)) }
    let (old, oldCancellable) = Self.names.collect(in: pool)
    try old.wait(forLast: [])
    try DatabaseQueue(path: path).write { try $0.addPlayer("Arthur") }
    let (new, newCancellable) = Self.names.collect(in: pool)
    try new.wait(forLast: ["Arthur"])
    try old.wait(forLast: ["Arthur"])
    oldCancellable.cancel()
    newCancellable.cancel()
  }

  @Test func observationsStartedInAnOldReadReceiveNewValues() throws {
    let pool = try pool()
    let (deliveries, cancellable) = try pool.read { db in
      #expect(try db.playerNames() == [])
      try DatabaseQueue(path: path).write { try $0.addPlayer("Arthur") }
      return Self.names.collect(in: pool, scheduling: ImmediateScheduler())
    }
    try deliveries.wait(forLast: ["Arthur"])
    // The newer value replaces the first one if it is fetched before the delivery.
    #expect([[[], ["Arthur"]], [["Arthur"]]].contains(deliveries.values))
    cancellable.cancel()
  }

  @Test func initiallyEmptyDatabasesAreObserved() throws {
    let dbQueue = try DatabaseQueue(path: path)
    let (deliveries, cancellable) = ValueObservation.tracking { db in
      try db.tableExists("player") ? db.playerNames() : ["nothing"]
    }.collect(in: dbQueue)
    try deliveries.wait(forLast: ["nothing"])
    let other = try DatabasePool(path: path)
    try other.write { db in
      try db.createPlayers()
      try db.addPlayer("Arthur")
    }
    try deliveries.wait(forLast: ["Arthur"])
    cancellable.cancel()
  }

  @Test func manuallyOpenedTransactionsAreLeftAlone() throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    configuration.journalMode = .wal
    let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
    try dbQueue.write { try $0.createPlayers() }
    let (deliveries, cancellable) = Self.names.collect(in: dbQueue)
    try deliveries.wait(forLast: [])
    let other = try DatabaseQueue(path: path)
    try dbQueue.writeWithoutTransaction { try $0.execute(sql: "BEGIN") }
    try other.write { try $0.addPlayer("Arthur") }
    Thread.sleep(forTimeInterval: 0.02)
    // If the transaction had read anything meanwhile, it could not write after this commit.
    try other.write { try $0.addPlayer("Barbara") }
    try dbQueue.writeWithoutTransaction { db in
      try db.addPlayer("Craig")
      try db.execute(sql: "COMMIT")
    }
    try deliveries.wait(forLast: ["Arthur", "Barbara", "Craig"])
    cancellable.cancel()
  }

  @Test func snapshotsDetectNoExternalCommits() throws {
    let pool = try pool()
    let snapshot = try pool.makeSnapshot()
    let (deliveries, cancellable) = Self.names.collect(in: snapshot)
    try deliveries.wait(forLast: [])
    #expect(snapshot._core.subscribeToExternalCommits { _ in } == nil)
    cancellable.cancel()
  }

  /// Closing a descriptor of one of these files would drop all locks of the process on it.
  @Test(.enabled(if: ProcessCounters.areAvailable))
  func detectionOpensNoDescriptor() throws {
    let pool = try pool()
    let (deliveries, cancellable) = Self.names.collect(in: pool)
    try deliveries.wait(forLast: [])
    let other = try DatabaseQueue(path: path)
    try other.write { try $0.addPlayer("first") }
    try deliveries.wait(forLast: ["first"])
    let before = ProcessCounters.descriptorCount(in: path)
    for number in 1...100 {
      try other.write { try $0.addPlayer("\(number)") }
      try deliveries.wait { $0.last?.count == number + 1 }
    }
    // The pool may have opened some of its connections since.
    #expect(ProcessCounters.descriptorCount(in: path) <= before + 16)
    cancellable.cancel()
  }
}
