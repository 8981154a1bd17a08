import Testing
import Tidemark

/// The code of the article about JSON.
@Suite struct JSONArticleTests {
  struct Visitor: Codable, Equatable, FetchableRecord, PersistableRecord {
    struct Address: Codable, Equatable {
      var city: String
      var zip: Int
    }

    enum Columns {
      static let name = Column(CodingKeys.name)
      static let address = JSONColumn(CodingKeys.address)
      static let tags = JSONColumn(CodingKeys.tags)
    }

    var id: Int64
    var name: String
    var address: Address
    var tags: [String]
  }

  private func inVisitors(_ body: (Database) throws -> Void) throws {
    try inMemory { db in
      try db.create(table: "visitor") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.column("address", .jsonText).notNull()
        t.column("tags", .jsonText).notNull().check { Database.jsonIsValid($0) }
      }
      try Visitor(id: 1, name: "Ada", address: .init(city: "Rome", zip: 184), tags: ["new"]).insert(db)
      try Visitor(id: 2, name: "Bob", address: .init(city: "Oslo", zip: 10), tags: ["new", "vip"]).insert(db)
      try body(db)
    }
  }

  @Test func `queries use the parts of a JSON column`() throws {
    try inVisitors { db in
      // SELECT * FROM "visitor" WHERE ("address" ->> 'city') = 'Rome' ORDER BY "address" ->> 'zip'
      let romans =
        try Visitor
        .filter { $0.address["city"] == "Rome" }
        .order { $0.address["zip"] }
        .fetchAll(db)

      // SELECT "name", "tags" ->> 0 AS "tag" FROM "visitor"
      let tags =
        try Visitor
        .select { [$0.name, $0.tags[0].forKey("tag")] }
        .asRequest(of: Row.self)
        .fetchAll(db)
      #expect(romans.map(\.name) == ["Ada"])
      #expect(tags == [["name": "Ada", "tag": "new"], ["name": "Bob", "tag": "new"]])
    }
  }

  @Test func `functions read JSON`() throws {
    try inVisitors { db in
      let marked = try Visitor.filter { Database.jsonArrayLength($0.tags) > 1 }.fetchAll(db)
      let numbered = try Visitor.filter { Database.jsonType($0.address, atPath: "$.zip") == "integer" }.fetchCount(db)
      #expect(marked.map(\.name) == ["Bob"])
      #expect(numbered == 2)
    }
  }

  @Test func `updates change parts`() throws {
    try inVisitors { db in
      // UPDATE "visitor" SET "address" = JSON_SET("address", '$.zip', 185) WHERE ("address" ->> 'city') = 'Rome'
      try Visitor
        .filter { $0.address["city"] == "Rome" }
        .updateAll(db) { $0.address.set(to: Database.jsonSet($0.address, ["$.zip": 185])) }

      // UPDATE "visitor" SET "tags" = JSON_INSERT("tags", '$[#]', 'seen')
      try Visitor.updateAll(db) { $0.tags.set(to: Database.jsonInsert($0.tags, ["$[#]": "seen"])) }
      let ada = try Visitor.fetchOne(db, key: 1)
      #expect(ada == Visitor(id: 1, name: "Ada", address: .init(city: "Rome", zip: 185), tags: ["new", "seen"]))
    }
  }

  @Test func `functions build JSON`() throws {
    try inVisitors { db in
      // SELECT JSON_OBJECT('name', "name", 'tags', JSON("tags")) FROM "visitor"
      let documents = try String.fetchAll(
        db,
        Visitor.select {
          Database.jsonObject([("name", $0.name), ("tags", $0.tags)] as [(key: String, value: any SQLExpressible)])
        })

      // {"Ada":"Rome","Bob":"Oslo"}
      let cities = try String.fetchOne(
        db, Visitor.select { Database.jsonGroupObject(key: $0.name, value: $0.address["city"]) })
      #expect(documents == [#"{"name":"Ada","tags":["new"]}"#, #"{"name":"Bob","tags":["new","vip"]}"#])
      #expect(cities == #"{"Ada":"Rome","Bob":"Oslo"}"#)
    }
  }

  @Test func `expressions are declared as JSON`() throws {
    try inVisitors { db in
      let info = Column("address")
      // JSON_ARRAY("address"): an array with a string
      let text = Database.jsonArray([info])
      // JSON_ARRAY(JSON("address")): an array with an object
      let object = Database.jsonArray([info.asJSON])
      let row = try Row.fetchOne(db, Visitor.filter(key: 1).select(text.forKey("text"), object.forKey("object")))
      #expect(row?["text"] == #"["{\"city\":\"Rome\",\"zip\":184}"]"#)
      #expect(row?["object"] == #"[{"city":"Rome","zip":184}]"#)
    }
  }

  @Test func `parts are indexed`() throws {
    try inVisitors { db in
      try db.create(index: "visitor_city", on: "visitor", expressions: [JSONColumn("address")["city"]])
      let plan = try Row.fetchAll(
        db, sql: "EXPLAIN QUERY PLAN SELECT * FROM visitor WHERE address ->> 'city' = 'Rome'")
      #expect(plan.contains { $0["detail"] == "SEARCH visitor USING INDEX visitor_city (<expr>=?)" })
    }
  }
}
