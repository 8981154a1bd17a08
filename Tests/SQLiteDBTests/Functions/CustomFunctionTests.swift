import Foundation
import SQLiteDB
import Testing

@Suite struct CustomFunctionTests {
  let db: Connection

  init() throws { db = try database("alice", "betty") }

  @Test func typedFunctionsAreCalled() throws {
    func UTTypeConformsTo(_ UTI: String, _ conformsToUTI: String) -> Bool { UTI.hasPrefix(conformsToUTI) }
    let typeConformsTo: (SQLExpression<String>, SQLExpression<String>) -> SQLExpression<Bool> =
      (try db.createFunction("typeConformsTo", deterministic: true) { UTI, conformsToUTI in
        return UTTypeConformsTo(UTI, conformsToUTI)
      })
    let attachments = Table("attachments")
    let UTI = SQLExpression<String>("UTI")
    let images = attachments.filter(typeConformsTo(UTI, SQLExpression(value: "public.image")))
    #expect(sql(images) == "SELECT * FROM \"attachments\" WHERE \"typeConformsTo\"(\"UTI\", 'public.image')")
    #expect(try db.prepare(users.filter(typeConformsTo(email, SQLExpression(value: "bet")))).map { $0[id] } == [2])
  }

  @Test func tooLongNamesAreRefusedWithTheMessageOfTheCode() throws {
    #expect(throws: Result.self) { try db.run("INSERT INTO users (email) VALUES (NULL)") }
    let error = #expect(throws: Result.self) {
      let _: () -> SQLExpression<Int> = try db.createFunction(String(repeating: "x", count: 300)) { 1 }
    }
    #expect(error?.description == "bad parameter or other API misuse (code: 21)")
  }

  @Test func functionsHaveSeveralArities() throws {
    let answer: () -> SQLExpression<Int> = try db.createFunction("answer") { 42 }
    let shout: (SQLExpression<String?>) -> SQLExpression<String?> = try db.createFunction("shout") { $0?.uppercased() }
    let size = try db.createFunction("size") { (text: String?) -> Int in text?.count ?? -1 }
    let maybe: (SQLExpression<Int64>, SQLExpression<String?>) -> SQLExpression<String?> =
      try db.createFunction("maybe") { $0 == 1 ? $1 : nil }
    try db.run(users.filter(id == 2).update(name <- nil))
    #expect(try db.scalar(users.select(answer())) == 42)
    #expect(try db.prepare(users.select(shout(name))).map { $0[shout(name)] } == ["ALICE", nil])
    #expect(try db.prepare(users.select(size(name))).map { $0[size(name)] } == [5, -1])
    #expect(try db.prepare(users.select(maybe(id, name))).map { $0[maybe(id, name)] } == ["alice", nil])
  }

  @Test func mismatchedArgumentsThrow() throws {
    let double: (SQLExpression<Int>) -> SQLExpression<Int> = try db.createFunction("double") { $0 * 2 }
    _ = double
    let error = failure { try db.scalar("SELECT double('x')") }
    #expect(error?.message == "argument 1: expected Int, got 'x'")
    #expect(error?.code == SQLITE_MISMATCH)
  }

  @Test func untypedFunctionsAreCalled() throws {
    db.createFunction("typeConformsTo", deterministic: true) { args in
      guard let UTI = args[0] as? String, let conformsToUTI = args[1] as? String else { return nil }
      return UTI.hasPrefix(conformsToUTI)
    }
    let stmt = try db.prepare("SELECT id FROM users WHERE typeConformsTo(email, ?)")
    var ids: [Int64] = []
    for row in stmt.bind("ali") { ids.append(row[0] as! Int64) }
    #expect(ids == [1])
    #expect(try db.scalar("SELECT typeConformsTo(1, 2)") == nil)
    db.createFunction("echo", argumentCount: 1) { args in args[0] }
    #expect(try db.scalar("SELECT echo(x'00')") as? Blob == Blob(bytes: [0]))
    #expect(try db.scalar("SELECT typeof(echo(x''))") as? String == "blob")
    #expect(try db.scalar("SELECT echo(1.5)") as? Double == 1.5)
    #expect(failure { try db.scalar("SELECT echo()") }?.message == "wrong number of arguments to function echo()")
  }

  @Test func regexpFunctionServesTheOperator() throws {
    db.createFunction("regexp", argumentCount: 2) { args in
      guard let pattern = args[0] as? String, let text = args[1] as? String else { return nil }
      return text.range(of: pattern, options: .regularExpression) != nil
    }
    #expect(try db.prepare(users.filter(email.regexp("^a.*e@"))).map { $0[id] } == [1])
  }

  @Test func customAggregatesAreCalled() throws {
    let reduce: (String, [(any Binding)?]) -> String = { (last, bindings) in
      last + " " + (bindings.first as? String ?? "")
    }
    db.createAggregation("customConcat", initialValue: "", reduce: reduce, result: { $0 })
    let result = try db.prepare("SELECT customConcat(email) FROM users").scalar() as! String
    #expect(result == " alice@mac.com betty@mac.com")
    #expect(try db.prepare("SELECT customConcat(email) FROM users GROUP BY id").map { $0[0] as! String }.count == 2)
    #expect(try db.scalar("SELECT customConcat(email) FROM users WHERE 0") as? String == "")
  }

  @Test func customAggregatesReceiveTheirArguments() throws {
    db.createAggregation(
      "total2", argumentCount: 2, deterministic: true, initialValue: Int64(0),
      reduce: { sum, args in sum + (args[0] as? Int64 ?? 0) * (args[1] as? Int64 ?? 0) }, result: { $0 })
    #expect(try db.scalar("SELECT total2(id, 10) FROM users") as? Int64 == 30)
    #expect(
      failure { try db.scalar("SELECT total2(id) FROM users") }?.message
        == "wrong number of arguments to function total2()")
  }

  @Test func unsafeAggregatesUseTheirState() throws {
    db.createAggregation(
      "mySum",
      step: { (bindings: [(any Binding)?], state: UnsafeMutablePointer<Int64>) in
        state.pointee += bindings[0] as? Int64 ?? 0
      },
      final: { state in
        defer { state.deallocate() }
        return state.pointee
      },
      state: {
        let state = UnsafeMutablePointer<Int64>.allocate(capacity: 1)
        state.initialize(to: 0)
        return state
      })
    #expect(try db.scalar("SELECT mySum(id) FROM users") as? Int64 == 3)
  }

  @Test func customCollationsSort() throws {
    try db.createCollation("NODIACRITIC") { lhs, rhs in
      return lhs.compare(rhs, options: .diacriticInsensitive)
    }
    try db.run(
      users.insertMany([[email <- "1", name <- "éa"], [email <- "2", name <- "eb"], [email <- "3", name <- "ec"]]))
    let sorted = users.filter(id > 2).order(collate(.custom("NODIACRITIC"), name))
    #expect(try db.prepare(sorted).map { $0[name] } == ["éa", "eb", "ec"])
    try db.run("CREATE TABLE restaurants (name TEXT COLLATE NODIACRITIC)")
    try db.run("INSERT INTO restaurants VALUES ('café')")
    #expect(try db.scalar(Table("restaurants").filter(name == "cafe").count) == 1)
  }
}
