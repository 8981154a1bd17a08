import Foundation
import Testing
import Tidemark

/// Live queries detect external commits: of another connection or pool of the program, or of another process.
@Suite struct ExternalCommitTests {
  let folder: TemporaryFolder
  var path: String { folder.path("db") }

  init() throws { folder = try TemporaryFolder() }

  private static let names = ValueObservation.tracking { db in try db.playerNames() }

  /// An observed database, and the other connections to its file.
  enum DatabaseKind: String, CaseIterable {
    case pool, queue, walQueue, readOnlyPool, readOnlyQueue

    func open(_ path: String) throws -> any DatabaseWriter {
      var configuration = Configuration()
      switch self {
      case .pool: return try DatabasePool(path: path)
      case .queue: return try DatabaseQueue(path: path)
      case .walQueue:
        configuration.journalMode = .wal
        return try DatabaseQueue(path: path, configuration: configuration)
      case .readOnlyPool:
        configuration.readonly = true
        return try DatabasePool(path: path, configuration: configuration)
      case .readOnlyQueue:
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration)
      }
    }
  }

  /// The contents of a file before it is observed.
  private func prepare(_ sql: String = "") throws {
    let dbQueue = try DatabaseQueue(path: path)
    try dbQueue.write { db in
      try db.createPlayers()
      try db.execute(sql: sql)
    }
    try dbQueue.close()
  }

  @Test(arguments: DatabaseKind.allCases)
  func otherConnectionsAreDetected(by home: DatabaseKind) throws {
    try prepare()
    let writer = try home.open(path)
    let (deliveries, cancellable) = Self.names.collect(in: writer)
    try deliveries.wait(forLast: [])
    let other = try DatabaseQueue(path: path)
    try other.write { try $0.addPlayer("Arthur") }
    try deliveries.wait(forLast: ["Arthur"])
    try other.write { try $0.addPlayer("Barbara") }
    try deliveries.wait(forLast: ["Arthur", "Barbara"])
    cancellable.cancel()
  }

  @Test(arguments: DatabaseKind.allCases)
  func otherProcessesAreDetected(by home: DatabaseKind) throws {
    try prepare()
    let writer = try home.open(path)
    let (deliveries, cancellable) = Self.names.collect(in: writer)
    try deliveries.wait(forLast: [])
    guard try Shell.run(path, "INSERT INTO player (name) VALUES ('Arthur')") else { return }
    try deliveries.wait(forLast: ["Arthur"])
    cancellable.cancel()
  }

  @Test func poolsOnOneFileDetectEachOther() throws {
    let pools = try (DatabasePool(path: path), DatabasePool(path: path))
    try pools.0.write { try $0.createPlayers() }
    let (first, firstCancellable) = Self.names.collect(in: pools.0)
    let (second, secondCancellable) = Self.names.collect(in: pools.1)
    try first.wait(forLast: [])
    try second.wait(forLast: [])
    var expected: [String] = []
    for number in 0..<20 {
      expected.append("\(number)")
      try (number.isMultiple(of: 2) ? pools.0 : pools.1).write { try $0.addPlayer("\(number)") }
      try first.wait(forLast: expected)
      try second.wait(forLast: expected)
    }
    firstCancellable.cancel()
    secondCancellable.cancel()
  }

  @Test(arguments: [DatabaseKind.pool, .queue])
  func ownCommitsAreNotExternal(by home: DatabaseKind) throws {
    try prepare()
    let writer = try home.open(path)
    let (deliveries, cancellable) = Self.names.collect(in: writer)
    try deliveries.wait(forLast: [])
    let before = writer.observationMetrics
    for number in 1...200 {
      try writer.write { try $0.addPlayer("\(number)") }
      if number % 50 == 0 { try writer.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
    }
    try deliveries.wait { $0.last?.count == 200 }
    // The other connection's commit would have been detected before.
    try DatabaseQueue(path: path).write { try $0.addPlayer("other") }
    try deliveries.wait { $0.last?.count == 201 }
    let after = writer.observationMetrics
    #expect(after.externalCommitCount - before.externalCommitCount == 1)
    // The external commit may find the query waiting for the fetch that the last own commit has requested.
    #expect((200...201).contains(after.wakeCount - before.wakeCount))
    cancellable.cancel()
  }

  @Test func unchangedResultsAreNotDelivered() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { db in
      try db.createPlayers()
      try db.addPlayer("Arthur")
    }
    let (players, playersCancellable) = Self.names.collect(in: pool)
    let (teams, teamsCancellable) = ValueObservation.tracking { db in
      try String.fetchAll(db, sql: "SELECT name FROM team")
    }.collect(in: pool)
    try players.wait(forLast: ["Arthur"])
    try teams.wait(forLast: [])
    let other = try DatabaseQueue(path: path)
    for number in 1...10 {
      try other.write { try $0.execute(sql: "INSERT INTO team (name) VALUES (?)", arguments: ["\(number)"]) }
      try teams.wait { $0.last?.count == number }
    }
    // The last commit is delivered after all fetches for those before.
    try other.write { try $0.addPlayer("Barbara") }
    try players.wait(forLast: ["Arthur", "Barbara"])
    #expect(players.values == [["Arthur"], ["Arthur", "Barbara"]])
    playersCancellable.cancel()
    teamsCancellable.cancel()
  }

  @Test func resultsAreComparedAsStored() throws {
    // Neither the number of rows nor the values computed from them change.
    let pool = try DatabasePool(path: path)
    try pool.write { db in
      try db.createPlayers()
      try db.addPlayer("Arthur", score: 1)
    }
    let (deliveries, cancellable) = ValueObservation.tracking { db in
      _ = try Int.fetchAll(db, sql: "SELECT score FROM player")
      return 0
    }.collect(in: pool)
    try deliveries.wait { $0.count == 1 }
    try DatabaseQueue(path: path).write { try $0.execute(sql: "UPDATE player SET score = 2") }
    try deliveries.wait { $0.count == 2 }
    cancellable.cancel()
  }

  @Test func valuesFetchedWithoutStatementsAreAlwaysDelivered() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.createPlayers() }
    let (deliveries, cancellable) = ValueObservation.tracking { db in
      _ = try db.playerNames()
      return try db.tableExists("guild")
    }.collect(in: pool)
    let (registered, registeredCancellable) = ValueObservation.tracking { db in
      try db.registerAccess(to: Table("player"))
      return 0
    }.collect(in: pool)
    try deliveries.wait(forLast: false)
    try registered.wait { $0.count == 1 }
    try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE guild (id)") }
    try deliveries.wait(forLast: true)
    try registered.wait { $0.count == 2 }
    cancellable.cancel()
    registeredCancellable.cancel()
  }

  @Test func externalSchemaChangesAreDetected() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    let (deliveries, cancellable) = ValueObservation.tracking { db in
      try Row.fetchAll(db, sql: "SELECT * FROM t").map(\.description)
    }.collect(in: pool)
    try deliveries.wait(forLast: ["[a:1]"])
    let other = try DatabaseQueue(path: path)
    try other.write { try $0.execute(sql: "ALTER TABLE t RENAME COLUMN a TO b") }
    try deliveries.wait(forLast: ["[b:1]"])
    try other.write { try $0.execute(sql: "DROP TABLE t; CREATE TABLE t (c, d); INSERT INTO t VALUES (1, 2)") }
    try deliveries.wait(forLast: ["[c:1 d:2]"])
    cancellable.cancel()
  }

  /// The region of a query is determined again after an external schema change, although its SQL is the same.
  @Test(arguments: [DatabaseKind.pool, .queue])
  func tablesRecreatedExternallyAreObserved(by home: DatabaseKind) throws {
    try prepare("INSERT INTO player (name) VALUES ('Arthur')")
    let writer = try home.open(path)
    let (deliveries, cancellable) = Self.names.collect(in: writer)
    try deliveries.wait(forLast: ["Arthur"])
    let other = try DatabaseQueue(path: path)
    // The schema is known once the other connection has committed.
    try other.write { try $0.addPlayer("Barbara") }
    try deliveries.wait(forLast: ["Arthur", "Barbara"])
    try other.write { db in
      try db.execute(
        sql: """
          DROP TABLE player;
          CREATE TABLE PLAYER (name TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID;
          INSERT INTO PLAYER VALUES ('Craig', 3);
          """)
    }
    try deliveries.wait(forLast: ["Craig"])
    try writer.write { try $0.execute(sql: "INSERT INTO Player (name, id) VALUES ('David', 4)") }
    try deliveries.wait(forLast: ["Craig", "David"])
    cancellable.cancel()
  }

  @Test(arguments: [DatabaseKind.pool, .queue, .walQueue])
  func externalMaintenanceMissesNothing(by home: DatabaseKind) throws {
    try prepare()
    let writer = try home.open(path)
    let (deliveries, cancellable) = Self.names.collect(in: writer)
    try deliveries.wait(forLast: [])
    let other = try home == .pool ? DatabasePool(path: path) : DatabaseQueue(path: path) as any DatabaseWriter
    var expected: [String] = []
    for deed in ["checkpoint", "VACUUM", "REINDEX", "ANALYZE"] {
      expected.append(deed)
      try other.write { try $0.addPlayer(deed) }
      try other.writeWithoutTransaction { db in
        if deed == "checkpoint" { _ = try db.checkpoint(.truncate) } else { try db.execute(sql: deed) }
      }
      try deliveries.wait(forLast: expected)
      expected.append("after \(deed)")
      try other.write { try $0.addPlayer("after \(deed)") }
      try deliveries.wait(forLast: expected)
    }
    cancellable.cancel()
  }

  @Test(arguments: [DatabaseKind.pool, .queue, .walQueue])
  func backupsIntoTheFileAreDetected(by home: DatabaseKind) throws {
    try prepare()
    let writer = try home.open(path)
    let (deliveries, cancellable) = Self.names.collect(in: writer)
    try deliveries.wait(forLast: [])
    let source = try DatabaseQueue()
    try source.write { db in
      try db.createPlayers()
      try db.addPlayer("from the backup")
    }
    let other = try DatabaseQueue(path: path)
    try source.backup(to: other)
    try deliveries.wait(forLast: ["from the backup"])
    cancellable.cancel()
  }

  @Test(arguments: [DatabaseKind.pool, .queue, .walQueue], ["deleted", "replaced", "moved"])
  func deletedFilesEndTheObservation(of home: DatabaseKind, _ fate: String) throws {
    try prepare()
    let writer = try home.open(path)
    let (deliveries, cancellable) = Self.names.collect(in: writer)
    try deliveries.wait(forLast: [])
    switch fate {
    case "deleted": try FileManager.default.removeItem(atPath: path)
    case "moved": try FileManager.default.moveItem(atPath: path, toPath: path + "-elsewhere")
    default:
      try DatabaseQueue(path: folder.path("new")).write { try $0.createPlayers() }
      #expect(rename(folder.path("new"), path) == 0)
    }
    #expect(try deliveries.failureText().contains("was moved, deleted or replaced"))
    cancellable.cancel()
  }

  @Test func movedFoldersEndTheObservation() throws {
    let home = folder.path("home")
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
    let pool = try DatabasePool(path: home + "/db")
    try pool.write { try $0.createPlayers() }
    let (deliveries, cancellable) = Self.names.collect(in: pool)
    try deliveries.wait(forLast: [])
    try FileManager.default.moveItem(atPath: home, toPath: folder.path("elsewhere"))
    #expect(try deliveries.failureText().contains("was moved, deleted or replaced"))
    cancellable.cancel()
  }

  @Test func symbolicLinksAreResolved() throws {
    try prepare()
    try FileManager.default.createDirectory(atPath: folder.path("links"), withIntermediateDirectories: false)
    let link = folder.path("links/link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let pool = try DatabasePool(path: link)
    let (deliveries, cancellable) = Self.names.collect(in: pool)
    try deliveries.wait(forLast: [])
    try DatabaseQueue(path: path).write { try $0.addPlayer("Arthur") }
    try deliveries.wait(forLast: ["Arthur"])
    cancellable.cancel()
  }

  @Test func journalModeCanChange() throws {
    try prepare()
    let dbQueue = try DatabaseQueue(path: path)
    let (deliveries, cancellable) = Self.names.collect(in: dbQueue)
    try deliveries.wait(forLast: [])
    func set(_ mode: String, by writer: DatabaseQueue) throws {
      let answer = try writer.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA journal_mode = \(mode)") }
      #expect(answer == mode)
    }
    var expected: [String] = []
    for (number, mode) in ["wal", "delete", "wal", "persist", "wal", "delete"].enumerated() {
      let other = try DatabaseQueue(path: path)
      // Only the only connection can leave WAL mode.
      if number.isMultiple(of: 4) {
        try set(mode, by: other)
      } else {
        try other.close()
        try set(mode, by: dbQueue)
      }
      let writer = number.isMultiple(of: 4) ? other : try DatabaseQueue(path: path)
      expected.append(mode)
      try writer.write { try $0.addPlayer(mode) }
      try deliveries.wait(forLast: expected)
      expected.append("own")
      try dbQueue.write { try $0.addPlayer("own") }
      try deliveries.wait(forLast: expected)
      #expect(FileManager.default.fileExists(atPath: path + "-shm") == (mode == "wal"))
      try writer.close()
    }
    cancellable.cancel()
  }

  @Test(arguments: [Configuration.ExternalCommitDetection.polling(every: .milliseconds(10)), .immediate])
  func detectionCanPoll(_ mode: Configuration.ExternalCommitDetection) throws {
    var configuration = Configuration()
    configuration.externalCommitDetection = mode
    let pool = try DatabasePool(path: path, configuration: configuration)
    try pool.write { try $0.createPlayers() }
    let (deliveries, cancellable) = Self.names.collect(in: pool)
    try deliveries.wait(forLast: [])
    try DatabaseQueue(path: path).write { try $0.addPlayer("Arthur") }
    try deliveries.wait(forLast: ["Arthur"])
    #expect(!ProcessCounters.areAvailable || ProcessCounters.isWatched(folder.path) == (mode == .immediate))
    cancellable.cancel()
  }

  @Test func detectionIsConfigurable() throws {
    var config = Configuration()
    config.externalCommitDetection = .polling(every: .seconds(2))
    #expect(config.externalCommitDetection == .polling(every: .seconds(2)))
    #expect(Configuration().externalCommitDetection == .immediate)
  }

  @Test func `the cost of external commits is configurable`() throws {
    var config = Configuration()
    config.externalCommitLimit = .init(processorShare: 0.1, delayMax: .milliseconds(500))
    #expect(config.externalCommitLimit.processorShare == 0.1)
    #expect(Configuration().externalCommitLimit == .init(processorShare: 0.5, delayMax: .milliseconds(100)))
  }

  @Test func disabledDetectionMissesExternalCommits() throws {
    var configuration = Configuration()
    configuration.externalCommitDetection = .disabled
    let pool = try DatabasePool(path: path, configuration: configuration)
    try pool.write { try $0.createPlayers() }
    let (deliveries, cancellable) = Self.names.collect(in: pool)
    try deliveries.wait(forLast: [])
    #expect(!ProcessCounters.isWatched(folder.path))
    try DatabaseQueue(path: path).write { try $0.addPlayer("Arthur") }
    // Earlier external commits become visible with the next own commit.
    try pool.write { try $0.addPlayer("Barbara") }
    try deliveries.wait(forLast: ["Arthur", "Barbara"])
    #expect(deliveries.values.count == 2)
    #expect(pool.observationMetrics.externalCommitCount == 0)
    cancellable.cancel()
  }

  @Test func transactionObserversSeeOnlyOwnTransactions() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.createPlayers() }
    let changeCount = Locked(0)
    let regionCancellable = DatabaseRegionObservation(tracking: Table("player")).start(
      in: pool, onError: { _ in }, onChange: { _ in changeCount.update { $0 += 1 } })
    let (deliveries, cancellable) = Self.names.collect(in: pool)
    try deliveries.wait(forLast: [])
    try DatabaseQueue(path: path).write { try $0.addPlayer("Arthur") }
    try deliveries.wait(forLast: ["Arthur"])
    #expect(changeCount.value == 0)
    cancellable.cancel()
    regionCancellable.cancel()
  }

  @Test func closingLeavesNoLogBehind() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.createPlayers() }
    let (deliveries, cancellable) = Self.names.collect(in: pool)
    try deliveries.wait(forLast: [])
    try DatabaseQueue(path: path).write { try $0.addPlayer("Arthur") }
    try deliveries.wait(forLast: ["Arthur"])
    try pool.close()
    cancellable.cancel()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["db"])
    #expect(ProcessCounters.descriptorCount(in: folder.path) == 0)
  }
}
