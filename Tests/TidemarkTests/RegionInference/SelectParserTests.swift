import Testing

@testable import TidemarkEssentials

/// The clauses of a query.
@Suite struct SelectParserTests {
  // swift-format-ignore
  @Test(arguments: [
    ("t", "t"),
    ("main.t AS x, \"a b\" y", "main.t AS x, a b AS y"),
    ("t JOIN u ON t.a = u.a", "t, u WHERE (t.a = u.a)"),
    ("t CROSS JOIN u INNER JOIN v", "t, u, v"),
    ("t LEFT JOIN u ON t.a = u.a", "t, u? ON (t.a = u.a)"),
    ("t LEFT OUTER JOIN u ON t.a = u.a JOIN v ON v.b = 1", "t, u? ON (t.a = u.a), v WHERE (v.b = 1)"),
    // The rows of all tables may be replaced by NULL, and no condition is certain.
    ("t JOIN u ON t.a = 1 RIGHT JOIN v ON v.a = 1", "t?, u?, v?"),
    ("t FULL JOIN u ON t.a = u.a", "t?, u?"),
    ("(t JOIN u ON t.a = 1) JOIN v ON v.a = 2", "t, u, v WHERE (v.a = 2)"),
    ("t LEFT JOIN (u JOIN v ON v.a = 2) ON u.a = 1", "t, u?, v?"),
    ("(SELECT a FROM t WHERE b = 1) AS s, u", "(t) AS s, u"),
    ("(VALUES (1), (2)) v", "() AS v"),
    ("t, json_each(t.a, '$.b') j", "t, json_each(…) AS j"),
    ("t INDEXED BY i, u NOT INDEXED", "t, u"),
    ("t NATURAL JOIN u", "t, u"),
    ("t JOIN u USING (a, B)", "t, u"),
  ])
  func `sources have their joins`(_ sources: String, _ expected: String) throws {
    let query = try #require(ParsedQuery("SELECT 1 FROM \(sources)"))
    #expect(query.syntax.text == expected)
    #expect(query.syntax.cores[0].sourceText.map(String.init) == "FROM \(sources)")
  }

  @Test func `merged columns are known`() throws {
    let using = try #require(ParsedQuery("SELECT 1 FROM t JOIN u USING (a, B)"))
    #expect(using.syntax.cores[0].sharedNames == ["a", "b"])
    let natural = try #require(ParsedQuery("SELECT 1 FROM t NATURAL LEFT JOIN u"))
    #expect(natural.syntax.cores[0].isNatural)
    #expect(natural.mentions.includeAllColumns)
  }

  @Test func `the parts of a compound query are separate`() throws {
    let query = try #require(
      ParsedQuery("SELECT a FROM t UNION ALL SELECT b FROM u, v EXCEPT VALUES (1) ORDER BY 1 DESC, a LIMIT ? OFFSET 2;")
    )
    #expect(query.syntax.text == "t; u, v; ")
    #expect(query.syntax.limit?.text == "parameter 0")
    #expect(query.syntax.ordering.map(\.text) == ["1", "a"])
    #expect(query.syntax.directions == [true, false])
  }

  @Test func `common tables precede the query`() throws {
    let query = try #require(
      ParsedQuery(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n), y AS NOT MATERIALIZED (SELECT * FROM t)
        SELECT * FROM n, y
        """))
    #expect(query.syntax.commonTables.map(\.name) == ["n", "y"])
    #expect(query.syntax.commonTables.map(\.query.text) == ["; n", "t"])
    #expect(query.syntax.text == "n, y")
  }

  @Test func `subqueries of all clauses are found`() throws {
    let query = try #require(
      ParsedQuery(
        """
        SELECT (SELECT 1 FROM a), f((SELECT 2 FROM b)) FROM t JOIN u ON EXISTS (SELECT 3 FROM c)
        WHERE x IN (SELECT y FROM d) AND z IN main.e GROUP BY (SELECT 4 FROM g) HAVING (SELECT 5 FROM h)
        ORDER BY (SELECT 6 FROM i) LIMIT (SELECT 7 FROM j)
        """))
    #expect(query.syntax.cores[0].nested.queries.map(\.text) == ["a", "b", "c", "d", "g", "h"])
    #expect(query.syntax.cores[0].nested.tables.map(\.text) == ["main.e"])
    #expect(query.syntax.nested.queries.map(\.text) == ["i", "j"])
  }

  @Test(arguments: [
    ("SELECT a FROM t", true), ("SELECT ALL a FROM t", true), ("SELECT DISTINCT a FROM t", false),
    ("SELECT a FROM t GROUP BY a", false), ("SELECT 1 FROM t HAVING 1", false),
    ("SELECT a FROM t WINDOW w AS (ORDER BY a)", false),
  ])
  func `a query returns each row, or not`(_ sql: String, _ expected: Bool) throws {
    #expect(try #require(ParsedQuery(sql)).syntax.cores[0].showsEachRow == expected)
  }

  @Test func `the texts of clauses are parts of the text`() throws {
    let sql =
      "/* a */ select x, (select y from u) -- b\n from t /* c */ where x = 'from' -- d\n order by x desc -- e\n;"
    let query = try #require(ParsedQuery(sql)).syntax
    #expect(query.cores[0].selectionText == "select x, (select y from u)")
    #expect(query.cores[0].sourceText == "from t")
    #expect(query.cores[0].conditionText == "x = 'from'")
    #expect(query.orderingText == "x desc")
  }

  @Test func `the query of a view is found`() throws {
    let sql = "CREATE TEMP VIEW IF NOT EXISTS main.\"v w\" (a, b) AS SELECT x, y FROM t"
    let query = try #require(ParsedQuery(view: sql, after: ParsedQuery.Mentions(columnNames: ["k"])))
    #expect(query.syntax.text == "t")
    #expect(query.mentions.columnNames == ["k", "x", "y"])
    let table = ParsedQuery(view: "CREATE TABLE t AS SELECT 1", after: ParsedQuery.Mentions())
    #expect(table == nil)
  }

  @Test(arguments: [
    "", ";", "SELECT", "SELECT FROM t", "SELECT a FROM", "SELECT a, FROM t", "SELECT (a FROM t", "SELECT a FROM t)",
    "SELECT a FROM t WHERE", "SELECT a FROM t ORDER BY", "SELECT a FROM t ORDER a", "SELECT a FROM t LIMIT",
    "SELECT a FROM t LIMIT 1,", "SELECT a FROM t GROUP a", "SELECT a FROM t LEFT u", "SELECT a FROM t JOIN",
    "SELECT a FROM t NATURAL", "SELECT a FROM t JOIN u USING a", "SELECT a FROM (t", "SELECT a FROM (SELECT b",
    "SELECT a FROM (t, u) AS s", "SELECT a b c FROM t", "SELECT a FROM t UNION", "SELECT a FROM t; SELECT b FROM u",
    "WITH x AS SELECT 1 SELECT * FROM x", "WITH x AS (SELECT 1)", "WITH SELECT 1", "VALUES 1", "VALUES (1", "VALUES ()",
    "INSERT INTO t VALUES (1)", "DELETE FROM t", "PRAGMA user_version", "EXPLAIN SELECT 1", "SELECT a FROM 1",
    "SELECT a FROM t INDEXED", "SELECT a FROM t WINDOW w AS (ORDER BY a", "SELECT * FROM t AS", "\u{0}", "SELECT \u{0}",
  ])
  func `unsupported text is unknown`(_ sql: String) {
    let isKnown = ParsedQuery(sql) != nil
    #expect(!isKnown)
  }

  @Test(arguments: [
    ("SELECT ", "(", "1", ")"), ("SELECT ", "NOT ", "1", ""), ("SELECT ", "(SELECT ", "1", ")"),
    ("SELECT 1 FROM ", "(", "t", ")"), ("SELECT ", "f(", "1", ")"), ("SELECT ", "- ", "1", ""),
    ("SELECT ", "CASE WHEN ", "1", " THEN 1 END"), ("SELECT 1 OVER ", "(", "1", ")"),
    ("", "WITH x AS (", "SELECT 1", ") SELECT 1"), ("SELECT ", "1 IN (", "1", ")"),
    ("SELECT ", "1 + ", "1", ""), ("SELECT a", "", "", " COLLATE b"), ("SELECT ", "a OR ", "1", ""),
  ])
  func `deeply nested text is unknown`(_ start: String, _ opening: String, _ middle: String, _ closing: String) {
    func sql(_ depth: Int) -> String {
      start + String(repeating: opening, count: depth) + middle + String(repeating: closing, count: depth)
    }
    let (isKnown, isKnownDeep) = (ParsedQuery(sql(3)) != nil, ParsedQuery(sql(20_000)) != nil)
    #expect(isKnown || start.hasSuffix("OVER "))
    #expect(!isKnownDeep)
  }

  @Test func `a long flat text is parsed`() throws {
    let condition = (0..<900).map { "a = \($0)" }.joined(separator: " OR ")
    let query = try #require(ParsedQuery("SELECT a FROM t WHERE \(condition)"))
    guard case .or(let arms)? = query.syntax.cores[0].condition else {
      Issue.record("not a disjunction")
      return
    }
    #expect(arms.count == 900)
  }
}
