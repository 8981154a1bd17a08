import CSQLite
import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Live queries notice what others commit into files that are attached.
@Suite struct AttachedCommitTests {
  let folder: TemporaryFolder
  private var auxPath: String { folder.path("aux") }

  init() throws { folder = try TemporaryFolder() }

  enum DatabaseKind: String, CaseIterable {
    case pool, queue, walQueue, memoryQueue, readOnlyPool

    func open(in folder: TemporaryFolder, _ configuration: Configuration) throws -> any DatabaseWriter {
      var configuration = configuration
      let path = folder.path("main")
      switch self {
      case .pool: return try DatabasePool(path: path, configuration: configuration)
      case .queue: return try DatabaseQueue(path: path, configuration: configuration)
      case .walQueue:
        configuration.journalMode = .wal
        return try DatabaseQueue(path: path, configuration: configuration)
      case .memoryQueue: return try DatabaseQueue(configuration: configuration)
      case .readOnlyPool:
        try DatabasePool(path: path).close()
        configuration.readonly = true
        return try DatabasePool(path: path, configuration: configuration)
      }
    }
  }

  private static let notes = ValueObservation.tracking { db in
    try String.fetchAll(db, sql: "SELECT text FROM aux.note ORDER BY rowid")
  }

  private func makeAttachedFile(_ journalMode: String = "delete") throws -> DatabaseQueue {
    let other = try DatabaseQueue(path: auxPath)
    try other.inDatabase { db in
      try db.execute(sql: "PRAGMA journal_mode = \(journalMode); CREATE TABLE note (text)")
    }
    return other
  }

  private func attaching() -> Configuration {
    var configuration = Configuration()
    configuration.prepareDatabase { [auxPath] in try $0.execute(sql: "ATTACH '\(auxPath)' AS aux") }
    return configuration
  }

  @Test(arguments: DatabaseKind.allCases, ["delete", "wal"])
  func commitsToAttachedFilesAreDetected(by home: DatabaseKind, journalMode: String) throws {
    let other = try makeAttachedFile(journalMode)
    let writer = try home.open(in: folder, attaching())
    let (deliveries, cancellable) = Self.notes.collect(in: writer)
    try deliveries.wait(forLast: [])
    try other.write { try $0.execute(sql: "INSERT INTO note VALUES ('a')") }
    try deliveries.wait(forLast: ["a"])
    try other.write { try $0.execute(sql: "INSERT INTO note VALUES ('b')") }
    try deliveries.wait(forLast: ["a", "b"])
    cancellable.cancel()
  }

  @Test(arguments: [DatabaseKind.queue, .walQueue, .memoryQueue])
  func filesAttachedLaterAreChecked(by home: DatabaseKind) throws {
    let other = try makeAttachedFile()
    let dbQueue = try home.open(in: folder, Configuration())
    let (deliveries, cancellable) = ValueObservation.tracking { db in
      let isAttached = try Row.fetchAll(db, sql: "PRAGMA database_list").contains { $0["name"] == "aux" }
      if !isAttached { return ["not attached"] }
      return try String.fetchAll(db, sql: "SELECT text FROM aux.note ORDER BY rowid")
    }.collect(in: dbQueue)
    try deliveries.wait(forLast: ["not attached"])
    try dbQueue.writeWithoutTransaction { try $0.execute(sql: "ATTACH '\(auxPath)' AS aux") }
    try deliveries.wait(forLast: [])
    try other.write { try $0.execute(sql: "INSERT INTO note VALUES ('a')") }
    try deliveries.wait(forLast: ["a"])
    cancellable.cancel()
  }

  @Test(arguments: [DatabaseKind.pool, .queue, .walQueue])
  func ownCommitsIntoAnAttachedFileAreNotTakenForThoseOfOthers(by home: DatabaseKind) throws {
    let other = try makeAttachedFile()
    let writer = try home.open(in: folder, attaching())
    let (deliveries, cancellable) = Self.notes.collect(in: writer)
    try other.write { try $0.execute(sql: "INSERT INTO note VALUES ('first')") }
    try deliveries.wait(forLast: ["first"])
    let before = writer.observationMetrics.externalCommitCount
    for number in 1...100 {
      try writer.write { try $0.execute(sql: "INSERT INTO note VALUES ('\(number)')") }
    }
    try deliveries.wait { $0.last?.count == 101 }
    try other.write { try $0.execute(sql: "INSERT INTO note VALUES ('last')") }
    try deliveries.wait { $0.last?.count == 102 }
    // One is the commit of the other connection. Commits read before the first check may be counted late.
    #expect(writer.observationMetrics.externalCommitCount <= before + 4)
    cancellable.cancel()
  }

  @Test func observationsOfTheWriterSeeItsAttachedDatabases() throws {
    let other = try makeAttachedFile()
    let pool = try DatabasePool(path: folder.path("main"))
    try pool.writeWithoutTransaction { try $0.execute(sql: "ATTACH '\(auxPath)' AS aux") }
    var observation = Self.notes
    observation.requiresWriteAccess = true
    let (deliveries, cancellable) = observation.collect(in: pool)
    try deliveries.wait(forLast: [])
    try other.write { try $0.execute(sql: "INSERT INTO note VALUES ('a')") }
    try deliveries.wait(forLast: ["a"])
    cancellable.cancel()
  }

  @Test func `a reader without attached files needs no check before it reads`() throws {
    let pool = try DatabasePool(path: folder.path("main"))
    try pool.writeWithoutTransaction { try $0.execute(sql: "ATTACH ':memory:' AS aux") }
    let detector = AttachedCommitDetector(try #require(pool._core.writer))
    let isDetected = try pool.read { detector.begin(with: $0) }
    #expect(isDetected)
  }
}
