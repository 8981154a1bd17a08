import StressSupport
import Synchronization
import Tidemark

/// Lists in a database, whose writes and reads are recorded.
struct ListStore: Sendable {
  static let keyCount = 6

  let pool: DatabasePool
  let recorder = HistoryRecorder(keyCount: keyCount)
  private let values = ValueSource()

  init(_ pool: DatabasePool) throws {
    self.pool = pool
    try pool.write { db in
      try db.execute(sql: "CREATE TABLE list (key INTEGER PRIMARY KEY, items TEXT NOT NULL)")
      try db.execute(sql: "CREATE TABLE counter (n INTEGER NOT NULL)")
      try db.execute(sql: "INSERT INTO counter VALUES (0)")
      for key in 0..<Self.keyCount { try db.execute(sql: "INSERT INTO list VALUES (?, '')", arguments: [key]) }
    }
  }

  /// A store that was made before.
  init(existing pool: DatabasePool) {
    self.pool = pool
  }

  // MARK: Writes

  /// One to three values, which no other operation appends, for random keys.
  func appends(_ numbers: inout RandomNumbers) -> [(key: Int, value: Int)] {
    (0...numbers.below(3)).map { _ in (numbers.below(Self.keyCount), values.next()) }
  }

  /// Appends, and returns the number of the commit.
  static func append(_ appends: [(key: Int, value: Int)], _ db: Database) throws -> Int {
    for append in appends {
      try db.execute(
        sql: "UPDATE list SET items = items || ? WHERE key = ?", arguments: ["\(append.value),", append.key])
    }
    try db.execute(sql: "UPDATE counter SET n = n + 1")
    return try Int.fetchOne(db, sql: "SELECT n FROM counter") ?? 0
  }

  func record(_ appends: [(key: Int, value: Int)], since begin: Int, commit: Int) {
    recorder.record(.init(commit: commit, appends: appends, begin: begin, end: recorder.now()))
  }

  // MARK: Reads

  /// The lists of some keys, each read by a statement of its own.
  static func lists(_ db: Database, of keys: Range<Int> = 0..<keyCount) throws -> History.Lists {
    try keys.map { key in
      let text = try String.fetchOne(db, sql: "SELECT items FROM list WHERE key = ?", arguments: [key]) ?? ""
      return text.split(separator: ",").map { Int($0) ?? -1 }
    }
  }

  func record(_ lists: History.Lists, since begin: Int, session: Int, kind: String, commit: Int? = nil) {
    recorder.record(
      .init(session: session, lists: lists, begin: begin, end: recorder.now(), commit: commit, kind: kind))
  }
}

/// Numbers, each once.
private final class ValueSource: Sendable {
  private let last = Atomic<Int>(0)

  func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
