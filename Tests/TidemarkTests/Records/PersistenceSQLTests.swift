import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

private struct Plain: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
  var id: Int64?
  var zed: String
  var alpha: Int?
  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct Policy: Codable, PersistableRecord {
  static let databaseTableName = "plain"
  static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .ignore, update: .ignore)
  var id: Int64?
  var zed: String
}

private struct OnlyKey: Codable, FetchableRecord, PersistableRecord, Equatable {
  static let databaseTableName = "onlykey"
  var k: String
}

private struct Shelf: Codable, FetchableRecord, PersistableRecord, Equatable {
  var label: String
  var room: String?
}

private struct Reading: Codable, FetchableRecord, PersistableRecord, Equatable {
  var readerId: String?
  var score: Int?
  var bookId: Int64?
}

private let schema = """
  CREATE TABLE plain (id INTEGER PRIMARY KEY AUTOINCREMENT, alpha, zed NOT NULL UNIQUE);
  CREATE TABLE onlykey (k TEXT PRIMARY KEY);
  CREATE TABLE shelf (label, room);
  CREATE TABLE reading (bookId INTEGER, readerId TEXT, score INTEGER, PRIMARY KEY (bookId, readerId)) WITHOUT ROWID;
  """

/// The SQL that a closure executes.
@discardableResult
private func trace(_ body: (Database) throws -> Void) throws -> [String] {
  let recorder = TraceRecorder()
  let dbQueue = try recorder.makeQueue()
  return try dbQueue.inDatabase { db in
    try db.execute(sql: schema)
    recorder.clear()
    try body(db)
    return recorder.lines
  }
}

private let insertion = #"INSERT INTO "plain" ("id", "zed", "alpha") VALUES (?,?,?)"#
private let update = #"UPDATE "plain" SET "alpha"=?, "zed"=? WHERE "id"=?"#

/// The exact SQL of records.
@Suite struct PersistenceSQLTests {
  @Test func insertsNameColumnsInRecordOrder() throws {
    let executed = try trace {
      var plain = Plain(zed: "a")
      try plain.insert($0)
      try plain.insert($0, onConflict: .replace)
      _ = try Plain(zed: "b").inserted($0, onConflict: .rollback)
    }
    #expect(
      executed == [
        insertion, insertion.replacing("INSERT", "INSERT OR REPLACE"),
        insertion.replacing("INSERT", "INSERT OR ROLLBACK"),
      ])
  }

  @Test func updatesNameColumnsInTableOrder() throws {
    let executed = try trace {
      let plain = try Plain(zed: "a").inserted($0)
      try plain.update($0)
      try plain.update($0, columns: ["zed"])
      try plain.update($0, columns: [Column("ZED"), Column("alpha")])
      try plain.update($0, columns: ["ID", "nope", "Alpha"])
      try plain.update($0, onConflict: .fail, columns: ["zed"])
    }
    #expect(
      executed == [
        insertion, update, #"UPDATE "plain" SET "zed"=? WHERE "id"=?"#, update,
        #"UPDATE "plain" SET "alpha"=? WHERE "id"=?"#, #"UPDATE OR FAIL "plain" SET "zed"=? WHERE "id"=?"#,
      ])
  }

  @Test func emptyUpdatesStillRun() throws {
    let executed = try trace {
      let plain = try Plain(zed: "a").inserted($0)
      try plain.update($0, columns: ["nope"])
      try plain.update($0, columns: [] as [String])
      try OnlyKey(k: "a").insert($0)
      try OnlyKey(k: "a").update($0)
    }
    #expect(
      executed.dropFirst() == [
        #"UPDATE "plain" SET "id"=? WHERE "id"=?"#, #"UPDATE "plain" SET "id"=? WHERE "id"=?"#,
        #"INSERT INTO "onlykey" ("k") VALUES (?)"#, #"UPDATE "onlykey" SET "k"=? WHERE "k"=?"#,
      ])
  }

  @Test func typePoliciesApplyByDefault() throws {
    let executed = try trace {
      try Policy(id: 9, zed: "pol").insert($0)
      try Policy(id: 9, zed: "pol").update($0)
      try Policy(id: 9, zed: "pol").update($0, onConflict: .abort)
      try Policy(id: 9, zed: "pol").upsert($0)
    }
    #expect(
      executed == [
        #"INSERT OR IGNORE INTO "plain" ("id", "zed") VALUES (?,?)"#,
        #"UPDATE OR IGNORE "plain" SET "zed"=? WHERE "id"=?"#,
        #"UPDATE "plain" SET "zed"=? WHERE "id"=?"#,
        """
        INSERT INTO "plain" ("id", "zed") VALUES (?,?) ON CONFLICT DO UPDATE SET "zed" = "excluded"."zed" \
        RETURNING "rowid"
        """,
      ])
  }

  @Test func saveUpdatesThenInserts() throws {
    let executed = try trace {
      var plain = Plain(zed: "a")
      try plain.save($0)
      try plain.save($0)
      plain = Plain(id: 40, zed: "b")
      try plain.save($0)
      _ = try Plain(id: 40, zed: "c").saved($0)
    }
    #expect(executed == [insertion, update, update, insertion, update])
  }

  @Test func deletesAndExistenceChecksUseTheKey() throws {
    let executed = try trace {
      let plain = try Plain(zed: "a").inserted($0)
      #expect(try plain.exists($0))
      #expect(try plain.delete($0))
      #expect(try !plain.delete($0))
      #expect(try !plain.exists($0))
    }
    #expect(
      executed.dropFirst() == [
        #"SELECT EXISTS (SELECT 1 FROM "plain" WHERE "id"=?)"#, #"DELETE FROM "plain" WHERE "id"=?"#,
        #"DELETE FROM "plain" WHERE "id"=?"#, #"SELECT EXISTS (SELECT 1 FROM "plain" WHERE "id"=?)"#,
      ])
  }

  @Test func compositeKeysAreUsed() throws {
    let executed = try trace {
      let reading = Reading(readerId: "r", score: 1, bookId: 2)
      try reading.insert($0)
      try reading.update($0)
      #expect(try reading.exists($0))
      #expect(try reading.delete($0))
    }
    #expect(
      executed == [
        #"INSERT INTO "reading" ("readerId", "score", "bookId") VALUES (?,?,?)"#,
        #"UPDATE "reading" SET "score"=? WHERE "bookId"=? AND "readerId"=?"#,
        #"SELECT EXISTS (SELECT 1 FROM "reading" WHERE "bookId"=? AND "readerId"=?)"#,
        #"DELETE FROM "reading" WHERE "bookId"=? AND "readerId"=?"#,
      ])
  }

  @Test func recordsWithoutKeyRunNoSQL() throws {
    let executed = try trace { (db) throws in
      let plain = Plain(zed: "a")
      #expect(try !plain.delete(db))
      #expect(try !plain.exists(db))
      #expect(message { try plain.update(db) } == "Key not found in table plain: [id:NULL]")
      #expect(message { try plain.update(db, columns: ["zed"]) } == "Key not found in table plain: [id:NULL]")
      let shelf = Shelf(label: "l", room: nil)
      #expect(try !shelf.delete(db))
      #expect(message { try shelf.update(db) } == "Key not found in table shelf: [rowid:NULL]")
      let reading = Reading(readerId: nil, score: 1, bookId: nil)
      #expect(try !reading.exists(db))
      #expect(message { try reading.update(db) } == "Key not found in table reading: [bookId:NULL readerId:NULL]")
    }
    #expect(executed == [])
  }

  @Test func updatingAMissingRowThrowsWithItsKey() throws {
    try trace { db in
      #expect(message { try Plain(id: 40, zed: "a").update(db) } == "Key not found in table plain: [id:40]")
      #expect(
        message { try Reading(readerId: "r", score: 1, bookId: nil).update(db) }
          == #"Key not found in table reading: [bookId:NULL readerId:"r"]"#)
    }
  }

  @Test func selectionsCanOmitColumns() throws {
    let executed = try trace { db in
      let plain = try Plain(zed: "c").inserted(db)
      let row = try plain.updateAndFetch(db, columns: ["zed"], selection: [.allColumns(excluding: ["id"])]) {
        try Row.fetchOne($0)
      }
      #expect(row == ["alpha": nil, "zed": "c"])
    }
    #expect(executed.last == #"UPDATE "plain" SET "zed"=? WHERE "id"=? RETURNING "alpha", "zed""#)
  }

  @Test func writesReturnFetchedColumns() throws {
    let executed = try trace { db in
      let plain = try Plain(zed: "a").insertAndFetch(db)
      #expect(plain == Plain(id: 1, zed: "a"))
      let row = try plain.updateAndFetch(db, columns: ["zed"], selection: [Column("zed"), .allColumns]) {
        try Row.fetchOne($0)
      }
      #expect(row == ["zed": "a", "id": 1, "alpha": nil, "zed": "a"])
      #expect(try plain.updateAndFetch(db) == plain)
      #expect(try Plain(id: 7, zed: "b").saveAndFetch(db) == Plain(id: 7, zed: "b"))
      #expect(try Plain(id: 7, zed: "c").saveAndFetch(db, onConflict: .ignore) == Plain(id: 7, zed: "c"))
    }
    #expect(
      executed == [
        "\(insertion) RETURNING *", #"UPDATE "plain" SET "zed"=? WHERE "id"=? RETURNING "zed", *"#,
        "\(update) RETURNING *", "\(update) RETURNING *", "\(insertion) RETURNING *",
        "\(update.replacing("UPDATE", "UPDATE OR IGNORE")) RETURNING *",
      ])
  }

  @Test func onlyChangedColumnsAreUpdated() throws {
    var answers: [Bool] = []
    var fetched: [Plain?] = []
    let executed = try trace { db in
      var plain = try Plain(zed: "a").inserted(db)
      let old = plain
      answers.append(try plain.updateChanges(db) { $0.zed = "a" })
      answers.append(try plain.updateChanges(db, from: old))
      fetched.append(try plain.updateChangesAndFetch(db) { $0.alpha = nil })
      answers.append(try plain.updateChanges(db) { $0.alpha = 1 })
      fetched.append(try plain.updateChangesAndFetch(db) { $0.zed = "b" })
      answers.append(try plain.updateChanges(db, onConflict: .ignore, from: old))
      let alpha = try plain.updateChangesAndFetch(db, selection: [Column("alpha")]) {
        try Int.fetchOne($0)
      } modify: {
        $0.alpha = 2
      }
      #expect(alpha == 2)
    }
    #expect(answers == [false, false, true, true])
    #expect(fetched == [nil, Plain(id: 1, zed: "b", alpha: 1)])
    #expect(
      executed.dropFirst() == [
        #"UPDATE "plain" SET "alpha"=? WHERE "id"=?"#, #"UPDATE "plain" SET "zed"=? WHERE "id"=? RETURNING *"#,
        #"UPDATE OR IGNORE "plain" SET "alpha"=?, "zed"=? WHERE "id"=?"#,
        #"UPDATE "plain" SET "alpha"=? WHERE "id"=? RETURNING "alpha""#,
      ])
  }

  @Test func upsertAssignsTheGivenColumns() throws {
    let alpha = Column("alpha")
    let executed = try trace { db in
      var plain = Plain(id: 3, zed: "c", alpha: 1)
      try plain.upsert(db)
      plain = Plain(id: nil, zed: "c", alpha: 10)
      let sum = try plain.upsertAndFetch(db, onConflict: ["zed"]) { excluded in
        [alpha.set(to: alpha + excluded[alpha])]
      }
      #expect(sum == Plain(id: 3, zed: "c", alpha: 11))
      #expect(plain.id == 3)
      let kept = try plain.upsertAndFetch(db, onConflict: ["zed"], doUpdate: { _ in [alpha.noOverwrite] })
      #expect(kept == sum)
      let key = try OnlyKey(k: "a").upsertAndFetch(db)
      #expect(key == OnlyKey(k: "a"))
      let reading = try Reading(readerId: "r", score: 1, bookId: 2).upsertAndFetch(db, as: Reading.self) { _ in
        [Column("score").set(to: 5)]
      }
      #expect(reading.score == 1)
      let again = try Reading(readerId: "r", score: 1, bookId: 2).upsertAndFetch(db) { _ in
        [Column("score").set(to: 5)]
      }
      #expect(again.score == 5)
    }
    #expect(
      executed.dropFirst().dropLast(2) == [
        """
        \(insertion) ON CONFLICT("zed") DO UPDATE SET "alpha" = "alpha" + "excluded"."alpha" RETURNING *, "rowid"
        """,
        """
        \(insertion) ON CONFLICT("zed") DO UPDATE SET "id" = "id" RETURNING *, "rowid"
        """,
        #"INSERT INTO "onlykey" ("k") VALUES (?) ON CONFLICT DO UPDATE SET "k" = "k" RETURNING *, "rowid""#,
      ])
  }

  @Test func upsertReportsTheRowIDOfTheUpdatedRow() throws {
    try trace { db in
      try db.execute(sql: "INSERT INTO plain (id, zed) VALUES (1, 'a'), (2, 'b')")
      var plain = Plain(zed: "a")
      try plain.upsert(db)
      #expect(plain.id == 1)
    }
  }

  @Test func batchesFollowTheTypesPolicy() throws {
    let executed = try trace { try Policy.updateAll($0, Column("alpha").set(to: 1)) }
    #expect(executed == [#"UPDATE OR IGNORE "plain" SET "alpha" = ?"#])
  }

  @Test func namesMayContainQuotes() throws {
    struct Odd: Codable, FetchableRecord, PersistableRecord, Equatable {
      static let databaseTableName = #"o"dd"#
      enum CodingKeys: String, CodingKey { case id = #"i"d"#, name = "na me" }
      var id: Int
      var name: String
    }
    let executed = try trace { db in
      try db.execute(sql: #"CREATE TABLE "o""dd" ("i""d" INTEGER PRIMARY KEY, "na me")"#)
      let odd = Odd(id: 1, name: "a")
      try odd.insert(db)
      try Odd(id: 1, name: "b").update(db)
      #expect(try odd.exists(db))
      #expect(try Odd(id: 1, name: "c").saveAndFetch(db, as: Odd.self) == Odd(id: 1, name: "c"))
      try odd.upsert(db)
      #expect(try odd.delete(db))
    }
    #expect(
      executed.dropFirst() == [
        #"INSERT INTO "o""dd" ("i""d", "na me") VALUES (?,?)"#, #"UPDATE "o""dd" SET "na me"=? WHERE "i""d"=?"#,
        #"SELECT EXISTS (SELECT 1 FROM "o""dd" WHERE "i""d"=?)"#,
        #"UPDATE "o""dd" SET "na me"=? WHERE "i""d"=? RETURNING *"#,
        """
        INSERT INTO "o""dd" ("i""d", "na me") VALUES (?,?) ON CONFLICT DO UPDATE SET "na me" = "excluded"."na me" \
        RETURNING "rowid"
        """,
        #"DELETE FROM "o""dd" WHERE "i""d"=?"#,
      ])
  }

  @Test func upsertUpdatesAllButTheKey() throws {
    let executed = try trace { db in
      var plain = Plain(id: 3, zed: "a")
      try plain.upsert(db)
      try Plain(id: 4, zed: "b").inserted(db).insertInto(db)
      try OnlyKey(k: "a").upsert(db)
      try Reading(readerId: "r", score: 1, bookId: 2).upsert(db)
      try Reading(readerId: "r", score: 2, bookId: 2).upsert(db)
      #expect(try Int.fetchAll(db, sql: "SELECT score FROM reading") == [2])
    }
    #expect(
      executed.filter { $0.contains("CONFLICT") } == [
        """
        \(insertion) ON CONFLICT DO UPDATE SET "zed" = "excluded"."zed", "alpha" = "excluded"."alpha" RETURNING "rowid"
        """,
        #"INSERT INTO "onlykey" ("k") VALUES (?) ON CONFLICT DO UPDATE SET "k" = "k" RETURNING "rowid""#,
        """
        INSERT INTO "reading" ("readerId", "score", "bookId") VALUES (?,?,?) \
        ON CONFLICT DO UPDATE SET "score" = "excluded"."score" RETURNING "bookId"
        """,
        """
        INSERT INTO "reading" ("readerId", "score", "bookId") VALUES (?,?,?) \
        ON CONFLICT DO UPDATE SET "score" = "excluded"."score" RETURNING "bookId"
        """,
      ])
  }
}

extension Plain {
  /// Makes the last insertion another statement.
  fileprivate func insertInto(_ db: Database) throws { try db.execute(sql: "SELECT 1") }
}

extension String {
  fileprivate func replacing(_ word: String, _ other: String) -> String {
    replacingOccurrences(of: word, with: other, options: .anchored)
  }
}
