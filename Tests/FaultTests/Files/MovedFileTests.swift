import CSQLite
import Foundation
import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// A database file whose path refers to another file, or to none (hazards F4, F5, F6 and F15).
@Suite struct MovedFileTests {
  private let folder: TestFolder
  private var path: String { folder.path("db.sqlite") }

  init() throws { folder = try TestFolder() }

  /// The ways to replace or remove the file of an open database.
  enum Move: String, CaseIterable, Sendable {
    case deleted, renamed, replaced, folderRenamed

    func callAsFunction(_ folder: TestFolder) throws {
      let path = folder.path("db.sqlite")
      switch self {
      case .deleted:
        try FileManager.default.removeItem(atPath: path)
      case .renamed:
        try FileManager.default.moveItem(atPath: path, toPath: folder.path("other.sqlite"))
      case .replaced:
        let other = folder.path("other.sqlite")
        try PlainDatabase(path: other, creates: true).execute("CREATE TABLE stranger (n)")
        guard rename(other, path) == 0 else { fatalError("not renamed") }
      case .folderRenamed:
        // For the path, this is the same: the file does not exist.
        try FileManager.default.createDirectory(atPath: folder.path("elsewhere"), withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("db.sqlite") {
          try FileManager.default.moveItem(atPath: folder.path(name), toPath: folder.path("elsewhere/\(name)"))
        }
      }
    }
  }

  /// - Parameter commits: After enough of them, events of the system decide when the pool looks at the path.
  @Test(arguments: Move.allCases, [0, 2 * FileMoveCheck.interval])
  func writesToAMovedFileAreRefused(_ move: Move, _ commits: Int) throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n)") }
    for _ in 0..<commits { try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (0)") } }
    try move(folder)
    let error = #expect(throws: DatabaseError.self) {
      try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }
    #expect(error?.extendedResultCode == .SQLITE_READONLY_DBMOVED)
    #expect(error?.commitOutcome == .notCommitted)
    #expect(error?.isTransient == false)
    // And the database is stopped: it can only be closed.
    let errors = [
      #expect(throws: DatabaseError.self) { try pool.write { try Int.fetchOne($0, sql: "SELECT 1") } },
      #expect(throws: DatabaseError.self) { try pool.read { try Int.fetchOne($0, sql: "SELECT 1") } },
    ]
    for error in errors {
      #expect(error?.isDatabaseStopped == true)
      #expect(error?.extendedResultCode == .SQLITE_READONLY_DBMOVED)
    }
    try pool.close()
    #expect(folder.openFiles == [])
  }

  @Test func aBackupIntoAFileThatIsMovedMeanwhileIsRefused() throws {
    let source = try DatabaseQueue()
    try source.write { try $0.execute(sql: "CREATE TABLE t (n); INSERT INTO t VALUES (zeroblob(20000))") }
    let dbQueue = try DatabaseQueue(path: path)
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE former (n)") }
    var hasMoved = false
    let error = #expect(throws: DatabaseError.self) {
      try source.backup(to: dbQueue, pagesPerStep: 1) { _ in
        if !hasMoved { try Move.renamed(folder) }
        hasMoved = true
      }
    }
    #expect(error?.extendedResultCode == .SQLITE_READONLY_DBMOVED)
    let refusal = #expect(throws: DatabaseError.self) { try dbQueue.read { try Int.fetchOne($0, sql: "SELECT 1") } }
    #expect(refusal?.isDatabaseStopped == true)
    try dbQueue.close()
    // The file has its former content.
    #expect(try PlainDatabase(path: folder.path("other.sqlite")).texts("SELECT name FROM sqlite_master") == ["former"])
  }

  @Test func autocommitStatementsOnAMovedFileAreRefused() throws {
    let dbQueue = try DatabaseQueue(path: path)
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE t (n)") }
    try Move.deleted(folder)
    let error = #expect(throws: DatabaseError.self) {
      try dbQueue.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }
    #expect(error?.extendedResultCode == .SQLITE_READONLY_DBMOVED)
  }

  /// A connection that is opened later does not read another file.
  @Test func readersDoNotOpenAReplacementFile() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n)") }
    try Move.replaced(folder)
    let error = #expect(throws: DatabaseError.self) {
      try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM stranger") }
    }
    #expect(error?.extendedResultCode == .SQLITE_READONLY_DBMOVED)
  }

  @Test func filesWithTwoNamesAreNotWritten() throws {
    try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (n); INSERT INTO t VALUES (1)") }
    #expect(link(path, folder.path("second.sqlite")) == 0)
    let error = #expect(throws: DatabaseError.self) { _ = try DatabasePool(path: path) }
    #expect(error?.resultCode == .SQLITE_WARNING)
    #expect(error?.message?.contains("hard links") == true)
    #expect(folder.openFiles == [])
    // Reading loses nothing.
    var configuration = Configuration()
    configuration.readonly = true
    #expect(
      try DatabaseQueue(path: path, configuration: configuration).read { try Int.fetchOne($0, sql: "SELECT n FROM t") }
        == 1)
    unlink(folder.path("second.sqlite"))
    _ = try DatabasePool(path: path)
  }

  @Test func symbolicLinksResolveToTheirFile() throws {
    let link = folder.path("link.sqlite")
    #expect(symlink(path, link) == 0)
    let one = try DatabasePool(path: path)
    try one.write { try $0.execute(sql: "CREATE TABLE t (n)") }
    let other = try DatabasePool(path: link)
    try other.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    #expect(try one.read { try Int.fetchOne($0, sql: "SELECT n FROM t") } == 1)
    #expect(!FileManager.default.fileExists(atPath: link + "-wal"))
  }

  /// A copy of the file alone lacks the contents of the log: a backup contains them.
  @Test func backupsIncludeTheWAL() throws {
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n); INSERT INTO t VALUES (1)") }
    let copy = try DatabaseQueue(path: folder.path("copy.sqlite"))
    try pool.backup(to: copy)
    #expect(try copy.read { try Int.fetchOne($0, sql: "SELECT n FROM t") } == 1)
    // SQLite cannot detect the missing log.
    try FileManager.default.copyItem(atPath: path, toPath: folder.path("alone.sqlite"))
    #expect(try PlainDatabase(path: folder.path("alone.sqlite")).numbers("SELECT COUNT(*) FROM sqlite_master") == [0])
  }
}
