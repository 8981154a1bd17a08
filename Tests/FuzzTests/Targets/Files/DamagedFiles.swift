import CSQLite
import Foundation
import TidemarkEssentials

/// A small valid database, of which inputs make damaged files.
struct BaseFile: Sendable {
  static let pageSize = 512

  /// The size of the header of a log, and of the header of a frame.
  static let logHeaderSize = 32
  static let frameHeaderSize = 24

  var database: [UInt8]

  /// The write-ahead log; empty in other journal modes.
  var log: [UInt8] = []

  static let tables = ["a", "b", "c", "missing", "sqlite_schema"]

  /// Rows with long values, so that there are overflow pages, several levels of trees, and free pages.
  private static let schema = """
    CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, x, y TEXT DEFAULT 'y', z AS (length(x)));
    CREATE TABLE b (k TEXT PRIMARY KEY, v REAL CHECK (v IS NOT 0)) WITHOUT ROWID;
    CREATE TABLE c (x INTEGER REFERENCES a(id), y BLOB, UNIQUE (y, x));
    CREATE INDEX ax ON a(x, y) WHERE x IS NOT NULL;
    CREATE VIEW va AS SELECT a.id, c.y FROM a JOIN c ON c.x = a.id;
    CREATE TRIGGER ta AFTER INSERT ON a BEGIN INSERT INTO c VALUES (new.id, new.x); END;
    """

  private static func content(from first: Int) -> String {
    """
    WITH n(i) AS (SELECT \(first) UNION ALL SELECT i + 1 FROM n WHERE i < \(first + 39))
    INSERT INTO a (id, x) SELECT i, substr(hex(i) || '0123456789abcdef', 1, i % 20) FROM n;
    INSERT INTO b SELECT 'key' || id, id / 2.0 FROM a WHERE id >= \(first);
    UPDATE a SET y = printf('%0900d', id) WHERE id % 17 = 3;
    DELETE FROM a WHERE id % 5 = 2;
    """
  }

  /// A database without a log, one with auto-vacuum and full-text tables, and one with a log.
  static func all(in folder: String) throws -> [BaseFile] {
    let pragmas = "PRAGMA page_size = \(pageSize); "
    let plain = try create(in: folder, sql: pragmas + schema + content(from: 1)) { _ in }
    let vacuumed = try create(
      in: folder,
      sql: pragmas + "PRAGMA auto_vacuum = INCREMENTAL; " + schema
        + """
        CREATE VIRTUAL TABLE f5 USING fts5(t, content=''); INSERT INTO f5 VALUES ('quick fox');
        CREATE VIRTUAL TABLE f4 USING fts4(t); INSERT INTO f4 VALUES ('lazy dog');
        CREATE VIRTUAL TABLE rt USING rtree(id, x0, x1); INSERT INTO rt VALUES (1, 0.5, 2.5);
        """ + content(from: 1)
    ) { _ in }
    let logged = try create(in: folder, sql: pragmas + "PRAGMA journal_mode = WAL; " + schema) { pointer in
      try execute("PRAGMA wal_checkpoint; " + content(from: 1) + content(from: 41), pointer)
    }
    return [plain, vacuumed, logged]
  }

  /// Creates a database, and reads its files while it is open.
  private static func create(
    in folder: String, sql: String, _ body: (OpaquePointer) throws -> Void
  ) throws -> BaseFile {
    let path = folder + "/base"
    removeFiles(path)
    defer { removeFiles(path) }
    var opened: OpaquePointer?
    guard sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK, let opened
    else { throw FuzzFailure("SQLite cannot create \(path)") }
    defer { sqlite3_close(opened) }
    try execute(sql, opened)
    try body(opened)
    let log = FileManager.default.contents(atPath: path + "-wal")
    let database = try unwrap(FileManager.default.contents(atPath: path), "\(path) cannot be read")
    return BaseFile(database: Array(database), log: log.map { Array($0) } ?? [])
  }

  private static func execute(_ sql: String, _ pointer: OpaquePointer) throws {
    guard sqlite3_exec(pointer, sql, nil, nil, nil) == SQLITE_OK else {
      throw FuzzFailure(String(cString: sqlite3_errmsg(pointer)))
    }
  }

  static func removeFiles(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
  }
}

// MARK: - Damage

extension BaseFile {
  /// Changes the database as an input says.
  mutating func damage(_ input: inout FuzzInput) {
    while !input.isAtEnd { Self.damage(&database, &input, header: 0, page: Self.pageSize) }
  }

  /// Changes the log as an input says. Its checksums may be corrected, so that SQLite reads the changed frames.
  mutating func damageLog(_ input: inout FuzzInput) {
    let isCorrected = input.choice(4) != 0
    while !input.isAtEnd {
      Self.damage(&log, &input, header: Self.logHeaderSize, page: Self.pageSize + Self.frameHeaderSize)
    }
    if isCorrected { correctChecksums() }
  }

  private static func damage(_ bytes: inout [UInt8], _ input: inout FuzzInput, header: Int, page: Int) {
    let kind = input.choice(8)
    let pageIndex = Int(input.byte())
    let offset = Int(input.byte()) | Int(input.byte() & 1) << 8
    let start = kind == 0 ? offset % 100 : header + pageIndex * page + offset
    switch kind {
    case 0...3: replace(&bytes, at: start, by: input.part())
    // A number of a page, a cell, or a field with four bytes.
    case 4: replace(&bytes, at: start & ~3, by: [0, 0, 0, input.byte()])
    case 5: replace(&bytes, at: start & ~1, by: [input.byte(), input.byte()])
    case 6:
      // A copy of another page.
      let source = header + Int(input.byte()) * page
      guard source + page <= bytes.count else { return }
      replace(&bytes, at: header + pageIndex * page, by: Array(bytes[source..<source + page]))
    default:
      if input.bool() {
        bytes.removeLast(max(0, bytes.count - start))
      } else {
        bytes += [UInt8](repeating: input.byte(), count: offset)
      }
    }
  }

  private static func replace(_ bytes: inout [UInt8], at start: Int, by new: [UInt8]) {
    for (index, byte) in new.enumerated() where start + index < bytes.count { bytes[start + index] = byte }
  }

  /// Writes the checksums that the header and the frames of the log must have.
  private mutating func correctChecksums() {
    guard log.count >= Self.logHeaderSize else { return }
    let isBigEndian = log[3] & 1 == 1
    var sums: (UInt32, UInt32) = (0, 0)
    func add(_ range: Range<Int>) {
      for start in stride(from: range.lowerBound, to: range.upperBound - 7, by: 8) {
        let (first, second) = (word(start, isBigEndian), word(start + 4, isBigEndian))
        sums.0 = sums.0 &+ first &+ sums.1
        sums.1 = sums.1 &+ second &+ sums.0
      }
    }
    add(0..<24)
    write(sums, at: 24)
    let frame = Self.frameHeaderSize + Self.pageSize
    var start = Self.logHeaderSize
    while start + frame <= log.count {
      add(start..<start + 8)
      add(start + Self.frameHeaderSize..<start + frame)
      write(sums, at: start + 16)
      start += frame
    }
  }

  private func word(_ start: Int, _ isBigEndian: Bool) -> UInt32 {
    let bytes = log[start..<start + 4]
    return isBigEndian ? bytes.reduce(0) { $0 << 8 | UInt32($1) } : bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private mutating func write(_ sums: (UInt32, UInt32), at start: Int) {
    for (index, sum) in [sums.0, sums.1].enumerated() {
      for byte in 0..<4 { log[start + 4 * index + byte] = UInt8(truncatingIfNeeded: sum >> UInt32(24 - 8 * byte)) }
    }
  }
}
