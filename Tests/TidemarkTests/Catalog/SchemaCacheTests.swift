import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The invariants of `Catalog`.
@Suite struct SchemaCacheTests {
  @Test func invariant1OwnChangesAreSeen() throws {
    try inMemory { db in
      #expect(try !db.tableExists("t"))
      try db.execute(sql: "CREATE TABLE t (a)")
      #expect(try db.columns(in: "t").map(\.name) == ["a"])
      try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
      #expect(try db.columns(in: "t").map(\.name) == ["a", "b"])
      try db.execute(sql: "ALTER TABLE t RENAME COLUMN b TO c")
      #expect(try db.columns(in: "t").map(\.name) == ["a", "c"])
      try db.execute(sql: "CREATE UNIQUE INDEX i ON t (a)")
      #expect(try db.table("t", hasUniqueKey: ["a"]))
      try db.execute(sql: "DROP INDEX i")
      #expect(try !db.table("t", hasUniqueKey: ["a"]))
      try db.execute(sql: "ALTER TABLE t RENAME TO u")
      #expect(throws: DatabaseError.self) { try db.columns(in: "t") }
      #expect(try db.columns(in: "U").count == 2)
      try db.execute(sql: "DROP TABLE u")
      #expect(throws: DatabaseError.self) { try db.columns(in: "u") }
    }
  }

  @Test(arguments: ["", "TEMP "])
  func invariant1UndoneChangesAreSeen(temporary: String) throws {
    try inMemory { db in
      for column in ["a", "b"] {
        // Each of the two files has the schema version that the other one had.
        try db.inTransaction {
          try db.execute(sql: "CREATE \(temporary)TABLE t (\(column))")
          #expect(try db.columns(in: "t").map(\.name) == [column])
          return .rollback
        }
        #expect(throws: DatabaseError.self) { try db.columns(in: "t") }
      }
    }
  }

  @Test func invariant1ChangesUndoneToASavepointAreSeen() throws {
    try inMemory { db in
      try db.inTransaction {
        try db.execute(sql: "CREATE TABLE t (a)")
        #expect(try db.columns(in: "t").count == 1)
        try db.inSavepoint {
          try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
          #expect(try db.columns(in: "t").count == 2)
          return .rollback
        }
        #expect(try db.columns(in: "t").count == 1)
        return .commit
      }
    }
  }

  @Test func invariant1TransactionsUndoneBySQLiteAreSeen() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE u (a UNIQUE); INSERT INTO u VALUES (1)")
      #expect(throws: DatabaseError.self) {
        try db.inTransaction {
          try db.execute(sql: "CREATE TABLE t (a)")
          #expect(try db.columns(in: "t").count == 1)
          try db.execute(sql: "INSERT OR ROLLBACK INTO u VALUES (1)")
          return .commit
        }
      }
      #expect(try !db.tableExists("t"))
      try db.inTransaction {
        #expect(throws: DatabaseError.self) { try db.columns(in: "t") }
        return .commit
      }
    }
  }

  @Test func invariant1StatementsOutsideTheLibraryAreSeen() throws {
    try inMemory { db in
      try db.inTransaction {
        try #expect(!db.tableExists("t"))
        sqlite3_exec(db.sqliteConnection, "CREATE TABLE t (a)", nil, nil, nil)
        try #expect(db.tableExists("t"))
        return .commit
      }
    }
  }

  @Test func invariant1ExternalChangesAreSeen() throws {
    let folder = try TemporaryFolder()
    let one = try DatabaseQueue(path: folder.path("library"))
    let two = try DatabaseQueue(path: folder.path("library"))
    try one.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    try two.inDatabase { db in
      #expect(try db.columns(in: "t").count == 1)
      try one.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
      #expect(try db.columns(in: "t").count == 2)
      try one.write { try $0.execute(sql: "DROP TABLE t") }
      #expect(try !db.tableExists("t"))
    }
  }

  @Test func invariant1BackupsIntoTheDatabaseAreSeen() throws {
    let source = try DatabaseQueue()
    try source.write { try $0.execute(sql: "CREATE TABLE t (other)") }
    let target = try DatabaseQueue()
    try target.write { db in
      try db.execute(sql: "CREATE TABLE t (a)")
      #expect(try db.columns(in: "t").map(\.name) == ["a"])
    }
    try source.backup(to: target)
    try target.read { try #expect($0.columns(in: "t").map(\.name) == ["other"]) }
    try target.erase()
    try target.read { try #expect(!$0.tableExists("t")) }
  }

  @Test func invariant1TransactionsSeeTheirOwnState() throws {
    let folder = try TemporaryFolder()
    let pool = try DatabasePool(path: folder.path("library"))
    try pool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    let snapshot = try pool.makeSnapshot()
    try pool.write { try $0.execute(sql: "DROP TABLE t") }
    try snapshot.read { try #expect($0.tableExists("t")) }
    try pool.read { try #expect(!$0.tableExists("t")) }
  }

  @Test func invariant2ObjectsAreReusedUntilTheSchemaChanges() throws {
    try inLibrary { db in
      try db.inTransaction {
        let table = try #require(try db.catalogTable("book"))
        try db.execute(sql: "INSERT INTO book (title) VALUES ('Ubik')")
        #expect(try db.catalogTable("book") === table)
        #expect(try db.catalogTable("BOOK")?.name == "book")
        let generation = try db.catalogGeneration()
        try db.execute(sql: "CREATE TABLE t (a)")
        #expect(try db.catalogTable("book") !== table)
        #expect(try db.catalogGeneration() != generation)
        return .commit
      }
    }
  }

  @Test func invariant2LookupsAreNotTraced() throws {
    let recorder = TraceRecorder()
    let dbQueue = try recorder.makeQueue()
    try dbQueue.inDatabase { db in
      try db.execute(sql: "CREATE TABLE t (a)")
      _ = try db.primaryKey("t")
      _ = try db.foreignKeys(on: "t")
      try db.execute(sql: "DROP TABLE t")
    }
    #expect(recorder.lines == ["CREATE TABLE t (a)", "DROP TABLE t"])
  }

  @Test func invariant3AttachedDatabasesAreProbed() throws {
    let folder = try TemporaryFolder()
    let other = try DatabaseQueue(path: folder.path("attic"))
    try other.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    try inMemory { db in
      try db.execute(sql: "ATTACH ? AS attic", arguments: [folder.path("attic")])
      #expect(try db.columns(in: "t").count == 1)
      try other.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
      #expect(try db.columns(in: "t").count == 2)
      try db.execute(sql: "CREATE TABLE t (x, y, z)")
      #expect(try db.columns(in: "t").count == 3)
      #expect(try db.columns(in: "t", in: "attic").count == 2)
      try db.execute(sql: "DETACH attic")
      #expect(throws: DatabaseError.self) { try db.columns(in: "t", in: "attic") }
      #expect(try db.columns(in: "t").count == 3)
      try db.execute(sql: "ATTACH ':memory:' AS attic")
      #expect(try !db.tableExists("t", in: "attic"))
    }
  }

  @Test func `beside an attached database, nothing is compiled again after one schema change`() throws {
    try inMemory { db in
      try db.execute(sql: "ATTACH ':memory:' AS attic")
      db.forgetStatements()
      #expect(try !db.tableExists("t"))
      try db.execute(sql: "CREATE TABLE t (a)")
      let statement = try db.makeStatement(sql: "SELECT * FROM t")
      try statement.execute()
      let (generation, count) = (try db.catalogGeneration(), statement.recompilationCountOfSQLite)
      for _ in 0..<5 { try statement.execute() }
      #expect(try db.catalogGeneration() == generation)
      #expect(statement.recompilationCountOfSQLite == count)
    }
  }

  @Test func `after DETACH, the remaining tables are found`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (x); ATTACH ':memory:' AS attic; CREATE TABLE attic.t (a, b)")
      for _ in 0..<2 {
        // The catalog probes both databases.
        #expect(try db.columns(in: "t", in: "attic").map(\.name) == ["a", "b"])
        #expect(try db.columns(in: "t").map(\.name) == ["x"])
        try db.execute(sql: "DETACH attic")
        #expect(try db.columns(in: "t").map(\.name) == ["x"])
        let error = #expect(throws: DatabaseError.self) { try db.columns(in: "t", in: "attic") }
        #expect(error?.message == "no such schema: attic")
        try db.execute(sql: "ATTACH ':memory:' AS attic; CREATE TABLE attic.t (a, b)")
      }
    }
  }

  @Test func `after DETACH, requests and records are fetched without an error`() throws {
    struct Item: Codable, FetchableRecord, PersistableRecord { var id: Int64 }
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY); ATTACH ':memory:' AS attic")
      // The missing table is searched for in the attached database.
      #expect(try !db.tableExists("missing"))
      #expect(throws: DatabaseError.self) { try db.primaryKey("missing") }
      try db.execute(sql: "DETACH attic")
      try Item(id: 1).insert(db)
      #expect(try Item.fetchOne(db, key: 1)?.id == 1)
    }
  }

  @Test func invariant4MissingObjectsAreLookedUpAgain() throws {
    try inMemory { db in
      #expect(throws: DatabaseError.self) { try db.primaryKey("t") }
      try db.execute(sql: "ATTACH ':memory:' AS attic; CREATE TABLE attic.t (a)")
      #expect(try db.primaryKey("t").columns == ["rowid"])
    }
  }

  @Test func closedConnectionsThrow() throws {
    let dbQueue = try DatabaseQueue.withBooks()
    try dbQueue.read { _ = try $0.columns(in: "book") }
    try dbQueue.close()
    #expect(message { try dbQueue.inDatabase { _ = try $0.columns(in: "book") } } == closedMessage)
  }

  @Test func aDeadTransactionFailsTheNextStatement() throws {
    try inLibrary { db in
      try #expect(db.columns(in: "book").count == 3)
      let text = message {
        try db.inTransaction {
          try db.execute(sql: "ROLLBACK")
          #expect(try db.columns(in: "book").count == 3)
          try db.execute(sql: "DELETE FROM book")
          return .commit
        }
      }
      #expect(text == "SQLite error 4: Transaction was aborted - while executing `DELETE FROM book`")
    }
  }

  @Test func clearedCacheIsRefilled() throws {
    try inLibrary { db in
      let table = try db.catalogTable("book")
      db.clearSchemaCache()
      #expect(try db.catalogTable("book") !== table)
      db.releaseMemory()
      #expect(try db.columns(in: "book").count == 3)
    }
  }
}

/// A connection's cached schema equals the schema of a new connection, while several connections change it.
@Suite struct SchemaCacheRandomTests {
  private struct Facts: Equatable {
    var columns: [String]?
    var key: [String]?
    var indexes: Set<String>?
    var foreignKeys: [String]?

    init(_ db: Database, _ table: String) throws {
      guard try db.tableExists(table) else { return }
      columns = try db.columns(in: table).map(\.name)
      key = try db.primaryKey(table).columns
      indexes = try Set(db.indexes(on: table).map(\.name))
      foreignKeys = try db.foreignKeys(on: table).map(\.destinationTable)
    }
  }

  @Test func invariant1TheCacheIsNeverStale() throws {
    var generator = SeededRandom()
    let folder = try TemporaryFolder()
    let path = folder.path("library")
    let queues = [try DatabaseQueue(path: path), try DatabaseQueue(path: path)]
    let tables = ["t", "u", "V"]

    func change(_ db: Database, _ number: Int) throws {
      let table = generator.pick(tables)
      let temporary = Int.random(in: 0..<6, using: &generator) == 0 ? "TEMP " : ""
      let sql = generator.pick([
        "CREATE \(temporary)TABLE \(table) (a, c\(number))",
        "CREATE \(temporary)TABLE \(table) (id INTEGER PRIMARY KEY, x REFERENCES \(generator.pick(tables)) (a))",
        "DROP TABLE \(table)", "ALTER TABLE \(table) ADD COLUMN c\(number)",
        "CREATE INDEX i\(number) ON \(table) (a)", "ALTER TABLE \(table) RENAME TO \(generator.pick(tables))",
        "INSERT INTO \(table) (a) VALUES (1)", "VACUUM", "SAVEPOINT s", "ROLLBACK TO s", "RELEASE s",
      ])
      do {
        try db.execute(sql: sql)
      } catch is DatabaseError {
        // Some statements fail: these cases matter, too.
      }
    }
    /// The cached schema of this connection, and its schema after clearing the cache.
    func check(_ db: Database) throws {
      let known = try tables.map { try Facts(db, $0) }
      db.clearSchemaCache()
      #expect(try known == tables.map { try Facts(db, $0) })
    }

    for round in 0..<60 {
      let (one, two) = (queues[round % 2], queues[1 - round % 2])
      try one.inDatabase { db in
        if Bool.random(using: &generator) {
          try db.inTransaction {
            for step in 0..<4 {
              try change(db, round * 10 + step)
              try check(db)
              if !db.isInsideTransaction { return .rollback }
            }
            return Bool.random(using: &generator) ? .commit : .rollback
          }
        } else {
          try change(db, round * 10)
          if db.isInsideTransaction { try db.rollback() }
        }
        try check(db)
      }
      try two.inDatabase(check)
    }
  }
}
