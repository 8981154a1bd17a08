import StressSupport

import Tidemark

extension WakeSchema {
  /// Returns a random schema of associated tables. All tables have a column `n`.
  static func associations(_ random: inout RandomNumbers) -> WakeSchema {
    func action() -> String {
      let actions = ["CASCADE", "SET NULL", "SET DEFAULT", "NO ACTION"]
      return "ON DELETE \(random.pick(actions)) ON UPDATE \(random.pick(actions)) DEFERRABLE INITIALLY DEFERRED"
    }
    let isUnique = random.once(in: 3)
    // The columns of a foreign key may have another affinity or collation than the columns that they refer to.
    let affinity = random.pick(["INT", "INT", "INT", "TEXT", "BLOB"])
    let collation = random.pick(["", "", "COLLATE NOCASE"])
    let tables = [
      table(
        "author", ["id", "n", "mentorId", "name"],
        "id INTEGER PRIMARY KEY, n INT, mentorId INT REFERENCES author \(action()), name TEXT"),
      table(
        "book", ["id", "n", "authorId", "title"],
        "id INTEGER PRIMARY KEY, n INT, authorId \(affinity) DEFAULT 1 REFERENCES author \(action()), title TEXT"),
      table(
        "profile", ["id", "n", "authorId"],
        "id INTEGER PRIMARY KEY, n INT, authorId INT \(isUnique ? "UNIQUE" : "") REFERENCES author \(action())"),
      table("tag", ["name", "n"], "name TEXT \(collation) PRIMARY KEY, n INT", key: "n", suffix: "WITHOUT ROWID"),
      table(
        "bookTag", ["bookId", "tagName", "n"],
        """
        bookId INT REFERENCES book \(action()), tagName TEXT REFERENCES tag \(action()), n INT,
        PRIMARY KEY (bookId, tagName)
        """, key: "bookId", suffix: random.once(in: 2) ? "WITHOUT ROWID" : ""),
      table(
        "place", ["country", "city", "n"], "country INT, city INT, n INT, PRIMARY KEY (country, city)", key: "city"),
      table(
        "shop", ["id", "n", "country", "city", "authorId"],
        """
        id INTEGER PRIMARY KEY, n INT, country INT, city INT, authorId INT,
        FOREIGN KEY (country, city) REFERENCES place \(action())
        """),
      table("visit", ["id", "n", "shopId"], "id INTEGER PRIMARY KEY, n INT, shopId INT REFERENCES shop \(action())"),
      table("note", ["n", "bookId"], "n INT, bookId INT REFERENCES book \(action())", key: "rowid"),
    ]
    var statements = rows
    statements.append("CREATE VIEW bigBook AS SELECT id, n, authorId FROM book WHERE n > 2")
    if random.once(in: 2) {
      statements += ["CREATE INDEX book_author ON book (authorId)", "CREATE INDEX shop_place ON shop (country, city)"]
    }
    if random.once(in: 3) {
      statements.append(
        "CREATE TRIGGER note_t AFTER INSERT ON note BEGIN UPDATE book SET n = n + 1 WHERE id = new.bookId; END")
    }
    if random.once(in: 3) { statements.append("PRAGMA recursive_triggers = ON") }
    var schema = WakeSchema(tables, statements: statements)
    schema.largeTables = []
    // Joins of large tables would have millions of rows.
    schema.copyStatement = """
      INSERT INTO book (n, authorId, title) \
      SELECT n, authorId, title FROM book WHERE (SELECT count(*) FROM book) < 100 LIMIT
      """ + " "
    schema.refillStatements = rows
    schema.blob = ("book", "title")
    // Without foreign keys, most requests fail while the temporary table exists.
    let temporaryTable = [
      "DROP TABLE IF EXISTS temp.book",
      "CREATE TEMP TABLE book (id INTEGER PRIMARY KEY, n INT, authorId INT, title TEXT)",
    ]
    let otherChanges = random.once(in: 4) ? temporaryTable : []
    schema.schemaChanges = { number in
      [
        "ALTER TABLE book ADD COLUMN e\(number) DEFAULT 3", "ALTER TABLE author ADD COLUMN e\(number)",
        "CREATE INDEX shop_i\(number) ON shop (n)", "DROP INDEX IF EXISTS book_author", "ANALYZE", "REINDEX",
        "VACUUM",
      ] + otherChanges
    }
    return schema
  }

  /// Rows to which most foreign keys refer.
  private static var rows: [String] {
    let numbers = "WITH RECURSIVE number (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM number WHERE i < 9)"
    return [
      "\(numbers) INSERT OR IGNORE INTO author SELECT i, i % 4, nullif(i / 2, i), 'author' || i FROM number",
      "\(numbers) INSERT OR IGNORE INTO book SELECT i, i % 5, i % 3, 'book' || i FROM number",
      "\(numbers) INSERT OR IGNORE INTO tag SELECT i, i % 3 FROM number",
      """
      \(numbers) INSERT OR IGNORE INTO place
      SELECT a.i, b.i, (a.i + b.i) % 6 FROM number a, number b WHERE (a.i + b.i) % 3 < 2
      """,
      "\(numbers) INSERT OR IGNORE INTO shop SELECT i, i % 4, i, 0, i % 5 FROM number WHERE i % 3 < 2",
      "\(numbers) INSERT OR IGNORE INTO profile SELECT i, i % 4, i FROM number WHERE i % 4 > 0",
      "\(numbers) INSERT OR IGNORE INTO bookTag SELECT i, (i + j) % 7, i % 5 FROM number, (SELECT 0 AS j UNION SELECT 3)",
      "\(numbers) INSERT OR IGNORE INTO visit SELECT i, i % 3, i / 2 FROM number WHERE i / 2 % 3 < 2",
      "\(numbers) INSERT INTO note SELECT i % 4, i / 2 FROM number WHERE (SELECT count(*) FROM note) < 5",
    ]
  }

  private static func table(
    _ name: String, _ columns: [String], _ definition: String, key: String = "id", suffix: String = ""
  ) -> (statement: String, table: Table) {
    ("CREATE TABLE \(name) (\(definition)) \(suffix)", Table(sql: name, columns: columns, key: key))
  }
}
