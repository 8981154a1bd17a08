import Foundation
import Testing
import Tidemark

/// Copies of whole databases.
@Suite struct BackupTests {
  /// A queue with some tens of pages.
  private func makeSource() throws -> DatabaseQueue {
    let source = try DatabaseQueue.withBooks()
    try source.write { db in
      for number in 0..<40 {
        try db.execute(
          sql: "INSERT INTO book (title) VALUES (?)", arguments: ["\(number) " + String(repeating: "x", count: 3000)])
      }
    }
    return source
  }

  private func pageCount(of dbQueue: DatabaseQueue) throws -> Int {
    try #require(try dbQueue.read { try Int.fetchOne($0, sql: "PRAGMA page_count") })
  }

  @Test func backupReplacesTheDestination() throws {
    let source = try makeSource()
    let destination = try DatabaseQueue()
    try destination.write { try $0.execute(sql: "CREATE TABLE other (a); INSERT INTO other VALUES (1)") }
    #expect(try destination.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM other") } == 1)
    try source.backup(to: destination)
    #expect(try destination.read { try $0.titles() } == source.read { try $0.titles() })
    #expect(throws: DatabaseError.self) {
      try destination.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM other") }
    }
    // Both continue to work independently.
    try source.write { try $0.execute(sql: "DELETE FROM book") }
    #expect(try destination.read { try $0.titles().count } == 40)
  }

  @Test func backupReportsItsProgress() throws {
    let source = try makeSource()
    let total = try pageCount(of: source)
    #expect(total > 25)
    var steps: [DatabaseBackupProgress] = []
    try source.backup(to: DatabaseQueue(), pagesPerStep: 10) { steps.append($0) }
    #expect(steps.map(\.completedPageCount) == Array(stride(from: 10, to: total, by: 10)) + [total])
    #expect(steps.allSatisfy { $0.totalPageCount == total && $0.remainingPageCount == total - $0.completedPageCount })
    #expect(steps.map(\.isCompleted) == Array(repeating: false, count: steps.count - 1) + [true])
  }

  @Test func backupRunsInOneStepByDefault() throws {
    let source = try makeSource()
    var steps: [Int] = []
    try source.backup(to: DatabaseQueue()) { steps.append($0.completedPageCount) }
    #expect(try steps == [pageCount(of: source)])
  }

  @Test func progressErrorsAbortTheBackup() throws {
    let destination = try DatabaseQueue.withBooks()
    let source = try makeSource()
    #expect(throws: Planned(number: 1)) {
      try source.backup(to: destination, pagesPerStep: 10) { _ in throw Planned(number: 1) }
    }
    #expect(try destination.read { try $0.titles() } == [])
    try destination.write { try $0.execute(sql: "INSERT INTO book (title) VALUES ('a')") }
    try source.close()
  }

  @Test func errorsAfterTheLastStepAreThrownButTheBackupStays() throws {
    let destination = try DatabaseQueue()
    try makeSource().backup(to: destination) { _ in throw Planned() }
    #expect(try destination.read { try $0.titles().count } == 40)
  }

  @Test func readOnlyDestinationsAreRefused() throws {
    let folder = try TemporaryFolder()
    try DatabaseQueue(path: folder.path("db")).write { try $0.createBooks() }
    var configuration = Configuration()
    configuration.readonly = true
    let destination = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    let source = try makeSource()
    #expect(message { try source.backup(to: destination) } == "SQLite error 8: attempt to write a readonly database")
  }

  @Test func destinationsInATransactionAreRefused() throws {
    let source = try makeSource()
    let destination = try DatabaseQueue()
    let text = message {
      try destination.write { other in try source.read { try $0.backup(to: other) } }
    }
    #expect(text.hasPrefix("SQLite error 1: destination database is in use"))
  }

  @Test func readingConnectionsAreCopied() throws {
    let source = try makeSource()
    let destination = try DatabaseQueue()
    try source.read { db in
      try destination.writeWithoutTransaction { try db.backup(to: $0) }
    }
    #expect(try destination.read { try $0.titles().count } == 40)
  }

  @Test func writingConnectionsAreNotCopied() throws {
    let source = try DatabaseQueue.withBooks()
    let destination = try DatabaseQueue()
    let text = message {
      try source.write { db in
        try db.execute(sql: "INSERT INTO book (title) VALUES ('not committed')")
        try destination.writeWithoutTransaction { try db.backup(to: $0) }
      }
    }
    #expect(text == "SQLite error 5: database is locked")
  }

  @Test func zeroPagesPerStepTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try DatabaseQueue().backup(to: DatabaseQueue(), pagesPerStep: 0)
    }
    #expect(result.words.contains("pagesPerStep must not be 0: the backup would never end"))
  }

  // MARK: Copies of files

  @Test func filesAreCopied() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("db")
    try makeSource().backup(to: DatabaseQueue(path: path))
    let copies = [try DatabaseQueue.inMemoryCopy(fromPath: path), try DatabaseQueue.temporaryCopy(fromPath: path)]
    #expect(copies.map(\.path) == [":memory:", ""])
    for copy in copies {
      try copy.write { try $0.execute(sql: "DELETE FROM book WHERE id > 3") }
      #expect(try copy.read { try $0.titles().count } == 3)
    }
    #expect(try DatabaseQueue(path: path).read { try $0.titles().count } == 40)
  }

  @Test func copiesUseTheConfiguration() throws {
    let folder = try TemporaryFolder()
    try makeSource().backup(to: DatabaseQueue(path: folder.path("db")))
    var configuration = Configuration()
    configuration.label = "Preview"
    configuration.prepareDatabase { $0.add(function: DatabaseFunction("seven", argumentCount: 0) { _ in 7 }) }
    let copy = try DatabaseQueue.inMemoryCopy(fromPath: folder.path("db"), configuration: configuration)
    #expect(try copy.read { try Int.fetchOne($0, sql: "SELECT seven()") } == 7)
    copy.inDatabase { #expect($0.description == "Preview") }
  }

  typealias Copy = @Sendable (String, Configuration) throws -> DatabaseQueue
  static let copies: [Copy] = [
    { try DatabaseQueue.inMemoryCopy(fromPath: $0, configuration: $1) },
    { try DatabaseQueue.temporaryCopy(fromPath: $0, configuration: $1) },
  ]

  @Test(arguments: copies.indices)
  func aReadOnlyCopyIsReadAndNotWritten(_ index: Int) throws {
    let folder = try TemporaryFolder()
    try makeSource().backup(to: DatabaseQueue(path: folder.path("db")))
    var configuration = Configuration()
    configuration.readonly = true
    let copy = try Self.copies[index](folder.path("db"), configuration)
    #expect(copy.configuration.readonly)
    #expect(try copy.read { try $0.titles().count } == 40)
    let writes: [() throws -> Void] = [
      { try copy.write { try $0.execute(sql: "DELETE FROM book") } },
      { try copy.inDatabase { try $0.execute(sql: "DELETE FROM book") } },
      { try copy.erase() },
      { try DatabaseQueue().backup(to: copy) },
    ]
    for write in writes {
      let error = #expect(throws: DatabaseError.self) { try write() }
      #expect(error?.resultCode == .SQLITE_READONLY)
    }
    #expect(try copy.read { try $0.titles().count } == 40)
  }

  @Test(arguments: copies.indices)
  func aCopyOpensWithAnyConfiguration(_ index: Int) throws {
    let folder = try TemporaryFolder()
    try makeSource().backup(to: DatabaseQueue(path: folder.path("db")))
    var usesLog = Configuration()
    usesLog.journalMode = .wal
    for configuration in [usesLog, .forUntrustedFiles] {
      #expect(try Self.copies[index](folder.path("db"), configuration).read { try $0.titles().count } == 40)
    }
  }

  @Test func copyingAMissingFileThrows() throws {
    let folder = try TemporaryFolder()
    for copy in [DatabaseQueue.inMemoryCopy, DatabaseQueue.temporaryCopy] {
      let text = message { _ = try copy(folder.path("db"), Configuration()) }
      #expect(text == "SQLite error 14: unable to open database file")
    }
  }

  // MARK: Erasing

  @Test(arguments: [false, true])
  func erasingRemovesEverything(_ usesLog: Bool) async throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    if usesLog { configuration.journalMode = .wal }
    let dbQueue = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    for isAsync in [false, true] {
      try await dbQueue.write { db in
        try db.createBooks()
        try db.execute(
          sql: """
            CREATE VIEW v AS SELECT * FROM book;
            CREATE TRIGGER tr AFTER DELETE ON book BEGIN SELECT RAISE(ABORT, 'no'); END;
            CREATE TABLE chapter (bookId REFERENCES book(id));
            INSERT INTO book (id, title) VALUES (1, 'a'); INSERT INTO chapter VALUES (1);
            PRAGMA user_version = 7;
            """)
        _ = try db.titles()
      }
      if isAsync { try await dbQueue.erase() } else { try erase(dbQueue) }
      #expect(try await dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master") } == 0)
      #expect(try await dbQueue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == 0)
      #expect(
        try await dbQueue.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == (usesLog ? "wal" : "delete"))
      #expect(throws: DatabaseError.self) { try dbQueue.unsafeRead { try $0.titles() } }
    }
    // Other connections see it.
    #expect(
      try await DatabaseQueue(path: folder.path("db")).read {
        try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master")
      } == 0)
  }

  // The synchronous form: in an asynchronous function, the compiler chooses the other one.
  private func erase(_ dbQueue: DatabaseQueue) throws { try dbQueue.erase() }

  @Test(arguments: [1024, 4096])
  func readersDetectTheSchemaAfterErasing(pageSize: Int) throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA page_size = \(pageSize)") }
    let pool = try DatabasePool(path: folder.path("db"), configuration: configuration)
    try pool.write { try $0.execute(sql: "CREATE TABLE t (a); CREATE INDEX i ON t (a); INSERT INTO t VALUES (1)") }
    #expect(try pool.read { try Row.fetchAll($0, sql: "SELECT * FROM t") } == [["a": 1]])
    try pool.erase()
    try pool.write { try $0.execute(sql: "CREATE TABLE u (b); CREATE TABLE t (b); INSERT INTO t VALUES (2)") }
    #expect(try pool.read { try Row.fetchAll($0, sql: "SELECT * FROM t") } == [["b": 2]])
    #expect(try pool.read { try Int.fetchOne($0, sql: "PRAGMA page_size") } == pageSize)
  }

  @Test func readOnlyDatabasesAreNotErased() throws {
    let folder = try TemporaryFolder()
    try DatabaseQueue(path: folder.path("db")).write { try $0.createBooks() }
    var configuration = Configuration()
    configuration.readonly = true
    let dbQueue = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    #expect(message { try dbQueue.erase() }.hasPrefix("SQLite error 8: attempt to write a readonly database"))
    #expect(try dbQueue.read { try $0.titles() } == [])
  }
}
