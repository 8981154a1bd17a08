import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Random texts: most of them are malformed, some are unusual queries.
@Suite struct SyntaxRandomTests {
  private static let isFull = ProcessInfo.processInfo.environment["TIDEMARK_STRESS"] == "1"

  private static let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT);
    CREATE TABLE u (id INTEGER PRIMARY KEY, a INTEGER, c TEXT COLLATE NOCASE);
    CREATE INDEX uByA ON u(a);
    CREATE VIEW v AS SELECT t.id, u.a, b FROM t LEFT JOIN u ON u.id = t.a;
    INSERT INTO t VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 2, NULL), (4, 7, '1');
    INSERT INTO u VALUES (1, 2, 'x'), (2, 1, 'X'), (3, 3, NULL), (7, 1, '2');
    """

  /// The queries that are mutated.
  private static let queries = [
    "SELECT t.a, u.c FROM t JOIN u ON t.a = u.id WHERE t.b = 'x' AND u.a > 1 ORDER BY t.id LIMIT 2",
    "SELECT a FROM t WHERE a IN (1, 2) OR NOT b IS NULL UNION ALL SELECT a FROM u WHERE c LIKE 'x%' ESCAPE '!'",
    "WITH w (n) AS (SELECT 1 UNION ALL SELECT 2) SELECT n, a FROM w LEFT JOIN t ON t.id = n",
    "SELECT count(*), max(b) FROM t WHERE a BETWEEN 1 AND 2 GROUP BY a HAVING count(*) > 1",
    "SELECT CASE a WHEN 1 THEN b ELSE 'z' END FROM v WHERE id <> 2 AND (a = 1 OR b = 'y' COLLATE NOCASE)",
    "SELECT (SELECT c FROM u WHERE u.id = t.a), -a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.id)",
    "SELECT * FROM t NATURAL JOIN u WHERE [a] = 1 AND \"b\" || 'q' <> `c`",
    "SELECT id FROM u INDEXED BY uByA WHERE a >= 1 AND a < 3 AND c = 'X' ORDER BY a DESC, id",
  ]

  /// The tokens that mutations insert: parts of queries, and characters that begin something.
  private static let tokens =
    queries.flatMap { $0.split(separator: " ").map(String.init) } + [
      "'", "\"", "`", "[", "]", "(", ")", ",", ".", ";", "--\n", "/*", "*/", "x'", "x'0f'", "1e", ".5", "0x", "?", "?1",
      ":a",
      "$a(", "=", "<", ">", "|", "-", "->", "~", "+", "%", "é", "\u{0}", "\u{FEFF}", "e\u{301}", "IS", "NOT", "IN",
      "AS", "USING (a)",
      "ON", "FULL", "RIGHT", "CROSS", "VALUES (1)", "DISTINCT", "OVER ()", "FILTER (WHERE a)", "COLLATE", "CAST(",
      "NULL", "t.",
      "rowid", "v", "WINDOW", "INDEXED", "MATERIALIZED",
    ]

  private static func mutated(_ generator: inout SeededRandom) -> String {
    var words = generator.pick(queries).split(separator: " ").map(String.init)
    for _ in 0..<generator.pick([1, 1, 1, 1, 2, 2, 3, 4]) {
      let position = Int.random(in: 0..<words.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0 where words.count > 1: words.remove(at: position)
      case 1: words.insert(generator.pick(tokens), at: position)
      case 2: words[position] = generator.pick(tokens)
      case 3: words.swapAt(position, Int.random(in: 0..<words.count, using: &generator))
      default:
        // Another query in parentheses, or the end of another one.
        let other = generator.pick(queries)
        words.insert(Bool.random(using: &generator) ? "(\(other))" : String(other.suffix(20)), at: position)
      }
    }
    var text = words.joined(separator: generator.pick([" ", " ", " ", "\n", "/**/"]))
    // A text may end anywhere.
    if Int.random(in: 0..<8, using: &generator) == 0 {
      text = String(text.unicodeScalars.prefix(Int.random(in: 0...text.unicodeScalars.count, using: &generator)))
    }
    return text
  }

  @Test func `no text makes the parser trap, and what it knows covers the text`() throws {
    var generator = SeededRandom()
    var (known, unknown) = (0, 0)
    for _ in 0..<(Self.isFull ? 200_000 : 5000) {
      let sql = Self.mutated(&generator)
      if let lexemes = SQLLexeme.all(in: sql) {
        // Tokens are in order, and do not overlap.
        for (one, next) in zip(lexemes, lexemes.dropFirst()) { #expect(one.range.upperBound <= next.range.lowerBound) }
      }
      _ = VirtualTableCreation(sql)
      _ = ParsedQuery(view: sql, after: ParsedQuery.Mentions())
      guard let query = ParsedQuery(sql) else {
        unknown += 1
        continue
      }
      known += 1
      // A parsed text stays parsed with a semicolon, and becomes unknown with anything else at its end.
      #expect(ParsedQuery(sql + "\n;")?.syntax.text == query.syntax.text, "\(sql)")
      // A comment may contain the end.
      let isComment = SQLLexeme.all(in: sql + "\n)")?.count == SQLLexeme.all(in: sql)?.count
      #expect(isComment || ParsedQuery(sql + "\n)") == nil, "\(sql)")
    }
    print("\(known) texts were parsed, \(unknown) were not")
    #expect(known > 100)
    #expect(unknown > 100)
  }

  /// Invariant: a change of the result affects the region, whatever the parser knows of the text.
  @Test func `regions of unusual queries miss no change`() throws {
    var generator = SeededRandom()
    let found = try Self.search(&generator, count: Self.isFull ? 100_000 : 8000) { $0 }
    print("\(found.compiled) queries, \(found.parsed) of them were parsed; \(found.narrow) changes are excluded")
    #expect(found.missed.isEmpty, "\(found.missed.prefix(3).joined(separator: "\n"))")
    #expect(found.compiled > 100)
    #expect(found.parsed > 50)
    #expect(found.narrow > 100)
  }

  /// A control: a region that is too narrow is detected.
  @Test func `a missed change of an unusual query is found`() throws {
    var generator = SeededRandom()
    let found = try Self.search(&generator, count: 3000) { region in
      DatabaseRegion(tables: region.tables?.filter { $0.key.name != "u" })
    }
    #expect(!found.missed.isEmpty)
  }

  private struct Score {
    var (compiled, parsed, narrow) = (0, 0, 0)
    var missed: [String] = []
  }

  private static func search(
    _ generator: inout SeededRandom, count: Int, transforming transform: (DatabaseRegion) -> DatabaseRegion
  ) throws -> Score {
    try inMemory { db in
      try db.execute(sql: schema)
      var score = Score()
      for _ in 0..<count {
        let sql = mutated(&generator)
        // Most texts do not compile.
        guard !mayBeEndless(sql), let before = try? result(db, sql) else { continue }
        score.compiled += 1
        if ParsedQuery(sql) != nil { score.parsed += 1 }
        let region = transform(try db.makeStatement(sql: sql).databaseRegion)
        for _ in 0..<6 {
          let change = try RandomChange(db, &generator)
          try db.execute(sql: "SAVEPOINT s")
          try db.execute(sql: change.sql)
          // The query may fail for other rows: an ESCAPE of several characters, for instance.
          let after = try? result(db, sql)
          try db.execute(sql: "ROLLBACK TO s; RELEASE s")
          let isModified = region.isModified(by: change.change)
          if !isModified { score.narrow += 1 }
          if after != before, !isModified {
            score.missed.append("\(sql): \(region.debugDescription) missed \(change.sql)")
          }
        }
      }
      return score
    }
  }

  /// Whether a mutation may have made a common table recursive.
  private static func mayBeEndless(_ sql: String) -> Bool {
    let words = sql.replacing("/**/", with: " ").replacing("\n", with: " ")
    return words.ranges(of: "WITH").count != words.ranges(of: "WITH w (n) AS (SELECT 1 UNION ALL SELECT 2)").count
  }

  private static func result(_ db: Database, _ sql: String) throws -> [[DatabaseValue.Storage]] {
    let statement = try db.makeStatement(sql: sql)
    guard statement.isReadonly, !statement.parameterNames.contains(where: { $0 != nil }), statement.columnCount > 0
    else {
      throw DatabaseError(message: "not a query")
    }
    return try Row.fetchAll(statement).map { $0.databaseValues.map(\.storage) }
  }
}

/// A change of a row.
private struct RandomChange {
  var sql: String
  var change: RowChange

  init(_ db: Database, _ generator: inout SeededRandom) throws {
    let table = generator.pick(["t", "u"])
    let id = generator.pick(table == "t" ? [1, 2, 3, 4] : [1, 2, 3, 7])
    let text = table == "t" ? "b" : "c"
    func image(_ row: Row) -> RowImage {
      RowImage(rowID: row["id"], values: Dictionary(uniqueKeysWithValues: row.map { ($0, $1) }))
    }
    let old = image(try #require(try Row.fetchOne(db, sql: "SELECT * FROM \(table) WHERE id = ?", arguments: [id])))
    var new = old
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      sql = "DELETE FROM \(table) WHERE id = \(id)"
      change = RowChange(table: TableKey(table), kind: .delete, old: old)
    case 1:
      let newID = generator.pick([5, 6, 0, -1])
      new.rowID = Int64(newID)
      new.values["id"] = newID.databaseValue
      sql = "INSERT INTO \(table) SELECT \(newID), a, \(text) FROM \(table) WHERE id = \(id)"
      change = RowChange(table: TableKey(table), kind: .insert, new: new)
    case 2:
      let value = Int.random(in: 0...8, using: &generator)
      new.values["a"] = value.databaseValue
      sql = "UPDATE \(table) SET a = \(value) WHERE id = \(id)"
      change = RowChange(table: TableKey(table), kind: .update, old: old, new: new, changedColumns: ["a"])
    default:
      let value = generator.pick(["x", "X", "y", "", "1"])
      new.values[text] = value.databaseValue
      sql = "UPDATE \(table) SET \(text) = '\(value)' WHERE id = \(id)"
      change = RowChange(table: TableKey(table), kind: .update, old: old, new: new, changedColumns: [text])
    }
  }
}
