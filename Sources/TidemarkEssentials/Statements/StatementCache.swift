/// Prepared statements kept for their next use, by the text of their SQL.
///
/// Compiling costs tens of microseconds, finding a statement here some tens of nanoseconds. The number
/// of statements is bounded: when there are too many, the half that was used least recently goes.
///
/// A statement may be here and in use. Whoever starts one that is already running runs a copy
/// (`Statement.idle()`). One that is lent is given to nobody.
///
/// Texts are the same when their bytes are. Swift finds the letter é equal to the letter e and its accent; SQLite,
/// and what it answers, do not.
final class StatementCache {
  private final class Entry {
    let sql: SQLBytes
    let statement: Statement
    @exclusivity(unchecked) var lastUse: UInt64 = 0

    init(_ sql: String, _ statement: Statement) {
      self.sql = SQLBytes(sql: sql)
      self.statement = statement
    }
  }

  @exclusivity(unchecked) private var entries: [Entry] = []

  // Where each is, when they are more than a few. Few are found by looking at each. Besides, the first dictionary of a
  // type of its own has the runtime look through all conformances of the process: 240,000 instructions of the million
  // that it takes to open a pool. (`Dictionary()`, and not a literal: there a literal is a call.)
  @exclusivity(unchecked) private var places: [SQLBytes: Int] = Dictionary()
  private static let fewCount = 8

  @exclusivity(unchecked) private var clock: UInt64 = 0
  private let countMax: Int
  private let sqlByteCountMax: Int

  // The same statement is most often used several times in a row: then its text is compared, which is
  // quick for the same literal, and not hashed.
  @exclusivity(unchecked) private var latest: Entry?

  /// - parameter countMax: How many statements are kept.
  /// - parameter sqlByteCountMax: How long their texts are at most. A longer text was most likely generated, with
  ///   its values inside: it will not come again.
  init(countMax: Int, sqlByteCountMax: Int = 16_384) {
    self.countMax = countMax
    self.sqlByteCountMax = sqlByteCountMax
  }

  var count: Int { entries.count }

  func statement(for sql: String) -> Statement? {
    if let latest, latest.sql.isSame(as: sql) {
      if latest.statement.isLent { return nil }
      use(latest)
      return latest.statement
    }
    guard let place = place(of: sql), !entries[place].statement.isLent else { return nil }
    let entry = entries[place]
    use(entry)
    latest = entry
    return entry.statement
  }

  func insert(_ statement: Statement, for sql: String) {
    guard countMax > 0, sql.utf8.count <= sqlByteCountMax else { return }
    if entries.count >= countMax { removeLeastRecentlyUsed() }
    let entry = Entry(sql, statement)
    use(entry)
    // There may have been another statement of that text.
    if let place = place(of: sql) {
      entries[place] = entry
    } else {
      entries.append(entry)
      if places.isEmpty { findPlaces() } else { places[entry.sql] = entries.count - 1 }
    }
    latest = entry
  }

  /// Forgets a statement: one that failed is compiled again next time.
  func remove(_ statement: Statement) {
    guard let place = entries.firstIndex(where: { $0.statement === statement }) else { return }
    entries.remove(at: place)
    findPlaces()
    latest = nil
  }

  func removeAll() {
    latest = nil
    entries = []
    findPlaces()
  }

  private func place(of sql: String) -> Int? {
    places.isEmpty ? entries.firstIndex { $0.sql.isSame(as: sql) } : places[SQLBytes(sql: sql)]
  }

  private func findPlaces() {
    if places.isEmpty, entries.count <= Self.fewCount { return }
    places = Dictionary()
    if entries.count <= Self.fewCount { return }
    for (place, entry) in entries.enumerated() { places[entry.sql] = place }
  }

  private func use(_ entry: Entry) {
    clock += 1
    entry.lastUse = clock
  }

  private func removeLeastRecentlyUsed() {
    latest = nil
    let uses = entries.map(\.lastUse).sorted()
    let bound = uses[uses.count / 2]
    entries = entries.filter { $0.lastUse > bound }
    findPlaces()
  }
}
