import Testing
import Tidemark

/// The tables of most examples of requests, and their record types.
enum Shelves {
  static let sql = """
    CREATE TABLE author (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, country TEXT);
    CREATE TABLE book (
      id INTEGER PRIMARY KEY, title TEXT NOT NULL, authorId INTEGER REFERENCES author (id), year INTEGER,
      isRare BOOLEAN NOT NULL DEFAULT 0);
    CREATE TABLE reader (id TEXT PRIMARY KEY, email TEXT UNIQUE);
    CREATE TABLE reading (bookId INTEGER, readerId TEXT, score INTEGER, PRIMARY KEY (bookId, readerId));
    CREATE TABLE shelf (label TEXT, room TEXT);
    CREATE VIEW rareBook AS SELECT * FROM book WHERE isRare;
    INSERT INTO author VALUES (1, 'Ursula', 'US'), (2, 'Stanislaw', 'PL');
    INSERT INTO book VALUES (1, 'Rocannon', 1, 1966, 1), (2, 'Solaris', 2, 1961, 0), (3, 'Eden', 2, 1959, 1);
    INSERT INTO reader VALUES ('r', 'r@x.org'), ('s', NULL);
    INSERT INTO reading VALUES (1, 'r', 5), (2, 'r', 3), (2, 's', 4);
    INSERT INTO shelf VALUES ('a', 'hall'), ('b', NULL);
    """

  struct Book: TableRecord, FetchableRecord, Identifiable, Hashable {
    enum Columns {
      static let id = Column(CodingKeys.id)
      static let title = Column(CodingKeys.title)
      static let authorId = Column(CodingKeys.authorId)
      static let year = Column(CodingKeys.year)
      static let isRare = Column(CodingKeys.isRare)
      static var isOld: SQLExpression { year < 1960 }
    }
    enum CodingKeys: String, CodingKey { case id, title, authorId, year, isRare }

    var id: Int64
    var title: String

    init(row: Row) throws {
      id = row["id"]
      title = row["title"]
    }
  }

  struct Author: TableRecord, FetchableRecord, Identifiable {
    enum Columns: String, ColumnExpression { case id, name, country }
    var id: Int64?
    var name: String?
    init(row: Row) throws {
      id = row["id"]
      name = row["name"]
    }
  }

  struct Reader: TableRecord, FetchableRecord, Identifiable {
    var id: String
    init(row: Row) throws { id = row["id"] }
  }

  struct Reading: TableRecord, FetchableRecord {
    var score: Int?
    init(row: Row) throws { score = row["score"] }
  }

  struct Shelf: TableRecord, FetchableRecord {
    var label: String?
    init(row: Row) throws { label = row["label"] }
  }
}

/// Runs a closure on a new database in memory, with shelves of books.
@discardableResult
func inShelves<T>(_ body: (Database) throws -> T) throws -> T {
  try inMemory { db in
    try db.execute(sql: Shelves.sql)
    return try body(db)
  }
}

/// The SQL that a closure executes on shelves of books, with its values.
func traced(_ body: (Database) throws -> Void) throws -> [String] {
  try inShelves { db in
    try trace(db) { try body(db) }
  }
}

/// The SQL that a closure executes, with its values, without queries of the schema.
func trace(_ db: Database, _ body: () throws -> Void) throws -> [String] {
  let recorder = TraceRecorder()
  db.trace { recorder.append($0.expandedDescription) }
  defer { db.trace(nil) }
  try body()
  return recorder.lines.filter { !$0.hasPrefix("PRAGMA") && !$0.contains("sqlite_") && !$0.contains("pragma_") }
}

/// The SQL of an expression, a selection or an ordering.
func expectSQL(
  _ literal: SQL, _ sql: String, _ arguments: StatementArguments = [],
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let built = try inMemory { try literal.build($0) }
  #expect(built.sql == sql, sourceLocation: sourceLocation)
  #expect(built.arguments == arguments, sourceLocation: sourceLocation)
}

extension Database {
  /// The SQL of a request that fetches all rows.
  func expectSQL(
    _ request: some FetchRequest, _ sql: String, _ arguments: StatementArguments = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectSQL(request, isSingle: false, sql, arguments, sourceLocation)
  }

  /// The SQL of a request that fetches one row.
  func expectOne(
    _ request: some FetchRequest, _ sql: String, _ arguments: StatementArguments = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expectSQL(request, isSingle: true, sql, arguments, sourceLocation)
  }

  private func expectSQL(
    _ request: some FetchRequest, isSingle: Bool, _ sql: String, _ arguments: StatementArguments,
    _ sourceLocation: SourceLocation
  ) throws {
    let statement = try request.makePreparedRequest(self, forSingleResult: isSingle).statement
    #expect(statement.sql == sql, sourceLocation: sourceLocation)
    #expect(statement.arguments == arguments, sourceLocation: sourceLocation)
  }
}
