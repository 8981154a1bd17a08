import CSQLite
import Foundation
import Testing
import Tidemark

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Loadable and linked extensions, with an extension that the tests compile.
@Suite(.enabled(if: CompiledExtension.hasCompiler, "The tests of extensions need a C compiler, as `cc`"))
struct ExtensionTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try CompiledExtension.compile(CompiledExtension.source, into: folder, named: "tidetest")
  }

  private func configuration(_ extensions: DatabaseExtension...) -> Configuration {
    var configuration = Configuration()
    configuration.extensions = extensions
    return configuration
  }

  @Test func `a library is loaded on each connection`() throws {
    let config = configuration(.library(path))
    let dbPool = try DatabasePool(path: folder.path("a.sqlite"), configuration: config)
    for reader in [dbPool, try dbPool.makeSnapshot(), try dbPool.makeSnapshotPool()] as [any DatabaseReader] {
      #expect(try reader.read { try Int.fetchOne($0, sql: "SELECT twice(21)") } == 42)
    }
    #expect(try dbPool.write { try Int.fetchOne($0, sql: "SELECT twice(1)") } == 2)
    let dbQueue = try DatabaseQueue(configuration: config)
    #expect(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT twice(1)") } == 2)
  }

  @Test func `the path may lack the suffix, and be relative`() throws {
    let relative = String(repeating: "../", count: 20) + path.dropFirst().dropLast(".so".count)
    let dbQueue = try DatabaseQueue(configuration: configuration(.library(relative)))
    #expect(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT twice(4)") } == 8)
  }

  @Test func `an entry point can be named`() throws {
    let dbQueue = try DatabaseQueue(configuration: configuration(.library(path, entryPoint: "thrice_init")))
    #expect(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT thrice(4)") } == 12)
    #expect(
      message { _ = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT twice(4)") } }
        == "SQLite error 1: no such function: twice - while executing `SELECT twice(4)`")
  }

  @Test func `a linked extension is registered, with SQLite's functions`() throws {
    let library = try #require(dlopen(path, RTLD_NOW))
    let symbol = try #require(dlsym(library, "sqlite3_tidetest_init"))
    let entryPoint = unsafeBitCast(symbol, to: DatabaseExtension.EntryPoint.self)
    let dbQueue = try DatabaseQueue(configuration: configuration(.linked("tidetest", entryPoint)))
    #expect(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT twice(4)") } == 8)
    // Other connections do not have it.
    #expect(throws: DatabaseError.self) {
      try DatabaseQueue().read { try Int.fetchOne($0, sql: "SELECT twice(4)") }
    }
  }

  @Test func `closures that prepare connections use extensions`() throws {
    var config = configuration(.library(path))
    config.prepareDatabase { db in
      let twice = try Int.fetchOne(db, sql: "SELECT twice(2)")
      #expect(twice == 4)
    }
    _ = try DatabaseQueue(configuration: config)
  }

  @Test func `virtual tables, live queries and transactions work with extensions`() async throws {
    let dbQueue = try DatabaseQueue(configuration: configuration(.library(path)))
    try await dbQueue.write { try $0.execute(sql: "CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1)") }
    let observation = ValueObservation.tracking { try Int.fetchAll($0, sql: "SELECT twice(n) FROM t") }
    var values = observation.values(in: dbQueue).makeAsyncIterator()
    #expect(try await values.next() == [2])
    try await dbQueue.write { try $0.execute(sql: "UPDATE t SET n = twice(5)") }
    #expect(try await values.next() == [20])
  }

  @Test func `the SQL function load_extension remains disabled`() throws {
    let opening = configuration(.library(path, entryPoint: "open_init"))
    for config in [Configuration(), configuration(.library(path)), opening] {
      let dbQueue = try DatabaseQueue(configuration: config)
      #expect(
        message { try dbQueue.write { try $0.execute(sql: "SELECT load_extension(?)", arguments: [path]) } }
          .contains("not authorized"))
      dbQueue.inDatabase { db in
        let code = sqlite3_load_extension(db.sqliteConnection, path, nil, nil)
        #expect(code == SQLITE_ERROR)
      }
    }
  }

  @Test func `a missing library is an error of opening`() throws {
    let missing = folder.path("missing.so")
    #expect(
      message { _ = try DatabaseQueue(configuration: configuration(.library(missing))) }.hasPrefix(
        "SQLite error 1: could not load the extension \(missing): \(missing)"))
    // The rest is the system's text, or SQLite's.
    let refusal = message { _ = try DatabaseQueue(configuration: configuration(.library(path, entryPoint: "nope"))) }
    #expect(refusal.hasPrefix("SQLite error 1: could not load the extension \(path): "))
    #expect(refusal.contains("nope"))
    #expect(
      message { _ = try DatabaseQueue(configuration: configuration(.library("a\0b"))) }.hasSuffix(
        "a\0b: its path or entry point contains a NUL character"))
    // The database can be opened without the extension.
    _ = try DatabaseQueue()
  }

  @Test func `an extension can refuse a connection`() throws {
    #expect(
      message { _ = try DatabaseQueue(configuration: configuration(.library(path, entryPoint: "refusing_init"))) }
        == "SQLite error 1: could not load the extension \(path): error during initialization: no license")
    let refusing: DatabaseExtension.EntryPoint = { _, _, _ in SQLITE_CANTOPEN }
    #expect(
      message { _ = try DatabaseQueue(configuration: configuration(.linked("refusing", refusing))) }
        == "SQLite error 14: could not load the extension refusing: unable to open database file")
  }

  @Test func `configurations for untrusted files refuse extensions`() throws {
    let file = folder.path("b.sqlite")
    try DatabaseQueue(path: file).write { try $0.execute(sql: "CREATE TABLE t (n)") }
    var config = Configuration.forUntrustedFiles
    #expect(config.extensions.isEmpty)
    config.extensions = [.library(path)]
    let refusal = """
      SQLite error 21: could not load the extension \(path): a configuration for untrusted files cannot load extensions, \
      because the file could call their functions. Use another configuration, or remove the extensions
      """
    #expect(message { _ = try DatabaseQueue(path: file, configuration: config) } == refusal)
    #expect(message { _ = try DatabasePool(path: file, configuration: config) } == refusal)
  }
}
