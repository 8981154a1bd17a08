import Testing

@testable import TidemarkEssentials
import Tidemark

private let name = Column("name")
private let info = JSONColumn("info")
private let tags = JSONColumn("tags")

/// Where `JSON(…)` is added around an element of a JSON value.
@Suite struct JSONElementTests {
  // swift-format-ignore
  @Test(arguments: [
    // Expressions that SQLite understands as JSON
    (Database.jsonObject(["n": name]), #"JSON_ARRAY(JSON_OBJECT('n', "name"))"#, #"[{"n":"Ann"}]"#),
    (Database.jsonObject(["n": name]).asJSON.sqlExpression, #"JSON_ARRAY(JSON_OBJECT('n', "name"))"#, #"[{"n":"Ann"}]"#),
    (Database.jsonArray([1]).asJSON.sqlExpression, "JSON_ARRAY(JSON_ARRAY(1))", "[[1]]"),
    (Database.jsonQuote("[1]").asJSON.sqlExpression, "JSON_ARRAY(JSON_QUOTE('[1]'))", #"["[1]"]"#),
    (info.jsonRepresentation(atPath: "a"), #"JSON_ARRAY("info" -> 'a')"#, #"[[1,2,{"b":null}]]"#),
    (info.jsonRepresentation(atPath: "a").asJSON.sqlExpression, #"JSON_ARRAY("info" -> 'a')"#, #"[[1,2,{"b":null}]]"#),
    (info.jsonExtract(atPath: "$.a"), #"JSON_ARRAY(JSON_EXTRACT("info", '$.a'))"#, #"[[1,2,{"b":null}]]"#),
    (info.jsonExtract(atPaths: ["$.zip", "$.a[0]"]).asJSON.sqlExpression,
     #"JSON_ARRAY(JSON_EXTRACT("info", '$.zip', '$.a[0]'))"#, "[[3,1]]"),
    (DatabaseValue.null.asJSON.sqlExpression, "JSON_ARRAY(NULL)", "[null]"),
    // Expressions that are declared as JSON
    (info.sqlExpression, #"JSON_ARRAY(JSON("info"))"#, #"[{"city":"Rome","zip":3,"a":[1,2,{"b":null}]}]"#),
    (AnySQLJSONExpressible(tags).sqlExpression, #"JSON_ARRAY(JSON("tags"))"#, #"[["x","y"]]"#),
    (info.jsonExtract(atPath: "$.a").asJSON.sqlExpression,
     #"JSON_ARRAY(JSON(JSON_EXTRACT("info", '$.a')))"#, #"[[1,2,{"b":null}]]"#),
    ((tags ?? "{}").asJSON.sqlExpression, #"JSON_ARRAY(JSON(IFNULL("tags", '{}')))"#, #"[["x","y"]]"#),
    ("[1]".databaseValue.asJSON.sqlExpression, "JSON_ARRAY(JSON('[1]'))", "[[1]]"),
    (tags.collating(.nocase), #"JSON_ARRAY(JSON("tags" COLLATE NOCASE))"#, #"[["x","y"]]"#),
    (Database.jsonArray([1]).asJSON.collating(.nocase), "JSON_ARRAY(JSON_ARRAY(1) COLLATE NOCASE)", "[[1]]"),
    // Other expressions
    (info["a"], #"JSON_ARRAY("info" ->> 'a')"#, #"["[1,2,{\"b\":null}]"]"#),
    (tags ?? "{}", #"JSON_ARRAY(IFNULL("tags", '{}'))"#, #"["[\"x\",\"y\"]"]"#),
    (cast(tags, as: .text), #"JSON_ARRAY(CAST("tags" AS TEXT))"#, #"["[\"x\",\"y\"]"]"#),
    (SQLRequest<String>("SELECT '[1]'").sqlExpression, "JSON_ARRAY((SELECT '[1]'))", #"["[1]"]"#),
    (SQL("\(tags)").sqlExpression, #"JSON_ARRAY("tags")"#, #"["[\"x\",\"y\"]"]"#),
    (Column("tags").sqlExpression, #"JSON_ARRAY("tags")"#, #"["[\"x\",\"y\"]"]"#),
  ])
  func `JSON is added around expressions that are declared as JSON`(
    element: SQLExpression, sql: String, value: String
  ) throws {
    try inPlaces { db in
      let request = Place.filter(Column("id") == 1).select(Database.jsonArray([element]))
      try #expect(db.expandedSQL(request) == #"SELECT \#(sql) FROM "pl" WHERE "id" = 1"#)
      try #expect(String.fetchOne(db, request) == value)
    }
  }

  @Test func `since SQLite 3.45, JSONB is added`() throws {
    let sql = try inMemory { db in
      try [3_044_002, 3_045_000].map { try SQL(info.sqlExpression.jsonElement(for: $0)).build(db).sql }
    }
    #expect(sql == [#"JSON("info")"#, #"JSONB("info")"#])
  }

  @Test func `aliases keep the declaration`() throws {
    let p = TableAlias<Place>(name: "p")
    try inPlaces { db in
      let request = Place.aliased(p).filter(p.id == 1).select(
        Database.jsonArray([p.tags.sqlExpression, p[tags].sqlExpression, p[tags.asJSON].sqlExpression, p.name]))
      try #expect(
        db.expandedSQL(request) == """
          SELECT JSON_ARRAY(JSON("p"."tags"), JSON("p"."tags"), JSON("p"."tags"), "p"."name") FROM "pl" "p" \
          WHERE "p"."id" = 1
          """)
      try #expect(String.fetchOne(db, request) == #"[["x","y"],["x","y"],["x","y"],"Ann"]"#)
    }
  }

  @Test func `types of the program can be JSON`() throws {
    enum JSONColumns: String, ColumnExpression, SQLJSONExpressible { case info, tags }
    struct Wrapped: SQLJSONExpressible {
      var sqlExpression: SQLExpression { Column("tags").sqlExpression }
    }
    try #expect(expanded(JSONColumns.info["city"]) == #""info" ->> 'city'"#)
    let array = Database.jsonArray([JSONColumns.tags, Wrapped()] as [any SQLExpressible])
    try inPlaces { db in
      try #expect(
        db.expandedSQL(Place.select(array)) == #"SELECT JSON_ARRAY(JSON("tags"), JSON("tags")) FROM "pl""#)
      try #expect(
        db.expandedSQL(Place.select(Database.jsonArray([Wrapped()]), JSONColumns.info))
          == #"SELECT JSON_ARRAY(JSON("tags")), "info" FROM "pl""#)
    }
  }
}
