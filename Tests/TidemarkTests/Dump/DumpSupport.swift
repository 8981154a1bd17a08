import Testing
import Tidemark

/// A stream that keeps the written text.
final class DumpedText: TextOutputStream {
  private(set) var text = ""
  private(set) var writeCount = 0

  func write(_ string: String) {
    text += string
    writeCount += 1
  }
}

/// Runs a closure on a new database in memory, with all kinds of values.
@discardableResult
func inDumpedValues<T>(_ body: (Database) throws -> T) throws -> T {
  try inMemory { db in
    try db.execute(sql: Dumped.values)
    // SQL has no literal for the negative zero.
    try db.execute(sql: "UPDATE val SET r = ? WHERE rowid = 5", arguments: [-0.0])
    return try body(db)
  }
}

/// The text that a closure writes.
func dumped(_ body: (DumpedText) throws -> Void) rethrows -> String {
  let stream = DumpedText()
  try body(stream)
  return stream.text
}

/// The schema and the rows of the tests of dumps.
enum Dumped {
  static let values = """
    CREATE TABLE val (n TEXT, t TEXT, b BLOB, i INTEGER, r);
    INSERT INTO val VALUES
      (NULL, 'café', x'616263', 9223372036854775807, 1.5),
      (NULL, '', x'ff00', -1, 1e100),
      ('a', 'tab\tx', x'', 0, 3.0),
      (NULL, 'sl/ash \\ "dq"', x'00112233445566778899aabbccddeeff', 1, 9e999),
      (NULL, 'x', zeroblob(2), 1, 0),
      (NULL, 'x', CAST('0123456789abcdef' AS BLOB), 1, 0.1);
    """

  static let shelves = """
    CREATE TABLE shelf (id INTEGER PRIMARY KEY, label TEXT);
    CREATE TABLE item(id INTEGER PRIMARY KEY, shelfId INTEGER REFERENCES shelf(id), note TEXT);
    CREATE TABLE part (id INTEGER PRIMARY KEY, itemId INTEGER REFERENCES item(id), name TEXT);
    INSERT INTO shelf VALUES (1, 'two\nlines'), (2, 'it''s');
    INSERT INTO item VALUES (1, 1, 'n1'), (2, 1, NULL), (3, 2, 'x');
    INSERT INTO part VALUES (1, 1, 'p1'), (2, 3, 'p2'), (3, 3, 'p3');
    """

  struct Shelf: TableRecord {
    static let items = hasMany(Item.self)
    static let parts = hasMany(Part.self, through: items, using: Item.parts)
  }
  struct Item: TableRecord {
    static let shelf = belongsTo(Shelf.self)
    static let parts = hasMany(Part.self)
  }
  struct Part: TableRecord {
    static let item = belongsTo(Item.self)
  }
}

/// Runs a closure on a new database in memory, with shelves, items and parts.
@discardableResult
func inDumpedShelves<T>(_ body: (Database) throws -> T) throws -> T {
  try inMemory { db in
    try db.execute(sql: Dumped.shelves)
    return try body(db)
  }
}

extension Database {
  /// The text that `dumpSQL` writes.
  func dumpedSQL(_ sql: SQL, _ format: some DumpFormat = .debug()) throws -> String {
    try dumped { try dumpSQL(sql, format: format, to: $0) }
  }

  /// The text that `dumpRequest` writes.
  func dumpedRequest(_ request: some FetchRequest, _ format: some DumpFormat = .debug()) throws -> String {
    try dumped { try dumpRequest(request, format: format, to: $0) }
  }
}
