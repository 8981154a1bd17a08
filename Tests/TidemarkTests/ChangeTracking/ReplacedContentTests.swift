import CSQLite
import TestSupport
import Testing
import Tidemark

@testable import TidemarkEssentials

/// Content that is replaced, or that a stream cannot represent.
@Suite(.untilItHangs) struct ReplacedContentTests {
  private func next(_ stream: ChangeStream) async throws -> TransactionChanges {
    var changes = stream.makeAsyncIterator()
    return try #require(try await changes.next())
  }

  // MARK: - Attached databases

  @Test func `attaching and detaching a database replaces its content`() async throws {
    let database = try Observed.queue.open()
    try await database.writer.writeWithoutTransaction {
      try $0.execute(sql: "ATTACH ':memory:' AS Aux; CREATE TABLE aux.item (a)")
    }
    let all = try await database.writer.changes()
    let attached = try await database.writer.changes(in: SQLRequest<Row>(sql: "SELECT * FROM aux.item"))
    let main = try await database.writer.changes(in: Table("team"))
    try await database.writer.writeWithoutTransaction { db in
      try db.execute(sql: "DETACH aux")
      try db.execute(sql: "ATTACH ':memory:' AS aux; CREATE TABLE aux.item (a); INSERT INTO team VALUES (1, 'Red')")
    }
    for stream in [all, attached] { #expect(try await next(stream).completeness == .incomplete(.databaseReplaced)) }
    #expect(try await next(all).completeness == .incomplete(.databaseReplaced))
    #expect(try await next(attached).completeness == .incomplete(.databaseReplaced))
    // The statements do not describe the content.
    #expect(try await lines(all) == ["CREATE TABLE aux.item (a)"])
    #expect(try await lines(main) == ["CREATE TABLE aux.item (a)"])
    #expect(try await lines(main) == ["INSERT team [1]: id 1, name \"Red\""])
  }

  // MARK: - Texts that are not UTF-8

  @Test func `rows with texts that are not UTF-8 are unknown`() async throws {
    let database = try Observed.queue.open()
    let stream = try await database.writer.changes(in: Table("team"))
    func check(_ sql: String) async throws {
      try await database.writer.write { try $0.execute(sql: sql) }
      let transaction = try await next(stream)
      #expect(transaction.completeness == .incomplete(.notReported), "\(sql)")
      #expect(transaction.lines == ["unknown rows of team"], "\(sql)")
    }
    try await check("INSERT INTO team VALUES (1, CAST(x'61ff' AS TEXT))")
    // Both texts are repaired to the same one.
    try await check("UPDATE team SET name = CAST(x'61fe' AS TEXT)")
    // A text with the bytes of the repaired text is UTF-8.
    try await check("UPDATE team SET name = CAST(x'61efbfbd' AS TEXT)")
    try await database.writer.write { try $0.execute(sql: "UPDATE team SET name = 'a'") }
    #expect(try await next(stream).lines == ["UPDATE team [1]: name \"a\u{FFFD}\" → \"a\""])
    try await check("UPDATE team SET name = CAST(x'61ff' AS TEXT)")
    try await database.writer.write { try $0.execute(sql: "UPDATE team SET name = CAST(x'61ff' AS TEXT)") }
    try await check("DELETE FROM team")
  }

  // MARK: - Encodings

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func `texts are captured in each encoding of the database`(_ encoding: String) async throws {
    let database = try DatabaseQueue()
    try await database.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA encoding = '\(encoding)'; CREATE TABLE note (text TEXT, more)")
      #expect(try String.fetchOne(db, sql: "PRAGMA encoding") == encoding)
    }
    let stream = try await database.changes(in: Table("note"))
    try await database.write { db in
      try db.execute(sql: "INSERT INTO note VALUES ('Zürich', '')")
      try db.execute(sql: "UPDATE note SET text = ?, more = more || 'é'", arguments: ["a\0b"])
      try db.execute(sql: "DELETE FROM note")
    }
    let rows = try await next(stream).rows
    let (first, second) = (["Zürich", ""].map(\.databaseValue), ["a\0b", "é"].map(\.databaseValue))
    #expect(rows.map(\.oldValues) == [nil, first, second])
    #expect(rows.map(\.newValues) == [first, second, nil])
  }

  // MARK: - The connection's pointer

  @Test(arguments: [Observed.queue, .pool])
  func `own schema changes are no replacement after the pointer was requested`(_ observed: Observed) async throws {
    let database = try observed.open()
    try await database.writer.writeWithoutTransaction { db in
      _ = db.sqliteConnection
      try db.execute(sql: "ATTACH ':memory:' AS aux")
    }
    let stream = try await database.writer.changes()
    try await database.writer.write { try $0.execute(sql: "CREATE TABLE note (text)") }
    await #expect(throws: DatabaseError.self) {
      try await database.writer.write { try $0.execute(sql: "CREATE TABLE undone (text); SELECT nothing") }
    }
    _ = try await database.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") }
    try await database.writer.write { try $0.execute(sql: "INSERT INTO note VALUES ('a')") }
    let (creation, insertion) = (try await next(stream), try await next(stream))
    #expect(creation.isComplete && creation.lines == ["CREATE TABLE note (text)"], "\(creation)")
    #expect(insertion.isComplete && insertion.lines == ["INSERT note [1]: text \"a\""], "\(insertion)")
  }

  @Test func `reads are no replacement after the pointer was requested`() async throws {
    let database = try Observed.queue.open()
    try await database.writer.writeWithoutTransaction { db in
      _ = db.sqliteConnection
      try db.execute(sql: "ATTACH ':memory:' AS aux")
    }
    let stream = try await database.writer.changes(in: Table("team"))
    // The regions are resolved in a read, after the schema change.
    try await database.writer.write { try $0.execute(sql: "CREATE TABLE note (text)") }
    #expect(try await lines(stream) == ["CREATE TABLE note (text)"])
    for id in 1...3 {
      _ = try await database.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM team") }
      try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (?, 'Red')", arguments: [id]) }
      #expect(try await lines(stream) == ["INSERT team [\(id)]: id \(id), name \"Red\""])
    }
  }

  @Test(arguments: [true, false])
  func `a backup with the pointer in the access of a schema change is a replacement`(_ isFirst: Bool) async throws {
    let (database, source) = (try Observed.queue.open(), try DatabaseQueue())
    try await source.write { try $0.execute(sql: "CREATE TABLE copied (a)") }
    try await database.writer.writeWithoutTransaction { db in _ = db.sqliteConnection }
    let stream = try await database.writer.changes()
    try await database.writer.writeWithoutTransaction { db in
      if !isFirst { try db.execute(sql: "CREATE TABLE note (text)") }
      source.inDatabase { source in
        let backup = sqlite3_backup_init(db.sqliteConnection, "main", source.sqliteConnection, "main")
        #expect(sqlite3_backup_step(backup, -1) == SQLITE_DONE)
        #expect(sqlite3_backup_finish(backup) == SQLITE_OK)
      }
      if isFirst { try db.execute(sql: "CREATE TABLE note (text)") }
    }
    try await database.writer.write { try $0.execute(sql: "PRAGMA user_version = 9") }
    var completeness: [TransactionChanges.Completeness] = []
    for try await transaction in stream {
      if transaction.lines == ["user_version = 9"] { break }
      completeness.append(transaction.completeness)
    }
    #expect(completeness.contains(.incomplete(.databaseReplaced)))
  }
}
