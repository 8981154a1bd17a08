import Testing

import Tidemark
@testable import TidemarkEssentials

/// The rows that statements read.
@Suite struct InferredRegionTests {
  private static let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT, c REAL, d, n TEXT COLLATE NOCASE, e NUMERIC);
    CREATE TABLE u (id INTEGER PRIMARY KEY, tid INTEGER, a INTEGER, k TEXT);
    CREATE TABLE h (x, y INT);
    CREATE TABLE w (k TEXT PRIMARY KEY, v INT) WITHOUT ROWID;
    CREATE TABLE "odd ""name" ("co ""l" INT, [b c] INT);
    CREATE TABLE g (a INT, s INT AS (a + 1), z INT AS (a * 2) STORED);
    CREATE TABLE rowidish (rowid TEXT, v);
    CREATE VIEW va AS SELECT b, a FROM t WHERE a = 5;
    CREATE VIEW vu AS SELECT t.b FROM t JOIN u ON u.tid = t.id WHERE u.a > 3;
    CREATE VIEW grouped AS SELECT j.b FROM (t JOIN h) AS j WHERE j.a = 5;
    CREATE TABLE s (any ANY, i INT) STRICT;
    CREATE TABLE sums ("y + 0" INT);
    """

  private func expectRegion(
    _ sql: String, _ arguments: StatementArguments?, _ region: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try inMemory { db in
      try db.execute(sql: Self.schema)
      let statement = try db.makeStatement(sql: sql)
      if let arguments { try statement.setArguments(arguments) }
      #expect(statement.databaseRegion.debugDescription == region, sourceLocation: sourceLocation)
    }
  }

  private func expectRegion(
    _ sql: String, _ region: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectRegion(sql, nil, region, sourceLocation: sourceLocation)
  }

  /// SQLite may sort the rows of a join by any column that it reads, in an index that it creates for the query.
  @Test func conditionColumnsOrderRowsWithoutOtherOrder() throws {
    func isModified(_ sql: String, byUpdateOf column: String) throws -> Bool {
      try inMemory { db in
        try db.execute(sql: Self.schema)
        let region = try db.makeStatement(sql: sql).databaseRegion
        func image(_ value: Int) -> RowImage {
          var image = RowImage(rowID: 1, values: ["id": 1.databaseValue, "tid": 1.databaseValue, "a": 5.databaseValue])
          image.values[column] = value.databaseValue
          return image
        }
        let change = RowChange(
          table: TableKey("u"), kind: .update, old: image(5), new: image(7), changedColumns: [column])
        return region.isModified(by: change)
      }
    }
    let (join, count, sorted) = try (
      isModified("SELECT t.b FROM t JOIN u ON u.tid = t.id WHERE u.a > 3", byUpdateOf: "a"),
      isModified("SELECT COUNT(*) FROM u WHERE a > 3", byUpdateOf: "a"),
      isModified("SELECT tid FROM u WHERE a > 3 ORDER BY id", byUpdateOf: "a")
    )
    #expect(join)
    #expect(!count)
    #expect(!sorted)
  }

  // swift-format-ignore
  @Test(arguments: [
    ("a = 1", "t(a) where a = 1"),
    ("a == 1", "t(a) where a = 1"),
    ("1 = a", "t(a) where a = 1"),
    ("a IS 1", "t(a) where a = 1"),
    ("a = -1", "t(a) where a = -1"),
    ("a IN (1, 2, NULL)", "t(a) where a in (1, 2)"),
    ("a IN ()", "empty"),
    ("a = NULL", "empty"),
    ("a IS NULL", "t(a) where a = NULL"),
    ("a ISNULL", "t(a) where a = NULL"),
    ("a IS NOT NULL", "t(a) where a is not NULL"),
    ("a NOTNULL", "t(a) where a is not NULL"),
    ("a NOT NULL", "t(a) where a is not NULL"),
    ("a <> 1", "t(a) where a is not NULL and a <> 1"),
    ("a IS NOT DISTINCT FROM 2", "t(a) where a = 2"),
    ("a > 1", "t(a) where a > 1"),
    ("1 > a", "t(a) where a < 1"),
    ("a >= 1 AND a < 9", "t(a) where a >= 1 and a < 9"),
    ("a BETWEEN 1 AND 3 AND b = 'x'", "t(a,b) where a >= 1 and a <= 3 and b = \"x\""),
    ("(a = 1) AND ((b = 'x'))", "t(a,b) where a = 1 and b = \"x\""),
    ("a = 1 AND a = 2", "empty"),
    ("a = 1 OR a = 2", "t(a) where a in (1, 2)"),
    ("a = 1 OR b = 'x'", "t(a,b) where a = 1,t(a,b) where b = \"x\""),
    ("a = 1 OR b LIKE 'x%'", "t(a,b) where a = 1,t(a,b) where b like \"x%\""),
    ("a = 1 AND b NOT LIKE 'x%'", "t(a,b) where a = 1 and not (b like \"x%\")"),
    ("n GLOB 'x*' OR a LIKE 1", "t(a,n) where a like 1,t(a,n) where n glob \"x*\""),
    ("b LIKE 'x%' ESCAPE '!' OR b LIKE n OR lower(b) LIKE 'x'", "t(b,n)"),
    ("c LIKE '1%'", "t(c)"),
    ("(a = 1 OR a = 2) AND c < 3", "t(a,c) where a in (1, 2) and c < 3"),
    ("NOT a = 1", "t(a) where not (a = 1)"),
    ("NOT a = 1 AND c = 2", "t(a,c) where c = 2 and not (a = 1)"),
    ("a = 1 AND b = 'x' OR a = 3", "t(a,b) where a = 1 and b = \"x\",t(a,b) where a = 3"),
    ("a + 0 = 1", "t(a) where (a + 0) = 1"),
    ("+a = 1", "t(a) where (a + 0) = 1"),
    ("a = 1 + 0", "t(a) where a = 1"),
    ("a = (SELECT 1)", "t(a)"),
    ("a = random()", "t(a)"),
    ("a = abs(1)", "t(a)"),
    ("CASE WHEN a = 1 AND b = 'x' THEN 1 END AND c = 3", "t(a,b,c) where c = 3"),
    ("a = TRUE", "t(a)"),
    // Of too many combinations, one side is used.
    ("(a = 1 OR b = 'x' OR c = 2) AND (d = 3 OR e = 4 OR id = 5)",
      "t(a,b,c,d,e,id) where a = 1,t(a,b,c,d,e,id) where b = \"x\",t(a,b,c,d,e,id) where c = 2"),
    ("(a = 1 OR b = 'x' OR c = 2 OR d = 3) AND (e = 4 OR id = 5 OR n IS NULL)",
      "t(a,b,c,d,e,id,n) where e = 4,t(a,b,c,d,e,id,n) where id = 5,t(a,b,c,d,e,id,n) where n = NULL"),
    ("a IS TRUE", "t(a)"),
    ("a", "t(a) where a"),
    ("a % 50 <> 3", "t(a) where (a % 50) <> 3"),
    ("a NOT IN (1, 2)", "t(a) where not ((a = 1 or a = 2))"),
    ("a NOT BETWEEN 1 AND 2", "t(a) where not ((a >= 1 and a <= 2))"),
    ("a IS NOT 1", "t(a) where a is not 1"),
    ("a < id", "t(a,id) where a < id"),
    ("a < c", "t(a,c)"),
    ("a > id", "t(a,id) where a > id"),
    ("NOT b = 'x'", "t(b)"),
    // Expressions without columns are evaluated.
    ("a BETWEEN 2 * 3 AND 7 + 10", "t(a) where a >= 6 and a <= 17"),
    ("a IN (1 + 1, -(-3), 10 / 4)", "t(a) where a in (2, 3)"),
    ("a = 9223372036854775807 + 1", "t(a) where a = 9.223372036854776e+18"),
    ("a = 5 / 0", "empty"),
    ("a = 5 / 0.0", "empty"),
    ("a = 9e999 - 9e999", "empty"),
    ("c > 1 / 2.0", "t(c) where c > 0.5"),
    ("a = 5.5 % 2", "t(a)"),
    ("a = '1' + 1", "t(a)"),
    ("b = (2 COLLATE NOCASE) + 0", "t(b)"),
    // The value of an expression selects rows.
    ("a + id > 5 AND a + id < 9", "t(a,id) where (a + id) > 5 and (a + id) < 9"),
    ("a * 2 IN (2, 4, NULL)", "t(a) where (a * 2) in (2, 4)"),
    ("a % 2 IS NULL", "t(a) where (a % 2) = NULL"),
    ("a + 0 = '1'", "t(a) where (a + 0) = \"1\""),
    ("5 < a + id", "t(a,id) where (a + id) > 5"),
    ("lower(b) IN ('x' COLLATE NOCASE)", "t(b)"),
    ("lower(b) = 'x' OR lower(b) = 'y'", "t(b) where lower(b) in (\"x\", \"y\")"),
    ("upper(n) > 'X' AND length(b) = 3 AND abs(a) <= 2",
      "t(a,b,n) where abs(a) <= 2 and length(b) = 3 and upper(n) > \"X\""),
    ("NOT lower(b) = 'x'", "t(b) where not (lower(b) = \"x\")"),
    ("lower(b) COLLATE NOCASE = 'x'", "t(b)"),
    ("lower(b) = 'x' COLLATE NOCASE", "t(b)"),
    ("lower(c) = '1.0'", "t(c)"),
    ("lower(b || 'x') = 'x'", "t(b)"),
    ("lower(b) = n", "t(b,n) where lower(b) = n"),
    ("hex(b) = 'x'", "t(b)"),
    ("a % 2 = 0 OR id = 3", "t(a,id) where (a % 2) = 0,t(a,id) where id = 3"),
    ("a * 1.5 > 3", "t(a)"),
    ("a COLLATE NOCASE <> 1", "t(a) where a is not NULL"),
    ("0", "empty"),
    ("NULL", "empty"),
    ("1", "t()"),
    ("\"a\" = 1", "t(a) where a = 1"),
    ("[a] = 1 AND `b` = 'x'", "t(a,b) where a = 1 and b = \"x\""),
    ("t.a = 1", "t(a) where a = 1"),
    ("main.t.a = 1", "t(a) where a = 1"),
    ("MAIN.T.A = 1", "t(a) where a = 1"),
    ("(a, b) = (1, 'x')", "t(a,b) where a = 1 and b = \"x\""),
    ("(a, id) < (1, 2)", "t(a,id) where a < 1,t(a,id) where a = 1 and id < 2"),
    ("(a, b) IN ((1, 'x'), (2, 'x'))", "t(a,b) where a in (1, 2) and b = \"x\""),
    ("a = 1 -- AND nothing\n", "t(a) where a = 1"),
  ])
  func conditionsSelectRows(condition: String, region: String) throws {
    try expectRegion("SELECT 1 FROM t WHERE \(condition)", region)
  }

  @Test(arguments: ["<", "=", "BETWEEN (0, 0) AND"]) func longRowsOfValuesAreSupported(comparison: String) throws {
    func row(_ value: String) -> String { "(\(Array(repeating: value, count: 900).joined(separator: ", ")))" }
    let comparison = comparison.replacing("(0, 0)", with: row("0"))
    let region = comparison == "=" ? "t(a) where a = 1" : "t(a)"
    try expectRegion("SELECT 1 FROM t WHERE \(row("a")) \(comparison) \(row("1"))", region)
  }

  /// The conversion of an argument by a comparison.
  // swift-format-ignore
  @Test(arguments: [
    ("a = '1'", "t(a) where a = 1"),
    ("a = '01'", "t(a)"),
    ("a = '1.5'", "t(a)"),
    ("a = ' 1'", "t(a)"),
    ("a = 'x'", "t(a) where a = \"x\""),
    ("a = 1.5", "t(a) where a = 1.5"),
    ("a = 1e3", "t(a) where a = 1000.0"),
    ("a < -9223372036854775808", "t(a) where a < -9223372036854775808"),
    ("a = 9223372036854775808", "t(a) where a = 9.223372036854776e+18"),
    ("a = 0x10", "t(a) where a = 16"),
    ("a = x'31'", "t(a) where a = Data(1 bytes)"),
    ("b = 1", "t(b) where b = \"1\""),
    ("b = 1.0", "t(b)"),
    ("b > 'x'", "t(b) where b > \"x\""),
    ("c = 1", "t(c) where c = 1"),
    ("c = 9007199254740993", "t(c)"),
    ("d = '1'", "t(d) where d = \"1\""),
    ("d = 1", "t(d) where d = 1"),
    ("e = '12'", "t(e) where e = 12"),
    ("n = 'x'", "t(n)"),
    ("n > 'x'", "t(n)"),
    ("n = 1", "t(n)"),
    ("n IS NULL", "t(n) where n = NULL"),
    ("n = 'x' COLLATE BINARY", "t(n) where n = \"x\""),
    ("n COLLATE BINARY = 'x'", "t(n) where n = \"x\""),
    ("b = 'x' COLLATE NOCASE", "t(b)"),
    ("b COLLATE NOCASE = 'x' COLLATE BINARY", "t(b)"),
    ("'x' COLLATE NOCASE = b COLLATE BINARY", "t(b)"),
    ("b COLLATE NOCASE IN ('x')", "t(b)"),
    ("b IN ('x' COLLATE NOCASE)", "t(b)"),
    ("a = 1 COLLATE NOCASE", "t(a) where a = 1"),
    ("b = 'it''s'", "t(b) where b = \"it\\'s\""),
  ])
  func argumentsAreComparedAsInSQLite(condition: String, region: String) throws {
    try expectRegion("SELECT 1 FROM t WHERE \(condition)", region)
  }

  @Test(arguments: [(64, "t(a,b) where a = 5,va(b)"), (65, "t(a,b),va(b)")])
  func `the number of views that are analysed is limited`(count: Int, region: String) throws {
    let sql = Array(repeating: "SELECT b FROM va", count: count).joined(separator: " UNION ALL ")
    try expectRegion(sql, region)
  }

  @Test func rowIDAliasesAreRecognized() throws {
    for name in ["id", "rowid", "oid", "_ROWID_", "t.rowid", "\"ID\""] {
      try expectRegion("SELECT b FROM t WHERE \(name) = 3", "t(b,id) where id = 3")
    }
    try expectRegion("SELECT x FROM h WHERE rowid = 3", "h(ROWID,x) where rowid = 3")
    try expectRegion("SELECT x FROM h WHERE oid IN (3, '4', 'x')", "h(ROWID,x) where rowid in (3, 4, \"x\")")
    try expectRegion("SELECT v FROM w WHERE k = 'a'", "w(k,v) where k = \"a\"")
    // If another column has the name that filters give to the row ID, neither is filtered.
    try expectRegion("SELECT v FROM rowidish WHERE rowid = '3'", "rowidish(rowid,v)")
    try expectRegion("SELECT v FROM rowidish WHERE rowid = '3' AND v = 1", "rowidish(rowid,v) where v = 1")
    try expectRegion("SELECT v FROM rowidish WHERE oid = 3", "rowidish(ROWID,v)")
  }

  @Test func namesMayContainAnyCharacter() throws {
    try expectRegion(
      #"SELECT 1 FROM "odd ""name" WHERE "co ""l" = 1 AND [b c] = 2"#,
      #"odd "name(b c,co "l) where b c = 2 and co "l = 1"#)
    try expectRegion("SELECT 1 FROM 't' WHERE 't'.'a' = 1", "t(a) where a = 1")
  }

  // swift-format-ignore
  @Test(arguments: [
    ("a = ?", [1], "t(a) where a = 1"),
    ("a = ?2 AND b = ?1", ["x", 7], "t(a,b) where a = 7 and b = \"x\""),
    ("a = ?2 AND b = ?1 AND d = ?", ["x", 7, 8], "t(a,b,d) where a = 7 and b = \"x\" and d = 8"),
    ("a = :v AND b = @w AND d = $x", ["v": 1, "w": "x", "x": 2], "t(a,b,d) where a = 1 and b = \"x\" and d = 2"),
    ("a = :v OR a = :v + 1 OR d = :w", ["v": 1, "w": 2], "t(a,d) where a in (1, 2),t(a,d) where d = 2"),
    ("a IN (?, ?)", [1, nil], "t(a) where a = 1"),
    ("a IN (:x, ?, :x)", [1, 2], "t(a) where a in (1, 2)"),
    ("a = ?", [nil], "empty"),
    ("a IS ?", [nil], "t(a) where a = NULL"),
    ("a > ?", [nil], "empty"),
    ("a = ?", [Double.nan], "empty"),
    ("a = ?", nil, "t(a)"),
    ("a = ? AND b = 'x'", nil, "t(a,b) where b = \"x\""),
    ("a % ? = 0", [3], "t(a) where (a % 3) = 0"),
    ("a % ? = 0", ["3"], "t(a)"),
    ("a % ? = 0", nil, "t(a)"),
    ("a = ? + 1", [Double.nan], "empty"),
    ("a + id > ?", nil, "t(a,id)"),
    ("a * 2 IN (?, 4)", nil, "t(a)"),
    ("?", [0], "empty"),
    ("?", [1], "t()"),
  ] as [(String, StatementArguments?, String)])
  func boundArgumentsSelectRows(condition: String, arguments: StatementArguments?, region: String) throws {
    try expectRegion("SELECT 1 FROM t WHERE \(condition)", arguments, region)
  }

  // swift-format-ignore
  @Test(arguments: [
    // Inner joins: `ON` is equivalent to `WHERE`.
    ("t JOIN u ON u.tid = t.id WHERE t.a = 1 AND k = 'x'", "t(a,id) where a = 1,u(k,tid) where k = \"x\""),
    ("t JOIN u ON u.tid = t.id AND t.b = 'x' AND u.a = 2", "t(b,id) where b = \"x\",u(a,tid) where a = 2"),
    ("t, u WHERE u.tid = t.id AND t.a = 1 AND u.a IS NULL", "t(a,id) where a = 1,u(a,tid) where a = NULL"),
    ("t CROSS JOIN u WHERE u.id = 3", "t(),u(id) where id = 3"),
    // SQLite rejects a name that both tables have; a name of one table is unambiguous.
    ("t JOIN u ON tid = t.id WHERE b = 'x'", "t(b,id) where b = \"x\",u(tid)"),
    // Outer joins: the right side may be NULL.
    ("t LEFT JOIN u ON u.tid = t.id WHERE t.a = 1", "t(a,id) where a = 1,u(tid)"),
    ("t LEFT JOIN u ON u.tid = t.id WHERE t.a IS NULL", "t(a,id) where a = NULL,u(tid)"),
    ("t LEFT JOIN u ON u.tid = t.id WHERE u.a = 1", "t(id),u(a,tid) where a = 1"),
    ("t LEFT JOIN u ON u.tid = t.id WHERE u.a IS NULL", "t(id),u(a,tid)"),
    ("t LEFT JOIN u ON u.tid = t.id WHERE u.a IS NULL AND u.k = 'x'", "t(id),u(a,k,tid) where a = NULL and k = \"x\""),
    ("t LEFT JOIN u ON u.tid = t.id WHERE u.id IS NULL", "t(id),u(id,tid)"),
    ("t JOIN u ON u.tid = t.id AND u.id IS NULL", "t(id)"),
    // A value that is equal to a column has the column's filter.
    ("t JOIN u ON u.tid = t.id WHERE t.id = 4", "t(id) where id = 4,u(tid) where tid = 4"),
    ("t JOIN u ON u.tid = t.id WHERE u.tid IN (4, 5)", "t(id) where id in (4, 5),u(tid) where tid in (4, 5)"),
    ("t LEFT JOIN u ON u.tid = t.id WHERE t.id < 4", "t(id) where id < 4,u(tid) where tid < 4"),
    ("t LEFT JOIN u ON u.tid = t.id AND u.tid = 4", "t(id),u(tid) where tid = 4"),
    ("t JOIN u ON u.tid = t.id JOIN h ON h.y = u.a AND u.a = t.a WHERE h.y = 1", "h(y) where y = 1,t(a,id) where a = 1,u(a,tid) where a = 1"),
    ("t JOIN u ON u.k = t.n WHERE u.k = 'x'", "t(n),u(k) where k = \"x\""),
    ("t JOIN u ON u.k = t.a WHERE u.k = 'x'", "t(a),u(k) where k = \"x\""),
    ("t JOIN u ON u.a = t.c WHERE u.a = 3", "t(c),u(a) where a = 3"),
    ("t RIGHT JOIN u ON u.tid = t.id WHERE t.id = 4", "t(id) where id = 4,u(tid)"),
    ("t JOIN u ON u.tid = t.id OR u.a = 1 WHERE t.id = 4", "t(id) where id = 4,u(a,tid)"),
    ("t LEFT JOIN u ON u.tid = t.id WHERE u.a IS NULL OR u.a = 1", "t(id),u(a,tid)"),
    ("t LEFT JOIN u ON u.tid = t.id AND u.k = 'x'", "t(id),u(k,tid) where k = \"x\""),
    ("t LEFT JOIN u ON u.tid = t.id AND u.k IS NULL", "t(id),u(k,tid) where k = NULL"),
    ("t LEFT JOIN u ON u.tid = t.id AND t.a = 1", "t(a,id),u(tid)"),
    ("t LEFT JOIN u ON u.tid = t.id JOIN h ON h.x = u.k AND u.a = 4", "h(x),t(id),u(a,k,tid) where a = 4"),
    ("t LEFT JOIN u ON u.tid = t.id JOIN h ON h.x = 4 AND u.a IS NULL", "h(x) where x = 4,t(id),u(a,tid)"),
    ("t RIGHT JOIN u ON u.tid = t.id AND u.k = 'x'", "t(id),u(k,tid)"),
    ("t RIGHT JOIN u ON u.tid = t.id WHERE t.a = 1 AND u.k IS NULL", "t(a,id) where a = 1,u(k,tid)"),
    ("t FULL JOIN u ON u.tid = t.id AND u.a = 3 WHERE t.a IS NULL AND u.k = 'x'", "t(a,id),u(a,k,tid) where k = \"x\""),
    ("t LEFT JOIN (u JOIN h ON h.x = 3) ON u.tid = t.id WHERE h.y = 2", "h(x,y) where y = 2,t(id),u(a,id,k,tid)"),
    ("(t JOIN u ON u.tid = t.id) WHERE t.a = 1", "t(a,id) where a = 1,u(tid)"),
    // Columns of USING.
    ("t JOIN u USING (a) WHERE a = 1 AND b = 'x'", "t(a,b) where a = 1 and b = \"x\",u(*) where a = 1"),
    ("t JOIN u USING (a) WHERE t.a = 1", "t(a) where a = 1,u(*) where a = 1"),
    ("t NATURAL JOIN u WHERE b = 'x' AND u.k = 'y'", "t(b) where b = \"x\",u(k) where k = \"y\""),
    // The same table several times.
    ("t x JOIN t y ON y.id = x.a WHERE x.b = 'x' AND y.b = 'y'", "t(a,b,id) where b in (\"x\", \"y\")"),
    ("t x JOIN t AS y ON y.id = x.a WHERE x.b = 'x'", "t(a,b,id)"),
    ("t, t AS y WHERE t.b = 'x' AND y.c = 1", "t(b,c) where b = \"x\",t(b,c) where c = 1"),
  ])
  func joinsInferRegions(sources: String, region: String) throws {
    try expectRegion("SELECT 1 FROM \(sources)", region)
  }

  // swift-format-ignore
  @Test(arguments: [
    ("SELECT b FROM t WHERE a = 1 UNION SELECT k FROM u WHERE a = 2", "t(a,b) where a = 1,u(a,k) where a = 2"),
    ("SELECT b FROM t WHERE a = 1 UNION ALL SELECT b FROM t WHERE a = 2", "t(a,b) where a in (1, 2)"),
    ("SELECT b FROM t WHERE a = 1 EXCEPT SELECT b FROM t", "t(a,b)"),
    ("SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.tid = t.id AND u.k = 'x' AND t.a = 1)",
      "t(a,id),u(k,tid) where k = \"x\""),
    ("SELECT 1 FROM t WHERE id IN (SELECT tid FROM u WHERE a = 3) AND a = 4", "t(a,id) where a = 4,u(a,tid) where a = 3"),
    ("SELECT (SELECT max(a) FROM u WHERE k = 'x') FROM t", "t(),u(a,k) where k = \"x\""),
    ("SELECT 1 FROM t WHERE a IN (SELECT a FROM t WHERE b = 'x') AND b = 'y'", "t(a,b) where b in (\"x\", \"y\")"),
    ("SELECT * FROM (SELECT b FROM t WHERE a = 1) WHERE b = 'x'", "t(a,b) where a = 1 and b = \"x\""),
    ("SELECT count(*) FROM (SELECT * FROM t WHERE id = 1)", "t(a,b,c,d,e,id,n) where id = 1"),
    ("WITH c AS (SELECT b FROM t WHERE a = 1) SELECT * FROM c WHERE b = 'x'", "t(a,b) where a = 1 and b = \"x\""),
    ("WITH t AS (SELECT 1 AS a) SELECT * FROM t WHERE a = 1", "empty"),
    ("WITH t AS (SELECT 1 AS a) SELECT b FROM t JOIN main.t AS x ON x.a = 5 AND t.a = 9", "t(a,b) where a = 5"),
    ("WITH u AS (SELECT a FROM t WHERE a = 2) SELECT * FROM (SELECT * FROM u WHERE a = 1)", "empty"),
    ("WITH RECURSIVE r(i) AS (SELECT id FROM t WHERE a = 1 UNION SELECT u.id FROM u, r WHERE u.tid = i AND u.k = 'x') SELECT * FROM r",
      "t(a,id) where a = 1,u(id,k,tid) where k = \"x\""),
    // Whether a view sees the common table depends on the version of SQLite.
    ("WITH u AS (SELECT 1 AS a) SELECT * FROM vu", "t(b,id),u(a,tid),vu(b)"),
    ("WITH q (x, y) AS (SELECT * FROM h) SELECT x FROM q WHERE y = 5", "h(x,y)"),
    ("SELECT 1 FROM t x WHERE main.x.a = 1", "t(a)"),
    ("SELECT 1 FROM sums JOIN (SELECT y + 0, x FROM h) USING (\"y + 0\") WHERE \"y + 0\" = 5 AND x = 4",
      "h(x,y) where x = 4,sums(y + 0) where y + 0 = 5"),
    ("SELECT * FROM grouped JOIN u ON u.k = 'x'", "grouped(b),h(x,y),t(a,b,c,d,e,id,n),u(a,id,k,tid)"),
    ("SELECT * FROM va WHERE a = 1", "va(a,b)"),
    ("SELECT * FROM va JOIN t ON t.c = 1", "t(a,b,c,d,e,id,n) where a = 5,t(a,b,c,d,e,id,n) where c = 1,va(a,b)"),
    ("SELECT * FROM vu", "t(b,id),u(a,tid) where a > 3,vu(b)"),
    ("SELECT b FROM t WHERE a = 1 ORDER BY c LIMIT 3 OFFSET 1", "t(a,b,c) where a = 1"),
    ("SELECT b FROM t WHERE a = 1 ORDER BY (SELECT max(a) FROM u WHERE k = 'x') DESC NULLS LAST", "t(a,b) where a = 1,u(a,k) where k = \"x\""),
    ("SELECT max(c), count(*) FILTER (WHERE b = 'y') FROM t WHERE a = 1 GROUP BY b HAVING max(c) > 3", "t(a,b,c) where a = 1"),
    ("SELECT row_number() OVER (PARTITION BY b ORDER BY c) FROM t WHERE a = 1", "t(a,b,c) where a = 1"),
    ("SELECT sum(c) OVER win FROM t WHERE a = 1 WINDOW win AS (ORDER BY b ROWS 3 PRECEDING)", "t(a,b,c) where a = 1"),
    ("SELECT count(*) FROM t", "t()"),
    ("SELECT count(*) FROM t WHERE a = 1", "t(a) where a = 1"),
    ("SELECT 1 FROM t WHERE d IN u", ""),
    ("VALUES (1), ((SELECT max(a) FROM t WHERE b = 'x'))", "t(a,b) where b = \"x\""),
    ("SELECT CAST(a AS DECIMAL(10, 2)) x FROM t WHERE a = 1;", "t(a) where a = 1"),
    ("SELECT a, value FROM t, json_each(t.b) WHERE t.a = 1", "json_each(value),t(a,b) where a = 1"),
    ("SELECT z FROM g WHERE s = 2 AND a = 1", "g(a,s,z) where a = 1"),
    ("SELECT any FROM s WHERE any = '1'", "s(any)"),
    ("SELECT any FROM s WHERE any = 1", "s(any) where any = 1"),
    ("SELECT b FROM t INDEXED BY nothing WHERE a = 1", ""),
    ("SELECT b FROM t NOT INDEXED WHERE a = 1", "t(a,b) where a = 1"),
    ("EXPLAIN SELECT b FROM t WHERE a = 1", "t(a,b)"),
    ("UPDATE t SET b = 'x' WHERE a = 1", "t(a)"),
    ("DELETE FROM t WHERE a = 1 RETURNING b", "t(a,b)"),
    ("INSERT INTO u (k) SELECT b FROM t WHERE a = 1", "t(a,b)"),
  ])
  func queriesInferRegions(sql: String, region: String) throws {
    // Invalid queries have no region.
    if region.isEmpty {
      #expect(throws: DatabaseError.self) { try expectRegion(sql, region) }
    } else {
      try expectRegion(sql, region)
    }
  }
}
