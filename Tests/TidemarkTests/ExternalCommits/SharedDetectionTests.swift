import CSQLite
import Foundation
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The pools of a process that use one file share the connection that detects external commits.
@Suite struct SharedDetectionTests {
  private let folder: TemporaryFolder
  private let other: DatabaseQueue

  private static let names = ValueObservation.tracking { try $0.playerNames() }

  init() throws {
    folder = try TemporaryFolder()
    let pool = try folder.pool()
    try pool.write { try $0.createPlayers() }
    try pool.close()
    other = try DatabaseQueue(path: folder.database)
  }

  /// A pool, and the number of its notifications.
  private final class ObservedPool: Sendable {
    let pool: DatabasePool
    let notificationCount = Locked(0)
    let listener: ExternalCommitListener

    init(_ pool: DatabasePool, _ willNotify: @escaping @Sendable () -> Void = {}) throws {
      self.pool = pool
      let listener = pool._core.subscribeToExternalCommits { [notificationCount] _ in
        willNotify()
        notificationCount.update { $0 += 1 }
      }
      self.listener = try #require(listener)
      try Wait.until("the first check") { pool.writer.ownCommits.hasBegun }
    }
  }

  private func observedPool(_ detection: Configuration.ExternalCommitDetection = .immediate) throws -> ObservedPool {
    try ObservedPool(folder.pool { $0.externalCommitDetection = detection })
  }

  private func commit(_ writer: some DatabaseWriter) throws {
    try writer.write { try $0.addPlayer("somebody") }
  }

  private func wait(for pools: [ObservedPool], toReach counts: [Int]) throws {
    for (pool, count) in zip(pools, counts) {
      try Wait.until("notification \(count)") { pool.notificationCount.value >= count }
    }
    #expect(pools.map(\.notificationCount.value) == counts)
  }

  /// The number of connections of this process to the file: in WAL mode, each of them has a descriptor of its own.
  /// SQLite keeps the descriptor of a closed one while others hold locks, and gives it to the next one.
  private var connectionCount: Int {
    // The other files of the database have longer names.
    ProcessCounters.descriptorCount(in: folder.database) - ProcessCounters.descriptorCount(in: folder.database + "-")
  }

  @Test(.enabled(if: ProcessCounters.areAvailable))
  func `pools on one file have one additional connection, until the last of them ends the detection`() throws {
    try commit(other)
    let pools = try (0..<4).map { _ in try folder.pool() }
    let before = connectionCount
    let observed = try pools.map { try ObservedPool($0) }
    #expect(connectionCount == before + 1)
    let connection = try detectionConnection(of: pools[0])
    for pool in observed.dropLast() { pool.listener.stop() }
    #expect(connection.isOpen)
    try commit(other)
    try wait(for: observed, toReach: [0, 0, 0, 1])
    observed.last?.listener.stop()
    #expect(!connection.isOpen)
    let next = try ObservedPool(pools[0])
    #expect(connection.isOpen)
    #expect(connectionCount == before + 1)
    next.listener.stop()
    #expect(!connection.isOpen)
  }

  private func detectionConnection(of pool: DatabasePool) throws -> CommitDetectionConnection {
    let path = try #require(pool.writer.filePath)
    let vfs = pool.configuration.environment.vfs
    return ExternalCommitPoller.shared.connection(
      to: .init(path: path, vfs: vfs, identity: pool.writer.health.knownIdentity))
  }

  @Test func `each pool is notified once of the commits of the others, and never of its own`() throws {
    let pools = try (0..<3).map { _ in try observedPool() }
    var counts = [0, 0, 0]
    for number in 0..<30 {
      switch number % 5 {
      case 3:
        try commit(other)
        counts = counts.map { $0 + 1 }
      case 4:
        guard try Shell.run(folder.database, "INSERT INTO player (name) VALUES ('Arthur')") else { continue }
        counts = counts.map { $0 + 1 }
      case let index:
        try commit(pools[index].pool)
        counts = counts.enumerated().map { $0.offset == index ? $0.element : $0.element + 1 }
      }
      try wait(for: pools, toReach: counts)
    }
    for pool in pools { pool.listener.stop() }
  }

  @Test func `each pool observes the concurrent commits of all`() throws {
    let pools = try (0..<3).map { _ in try folder.pool() }
    let observed = pools.map { ValueObservation.tracking { try $0.playerCount() }.collect(in: $0) }
    let signals = pools.map { pool in
      let ended = Signal()
      onThread {
        for _ in 0..<200 { try? commit(pool) }
        ended.fire()
      }
      return ended
    }
    for signal in signals { try signal.wait() }
    let count = try other.read { try $0.playerCount() }
    for (deliveries, cancellable) in observed {
      try deliveries.wait(forLast: count)
      cancellable.cancel()
    }
  }

  @Test func `a closed pool leaves the others notified, and the last one leaves no file behind`() throws {
    let pools = try (0..<3).map { _ in try folder.pool() }
    let observed = pools.map { Self.names.collect(in: $0) }
    for one in observed { try one.deliveries.wait(forLast: []) }
    var expected: [String] = []
    for (index, pool) in pools.enumerated() {
      expected.append("\(index)")
      try other.write { try $0.addPlayer("\(index)") }
      for one in observed[index...] { try one.deliveries.wait(forLast: expected) }
      if index == 2 { try other.close() }
      try pool.close()
      #expect(try observed[index].deliveries.failureText().contains("closed"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["db.sqlite"])
    #expect(ProcessCounters.descriptorCount(in: folder.path) == 0)
  }

  @Test func `a paused pool does not delay the others, and is notified when it continues`() throws {
    let pools = try [observedPool(), observedPool()]
    pools[0].listener.pause()
    try commit(other)
    try wait(for: [pools[1]], toReach: [1])
    #expect(pools[0].notificationCount.value == 0)
    pools[0].listener.resume()
    try wait(for: pools, toReach: [1, 1])
    for pool in pools { pool.listener.stop() }
  }

  @Test func `a replaced file ends the observations of all its pools, and not of those of its replacement`() throws {
    let pools = try (0..<2).map { _ in try folder.pool() }
    let observed = pools.map { Self.names.collect(in: $0) }
    for one in observed { try one.deliveries.wait(forLast: []) }
    try DatabaseQueue(path: folder.path("new")).write { try $0.createPlayers() }
    #expect(rename(folder.path("new"), folder.database) == 0)
    for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: folder.database + suffix) }
    let newPool = try folder.pool()
    let (deliveries, cancellable) = Self.names.collect(in: newPool)
    try deliveries.wait(forLast: [])
    for one in observed {
      #expect(try one.deliveries.failureText().contains("was moved, deleted or replaced"))
    }
    try commit(DatabaseQueue(path: folder.database))
    try deliveries.wait(forLast: ["somebody"])
    cancellable.cancel()
  }

  @Test(.enabled(if: ProcessCounters.areAvailable))
  func `pools with different polling intervals share the connection, and keep their intervals`() throws {
    try commit(other)
    let before = connectionCount
    let detections: [Configuration.ExternalCommitDetection] = [
      .polling(every: .seconds(3_600)), .immediate, .polling(every: .milliseconds(10)),
    ]
    let pools = try detections.map { try observedPool($0) }
    // Each pool has its writer.
    #expect(connectionCount == before + 4)
    for count in 1...5 {
      try commit(other)
      try wait(for: pools, toReach: [0, count, count])
    }
    for pool in pools { pool.listener.stop() }
  }

  @Test func `a commit in progress of one pool does not delay the notification of another`() throws {
    let busy = try observedPool()
    let countWhenNotified = Locked<Int?>(nil)
    let pool = try ObservedPool(folder.pool()) { [busy] in
      countWhenNotified.update { $0 = $0 ?? busy.notificationCount.value }
    }
    // The state of a connection whose VACUUM waits for the write lock.
    try busy.pool.writeWithoutTransaction { db in
      busy.pool.writer.ownCommits.vacuumWillBegin(on: try db.openHandle().pointer)
    }
    try commit(other)
    try wait(for: [pool], toReach: [1])
    #expect(countWhenNotified.value == 0)
    // The wait for the end of its commit is limited.
    try wait(for: [busy, pool], toReach: [1, 1])
    for pool in [busy, pool] { pool.listener.stop() }
  }

  @Test func `a moved file is noticed while commits to it continue`() throws {
    let connection = CommitDetectionConnection(.init(path: folder.database, vfs: nil, identity: nil))
    let user = ObjectIdentifier(connection)
    defer { connection.remove(user) }
    func check() -> CommitCheckResult {
      connection.beginRound()
      return connection.check(for: user) { file in
        switch file.fileState() {
        case .log: .externalCommit
        case .moved: .fileMoved
        case .noLog, .unavailable: .inconclusive
        }
      }
    }
    // The library itself does not write to a moved file.
    let stranger = try ConnectionHandle.open(folder.database, flags: SQLITE_OPEN_READWRITE)
    defer { stranger.closeEventually() }
    let insertion = "INSERT INTO player (name) VALUES ('somebody')"
    try stranger.execute(insertion)
    try #require(check() == .externalCommit)
    try FileManager.default.moveItem(atPath: folder.database, toPath: folder.path("elsewhere"))
    var results: [CommitCheckResult] = []
    while results.last != .fileMoved, results.count < 1_000 {
      try stranger.execute(insertion)
      results.append(check())
    }
    #expect(results.count < 200)
    #expect(results.dropLast().allSatisfy { $0 == .externalCommit })
  }
}

/// Pools on a file without a write-ahead log, which can only read.
@Suite struct SharedDetectionWithoutLogTests {
  private let folder: TemporaryFolder
  private let other: DatabaseQueue

  init() throws {
    folder = try TemporaryFolder()
    other = try DatabaseQueue(path: folder.database)
    try other.write { try $0.createPlayers() }
  }

  private func readOnlyPool(pollingInterval: Duration? = nil) throws -> DatabasePool {
    try folder.pool { configuration in
      configuration.readonly = true
      if let pollingInterval { configuration.externalCommitDetection = .polling(every: pollingInterval) }
    }
  }

  @Test func `each pool observes all commits`() throws {
    let observed = try (0..<3).map { _ in
      ValueObservation.tracking { try $0.playerCount() }.collect(in: try readOnlyPool())
    }
    for number in 1...10 {
      try other.write { try $0.addPlayer("\(number)") }
      for one in observed { try one.deliveries.wait(forLast: number) }
    }
    for one in observed { one.cancellable.cancel() }
  }

  @Test func `a commit right after the change to a write-ahead log is detected`() throws {
    let pool = try readOnlyPool(pollingInterval: .milliseconds(300))
    let (deliveries, cancellable) = ValueObservation.tracking { try $0.playerCount() }.collect(in: pool)
    try deliveries.wait(forLast: 0)
    try other.write { try $0.addPlayer("first") }
    try deliveries.wait(forLast: 1)
    let before = pool.observationMetrics.externalCommitCount
    try other.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = wal") }
    try Wait.until("the check that finds the log") { pool.observationMetrics.externalCommitCount > before }
    try Wait.until("the end of its fetch") { pool.observationMetrics.fetchCount >= 3 }
    // Between two checks.
    try other.write { try $0.addPlayer("second") }
    try deliveries.wait(forLast: 2)
    cancellable.cancel()
  }
}
