import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// A connection keeps facts about the schema, plans of record types, SQL and statements. After a schema change, requests
/// and records behave as on a connection that has kept nothing.
@Suite struct SchemaChangeRecordTests {
  private struct T: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "t"
    var a: Int?
    var b: String?
  }

  private struct U: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "u"
    var id: Int64?
    var a: Int?
  }

  private struct New: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "new"
    var a: Int?
    var b: String?
  }

  /// Requests and changes of records, each with its result as text.
  private static let operations: [(name: String, run: @Sendable (Database) throws -> String)] = [
    ("insert t", { db in try T(a: 7, b: "seven").inserted(db).description }),
    ("insert u", { db in try U(a: 7).inserted(db).description }),
    ("insert new", { db in try New(a: 7, b: "seven").inserted(db).description }),
    ("insert and fetch t", { db in try T(a: 8, b: "eight").insertAndFetch(db).description }),
    ("insert and fetch u", { db in try U(a: 8).insertAndFetch(db).description }),
    ("upsert u", { db in try U(id: 1, a: 9).upsertAndFetch(db).description }),
    ("upsert new", { db in try New(a: 1, b: "one").upsertAndFetch(db).description }),
    ("save u", { db in try U(id: 2, a: 10).saved(db).description }),
    ("update u", { db in try U(id: 1, a: 11).updateAndFetch(db).description }),
    ("update t", { db in try T(a: 1, b: "z").updateAndFetch(db).description }),
    ("update columns", { db in try "\(U(id: 1, a: 12).update(db, columns: ["a"]))" }),
    ("update all", { db in try "\(T.updateAll(db, Column("b").set(to: "all")))" }),
    ("fetch all t", { db in try T.fetchAll(db).description }),
    ("fetch all new", { db in try New.fetchAll(db).description }),
    ("fetch by key t", { db in try "\(T.fetchOne(db, key: 1) as Any)" }),
    ("fetch by key u", { db in try "\(U.fetchOne(db, key: 1) as Any)" }),
    ("fetch by key new", { db in try "\(New.fetchOne(db, key: 7) as Any)" }),
    ("exists", { db in try "\(U.exists(db, key: 2)) \(T.exists(db, key: 2))" }),
    ("one by filter", { db in try "\(T.filter(Column("a") == 7).fetchOne(db) as Any)" }),
    (
      "one by filter, SQL",
      { db in try T.filter(Column("a") == 7).makePreparedRequest(db, forSingleResult: true).statement.sql }
    ),
    (
      "one of new, SQL",
      { db in try New.filter(Column("a") == 7).makePreparedRequest(db, forSingleResult: true).statement.sql }
    ),
    ("order by key", { db in try T.all().orderByPrimaryKey().fetchAll(db).description }),
    ("without b", { db in try Row.fetchAll(db, T.select(.allColumns(excluding: ["b"]))).description }),
    ("count", { db in try "\(T.fetchCount(db)) \(U.filter(Column("a") > 1).fetchCount(db))" }),
    ("full text", { db in try "\(Table("docs").filter(Column("body") == "one").fetchCount(db))" }),
    ("delete u", { db in try "\(U(id: 2, a: 0).delete(db))" }),
    ("delete by key", { db in try "\(U.deleteOne(db, key: 1)) \(New.deleteOne(db, key: 7))" }),
    ("delete all", { db in try "\(T.filter(Column("a") == 8).deleteAll(db))" }),
    ("rows", { db in try Row.fetchAll(db, sql: "SELECT * FROM t").description }),
    ("columns", { db in try "\(db.columns(in: "t").map(\.name)) \(db.primaryKey("t").columns)" }),
    ("columns of new", { db in try "\(db.columns(in: "new").map(\.name)) \(db.primaryKey("new").columns)" }),
  ]

  @Test(arguments: Scale.seeds(daily: 1, full: 1))
  func `records behave after a schema change as on a connection that has not used them before`(seed: UInt64) throws {
    var differences = 0
    for situation in SchemaSituation.selection(seed: seed) {
      let known = try results(in: situation, usesRecordsBefore: true)
      let fresh = try results(in: situation, usesRecordsBefore: false)
      for (known, fresh) in zip(known, fresh) where known != fresh {
        differences += 1
        Issue.record("\(situation): \(known) instead of \(fresh)")
      }
      if differences > 20 { break }
    }
  }

  private func results(in situation: SchemaSituation, usesRecordsBefore: Bool) throws -> [String] {
    try DatabaseQueue().inDatabase { db in
      try situation.makeSchema(db)
      if usesRecordsBefore {
        for _ in 1...2 {
          try db.execute(sql: "SAVEPOINT before")
          _ = runAll(db)
          try db.execute(sql: "ROLLBACK TO before; RELEASE before")
        }
      }
      try situation.changeSchema(db)
      return runAll(db)
    }
  }

  private func runAll(_ db: Database) -> [String] {
    Self.operations.map { operation in
      do {
        return try "\(operation.name): \(operation.run(db))"
      } catch {
        return "\(operation.name): \(error)"
      }
    }
  }
}

extension PersistableRecord {
  fileprivate var description: String { "\(self)" }
}
