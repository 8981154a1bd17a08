import Testing
import Tidemark

private let id = Column("id")
private let info = JSONColumn("info")

/// JSON in requests, schemas and updates.
@Suite struct JSONRequestTests {
  // swift-format-ignore
  @Test(arguments: [
    (Place.filter(info["city"] == "Rome"), #"SELECT * FROM "pl" WHERE ("info" ->> 'city') = 'Rome'"#, [1]),
    (Place.filter { $0.info["city"] == "Rome" }, #"SELECT * FROM "pl" WHERE ("info" ->> 'city') = 'Rome'"#, [1]),
    (Place.order(info["zip"].desc), #"SELECT * FROM "pl" ORDER BY "info" ->> 'zip' DESC"#, [1, 2]),
    (Place.order { $0.info }, #"SELECT * FROM "pl" ORDER BY "info""#, [2, 1]),
    (Place.filter(info == "x"), #"SELECT * FROM "pl" WHERE "info" = 'x'"#, []),
    (Place.filter(info == nil), #"SELECT * FROM "pl" WHERE "info" IS NULL"#, [2]),
    (Place.filter { Database.jsonArrayLength($0.info, atPath: "$.a") > 2 },
     #"SELECT * FROM "pl" WHERE JSON_ARRAY_LENGTH("info", '$.a') > 2"#, [1]),
    (Place.filter(literal: "\(info) IS NULL AND \(info["city"]) IS NULL"),
     #"SELECT * FROM "pl" WHERE "info" IS NULL AND "info" ->> 'city' IS NULL"#, [2]),
  ])
  func requests(request: QueryInterfaceRequest<Place>, sql: String, ids: [Int]) throws {
    try inPlaces { db in
      try #expect(db.expandedSQL(request) == sql)
      try #expect(request.fetchAll(db).map(\.id) == ids)
    }
  }

  @Test func `selected parts have their SQL type, and a name`() throws {
    try inPlaces { db in
      try #expect(Int.fetchOne(db, Place.select(info["zip"])) == 3)
      let request = Place.select(info["city"].forKey("town"), Place.Columns.tags)
      try #expect(db.expandedSQL(request) == #"SELECT "info" ->> 'city' AS "town", "tags" FROM "pl""#)
      try #expect(Row.fetchOne(db, request) == ["town": "Rome", "tags": #"["x","y"]"#])
    }
  }

  @Test func `joined tables qualify their JSON columns`() throws {
    let fr = TableAlias<Fragment>()
    let pl = TableAlias<Place>()
    try inPlaces { db in
      let request = Fragment.aliased(fr).joining(required: Fragment.place.aliased(pl))
        .filter(fr.extra["k"] == 1 && pl.info["zip"] > 0)
      try #expect(
        db.expandedSQL(request) == """
          SELECT "fr".* FROM "fr" JOIN "pl" ON "pl"."id" = "fr"."placeId" \
          WHERE (("fr"."extra" ->> 'k') = 1) AND (("pl"."info" ->> 'zip') > 0)
          """)
      try #expect(request.fetchAll(db).map(\.extra) == [#"{"k":1}"#])
      let others: [(SQLExpression, String)] = [
        (fr[Fragment.Columns.extra]["k"], #""fr"."extra" ->> 'k'"#),
        (fr[Fragment.Columns.extra.asJSON]["k"], #""fr"."extra" ->> 'k'"#),
        (fr[Fragment.Columns.key], #""fr"."extra" ->> 'k'"#),
        (fr.key, #""fr"."extra" ->> 'k'"#),
        (fr.extra.jsonExtract(atPath: "$.k"), #"JSON_EXTRACT("fr"."extra", '$.k')"#),
      ]
      for (expression, sql) in others {
        let request = Fragment.aliased(fr).joining(required: Fragment.place).select(expression)
        try #expect(
          db.expandedSQL(request) == #"SELECT \#(sql) FROM "fr" JOIN "pl" ON "pl"."id" = "fr"."placeId""#)
      }
    }
  }

  @Test func `columns are set to JSON`() throws {
    try inPlaces { db in
      let update = try trace(db) {
        try Place.filter(id == 1).updateAll(db, info.set(to: Database.jsonSet(info, ["$.city": "X"])))
      }
      #expect(update == [#"UPDATE "pl" SET "info" = JSON_SET("info", '$.city', 'X') WHERE "id" = 1"#])
      try Place.filter(id == 1).updateAll(db) {
        [$0.info.set(to: Database.jsonPatch($0.info, with: #"{"a":null}"#)), $0.tags.set(to: "[]")]
      }
      try #expect(Place.fetchOne(db, id: 1) == Place(id: 1, name: "Ann", info: #"{"city":"X","zip":3}"#, tags: "[]"))
    }
  }

  @Test func `schemas contain JSON`() throws {
    try inMemory { db in
      let sql = try trace(db) {
        try db.create(table: "doc") { t in
          t.column("j", .jsonText)
          t.column("city", .text).generatedAs(JSONColumn("j")["city"])
        }
        try db.create(table: "valid") { t in t.column("j", .jsonText).check { Database.jsonIsValid($0) } }
        try db.create(index: "ix", on: "doc", expressions: [JSONColumn("j")["zip"]])
      }
      #expect(
        sql == [
          #"CREATE TABLE "doc" ("j" TEXT, "city" TEXT GENERATED ALWAYS AS ("j" ->> 'city') VIRTUAL)"#,
          #"CREATE TABLE "valid" ("j" TEXT CHECK (JSON_VALID("j")))"#,
          #"CREATE INDEX "ix" ON "doc"("j" ->> 'zip')"#,
        ])
      try db.execute(sql: #"INSERT INTO doc (j) VALUES ('{"city":"Rome"}')"#)
      try #expect(String.fetchAll(db, sql: "SELECT city FROM doc") == ["Rome"])
      #expect(
        message { try db.execute(sql: "INSERT INTO valid VALUES ('{')") }
          == "SQLite error 19: CHECK constraint failed: JSON_VALID(\"j\") - while executing "
          + "`INSERT INTO valid VALUES ('{')`")
    }
  }

  @Test func `properties of Codable records are JSON columns`() throws {
    struct Info: Codable, Equatable {
      var city: String
      var zip: Int?
    }
    struct Visit: Codable, Equatable, FetchableRecord, PersistableRecord {
      enum Columns {
        static let info = JSONColumn(CodingKeys.info)
        static let tags = JSONColumn(CodingKeys.tags)
      }
      var id: Int
      var info: Info
      var tags: [String]
    }
    try inMemory { db in
      try db.create(table: "visit") { t in
        t.primaryKey("id", .integer)
        t.column("info", .jsonText).notNull()
        t.column("tags", .jsonText).notNull()
      }
      let visit = Visit(id: 1, info: Info(city: "Q/r"), tags: ["a", "é"])
      try visit.insert(db)
      try #expect(
        Row.fetchOne(db, Visit.all()) == ["id": 1, "info": #"{"city":"Q\/r"}"#, "tags": #"["a","é"]"#])
      try #expect(Visit.filter { $0.info["city"] == "Q/r" && $0.tags[1] == "é" }.fetchAll(db) == [visit])
      try #expect(Visit.filter { $0.info["zip"] != nil }.fetchAll(db) == [])
    }
  }
}
