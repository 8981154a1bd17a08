import Testing
import Tidemark

/// Read-only sections.
@Suite struct ReadOnlyTests {
  static let insert = "INSERT INTO book (title) VALUES ('a')"
  static let refusal = "SQLite error 8: attempt to write a readonly database - while executing `\(insert)`"

  @Test func readsCannotWrite() async throws {
    let dbQueue = try DatabaseQueue.withBooks()
    #expect(message { try dbQueue.read { try $0.execute(sql: Self.insert) } } == Self.refusal)
    #expect(await message { try await dbQueue.read { try $0.execute(sql: Self.insert) } } == Self.refusal)
    #expect(
      message { try dbQueue.inDatabase { db in try db.readOnly { try db.execute(sql: Self.insert) } } } == Self.refusal)
    // The connection can write afterwards.
    try await dbQueue.write { try $0.execute(sql: Self.insert) }
  }

  @Test func readOnlyQueuesCannotWrite() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("db")
    try DatabaseQueue(path: path).inDatabase { try $0.createBooks() }
    var configuration = Configuration()
    configuration.readonly = true
    let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
    #expect(message { try dbQueue.write { try $0.execute(sql: Self.insert) } } == Self.refusal)
  }

  @Test func immediateTransactionsAreWrites() throws {
    try DatabaseQueue().inDatabase { db throws in
      let text = message { try db.readOnly { try db.beginTransaction(.immediate) } }
      #expect(
        text == """
          SQLite error 8: attempt to write a readonly database - while executing `BEGIN IMMEDIATE TRANSACTION`
          """)
    }
  }

  @Test func readOnlyDepthIsCounted() throws {
    try DatabaseQueue.withBooks().inDatabase { db throws in
      try db.readOnly {
        try db.readOnly {}
        #expect(message { try db.execute(sql: Self.insert) } == Self.refusal)
        #expect(throws: Planned()) { try db.readOnly { throw Planned() } }
        #expect(message { try db.execute(sql: Self.insert) } == Self.refusal)
      }
      try db.execute(sql: Self.insert)
    }
  }

  @Test func transactionsAroundAReadOnlyAccessCanWrite() throws {
    let dbQueue = try DatabaseQueue.withBooks()
    try dbQueue.write { db in
      #expect(message { try db.readOnly { try db.execute(sql: Self.insert) } } == Self.refusal)
      try db.execute(sql: Self.insert)
    }
    #expect(try dbQueue.read { try $0.titles() } == ["a"])
  }

  @Test func readOnlyEndsAfterADeadTransaction() throws {
    let dbQueue = try DatabaseQueue.withBooks()
    let text = message {
      try dbQueue.write { db in
        try db.readOnly { try db.execute(sql: "ROLLBACK") }
      }
    }
    #expect(text == "SQLite error 4: Transaction was aborted")
    try dbQueue.write { try $0.execute(sql: Self.insert) }
  }

  @Test func pragmasAllowingWritesDoNotOutliveTheRead() throws {
    let dbQueue = try DatabaseQueue.withBooks()
    try dbQueue.read { try $0.execute(sql: "PRAGMA query_only = 0") }
    #expect(message { try dbQueue.read { try $0.execute(sql: Self.insert) } } == Self.refusal)
  }
}
