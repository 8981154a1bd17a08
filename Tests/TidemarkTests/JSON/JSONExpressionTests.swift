import Testing
import Tidemark

private let id = Column("id")
private let name = Column("name")
private let info = JSONColumn("info")
private let tags = JSONColumn("tags")

/// Operators and functions, with their SQL and their value for the first place.
@Suite struct JSONExpressionTests {
  // swift-format-ignore
  @Test(arguments: [
    (info["city"], #""info" ->> 'city'"#, "Rome"),
    (info["$.city"], #""info" ->> '$.city'"#, "Rome"),
    (info["zip"], #""info" ->> 'zip'"#, "3"),
    (info["a"], #""info" ->> 'a'"#, #"[1,2,{"b":null}]"#),
    (info["missing"], #""info" ->> 'missing'"#, nil),
    (tags[0], #""tags" ->> 0"#, "x"),
    (info[name], #""info" ->> "name""#, nil),
    (info.jsonRepresentation(atPath: "city"), #""info" -> 'city'"#, #""Rome""#),
    (info.jsonRepresentation(atPath: "$.a").asJSON[0], #"("info" -> '$.a') ->> 0"#, "1"),
    (Column("info").asJSON["city"], #""info" ->> 'city'"#, "Rome"),
    (AnySQLJSONExpressible(info)["city"], #""info" ->> 'city'"#, "Rome"),
    (info["a"].asJSON[1] + 1, #"(("info" ->> 'a') ->> 1) + 1"#, "3"),
    (info.jsonExtract(atPath: "$.city"), #"JSON_EXTRACT("info", '$.city')"#, "Rome"),
    (info.jsonExtract(atPaths: ["$.city", "$.zip"]), #"JSON_EXTRACT("info", '$.city', '$.zip')"#, #"["Rome",3]"#),
    (info["city"] == "Rome", #"("info" ->> 'city') = 'Rome'"#, "1"),
    (info["city"] == nil, #"("info" ->> 'city') IS NULL"#, "0"),
    (info.sqlExpression, #""info""#, #"{"city":"Rome","zip":3,"a":[1,2,{"b":null}]}"#),
    (info == "x", #""info" = 'x'"#, "0"),
  ])
  func `operators and paths`(expression: SQLExpression, sql: String, value: String?) throws {
    try expect(expression, sql, value)
  }

  // swift-format-ignore
  @Test(arguments: [
    (Database.json("{\"a\": 1}"), #"JSON('{"a": 1}')"#, #"{"a":1}"#),
    (Database.json(info), #"JSON("info")"#, #"{"city":"Rome","zip":3,"a":[1,2,{"b":null}]}"#),
    (Database.jsonArray([1, 2, 3]), "JSON_ARRAY(1, 2, 3)", "[1,2,3]"),
    (Database.jsonArray([Int]()), "JSON_ARRAY()", "[]"),
    (Database.jsonArray([id, name]), #"JSON_ARRAY("id", "name")"#, #"[1,"Ann"]"#),
    (Database.jsonArray(
      ["a", 1, name, tags, Database.json("[1]"), DatabaseValue.null] as [any SQLExpressible]),
     #"JSON_ARRAY('a', 1, "name", JSON("tags"), JSON('[1]'), NULL)"#, #"["a",1,"Ann",["x","y"],[1],null]"#),
    (Database.jsonArrayLength(tags), #"JSON_ARRAY_LENGTH("tags")"#, "2"),
    (Database.jsonArrayLength(info, atPath: "$.a"), #"JSON_ARRAY_LENGTH("info", '$.a')"#, "3"),
    (Database.jsonExtract(info, atPath: "$.city"), #"JSON_EXTRACT("info", '$.city')"#, "Rome"),
    (Database.jsonExtract(info, atPaths: ["$.city", "$.zip"]),
     #"JSON_EXTRACT("info", '$.city', '$.zip')"#, #"["Rome",3]"#),
    (Database.jsonInsert(tags, ["$[2]": "z"]), #"JSON_INSERT("tags", '$[2]', 'z')"#, #"["x","y","z"]"#),
    (Database.jsonInsert(tags, ["$[2]": name, "$[3]": info["zip"]] as KeyValuePairs<String, any SQLExpressible>),
     #"JSON_INSERT("tags", '$[2]', "name", '$[3]', "info" ->> 'zip')"#, #"["x","y","Ann",3]"#),
    (Database.jsonReplace(info, ["$.city": "Oslo"]), #"JSON_REPLACE("info", '$.city', 'Oslo')"#,
     #"{"city":"Oslo","zip":3,"a":[1,2,{"b":null}]}"#),
    (Database.jsonSet(info, [("$.a", "Oslo"), ("$.t", tags)] as [(key: String, value: any SQLExpressible)]),
     #"JSON_SET("info", '$.a', 'Oslo', '$.t', JSON("tags"))"#, #"{"city":"Rome","zip":3,"a":"Oslo","t":["x","y"]}"#),
    (Database.jsonObject([("n", name), ("t", tags), ("s", "str")] as [(key: String, value: any SQLExpressible)]),
     #"JSON_OBJECT('n', "name", 't', JSON("tags"), 's', 'str')"#, #"{"n":"Ann","t":["x","y"],"s":"str"}"#),
    (Database.jsonObject([:]), "JSON_OBJECT()", "{}"),
    (Database.jsonPatch(info, with: #"{"a":null,"zip":null}"#),
     #"JSON_PATCH("info", '{"a":null,"zip":null}')"#, #"{"city":"Rome"}"#),
    (Database.jsonPatch(info, with: tags), #"JSON_PATCH("info", "tags")"#, #"["x","y"]"#),
    (Database.jsonRemove(info, atPath: "$.a"), #"JSON_REMOVE("info", '$.a')"#, #"{"city":"Rome","zip":3}"#),
    (Database.jsonRemove(info, atPaths: ["$.a", "$.zip"]), #"JSON_REMOVE("info", '$.a', '$.zip')"#, #"{"city":"Rome"}"#),
    (Database.jsonType(info), #"JSON_TYPE("info")"#, "object"),
    (Database.jsonType(info, atPath: "$.a"), #"JSON_TYPE("info", '$.a')"#, "array"),
    (Database.jsonIsValid(tags), #"JSON_VALID("tags")"#, "1"),
    (Database.jsonQuote("x\"y"), #"JSON_QUOTE('x"y')"#, #""x\"y""#),
    (Database.jsonQuote(name), #"JSON_QUOTE("name")"#, #""Ann""#),
    (Database.jsonQuote(tags), #"JSON_QUOTE(JSON("tags"))"#, #"["x","y"]"#),
  ])
  func functions(expression: SQLExpression, sql: String, value: String?) throws {
    try expect(expression, sql, value)
  }

  // swift-format-ignore
  @Test(arguments: [
    (Database.jsonGroupArray(name), #"JSON_GROUP_ARRAY("name")"#, #"["Ann","Bob"]"#),
    (Database.jsonGroupArray(name, filter: name != "Bob"),
     #"JSON_GROUP_ARRAY("name") FILTER (WHERE "name" <> 'Bob')"#, #"["Ann"]"#),
    (Database.jsonGroupArray(tags, filter: id == 1),
     #"JSON_GROUP_ARRAY(JSON("tags")) FILTER (WHERE "id" = 1)"#, #"[["x","y"]]"#),
    (Database.jsonGroupObject(key: name, value: id), #"JSON_GROUP_OBJECT("name", "id")"#, #"{"Ann":1,"Bob":2}"#),
    (Database.jsonGroupObject(key: name, value: info), #"JSON_GROUP_OBJECT("name", JSON("info"))"#,
     #"{"Ann":{"city":"Rome","zip":3,"a":[1,2,{"b":null}]},"Bob":null}"#),
    (Database.jsonGroupObject(key: name, value: id, filter: id > 1),
     #"JSON_GROUP_OBJECT("name", "id") FILTER (WHERE "id" > 1)"#, #"{"Bob":2}"#),
  ])
  func aggregates(expression: SQLExpression, sql: String, value: String) throws {
    try inPlaces { db in
      // An aggregate returns one row: it needs no limit.
      try #expect(db.expandedSQL(Place.select(expression)) == #"SELECT \#(sql) FROM "pl""#)
      try #expect(String.fetchOne(db, Place.select(expression)) == value)
      try #expect(trace(db) { _ = try String.fetchOne(db, Place.select(expression)) } == [#"SELECT \#(sql) FROM "pl""#])
    }
  }

  @Test func `a dictionary literal may have several keys, in any order`() throws {
    let both: Set = [
      #"JSON_INSERT("info", '$.n', "name", '$.t', "id")"#, #"JSON_INSERT("info", '$.t', "id", '$.n', "name")"#,
    ]
    try #expect(both.contains(expanded(Database.jsonInsert(info, ["$.n": name, "$.t": id]))))
  }

  private func expect(_ expression: SQLExpression, _ sql: String, _ value: String?) throws {
    try inPlaces { db in
      let request = Place.filter(id == 1).select(expression)
      try #expect(db.expandedSQL(request) == #"SELECT \#(sql) FROM "pl" WHERE "id" = 1"#)
      try #expect(String.fetchOne(db, request) == value)
    }
  }
}
