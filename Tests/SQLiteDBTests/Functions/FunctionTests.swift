import Foundation
import SQLiteDB
import Testing

private let int = SQLExpression<Int>("int"), intOptional = SQLExpression<Int?>("intOptional")
private let double = SQLExpression<Double>("double"), doubleOptional = SQLExpression<Double?>("doubleOptional")
private let string = SQLExpression<String>("string"), stringOptional = SQLExpression<String?>("stringOptional")
private let data = SQLExpression<Data>("data")

@Suite struct FunctionTests {
  @Test func coreFunctionsBuildSQL() {
    #expect(sql(int.absoluteValue) == "abs(\"int\")")
    #expect(sql(doubleOptional.absoluteValue) == "abs(\"doubleOptional\")")
    #expect(sql(double.round()) == "round(\"double\")")
    #expect(sql(doubleOptional.round(1)) == "round(\"doubleOptional\", 1)")
    #expect(sql(SQLExpression<Int>.random()) == "random()")
    #expect(sql(string.length) == "length(\"string\")")
    #expect(sql(data.length) == "length(\"data\")")
    let length: SQLExpression<Int?> = stringOptional.length
    #expect(sql(length) == "length(\"stringOptional\")")
    #expect(sql(string.lowercaseString) == "lower(\"string\")")
    #expect(sql(stringOptional.uppercaseString) == "upper(\"stringOptional\")")
    #expect(sql(string.ltrim()) == "ltrim(\"string\")")
    #expect(sql(string.rtrim([" "])) == "rtrim(\"string\", ' ')")
    #expect(sql(stringOptional.trim(["b", "a"])) == "trim(\"stringOptional\", 'ab')")
    #expect(
      sql(email.replace("@mac.com", with: "@icloud.com")) == "replace(\"email\", '@mac.com', '@icloud.com')")
    #expect(sql(string.substring(1, length: 2)) == "substr(\"string\", 1, 2)")
    #expect(sql(string.substring(3)) == "substr(\"string\", 3)")
  }

  @Test func blobFunctionsBuildSQL() throws {
    #expect(sql(SQLExpression<Data>.random(16)) == "randomblob(16)")
    #expect(sql(SQLExpression<Data>.allZeros(16)) == "zeroblob(16)")
    let db = try Connection()
    #expect(try db.scalar("SELECT length(\(sql(SQLExpression<Data>.random(16))))") as? Int64 == 16)
    #expect(try db.scalar("SELECT length(\(sql(SQLExpression<Data>.allZeros(0))))") as? Int64 == 0)
  }

  @Test func characterFunctionsBuildSQL() throws {
    #expect(sql(title[1..<101]) == "substr(\"title\", 1, 100)")
    #expect(sql(string[1..<3]) == "substr(\"string\", 1, 2)")
    #expect(sql(stringOptional[0..<2]) == "substr(\"stringOptional\", 0, 2)")
    let db = try Connection()
    #expect(try db.scalar("SELECT \(sql(SQLExpression<String>(value: "abcdef")[1..<3]))") as? String == "ab")
    #expect(try db.scalar("SELECT \(sql(SQLExpression<String>(value: "abcdef")[0..<3]))") as? String == "ab")
  }

  @Test func likeBuildsSQL() {
    #expect(sql(email.like("%@mac.com")) == "(\"email\" LIKE '%@mac.com')")
    #expect(sql(stringOptional.like("a%")) == "(\"stringOptional\" LIKE 'a%')")
    #expect(sql(string.like("%\\%", escape: "\\")) == "(\"string\" LIKE '%\\%' ESCAPE '\\')")
    #expect(sql(string.like(stringOptional)) == "(\"string\" LIKE \"stringOptional\")")
    #expect(sql(string.like(string, escape: "\\")) == "(\"string\" LIKE \"string\" ESCAPE '\\')")
    #expect(sql("alice".like(string)) == "('alice' LIKE \"string\")")
    #expect(sql("alice".like(string, escape: "\\")) == "('alice' LIKE \"string\" ESCAPE '\\')")
  }

  @Test func patternFunctionsBuildSQL() {
    #expect(sql(string.glob("a*")) == "(\"string\" GLOB 'a*')")
    #expect(sql(stringOptional.glob(string)) == "(\"stringOptional\" GLOB \"string\")")
    #expect(sql(string.match("a*")) == "(\"string\" MATCH 'a*')")
    #expect(sql(string.match(stringOptional)) == "(\"string\" MATCH \"stringOptional\")")
    #expect(sql(string.regexp("a+")) == "(\"string\" REGEXP 'a+')")
    #expect(sql(stringOptional.regexp(string)) == "(\"stringOptional\" REGEXP \"string\")")
    #expect(sql(["hello", "world"].contains(string)) == "(\"string\" IN ('hello', 'world'))")
    #expect(sql([1, 2].contains(intOptional)) == "(\"intOptional\" IN (1, 2))")
    #expect(sql([String]().contains(string)) == "(\"string\" IN ())")
  }

  @Test func ifnullBuildsSQL() {
    #expect(sql(name ?? email) == "ifnull(\"name\", \"email\")")
    #expect(sql(intOptional ?? 1) == "ifnull(\"intOptional\", 1)")
    let both: SQLExpression<Int> = intOptional ?? intOptional
    #expect(sql(both) == "ifnull(\"intOptional\", \"intOptional\")")
    let maybe: SQLExpression<Int?> = intOptional ?? intOptional
    #expect(sql(maybe) == "ifnull(\"intOptional\", \"intOptional\")")
  }

  @Test func castsBuildSQL() {
    let text: SQLExpression<String> = cast(int)
    #expect(sql(text) == "CAST (\"int\" AS TEXT)")
    let number: SQLExpression<Double?> = cast(stringOptional)
    #expect(sql(number) == "CAST (\"stringOptional\" AS REAL)")
  }

  @Test func aggregateFunctionsBuildSQL() {
    #expect(sql(name.count) == "count(\"name\")")
    #expect(sql(name.distinct.count) == "count(DISTINCT \"name\")")
    #expect(sql(int.distinct) == "DISTINCT \"int\"")
    #expect(sql(count(*)) == "count(*)")
    let max: SQLExpression<Int64?> = id.max
    #expect(sql(max) == "max(\"id\")")
    let min: SQLExpression<String?> = stringOptional.min
    #expect(sql(min) == "min(\"stringOptional\")")
    #expect(sql(balance.average) == "avg(\"balance\")")
    let sum: SQLExpression<Double?> = balance.sum
    #expect(sql(sum) == "sum(\"balance\")")
    let total: SQLExpression<Double> = intOptional.total
    #expect(sql(total) == "total(\"intOptional\")")
  }

  @Test func windowFunctionsBuildSQL() {
    let over = "OVER (ORDER BY \"int\" DESC)"
    #expect(sql(ntile(1, int.desc)) == "ntile(1) \(over)")
    #expect(sql(rowNumber(int.desc)) == "row_number() \(over)")
    #expect(sql(rank(int.desc)) == "rank() \(over)")
    #expect(sql(denseRank(int)) == "dense_rank() OVER (ORDER BY \"int\")")
    #expect(sql(percentRank(int.desc)) == "percent_rank() \(over)")
    #expect(sql(cumeDist(int.desc)) == "cume_dist() \(over)")
    #expect(sql(int.lag(int.desc)) == "lag(\"int\", 0) \(over)")
    #expect(sql(int.lag(offset: 3, default: SQLExpression<Int>(value: 0), int.desc)) == "lag(\"int\", 3, 0) \(over)")
    #expect(sql(string.lag(default: "why?", int.desc)) == "lag(\"string\", 0, 'why?') \(over)")
    #expect(sql(int.lead(offset: 2, int.desc)) == "lead(\"int\", 2) \(over)")
    #expect(sql(int.firstValue(int.desc)) == "first_value(\"int\") \(over)")
    #expect(sql(int.lastValue(int.desc)) == "last_value(\"int\") \(over)")
    #expect(sql(int.value(3, int.desc)) == "nth_value(\"int\", 3) \(over)")
  }

  @Test func windowFunctionsKeepTheTypeOfTheColumn() {
    let first: SQLExpression<Int> = int.firstValue(int), last: SQLExpression<String?> = stringOptional.lastValue(int)
    let third: SQLExpression<Int?> = int.value(3, int), third2: SQLExpression<Int> = int.value(3, int)
    #expect(sql(first) == "first_value(\"int\") OVER (ORDER BY \"int\")")
    #expect(sql(last) == "last_value(\"stringOptional\") OVER (ORDER BY \"int\")")
    #expect(sql(third) == sql(third2))
  }

  @Test func windowFunctionsRun() throws {
    let db = try database("a", "b", "c")
    let place = rowNumber(id.desc)
    #expect(try db.prepare(users.select(id, place).order(id)).map { $0[place] } == [3, 2, 1])
  }

  @Test func dateFunctionsBuildSQL() {
    #expect(sql(DateFunctions.date("now")) == "date('now')")
    #expect(sql(DateFunctions.time("now")) == "time('now')")
    #expect(sql(DateFunctions.datetime("now", "+1 day", "utc")) == "datetime('now', '+1 day', 'utc')")
    #expect(sql(DateFunctions.julianday("now")) == "julianday('now')")
    #expect(sql(DateFunctions.strftime("%Y-%m-%d", "now")) == "strftime('%Y-%m-%d', 'now')")
    let date = Date(timeIntervalSince1970: 1_168_335_660)
    #expect(sql(date.date) == "date('2007-01-09T09:41:00.000')")
    #expect(sql(date.time) == "time('2007-01-09T09:41:00.000')")
    #expect(sql(date.datetime) == "datetime('2007-01-09T09:41:00.000')")
    #expect(sql(date.julianday) == "julianday('2007-01-09T09:41:00.000')")
    #expect(sql(SQLExpression<Date>("date").date) == "date(\"date\")")
    #expect(sql(SQLExpression<Date>("date").time) == "time(\"date\")")
    #expect(sql(SQLExpression<Date>("date").datetime) == "datetime(\"date\")")
    #expect(sql(SQLExpression<Date?>("date").julianday) == "julianday(\"date\")")
  }

  @Test func dateFunctionResultsAreRead() throws {
    let db = try database("alice")
    let date = Date(timeIntervalSince1970: 1_168_335_660)
    #expect(try db.scalar(users.select(date.datetime)) == date)
    #expect(try db.scalar(users.select(date.julianday)).map { abs($0.timeIntervalSince(date)) < 0.01 } == true)
    #expect(try db.scalar(users.select(date.date)) == Date(timeIntervalSince1970: 1_168_300_800))
    #expect(try db.scalar(users.select(date.time)) == Date(timeIntervalSince1970: 946_684_800 + 34_860))
    #expect(try db.scalar(users.select(DateFunctions.date("nonsense"))) == nil)
  }

  @Test func collationsBuildSQL() {
    #expect(sql(string.collate(.binary)) == "(\"string\" COLLATE BINARY)")
    #expect(sql(stringOptional.collate(.nocase)) == "(\"stringOptional\" COLLATE NOCASE)")
    #expect(sql(string.collate(.rtrim)) == "(\"string\" COLLATE RTRIM)")
    #expect(sql(string.collate(.custom("NODIACRITIC"))) == "(\"string\" COLLATE \"NODIACRITIC\")")
    #expect(
      sql(Table("restaurants").order(collate(.custom("NODIACRITIC"), name)))
        == "SELECT * FROM \"restaurants\" ORDER BY (\"name\" COLLATE \"NODIACRITIC\")")
  }
}
