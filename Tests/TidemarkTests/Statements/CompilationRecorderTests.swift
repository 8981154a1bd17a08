import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The facts that the authorizer records about statements.
@Suite struct CompilationRecorderTests {
  @Test func namesThatTheAuthorizerLeavesOutAreEmptyAndTheDatabaseIsTheMainOne() {
    #expect(
      SchemaChange(SQLITE_CREATE_TABLE, nil, nil, nil)
        == SchemaChange(kind: .create, subject: .table, name: "", database: "main"))
    #expect(
      SchemaChange(SQLITE_ALTER_TABLE, nil, nil, nil)
        == SchemaChange(kind: .alter, subject: .table, name: "", database: "main"))
    #expect(SchemaChange(SQLITE_ANALYZE, nil, nil, nil) == nil)
  }

  @Test func aWriteWithoutTheNameOfADatabaseConcernsTheMainOne() throws {
    let recorder = CompilationRecorder()
    let (_, writes) = recorder.effects {
      #expect(recorder.authorize(SQLITE_INSERT, "book", nil, nil, nil) == SQLITE_OK)
    }
    #expect(try #require(writes).tables.map(\.key) == [TableKey("book")])
  }

  @Test func aFrameCountThatIsNoNumberDisablesAutomaticCheckpoints() throws {
    let folder = try TemporaryFolder()
    let pool = try DatabasePool(path: folder.path("db"))
    let counts = try pool.writeWithoutTransaction { db in
      try ["10", "none"].map { value in
        try db.execute(sql: "PRAGMA wal_autocheckpoint = \(value)")
        return db.callbacks.longLogFrameCount
      }
    }
    #expect(counts == [10, .max])
  }

  @Test func aStatementThatWritesNothingAnyMoreHasNoTables() throws {
    try DatabaseQueue().inDatabase { db throws in
      try db.execute(sql: "CREATE TABLE book (title)")
      let statement = try db.makeStatement(sql: "DROP TABLE IF EXISTS book")
      let writes = try #require(statement.writes)
      #expect(!writes.schemaChanges.isEmpty)
      try db.execute(sql: "DROP TABLE book")
      try writes.renew(for: statement)
      #expect(writes.tables.isEmpty)
    }
  }
}
