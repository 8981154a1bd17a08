import Foundation
import SQLiteDB
import Testing

@Suite struct ExpressionTests {
  @Test func expressionTypesFollowTheirValues() {
    #expect(Int64.declaredDatatype == "INTEGER")
    #expect(Int.declaredDatatype == "INTEGER")
    #expect(Bool.declaredDatatype == "INTEGER")
    #expect(Double.declaredDatatype == "REAL")
    #expect(String.declaredDatatype == "TEXT")
    #expect(Blob.declaredDatatype == "BLOB")
    #expect(Data.declaredDatatype == "BLOB")
    #expect(URL.declaredDatatype == "TEXT")
    #expect(UUID.declaredDatatype == "TEXT")
    #expect(Date.declaredDatatype == "TEXT")
    #expect(true.datatypeValue == 1)
    #expect(5.datatypeValue == Int64(5))
    #expect(Blob(bytes: [0x0a, 0x0b]).description == "x'0a0b'")
    #expect(Blob(bytes: [0x0a, 0xbc]).toHex() == "0abc")
    #expect([UInt8]([1, 2, 3]).withUnsafeBytes { Blob(bytes: $0.baseAddress!, length: 2) } == Blob(bytes: [1, 2]))
    let url = URL(string: "https://tidemark.example/a?b")!
    #expect(URL.fromDatatypeValue(url.datatypeValue) == url)
    let uuid = UUID()
    #expect(uuid.datatypeValue == uuid.uuidString)
  }

  @Test func expressionValuesRoundTrip() throws {
    let db = try Connection()
    let url = SQLExpression<URL>("url"), uuid = SQLExpression<UUID>("uuid"), data = SQLExpression<Data>("data")
    let date = SQLExpression<Date>("date"), int = SQLExpression<Int>("int"), maybe = SQLExpression<Date?>("maybe")
    let table = Table("t")
    try db.run(
      table.create { t in
        t.column(url)
        t.column(uuid)
        t.column(data)
        t.column(date)
        t.column(int)
        t.column(maybe)
      })
    let someURL = URL(string: "https://tidemark.example")!, someUUID = UUID()
    let someDate = Date(timeIntervalSince1970: 1_234_567.891)
    try db.run(
      table.insert(
        url <- someURL, uuid <- someUUID, data <- Data([1, 2]), date <- someDate, int <- 3, maybe <- nil))
    let row = try #require(try db.pluck(table))
    #expect(row[url] == someURL)
    #expect(row[uuid] == someUUID)
    #expect(row[data] == Data([1, 2]))
    #expect(abs(row[date].timeIntervalSince(someDate)) < 0.001)
    #expect(row[int] == 3)
    #expect(row[maybe] == nil)
  }

  @Test func templatesBindTheirValues() {
    #expect(id.template == "\"id\"")
    #expect(name.template == "\"name\"")
    #expect(SQLExpression<Int>("a\"b").template == "\"a\"\"b\"")
    #expect(SQLExpression<Int>(literal: "a + b").description == "a + b")
    #expect(SQLExpression<String>("foo ? bar", ["'baz'"]).description == "foo '''baz''' bar")
    #expect(SQLExpression(value: 1).template == "?")
    #expect(SQLExpression<Int>(value: 1).description == "1")
    #expect(SQLExpression<String?>(value: nil).description == "NULL")
    #expect(SQLExpression<String?>.null.description == "NULL")
    #expect(SQLExpression<String>(SQLExpression<Int>("x")).description == "\"x\"")
    #expect(rowid.description == "\"ROWID\"")
  }

  @Test(arguments: [("?2 || ?", "'b' || 'c'"), ("? || ?1 || ?", "'a' || 'a' || 'b'"), ("?3 || ?1", "'c' || 'a'")])
  func `numbered parameters have the values that SQLite binds`(_ template: String, _ literals: String) throws {
    let expression = SQLExpression<String>(template, ["a", "b", "c"])
    #expect(expression.description == literals)
  }

  @Test func questionMarksInNamesAreQuoted() throws {
    let odd = SQLExpression<String>("what?")
    #expect(sql(odd == "why?") == "(\"what?\" = 'why?')")
    #expect(SQLExpression<Int>("'?' || ? -- ?\n|| [?] || ?", [1, 2]).description == "'?' || 1 -- ?\n|| [?] || 2")
    #expect(SQLExpression<Int>("? /* ? ' */ || ? /* ?", [1, 2]).description == "1 /* ? ' */ || 2 /* ?")
    #expect(SQLExpression<Int>("?2 || ?1", [1, 2]).description == "2 || 1")
    let db = try Connection()
    try db.run(Table("t").create { t in t.column(odd, defaultValue: "why?") })
    try db.run(Table("t").insert())
    #expect(try db.pluck(Table("t"))?[odd] == "why?")
  }

  @Test func compoundExpressionsAreParenthesized() {
    #expect(sql(id > 10 && name != nil) == "((\"id\" > 10) AND (\"name\" IS NOT NULL))")
    let condition: SQLExpression<Bool?> = name != nil
    #expect(condition.template == "(\"name\" IS NOT ?)")
  }

  @Test func expressionsAreUsedInQueries() {
    #expect(sql(Table("users")) == "SELECT * FROM \"users\"")
    #expect(sql(View("users")) == "SELECT * FROM \"users\"")
    #expect(sql(VirtualTable("users")) == "SELECT * FROM \"users\"")
    #expect(sql(Table("users", database: "external")) == "SELECT * FROM \"external\".\"users\"")
    #expect(sql(Table("users", database: "external")[id]) == "\"external\".\"users\".\"id\"")
  }
}
