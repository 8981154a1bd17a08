// Texts of SQL.

extension FuzzInput {
  /// The rest of the input as SQL: as written, or as numbers of tokens, which make valid statements more frequent.
  mutating func sql() -> String {
    if byte() & 1 == 0 { return restText() }
    var sql = ""
    while !isAtEnd {
      let byte = byte()
      if byte >= 0xFE {
        sql += text()
      } else {
        let token = Self.tokens[Int(byte) % Self.tokens.count]
        sql += Self.isWord(sql.unicodeScalars.last) && Self.isWord(token.unicodeScalars.first) ? " " + token : token
      }
    }
    return sql
  }

  private static func isWord(_ scalar: Unicode.Scalar?) -> Bool {
    scalar.map { $0.properties.isAlphabetic || $0.properties.numericType != nil } ?? false
  }

  /// The tables that the tokens name.
  static let schema = """
    CREATE TABLE a (id INTEGER PRIMARY KEY, x, y TEXT COLLATE NOCASE, z INTEGER REFERENCES b(id));
    CREATE TABLE b (id INTEGER PRIMARY KEY, x, w REAL);
    CREATE TABLE c (k TEXT PRIMARY KEY, x) WITHOUT ROWID;
    CREATE TABLE "d e" (id, "f g");
    CREATE INDEX ax ON a(x);
    INSERT INTO b VALUES (1, 1, 0.5), (2, 2, 1.5);
    INSERT INTO a VALUES (1, 1, 'p', 1), (2, 'two', 'P', 2), (3, NULL, 'q', NULL);
    INSERT INTO c VALUES ('p', 1), ('q', 2);
    INSERT INTO "d e" VALUES (1, 2);
    """

  private static let tokens = [
    " ", ",", "(", ")", ";", "*", "a", "b", "c", "id", "x", "y", "z", "w", "k", "\"d e\"", "[f g]", "a.x", "b.id",
    "a.id", "SELECT ", "FROM ", "WHERE ", "SELECT * FROM a ", "SELECT x FROM b ", "AS ", "t", "u", "t.x", "u.id",
    "JOIN ", "LEFT JOIN ", "NATURAL JOIN ", "CROSS JOIN ", "RIGHT JOIN ", "FULL JOIN ", "ON ", "USING (id) ",
    "GROUP BY ", "HAVING ", "ORDER BY ", "LIMIT ", "OFFSET ", "DESC ", "NULLS LAST ", "UNION ", "UNION ALL ",
    "EXCEPT ", "INTERSECT ", "VALUES ", "WITH ", "RECURSIVE ", "AND ", "OR ", "NOT ", "IN ", "IN (1, 2) ", "EXISTS ",
    "BETWEEN 1 AND 2 ", "LIKE 'p%' ", "GLOB ", "ESCAPE '!' ", "IS ", "IS NOT ", "NULL ", "ISNULL ", "COLLATE NOCASE ",
    "CASE WHEN ", "THEN ", "ELSE ", "END ", "CAST(x AS TEXT) ", "count(*) ", "max(x) ", "sum(DISTINCT x) ",
    "row_number() OVER ", "OVER w ", "WINDOW w AS ", "PARTITION BY ", "FILTER (WHERE ", "INSERT INTO b VALUES ",
    "UPDATE a SET x = ", "DELETE FROM c ", "RETURNING * ", "ON CONFLICT DO NOTHING ", "CREATE TABLE n ",
    "CREATE VIEW v AS ", "CREATE TRIGGER r AFTER INSERT ON a BEGIN ", "CREATE INDEX i ON a", "DROP TABLE b ",
    "PRAGMA ", "user_version ", "EXPLAIN ", "BEGIN ", "COMMIT ", "?", "?1", ":n", "@n", "$n::m(1)", "=", "<", ">=",
    "<>", "+", "-", "/", "%", "||", "&", "~", "->", "->>", ".", "1", "2", "0", "3.5", "1e3", "0x1F", ".5", "'p'",
    "'it''s'", "x'0A'", "\"x\"", "`x`", "-- c\n", "/* c */", "\n", "\t", "\u{C}", "\u{B}", "\u{FEFF}", "é", "ſ", "ı",
    "DISTINCT ", "MATERIALIZED ", "INDEXED BY ax ", "json_each('[1]') ", "pragma_table_info('a') ", "abs(x) ", "main.",
    "temp.", "rowid ", "#", "{", "\\", "!", "[", "]", "'", "\"",
  ]
}
