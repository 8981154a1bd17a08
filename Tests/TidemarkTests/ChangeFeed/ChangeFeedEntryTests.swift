import CSQLite
import Testing
import Tidemark

/// The entries that transactions store in the change feed, in each way in which they can be committed.
@Suite struct ChangeFeedEntryTests {
  @Test(arguments: FedDatabase.allCases)
  func `a transaction has an entry with its changes`(_ kind: FedDatabase) async throws {
    let database = try kind.open()
    let token = try database.token
    try database.write { db in
      try db.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 10)")
      try db.execute(sql: "UPDATE player SET score = 11")
    }
    #expect(
      try await database.entries(after: token) == [
        "INSERT player [1]: id 1, name \"Ada\", score 10; UPDATE player [1]: score 10 → 11"
      ])
  }

  @Test func `a row without a column for its row ID may receive another row ID`() async throws {
    let database = try FedDatabase.pool.open()
    try database.execute("CREATE TABLE note (text); INSERT INTO note VALUES ('a')")
    let token = try database.token
    try database.execute("UPDATE note SET rowid = 5")
    let changes = try #require(try await database.writer.changes(after: token).take(1).first?.changes)
    #expect(changes.isComplete)
    #expect(changes.rows.map(\.oldIdentity) == [.rowID(1)])
    #expect(changes.rows.map(\.newIdentity) == [.rowID(5)])
    #expect(changes.rows.map(\.changedColumnNames) == [[]])
  }

  @Test func `a transaction after a VACUUM, both begun through the C interface, has an entry`() async throws {
    let database = try FedDatabase.fileQueue.open()
    let token = try database.token
    try database.withoutTransaction { db in
      #expect(sqlite3_exec(db.sqliteConnection, "VACUUM; BEGIN", nil, nil, nil) == SQLITE_OK)
      try db.execute(sql: "INSERT INTO team VALUES (1, 'Red'); COMMIT")
    }
    let entries = try await database.entries(after: token)
    #expect(entries.last == "incomplete: databaseReplaced", "\(entries)")
  }

  @Test(arguments: FedDatabase.allCases)
  func `a statement outside of a transaction has an entry`(_ kind: FedDatabase) async throws {
    let database = try kind.open()
    let token = try database.token
    try database.withoutTransaction { db in
      try db.execute(sql: "INSERT INTO team VALUES (1, 'Red'); INSERT INTO team VALUES (2, 'Blue')")
    }
    #expect(
      try await database.entries(after: token) == [
        "INSERT team [1]: id 1, name \"Red\"", "INSERT team [2]: id 2, name \"Blue\"",
      ])
  }

  @Test(arguments: FedDatabase.allCases)
  func `a transaction that SQL begins and commits has an entry`(_ kind: FedDatabase) async throws {
    let database = try kind.open()
    let token = try database.token
    try database.withoutTransaction { db in
      try db.execute(sql: "BEGIN; INSERT INTO team VALUES (1, 'Red'); END")
      try db.execute(sql: "SAVEPOINT a; INSERT INTO team VALUES (2, 'Blue'); RELEASE a")
      try db.execute(sql: "BEGIN; SAVEPOINT a; INSERT INTO team VALUES (3, 'Green'); RELEASE a; COMMIT")
    }
    #expect(
      try await database.entries(after: token) == [
        "INSERT team [1]: id 1, name \"Red\"", "INSERT team [2]: id 2, name \"Blue\"",
        "INSERT team [3]: id 3, name \"Green\"",
      ])
  }

  @Test(arguments: FedDatabase.allCases)
  func `rows that a statement returns do not hide its changes`(_ kind: FedDatabase) async throws {
    let database = try kind.open()
    let token = try database.token
    let names = try database.withoutTransaction { db in
      let first = try String.fetchOne(db, sql: "INSERT INTO team VALUES (1, 'Red'), (2, 'Blue') RETURNING name")
      let all = try String.fetchAll(db, sql: "INSERT INTO team VALUES (3, 'Green') RETURNING name")
      #expect(!db.isInsideTransaction)
      return [first ?? ""] + all
    }
    #expect(names == ["Red", "Green"])
    #expect(
      try await database.entries(after: token) == [
        "INSERT team [1]: id 1, name \"Red\"; INSERT team [2]: id 2, name \"Blue\"",
        "INSERT team [3]: id 3, name \"Green\"",
      ])
  }

  @Test(arguments: FedDatabase.allCases)
  func `changes that are rolled back have no entry`(_ kind: FedDatabase) async throws {
    let database = try kind.open()
    let token = try database.token
    #expect(throws: DatabaseError.self) { try database.execute("INSERT INTO team VALUES (1, 'Red'); SELECT nothing") }
    try database.withoutTransaction { db in
      try db.execute(sql: "INSERT INTO team VALUES (1, 'Red')")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO team VALUES (2, 'Blue'), (1, 'Red')") }
      #expect(!db.isInsideTransaction)
    }
    #expect(try await database.entries(after: token) == ["INSERT team [1]: id 1, name \"Red\""])
  }

  @Test func `a statement that fails keeps the rows that OR FAIL keeps`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    try database.withoutTransaction { db in
      _ = #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT OR FAIL INTO team VALUES (1, 'Red'), (1, 'Blue')")
      }
    }
    #expect(try await database.entries(after: token) == ["INSERT team [1]: id 1, name \"Red\""])
  }

  @Test func `the schema and user_version are part of an entry`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    try database.execute("CREATE TABLE book (id INTEGER PRIMARY KEY AUTOINCREMENT); PRAGMA user_version = 7")
    try database.execute("INSERT INTO book DEFAULT VALUES")
    #expect(
      try await database.entries(after: token) == [
        "CREATE TABLE book (id INTEGER PRIMARY KEY AUTOINCREMENT); user_version = 7",
        "INSERT book [1]: id 1; counter of book: 1",
      ])
  }

  @Test func `a full-text table writes its content before the entry`() async throws {
    let database = try FedDatabase.pool.open()
    try database.execute("CREATE VIRTUAL TABLE text USING fts5 (body)")
    let token = try database.token
    try database.execute("INSERT INTO text VALUES ('a b')")
    let entries = try await database.entries(after: token)
    #expect(entries.count == 1)
    #expect(entries.first?.contains("INSERT text_content") == true)
    #expect(entries.first?.contains("text_data") == true)
  }

  @Test func `temporary tables have no entries`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    try database.write { try $0.execute(sql: "CREATE TEMP TABLE t (a); INSERT INTO t VALUES (1)") }
    try database.withoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    #expect(try database.token == token)
  }

  @Test func `a commit that fails can be repeated, with one entry`() async throws {
    let database = try FedDatabase.pool.open()
    try database.execute(
      "CREATE TABLE member (team REFERENCES team DEFERRABLE INITIALLY DEFERRED, name)")
    let token = try database.token
    try database.withoutTransaction { db in
      try db.execute(sql: "BEGIN; INSERT INTO member VALUES (1, 'Ada')")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "COMMIT") }
      #expect(db.isInsideTransaction)
      try db.execute(sql: "INSERT INTO team VALUES (1, 'Red'); COMMIT")
    }
    #expect(
      try await database.entries(after: token) == [
        "INSERT member [1]: team 1, name \"Ada\"; INSERT team [1]: id 1, name \"Red\""
      ])
  }

  @Test func `a deferred foreign key that is violated fails the statement outside of a transaction`() throws {
    let database = try FedDatabase.pool.open()
    try database.execute("CREATE TABLE member (team REFERENCES team DEFERRABLE INITIALLY DEFERRED)")
    try database.withoutTransaction { db in
      let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO member VALUES (1)") }
      #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
      #expect(error?.sql == "INSERT INTO member VALUES (1)")
      #expect(!db.isInsideTransaction)
    }
    #expect(try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM member") } == 0)
  }

  @Test(arguments: FedDatabase.allCases)
  func `the numbers of changes and row IDs are those of the program's statements`(_ kind: FedDatabase) throws {
    let database = try kind.open()
    try database.withoutTransaction { db in
      let total = db.totalChangesCount
      try db.execute(sql: "INSERT INTO team VALUES (1, 'Red'), (2, 'Blue'), (30, 'Green')")
      #expect(db.changesCount == 3)
      #expect(db.lastInsertedRowID == 30)
      #expect(db.totalChangesCount == total + 3)
      try db.inTransaction {
        try db.execute(sql: "UPDATE team SET name = 'x' WHERE id < 10")
        return .commit
      }
      #expect(db.changesCount == 2)
      #expect(db.totalChangesCount == total + 5)
    }
  }

  @Test func `transaction observers see the same events as without a feed`() throws {
    func events(_ feed: ChangeFeedConfiguration?) throws -> [String] {
      var configuration = Configuration()
      configuration.changeFeed = feed
      let writer = try DatabaseQueue(configuration: configuration)
      let recorder = EventRecorder()
      writer.add(transactionObserver: recorder)
      try writer.writeWithoutTransaction { db in
        try db.execute(sql: "CREATE TABLE t (a UNIQUE)")
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES (2), (1)") }
        try db.inTransaction {
          try db.execute(sql: "UPDATE t SET a = 3")
          return .commit
        }
        try db.inTransaction {
          try db.execute(sql: "DELETE FROM t")
          return .rollback
        }
      }
      return recorder.takeLog()
    }
    let (own, expected) = (try events(ChangeFeedConfiguration()), try events(nil))
    #expect(own == expected)
  }
}
