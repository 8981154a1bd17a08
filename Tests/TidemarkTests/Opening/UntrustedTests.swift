import Foundation
import Testing
import Tidemark

/// A file from outside, opened with `Configuration.forUntrustedFiles` (hazards A4, A6, A8, A11).
@Suite struct UntrustedTests {
  private let folder: TemporaryFolder
  private let calls = Locked(0)
  private var path: String { folder.path("upload") }

  init() throws { folder = try TemporaryFolder() }

  /// The functions of the program, one of which returns a secret.
  private func withFunctions(_ configuration: Configuration) -> Configuration {
    var configuration = configuration
    let calls = calls
    configuration.prepareDatabase { db in
      db.add(
        function: DatabaseFunction("app", argumentCount: 1, pure: true) { values in
          calls.update { $0 += 1 }
          return values[0]
        })
      db.add(function: DatabaseFunction("harmless", argumentCount: 1, pure: true, innocuous: true) { $0[0] })
    }
    return configuration
  }

  /// Writes a malicious file.
  private func write(_ sql: String) throws {
    let dbQueue = try DatabaseQueue(path: path, configuration: withFunctions(Configuration()))
    try dbQueue.write { try $0.execute(sql: sql) }
    try dbQueue.close()
    calls.update { $0 = 0 }
  }

  private func open() throws -> DatabaseQueue {
    try DatabaseQueue(path: path, configuration: withFunctions(.forUntrustedFiles))
  }

  // swift-format-ignore
  @Test(arguments: [
    ("CREATE VIEW users AS SELECT app(1) AS name", "SELECT * FROM users"),
    ("CREATE VIEW users AS SELECT 'x' AS name WHERE app(1)", "SELECT count(*) FROM users"),
    ("CREATE TABLE users (id, name AS (app(id))); INSERT INTO users VALUES (1)", "SELECT name FROM users"),
    ("CREATE TABLE users (id); CREATE INDEX i ON users(app(id)); INSERT INTO users VALUES (1)", "SELECT id FROM users ORDER BY app(id)"),
    ("CREATE TABLE users (id); CREATE INDEX i ON users(id) WHERE app(id) > 0; INSERT INTO users VALUES (1)", "REINDEX"),
    ("CREATE TABLE users (id CHECK (app(id) > 0)); INSERT INTO users VALUES (1)", "PRAGMA quick_check"),
  ])
  func untrustedSchemaCannotCallTheProgram(_ schema: String, _ query: String) throws {
    try write(schema)
    do {
      let dbQueue = try open()
      _ = try dbQueue.unsafeRead { try Row.fetchAll($0, sql: query.replacing("ORDER BY app(id)", with: "ORDER BY id")) }
    } catch is DatabaseError {
      // Rejected, at the latest when it is used.
    }
    #expect(calls.value == 0)
  }

  @Test func hostileViewsAreRefused() throws {
    try write("CREATE VIEW users AS SELECT app(1) AS name")
    #expect(throws: DatabaseError.self) { try open().read { try Row.fetchAll($0, sql: "SELECT * FROM users") } }
  }

  @Test func hostileColumnsAreRefused() throws {
    try write("CREATE TABLE users (id, name AS (app(id))); INSERT INTO users VALUES (7)")
    let text = message { _ = try open().read { try Row.fetchAll($0, sql: "SELECT name FROM users") } }
    #expect(text.contains("unsafe use of app()"))
    #expect(calls.value == 0)
  }

  @Test func innocuousFunctionsCanBeCalled() throws {
    try write("CREATE TABLE users (id, name AS (harmless(id))); INSERT INTO users VALUES (7)")
    #expect(try open().read { try Int.fetchOne($0, sql: "SELECT name FROM users") } == 7)
  }

  @Test func theProgramCanCallItsFunctions() throws {
    try write("CREATE TABLE users (id); INSERT INTO users VALUES (7)")
    #expect(try open().read { try Int.fetchOne($0, sql: "SELECT app(id) FROM users") } == 7)
    #expect(try open().read { try String.fetchOne($0, sql: "SELECT swiftUppercaseString('é')") } == "É")
  }

  @Test func trustedSchemaCanCallTheProgram() throws {
    try write("CREATE VIEW users AS SELECT app(7) AS id")
    let dbQueue = try DatabaseQueue(path: path, configuration: withFunctions(Configuration()))
    #expect(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT id FROM users") } == 7)
  }

  @Test func triggersDoNotRun() throws {
    try write(
      """
      CREATE TABLE users (id); CREATE TABLE log (id);
      CREATE TRIGGER tr AFTER INSERT ON users BEGIN INSERT INTO log VALUES (new.id); END
      """)
    // The profile is read-only; a program that opens the file for writing has no triggers either.
    var configuration = Configuration.forUntrustedFiles
    configuration.readonly = false
    let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
    try dbQueue.write { try $0.execute(sql: "INSERT INTO users VALUES (1)") }
    #expect(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM log") } == 0)
  }

  @Test func writesAreRefused() throws {
    try write("CREATE TABLE users (id)")
    let text = message { try open().write { try $0.execute(sql: "INSERT INTO users VALUES (1)") } }
    #expect(text.hasPrefix("SQLite error 8: attempt to write a readonly database"))
  }

  @Test func attachingIsRefused() throws {
    try write("CREATE TABLE users (id)")
    for sql in [
      "ATTACH '\(folder.path("other"))' AS other", "ATTACH '' AS other", "VACUUM INTO '\(folder.path("other"))'",
    ] {
      #expect(throws: DatabaseError.self) { try open().inDatabase { try $0.execute(sql: sql) } }
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("other")))
  }

  @Test func damagedFilesAreRefused() throws {
    try write(
      """
      CREATE TABLE users (id, name);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO users SELECT i, hex(randomblob(20)) FROM n
      """)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(bytes.count > 3 * 4096)
    bytes.replaceSubrange(2 * 4096..<2 * 4096 + 64, with: Data(repeating: 0xFF, count: 64))
    try folder.write(bytes, to: "upload")
    let error = #expect(throws: DatabaseError.self) { try open() }
    #expect(error?.resultCode == .SQLITE_CORRUPT)
    // Without the profile, the first read of the damaged page reports it.
    _ = try DatabaseQueue(path: path)
  }

  @Test func truncatedFilesAreRefusedOrReadable() throws {
    try write("CREATE TABLE users (id); INSERT INTO users VALUES (1); CREATE INDEX i ON users(id)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for count in stride(from: 0, through: bytes.count, by: 97) {
      try folder.write(bytes.prefix(count), to: "upload")
      do {
        _ = try open().read { try Row.fetchAll($0, sql: "SELECT * FROM users") }
      } catch is DatabaseError {
      }
    }
  }

  @Test func statementsAreBounded() throws {
    try write("CREATE TABLE users (id)")
    let columns = (0..<300).map { "\($0)" }.joined(separator: ", ")
    for sql in [
      "SELECT zeroblob(100000000)", "SELECT \(columns)", "SELECT 1 LIKE '\(String(repeating: "%", count: 5000))'",
    ] {
      #expect(throws: DatabaseError.self) { try open().read { try Row.fetchAll($0, sql: sql) } }
    }
  }
}
