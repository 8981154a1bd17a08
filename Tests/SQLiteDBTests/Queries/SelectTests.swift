import SQLiteDB
import Testing

private let age = SQLExpression<Int?>("age")

@Suite struct SelectTests {
  @Test func queryMethodsAreChained() {
    // swift-format-ignore
    let query = users.select(email)           // SELECT "email" FROM "users"
                     .filter(name != nil)     // WHERE "name" IS NOT NULL
                     .order(email.desc, name) // ORDER BY "email" DESC, "name"
                     .limit(5, offset: 1)     // LIMIT 5 OFFSET 1
    #expect(
      sql(query)
        == "SELECT \"email\" FROM \"users\" WHERE (\"name\" IS NOT NULL) ORDER BY \"email\" DESC, \"name\" "
        + "LIMIT 5 OFFSET 1"
    )
  }

  @Test func selectBuildsSQL() {
    #expect(sql(users.select(id, email)) == "SELECT \"id\", \"email\" FROM \"users\"")
    #expect(sql(users.select([id, email])) == "SELECT \"id\", \"email\" FROM \"users\"")
    #expect(sql(users.select(*)) == "SELECT * FROM \"users\"")
    #expect(sql(users.select(distinct: id, email)) == "SELECT DISTINCT \"id\", \"email\" FROM \"users\"")
    #expect(sql(users.select(distinct: [id])) == "SELECT DISTINCT \"id\" FROM \"users\"")
    #expect(sql(users.select(distinct: email)) == "SELECT DISTINCT \"email\" FROM \"users\"")
    #expect(sql(users.select(distinct: *)) == "SELECT DISTINCT * FROM \"users\"")
    #expect(sql(users.select(1, "x")) == "SELECT 1, 'x' FROM \"users\"")
  }

  @Test func computedColumnsAreSelected() throws {
    let sentence = name + " is " + cast(age) as SQLExpression<String?> + " years old!"
    #expect(
      sql(users.select(sentence))
        == "SELECT (((\"name\" || ' is ') || CAST (\"age\" AS TEXT)) || ' years old!') FROM \"users\"")
    let db = try Connection()
    try db.execute("CREATE TABLE users (name TEXT, age INTEGER); INSERT INTO users VALUES ('Alice', 30)")
    var sentences: [String?] = []
    for user in try db.prepare(users.select(sentence)) { sentences.append(user[sentence]) }
    #expect(sentences == ["Alice is 30 years old!"])
  }

  @Test func computedColumnsWithValuesAreSelected() throws {
    let db = try database("alice")
    let one = balance + 1.0, two = balance + 2.0
    let row = try #require(try db.pluck(users.select(one, two)))
    #expect(row[one] == 1)
    #expect(row[two] == 2)
    #expect(throws: QueryError.self) { try row.get(balance + 3.0) }
  }

  @Test func joinBuildsSQL() {
    #expect(
      sql(users.join(posts, on: userId == users[id]))
        == "SELECT * FROM \"users\" INNER JOIN \"posts\" ON (\"user_id\" = \"users\".\"id\")")
    #expect(
      sql(users.join(.leftOuter, posts, on: posts[userId] == users[id]))
        == "SELECT * FROM \"users\" LEFT OUTER JOIN \"posts\" ON (\"posts\".\"user_id\" = \"users\".\"id\")")
    #expect(
      sql(users.join(.cross, posts, on: managerId == users[id]))
        == "SELECT * FROM \"users\" CROSS JOIN \"posts\" ON (\"manager_id\" = \"users\".\"id\")")
    #expect(
      sql(users.join(posts.filter(title == "x"), on: userId == users[id]))
        == "SELECT * FROM \"users\" INNER JOIN \"posts\" ON ((\"user_id\" = \"users\".\"id\") AND (\"title\" = 'x'))")
  }

  @Test func ambiguousJoinColumnsThrow() throws {
    let db = try emptyUsers()
    try db.run("CREATE TABLE posts (id, user_id)")
    let query = users.join(posts, on: userId == id)
    #expect(sql(query) == "SELECT * FROM \"users\" INNER JOIN \"posts\" ON (\"user_id\" = \"id\")")
    #expect(failure { try db.prepare(query) }?.message == "ambiguous column name: id")
    do {
      _ = try db.prepare(query)
    } catch {
      #expect("\(error)" == "ambiguous column name: id (code: 1)")
    }
  }

  @Test func aliasesQualifyColumns() {
    #expect(sql(users.select(users[*])) == "SELECT \"users\".* FROM \"users\"")
    let managers = users.alias("managers")
    #expect(
      sql(users.join(managers, on: managers[id] == users[managerId]))
        == "SELECT * FROM \"users\" INNER JOIN \"users\" AS \"managers\" "
        + "ON (\"managers\".\"id\" = \"users\".\"manager_id\")")
  }

  @Test func joinedRowsAreReadByExpression() throws {
    let db = try database("alice", "betty")
    try db.run(users.filter(id == 1).update(managerId <- 2))
    let managers = users.alias("managers")
    let query = users.join(managers, on: managers[id] == users[managerId])
    let user = try #require(try db.pluck(query))
    #expect(user[users[id]] == 1)
    #expect(user[managers[id]] == 2)
    #expect(user[users[email]] == "alice@mac.com")
    do {
      _ = try user.get(id)
      Issue.record("There are two of them")
    } catch {
      #expect(
        "\(error)"
          == "Ambiguous column `\"id\"` (please disambiguate: "
          + "[\"\\\"managers\\\".\\\"id\\\"\", \"\\\"users\\\".\\\"id\\\"\"])"
      )
    }
  }

  @Test func starSelectionsAreReadByExpression() throws {
    let db = try database("alice", "betty")
    let managers = users.alias("managers")
    let query = users.join(managers, on: managers[id] == users[id] + 1).select(users[*], managers[email])
    let row = try #require(try db.pluck(query))
    #expect(row[users[email]] == "alice@mac.com")
    #expect(row[managers[email]] == "betty@mac.com")
    #expect(row[id] == 1)
    let twice = id * 2
    #expect(try db.pluck(users.select(users[*], twice).order(id.desc))?[twice] == 4)
    let error = failure { try db.pluck(users.select(posts[*])) }
    #expect(error != nil)
  }

  @Test func filterBuildsSQL() {
    #expect(sql(users.filter(id == 1)) == "SELECT * FROM \"users\" WHERE (\"id\" = 1)")
    #expect(
      sql(users.filter([1, 2, 3, 4, 5].contains(id))) == "SELECT * FROM \"users\" WHERE (\"id\" IN (1, 2, 3, 4, 5))")
    #expect(
      sql(users.filter(email.like("%@mac.com"))) == "SELECT * FROM \"users\" WHERE (\"email\" LIKE '%@mac.com')")
    #expect(
      sql(users.filter(verified && name.lowercaseString == "alice"))
        == "SELECT * FROM \"users\" WHERE (\"verified\" AND (lower(\"name\") = 'alice'))")
    #expect(
      sql(users.filter(verified || balance >= 10_000))
        == "SELECT * FROM \"users\" WHERE (\"verified\" OR (\"balance\" >= 10000.0))")
    #expect(sql(users.where(id == 1)) == "SELECT * FROM \"users\" WHERE (\"id\" = 1)")
    #expect(
      sql(users.filter(id == 1).filter(verified)) == "SELECT * FROM \"users\" WHERE ((\"id\" = 1) AND \"verified\")")
  }

  @Test func emptyCollectionMatchesNothing() throws {
    let db = try database("alice")
    #expect(try db.scalar(users.filter([Int64]().contains(id)).count) == 0)
  }

  @Test func orderBuildsSQL() {
    #expect(sql(users.order(email, name)) == "SELECT * FROM \"users\" ORDER BY \"email\", \"name\"")
    #expect(sql(users.order(email.desc, name.asc)) == "SELECT * FROM \"users\" ORDER BY \"email\" DESC, \"name\" ASC")
    #expect(sql(users.order(email).order([name])) == "SELECT * FROM \"users\" ORDER BY \"name\"")
  }

  @Test func limitBuildsSQL() {
    #expect(sql(users.limit(5)) == "SELECT * FROM \"users\" LIMIT 5")
    #expect(sql(users.limit(5, offset: 5)) == "SELECT * FROM \"users\" LIMIT 5 OFFSET 5")
    #expect(sql(users.limit(5, offset: 5).limit(nil)) == "SELECT * FROM \"users\"")
    #expect(sql(users.limit(5, offset: 5).limit(10)) == "SELECT * FROM \"users\" LIMIT 10")
  }

  @Test func groupBuildsSQL() {
    #expect(sql(users.group(name)) == "SELECT * FROM \"users\" GROUP BY \"name\"")
    #expect(sql(users.group(name, email)) == "SELECT * FROM \"users\" GROUP BY \"name\", \"email\"")
    #expect(
      sql(users.group(name, having: email.count > 1))
        == "SELECT * FROM \"users\" GROUP BY \"name\" HAVING (count(\"email\") > 1)")
    #expect(
      sql(users.group([name, email], having: name != nil))
        == "SELECT * FROM \"users\" GROUP BY \"name\", \"email\" HAVING (\"name\" IS NOT NULL)")
  }

  @Test func recursiveQueriesRun() throws {
    let managers = Table("managers"), chain = Table("chain")
    let query = managers.where(id == 8).union(chain.join(managers, on: chain[managerId] == managers[id]))
    #expect(
      sql(chain.with(chain, recursive: true, as: query))
        == "WITH RECURSIVE \"chain\" AS (SELECT * FROM \"managers\" WHERE (\"id\" = 8) UNION "
        + "SELECT * FROM \"chain\" INNER JOIN \"managers\" ON (\"chain\".\"manager_id\" = \"managers\".\"id\")) "
        + "SELECT * FROM \"chain\"")
    let db = try database("a", "b", "c")
    try db.run(users.filter(id > 1).update(managerId <- 1))
    try db.run(users.filter(id == 3).update(managerId <- 2))
    let step = users.where(id == 3).union(
      chain.join(users, on: chain[managerId] == users[id]).select(users[*]))
    #expect(try db.prepare(chain.with(chain, recursive: true, as: step)).map { $0[id] } == [3, 2, 1])
  }

  @Test func materializationHintsBuildSQL() throws {
    let managers = users.alias("managers"), chain = Table("chain")
    let level = SQLExpression<Int64>("level")
    let queryWithLevel =
      managers
      .select(id, managerId, 0)
      .where(id == 3)
      .union(
        chain
          .select(managers[id], managers[managerId], level + 1)
          .join(managers, on: chain[managerId] == managers[id])
      )
    let query = chain.with(
      chain, columns: [id, managerId, level], recursive: true, hint: .materialize, as: queryWithLevel)
    #expect(
      sql(query)
        == "WITH RECURSIVE \"chain\" (\"id\", \"manager_id\", \"level\") AS MATERIALIZED ("
        + "SELECT \"id\", \"manager_id\", 0 FROM \"users\" AS \"managers\" WHERE (\"id\" = 3) UNION "
        + "SELECT \"managers\".\"id\", \"managers\".\"manager_id\", (\"level\" + 1) FROM \"chain\" "
        + "INNER JOIN \"users\" AS \"managers\" ON (\"chain\".\"manager_id\" = \"managers\".\"id\")) "
        + "SELECT * FROM \"chain\"")
    let db = try database("a", "b", "c")
    try db.run(users.filter(id > 1).update(managerId <- 1))
    #expect(try db.prepare(query.order(level)).map { $0[level] } == [0, 1])
    let both = users.with(Table("a"), as: users).with(Table("b"), hint: .notMaterialized, as: posts)
    #expect(
      sql(both)
        == "WITH \"a\" AS (SELECT * FROM \"users\"), \"b\" AS NOT MATERIALIZED (SELECT * FROM \"posts\") "
        + "SELECT * FROM \"users\"")
  }

  @Test func unionBuildsSQL() throws {
    #expect(sql(users.union(posts)) == "SELECT * FROM \"users\" UNION SELECT * FROM \"posts\"")
    #expect(sql(users.union(all: true, posts)) == "SELECT * FROM \"users\" UNION ALL SELECT * FROM \"posts\"")
    #expect(
      sql(users.filter(id == 1).union(posts).order(id).limit(3))
        == "SELECT * FROM \"users\" WHERE (\"id\" = 1) UNION SELECT * FROM \"posts\" ORDER BY \"id\" LIMIT 3")
    let db = try database("a", "b", "c")
    let first = users.filter(email == "a@mac.com"), second = users.filter(email == "b@mac.com")
    #expect(try db.prepare(first.union(second)).map { $0[id] } == [1, 2])
    let weight = SQLExpression<Int>(literal: "weight")
    let heavy = users.select(users[*], SQLExpression<Int>(literal: "1 AS weight")).filter(email == "b@mac.com")
    let light = users.select(users[*], SQLExpression<Int>(literal: "2 AS weight")).filter(email == "a@mac.com")
    #expect(try db.prepare(heavy.union(light).order(weight)).map { $0[id] } == [2, 1])
  }

  @Test func unionOfLimitedQueriesRuns() throws {
    let db = try database("a", "b", "c")
    let last = users.order(id.desc).limit(1), first = users.order(id).limit(1)
    #expect(try db.prepare(last.union(all: true, first)).map { $0[id] } == [3, 1])
    #expect(try db.prepare(last.union(first).order(id)).map { $0[id] } == [1, 3])
    #expect(
      sql(first.union(last))
        == "SELECT * FROM (SELECT * FROM \"users\" ORDER BY \"id\" LIMIT 1) AS \"users\" UNION "
        + "SELECT * FROM (SELECT * FROM \"users\" ORDER BY \"id\" DESC LIMIT 1) AS \"subquery\"")
  }

  @Test func scalarQueriesReturnValues() throws {
    let db = try emptyUsers()
    #expect(try db.scalar(users.count) == 0)
    #expect(try db.scalar(users.select(id.max)) == nil)
    #expect(try db.scalar(users.select(id.min)) == nil)
    #expect(try db.scalar(users.select(balance.average)) == nil)
    #expect(try db.scalar(users.select(balance.sum)) == nil)
    #expect(try db.scalar(users.select(balance.total)) == 0)
    try db.run(users.insertMany([email <- "a", balance <- 1], [email <- "b", balance <- 2]))
    try db.run(users.filter(id == 1).update(name <- "x"))
    let count: Int = try db.scalar(users.select(name.count))
    #expect(count == 1)
    let max: Int64? = try db.scalar(users.select(id.max))
    #expect(max == 2)
    #expect(try db.scalar(users.select(id.min)) == 1)
    let average: Double? = try db.scalar(users.select(balance.average))
    #expect(average == 1.5)
    let sum: Double? = try db.scalar(users.select(balance.sum))
    #expect(sum == 3)
    let total: Double = try db.scalar(users.select(balance.total))
    #expect(total == 3)
    #expect(sql(users.count) == "SELECT count(*) FROM \"users\"")
    #expect(sql(users.filter(name != nil).count) == "SELECT count(*) FROM \"users\" WHERE (\"name\" IS NOT NULL)")
    #expect(try db.scalar(users.filter(name != nil).count) == 1)
    #expect(sql(users.select(name.count)) == "SELECT count(\"name\") FROM \"users\"")
    #expect(sql(users.select(id.max)) == "SELECT max(\"id\") FROM \"users\"")
  }

  @Test func distinctBuildsSQL() throws {
    let db = try database("a", "b")
    try db.run(users.update(name <- "x"))
    #expect(sql(users.select(name.distinct.count)) == "SELECT count(DISTINCT \"name\") FROM \"users\"")
    #expect(try db.scalar(users.select(name.distinct.count)) == 1)
  }

  @Test func missingScalarsThrowUnlessOptional() throws {
    let db = try emptyUsers()
    #expect(throws: QueryError.self) { try db.scalar(users.select(email)) }
    #expect(try db.scalar(users.select(name)) == nil)
  }

  @Test func countsAreReturned() throws {
    let db = try database("a", "b", "c")
    try db.run(users.filter(id < 3).update(name <- "x"))
    #expect(try db.scalar(users.limit(2).count) == 2)
    #expect(try db.scalar(users.limit(5, offset: 1).count) == 2)
    #expect(try db.scalar(users.group(name).count) == 2)
    #expect(try db.scalar(users.select(distinct: name).count) == 2)
    #expect(try db.scalar(users.select(distinct: [name, verified]).count) == 2)
    #expect(try db.scalar(users.union(all: true, users).count) == 6)
    #expect(try db.scalar(users.select(name.distinct).count) == 2)
    #expect(try db.scalar(users.select(id.max).count) == 1)
    let alias = SQLExpression<String?>("n")
    #expect(try db.scalar(users.select(id, name.alias("n")).filter(alias == "x").order(alias).count) == 2)
    #expect(sql(users.order(id).count) == "SELECT count(*) FROM \"users\"")
    #expect(sql(users.select(users[id], name).count) == "SELECT count(*) FROM \"users\"")
  }

  @Test func existsReturnsABoolean() throws {
    let db = try database("a")
    #expect(sql(users.exists) == "SELECT EXISTS (SELECT * FROM \"users\")")
    #expect(try db.scalar(users.exists))
    #expect(try !db.scalar(users.filter(id == 9).exists))
  }

  @Test func subqueriesAreJoined() throws {
    let db = try database("a", "b", "c")
    try db.execute("CREATE TABLE posts (id INTEGER PRIMARY KEY, user_id, title); INSERT INTO posts VALUES (1, 1, 'x')")
    try db.execute("INSERT INTO posts VALUES (2, 1, 'y'), (3, 2, 'z')")
    let latest = posts.order(id.desc).limit(2)
    let query = users.join(latest, on: posts[userId] == users[id])
    #expect(
      sql(query)
        == "SELECT * FROM \"users\" INNER JOIN (SELECT * FROM \"posts\" ORDER BY \"id\" DESC LIMIT 2) AS \"posts\" "
        + "ON (\"posts\".\"user_id\" = \"users\".\"id\")")
    #expect(try db.prepare(query.order(posts[id])).map { $0[posts[title]] } == ["y", "z"])
    let counts = posts.select(userId, id.count.alias("number")).group(userId).alias("counts")
    let number = SQLExpression<Int>("number")
    let numbers = users.join(counts, on: counts[userId] == users[id]).order(users[id])
    #expect(try db.prepare(numbers).map { $0[counts[number]] } == [2, 1])
    #expect(try db.prepare(numbers).map { $0[number] } == [2, 1])
  }

  @Test func subqueriesAreExpressions() throws {
    let db = try database("a", "b", "c")
    let some = users.select(id).filter(email == "b@mac.com")
    #expect(
      sql(users.filter(some.contains(id)))
        == "SELECT * FROM \"users\" WHERE (\"id\" IN (SELECT \"id\" FROM \"users\" WHERE (\"email\" = 'b@mac.com')))")
    #expect(try db.prepare(users.filter(some.contains(id))).map { $0[id] } == [2])
    let latest = Table("latest", as: users.order(id.desc).limit(2))
    #expect(
      sql(latest.filter(latest[id] > 2))
        == "SELECT * FROM (SELECT * FROM \"users\" ORDER BY \"id\" DESC LIMIT 2) AS \"latest\" "
        + "WHERE (\"latest\".\"id\" > 2)")
    #expect(try db.prepare(latest.filter(latest[id] > 2)).map { $0[email] } == ["c@mac.com"])
    let double = (id * 2).alias("double")
    let row = try #require(try db.pluck(users.select(id, double)))
    #expect(row[double] == 2)
    #expect(row[SQLExpression<Int64>("double")] == 2)
  }
}
