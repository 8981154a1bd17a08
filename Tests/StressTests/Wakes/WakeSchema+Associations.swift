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
    let tables = [
      table(
        "author", ["id", "n", "mentorId", "name"],
        "id INTEGER PRIMARY KEY, n INT, mentorId INT REFERENCES author \(action()), name TEXT"),
      table(
        "book", ["id", "n", "authorId", "title"],
        "id INTEGER PRIMARY KEY, n INT, authorId INT DEFAULT 1 REFERENCES author \(action()), title TEXT"),
      table(
        "profile", ["id", "n", "authorId"],
        "id INTEGER PRIMARY KEY, n INT, authorId INT \(isUnique ? "UNIQUE" : "") REFERENCES author \(action())"),
      table("tag", ["name", "n"], "name TEXT PRIMARY KEY, n INT", key: "n", suffix: "WITHOUT ROWID"),
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
    schema.copyStatement = "INSERT INTO book (n, authorId, title) SELECT n, authorId, title FROM book LIMIT "
    schema.blob = ("book", "title")
    schema.schemaChanges = { number in
      [
        "ALTER TABLE book ADD COLUMN e\(number) DEFAULT 3", "ALTER TABLE author ADD COLUMN e\(number)",
        "CREATE INDEX shop_i\(number) ON shop (n)", "DROP INDEX IF EXISTS book_author",
        "DROP TABLE IF EXISTS temp.book",
        "CREATE TEMP TABLE book (id INTEGER PRIMARY KEY, n INT, authorId INT, title TEXT)", "ANALYZE", "REINDEX",
        "VACUUM",
      ]
    }
    return schema
  }

  /// Rows to which most foreign keys refer.
  private static var rows: [String] {
    let numbers = "WITH RECURSIVE number (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM number WHERE i < 9)"
    return [
      "\(numbers) INSERT INTO author SELECT i, i % 4, nullif(i / 2, i), 'author' || i FROM number",
      "\(numbers) INSERT INTO book SELECT i, i % 5, i % 3, 'book' || i FROM number",
      "\(numbers) INSERT INTO tag SELECT i, i % 3 FROM number",
      "\(numbers) INSERT INTO place SELECT a.i, b.i, (a.i + b.i) % 6 FROM number a, number b WHERE (a.i + b.i) % 3 < 2",
      "\(numbers) INSERT INTO shop SELECT i, i % 4, i, 0, i % 5 FROM number WHERE i % 3 < 2",
    ]
  }

  private static func table(
    _ name: String, _ columns: [String], _ definition: String, key: String = "id", suffix: String = ""
  ) -> (statement: String, table: Table) {
    ("CREATE TABLE \(name) (\(definition)) \(suffix)", Table(sql: name, columns: columns, key: key))
  }
}

enum Author: TableRecord {
  static let mentor = belongsTo(Author.self, key: "mentor", using: ForeignKey(["mentorId"]))
  static let pupils = hasMany(Author.self, key: "pupils", using: ForeignKey(["mentorId"]))
  static let books = hasMany(Book.self)
  static let profile = hasOne(Profile.self)
  static let shops = hasMany(Shop.self, using: ForeignKey(["authorId"]))
  static let tags = hasMany(Tag.self, through: books, using: Book.tags)
  static let places = hasMany(Place.self, through: shops, using: Shop.place)
  static let notes = hasMany(Note.self, through: books, using: Book.notes)
}

enum Book: TableRecord {
  static let author = belongsTo(Author.self)
  static let bookTags = hasMany(BookTag.self)
  static let tags = hasMany(Tag.self, through: bookTags, using: BookTag.tag)
  static let notes = hasMany(Note.self)
  static let profile = hasOne(Profile.self, through: author, using: Author.profile)
  static let shops = hasMany(Shop.self, through: author, using: Author.shops)
}

enum Profile: TableRecord {
  static let author = belongsTo(Author.self)
  static let books = hasMany(Book.self, through: author, using: Author.books)
}

enum Tag: TableRecord {
  static let bookTags = hasMany(BookTag.self)
  static let books = hasMany(Book.self, through: bookTags, using: BookTag.book)
}

enum BookTag: TableRecord {
  static let book = belongsTo(Book.self)
  static let tag = belongsTo(Tag.self)
}

enum Place: TableRecord {
  static let shops = hasMany(Shop.self)
  static let visits = hasMany(Visit.self, through: shops, using: Shop.visits)
  static let owners = hasMany(Author.self, through: shops, using: Shop.author)
}

enum Shop: TableRecord {
  static let place = belongsTo(Place.self)
  static let author = belongsTo(Author.self, using: ForeignKey(["authorId"]))
  static let visits = hasMany(Visit.self)
  static let neighbors = hasMany(Shop.self, through: place, using: Place.shops, key: "neighbors")
}

enum Visit: TableRecord {
  static let shop = belongsTo(Shop.self)
  static let place = hasOne(Place.self, through: shop, using: Shop.place)
}

enum Note: TableRecord {
  static let book = belongsTo(Book.self)
}
