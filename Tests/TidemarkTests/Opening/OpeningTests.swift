import Foundation
import Testing
import Tidemark

/// Opening a queue, and the error messages if that fails.
@Suite struct OpeningTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let cannotOpen = "SQLite error 14: unable to open database file"

  private func opening(_ path: String, _ change: (inout Configuration) -> Void = { _ in }) -> String {
    var configuration = Configuration()
    change(&configuration)
    return message { _ = try DatabaseQueue(path: path, configuration: configuration) }
  }

  // MARK: Failures

  @Test func foldersCannotBeOpened() {
    #expect(opening(folder.path) == Self.cannotOpen)
  }

  @Test func missingFoldersAreNotCreated() {
    #expect(opening(folder.path("missing/db")) == Self.cannotOpen)
    #expect(!FileManager.default.fileExists(atPath: folder.path("missing")))
  }

  @Test func missingFilesCannotBeOpenedReadOnly() {
    #expect(opening(folder.path("db")) { $0.readonly = true } == Self.cannotOpen)
    #expect(!FileManager.default.fileExists(atPath: folder.path("db")))
  }

  @Test func otherFileFormatsAreRefused() throws {
    let path = try folder.write(Array("this is a poem, and no database at all\n".utf8), to: "poem")
    #expect(
      opening(path) == """
        SQLite error 26: file is not a database - while executing `SELECT * FROM sqlite_master LIMIT 1`
        """)
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("this is a poem"))
  }

  @Test func pathsWithNULAreRefused() {
    #expect(opening(folder.path("a\0b")).hasPrefix("SQLite error 14: "))
    #expect(message { _ = try DatabaseQueue(named: "a\0b") }.hasPrefix("SQLite error 14: "))
  }

  @Test func unwritableFilesCanBeRead() throws {
    let path = folder.path("db")
    try DatabaseQueue(path: path).write { try $0.createBooks() }
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
    // The root user ignores permissions.
    guard !FileManager.default.isWritableFile(atPath: path) else { return }
    let dbQueue = try DatabaseQueue(path: path)
    #expect(try dbQueue.read { try $0.titles() } == [])
    #expect(
      message { try dbQueue.write { try $0.execute(sql: "DELETE FROM book") } }
        .hasPrefix("SQLite error 8: attempt to write a readonly database"))
  }

  // MARK: Paths

  @Test func openingCreatesTheFile() throws {
    let dbQueue = try DatabaseQueue(path: folder.path("db"))
    #expect(dbQueue.path == folder.path("db"))
    try dbQueue.write { try $0.createBooks() }
    try dbQueue.close()
    #expect(try DatabaseQueue(path: folder.path("db")).read { try $0.titles() } == [])
  }

  @Test func emptyFilesAreDatabases() throws {
    try DatabaseQueue(path: folder.write([], to: "db")).write { try $0.createBooks() }
  }

  @Test(arguments: ["file:db", "file:db?mode=memory", "db?mode=memory&cache=shared", "a b%20c#d", "été 🌊", ":memory: "])
  func pathsAreNeverURIs(_ name: String) throws {
    try DatabaseQueue(path: folder.path(name)).write { try $0.createBooks() }
    #expect(FileManager.default.fileExists(atPath: folder.path(name)))
  }

  @Test func relativePathsStartAtTheCurrentFolder() async {
    // The current folder belongs to the whole process, so the test runs in its own.
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      precondition(FileManager.default.changeCurrentDirectoryPath(folder.path))
      for name in ["db", "./db2", "file:db3?mode=memory"] {
        let dbQueue = try DatabaseQueue(path: name)
        precondition(dbQueue.path == name)
        try dbQueue.write { try $0.createBooks() }
        precondition(FileManager.default.fileExists(atPath: folder.path(name)))
        // The connection keeps its file when the current folder changes.
        precondition(FileManager.default.changeCurrentDirectoryPath("/"))
        try dbQueue.write { try $0.execute(sql: "INSERT INTO book (title) VALUES ('a')") }
        precondition(FileManager.default.changeCurrentDirectoryPath(folder.path))
      }
    }
  }

  @Test func urisAreOpenedExplicitly() throws {
    let path = folder.path("db")
    try DatabaseQueue(path: path).write { try $0.createBooks() }
    let dbQueue = try DatabaseQueue(uri: "file:\(path)?immutable=1&mode=ro")
    #expect(try dbQueue.read { try $0.titles() } == [])
    #expect(throws: DatabaseError.self) { try dbQueue.write { try $0.execute(sql: "DELETE FROM book") } }
  }

  // MARK: Memory

  @Test func inMemoryDatabasesArePrivate() throws {
    let one = try DatabaseQueue()
    let other = try DatabaseQueue(path: ":memory:")
    #expect([one.path, other.path] == [":memory:", ":memory:"])
    try one.write { try $0.createBooks() }
    #expect(throws: DatabaseError.self) { try other.read { try $0.titles() } }
  }

  @Test func namedMemoryDatabasesAreShared() throws {
    let name = "shelf \(UUID())?&=#%"
    let one = try DatabaseQueue(named: name)
    try one.write { try $0.createBooks() }
    try one.write { try $0.execute(sql: "INSERT INTO book (title) VALUES ('Dune')") }
    #expect(try DatabaseQueue(named: name).read { try $0.titles() } == ["Dune"])
    #expect(throws: DatabaseError.self) { try DatabaseQueue(named: name + "2").read { try $0.titles() } }
  }

  @Test func namedMemoryDatabasesLiveAsLongAsAQueue() throws {
    let name = "shelf \(UUID())"
    try DatabaseQueue(named: name).write { try $0.createBooks() }
    #expect(throws: DatabaseError.self) { try DatabaseQueue(named: name).read { try $0.titles() } }
  }

  @Test func namedMemoryDatabasesHaveAPath() throws {
    #expect(try DatabaseQueue(named: "shelf").path == "file:shelf?mode=memory&cache=shared")
  }

  @Test func temporaryDatabasesArePrivate() throws {
    let one = try DatabaseQueue(path: "")
    try one.write { try $0.createBooks() }
    #expect(one.path == "")
    #expect(throws: DatabaseError.self) { try DatabaseQueue(path: "").read { try $0.titles() } }
  }

  // MARK: Files

  @Test func newFilesHaveTheConfiguredPermissions() throws {
    for permissions in [0o600, 0o640, 0o666] {
      var configuration = Configuration()
      configuration.filePermissions = mode_t(permissions)
      configuration.journalMode = .wal
      let name = "db-\(permissions)"
      let dbQueue = try DatabaseQueue(path: folder.path(name), configuration: configuration)
      try dbQueue.write { try $0.createBooks() }
      #expect(try folder.permissions(of: name) == permissions)
      #expect(try folder.permissions(of: name + "-wal") == permissions)
      #expect(try folder.permissions(of: name + "-shm") == permissions)
    }
  }

  @Test func existingFilesKeepTheirPermissions() throws {
    try DatabaseQueue(path: folder.path("db")).write { try $0.createBooks() }
    let before = try folder.permissions(of: "db")
    var configuration = Configuration()
    configuration.filePermissions = 0o600
    try DatabaseQueue(path: folder.path("db"), configuration: configuration).write {
      try $0.execute(sql: "DELETE FROM book")
    }
    #expect(try folder.permissions(of: "db") == before)
  }

  @Test func configuredWALIsUsed() throws {
    #expect(
      try DatabaseQueue(path: folder.path("plain")).read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        == "delete")
    var configuration = Configuration()
    configuration.journalMode = .wal
    let dbQueue = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    #expect(try dbQueue.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
    #expect(try dbQueue.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 1)
    #expect(
      message { _ = try DatabaseQueue(configuration: configuration) }
        == "SQLite error 1: could not activate WAL Mode at path: :memory:")
  }
}
