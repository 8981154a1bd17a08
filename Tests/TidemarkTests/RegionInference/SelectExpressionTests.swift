import Testing

@testable import TidemarkEssentials

/// The conditions of a query.
@Suite struct SelectExpressionTests {
  // swift-format-ignore
  @Test(arguments: [
    // Precedence.
    ("a = 1 OR b = 2 AND c = 3", "((a = 1) OR ((b = 2) AND (c = 3)))"),
    ("(a = 1 OR b = 2) AND c = 3", "(((a = 1) OR (b = 2)) AND (c = 3))"),
    ("a = 1 OR b = 2 OR c = 3", "((a = 1) OR (b = 2) OR (c = 3))"),
    ("NOT a = 1 AND b = 2", "((NOT (a = 1)) AND (b = 2))"),
    ("NOT NOT a", "(NOT (NOT a))"),
    ("a + b * 2 = 7", "((a + (b * 2)) = 7)"),
    ("a - b - 1 > 0", "(((a - b) - 1) > 0)"),
    ("a < b = c", "((a < b) = c)"),
    ("a = b < c", "(a = (b < c))"),
    ("a = b = c", "((a = b) = c)"),
    ("a % 2 <> b / 2", "((a % 2) <> (b / 2))"),
    ("a == 1 AND b != 2", "((a = 1) AND (b <> 2))"),
    ("a || b = 'x'", "(… = 'x')"),
    ("a & 1 = b | 2", "(… = …)"),
    ("a -> '$.x' = b ->> 'y'", "(… = …)"),
    ("a COLLATE NOCASE = 'x'", "((a COLLATE NOCASE) = 'x')"),
    ("a = 'x' COLLATE \"b c\"", "(a = ('x' COLLATE b c))"),
    // Tests.
    ("a BETWEEN 1 AND 2 AND b = 3", "((a >= 1) AND (a <= 2) AND (b = 3))"),
    ("a NOT BETWEEN 1 AND 2", "(NOT ((a >= 1) AND (a <= 2)))"),
    ("a IS NULL AND b ISNULL AND c IS 1", "((a IS NULL) AND (b IS NULL) AND (c IS 1))"),
    ("a IS NOT NULL AND b NOTNULL AND c NOT NULL", "((a IS NOT NULL) AND (b IS NOT NULL) AND (c IS NOT NULL))"),
    ("a IS DISTINCT FROM b", "(a IS NOT b)"),
    ("a IS NOT DISTINCT FROM b", "(a IS b)"),
    ("a IN (1, ?, 'x')", "(a IN (1, parameter 0, 'x'))"),
    ("a NOT IN (1)", "(NOT (a IN (1)))"),
    ("a IN ()", "(a IN ())"),
    ("a IN (SELECT b FROM u)", "(a IN query 0)"),
    ("a IN u", "…"),
    ("a LIKE 'x%' ESCAPE '!' AND b = 1", "(… AND (b = 1))"),
    ("a NOT GLOB '*' OR b REGEXP c", "((NOT (a GLOB '*')) OR …)"),
    ("a LIKE b || '%' AND c LIKE ?", "((a LIKE …) AND (c LIKE parameter 0))"),
    // Operands.
    ("a = -1 AND b = - 2.5 AND c = -a", "((a = -1) AND (b = -2.5) AND (c = (0 - a)))"),
    ("a = +1", "(a = (1 + 0))"),
    ("a = ~1", "(a = …)"),
    ("a = x'0f' AND b = NULL AND c = .5", "((a = x'0f') AND (b = NULL) AND (c = .5))"),
    (":x = a AND ?2 = b AND :x = c", "((parameter 0 = a) AND (parameter 1 = b) AND (parameter 2 = c))"),
    ("t.a = main.t.b", "(t.a = main.t.b)"),
    ("\"t\".[a b] = `c``d`", "(t.a b = c`d)"),
    ("((((a)))) = (1)", "(a = 1)"),
    // Rows of values are compared column by column.
    ("(a, b) = (1, 2)", "((a = 1) AND (b = 2))"),
    ("(a, b) IS NOT (1, 2)", "(NOT ((a IS 1) AND (b IS 2)))"),
    ("(a, b) <> (1, (2))", "(NOT ((a = 1) AND (b = 2)))"),
    ("(a, b, c) <= (1, 2, 3)", "((a < 1) OR ((a = 1) AND ((b < 2) OR ((b = 2) AND (c <= 3)))))"),
    ("(a, b) > (?, ?1)", "((a > parameter 0) OR ((a = parameter 0) AND (b > parameter 1)))"),
    ("(a, b) IN ((1, 2), (3, 4))", "(((a = 1) AND (b = 2)) OR ((a = 3) AND (b = 4)))"),
    ("(a, b) BETWEEN (1, 2) AND (3, 4) OR c",
      "((((a > 1) OR ((a = 1) AND (b >= 2))) AND ((a < 3) OR ((a = 3) AND (b <= 4)))) OR c)"),
    ("((a, b), c) = ((1, 2), 3)", "(((a = 1) AND (b = 2)) AND (c = 3))"),
    ("(a, b) = (SELECT 1, 2)", "((a, b) = query 0)"),
    ("(a, b) IN (SELECT 1, 2)", "((a, b) IN query 0)"),
    ("CASE a WHEN 1 THEN 2 ELSE 3 END = 2", "(… = 2)"),
    ("CASE WHEN a = 1 THEN 2 END", "…"),
    ("CAST(a AS INTEGER(1, 2)) = 1", "(… = 1)"),
    ("count(*) FILTER (WHERE a = 1) OVER (PARTITION BY b ORDER BY c) = 1", "(… = 1)"),
    ("group_concat(DISTINCT a) OVER w = like('a', b)", "(… = …)"),
    ("lower(a) = abs(b + 1)", "(lower(a) = abs((b + 1)))"),
    ("f(DISTINCT a) = g(a, b) AND h() = i(a ORDER BY b)", "((… = …) AND (… = …))"),
    ("EXISTS (SELECT 1) AND a = (SELECT 2)", "(EXISTS query 0 AND (a = query 1))"),
    ("a /* = 2 */ = -- 3\n 4", "(a = 4)"),
    ("true AND current_date = a", "(true AND (current_date = a))"),
  ])
  func `an expression has SQLite's structure`(_ condition: String, _ expected: String) throws {
    let query = try #require(ParsedQuery("SELECT a FROM t WHERE \(condition)"))
    #expect(query.syntax.cores[0].condition?.text == expected)
    #expect(query.syntax.cores[0].conditionText.map(String.init) == condition)
  }

  @Test(arguments: [
    "", "a =", "= a", "a = = 1", "(a", "a)", "a AND", "a AND OR b", "NOT", "a NOT", "a NOT 1", "a IN (1,", "a IN (1",
    "a IN (,)", "a IN f(1)", "a BETWEEN 1", "a BETWEEN 1 OR 2", "a LIKE", "a LIKE 'b' ESCAPE", "CASE a WHEN 1 THEN 2",
    "CASE WHEN a END x", "CAST(a)", "CAST(a AS", "EXISTS", "EXISTS a", "f(a", "f(a,)", "a.", "a.b.c.d", ".a",
    "a COLLATE",
    "1 = 'a", "a b", "a = 1 2", "select", "a = (SELECT)", "a ? b", "a [b", "x'0", "count(*) FILTER (a)",
  ])
  func `an unsupported condition makes the whole query unknown`(_ condition: String) {
    let isKnown = ParsedQuery("SELECT a FROM t WHERE \(condition)") != nil
    #expect(!isKnown)
  }

  @Test func `mentions are numbered in the order of the text`() throws {
    let query = try #require(ParsedQuery("SELECT B, t.a FROM t JOIN u USING (k) WHERE f(a, ?) = :x ORDER BY c"))
    #expect(query.mentions.columnNames == ["b", "a", "k", "a", "c"])
    #expect(query.mentions.parameters == ["?", ":x"])
    #expect(query.mentions.includeFunctions)
    #expect(!query.mentions.includeAllColumns)
  }
}
