/// A cache of prepared statements, by their SQL.
///
/// Compiling a statement takes tens of microseconds, a lookup some tens of nanoseconds. The number
/// of statements is bounded: if there are too many, the least recently used half is removed.
///
/// A cached statement may be in use. A caller that starts a running statement executes a copy
/// (`Statement.availableStatement()`). A statement that is passed to the program is not returned by lookups.
///
/// Texts are equal if their bytes are. Swift considers the letter é equal to the letter e with its accent; SQLite,
/// and its results, do not.
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

  // The indexes of the statements, if there are more than a few. A few are searched linearly. Also, the first
  // dictionary with a new key type makes the runtime search all conformances of the process: 240,000 instructions of
  // the million for opening a pool. (`Dictionary()` instead of a literal, which would be a call.)
  @exclusivity(unchecked) private var indexes: [SQLBytes: Int] = Dictionary()
  private static let linearSearchCountMax = 8

  @exclusivity(unchecked) private var clock: UInt64 = 0
  private let countMax: Int
  private let sqlByteCountMax: Int

  // The same statement is often used several times in a row: then its text is compared, which is
  // fast for the same literal, and not hashed.
  @exclusivity(unchecked) private var latest: Entry?

  /// - Parameter countMax: The maximum number of statements.
  /// - Parameter sqlByteCountMax: The maximum length of their SQL. A longer text was most likely generated, with
  ///   literal values: it will not be used again.
  init(countMax: Int, sqlByteCountMax: Int = 16_384) {
    self.countMax = countMax
    self.sqlByteCountMax = sqlByteCountMax
  }

  var count: Int { entries.count }

  func statement(for sql: String) -> Statement? {
    if let latest, latest.sql.isSame(as: sql) {
      if latest.statement.isPassedToProgram { return nil }
      use(latest)
      return latest.statement
    }
    guard let index = index(of: sql), !entries[index].statement.isPassedToProgram else { return nil }
    let entry = entries[index]
    use(entry)
    latest = entry
    return entry.statement
  }

  func insert(_ statement: Statement, for sql: String) {
    guard countMax > 0, sql.utf8.count <= sqlByteCountMax else { return }
    if entries.count >= countMax { removeLeastRecentlyUsed() }
    let entry = Entry(sql, statement)
    use(entry)
    // There may have been another statement with this text.
    if let index = index(of: sql) {
      entries[index] = entry
    } else {
      entries.append(entry)
      if indexes.isEmpty { rebuildIndexes() } else { indexes[entry.sql] = entries.count - 1 }
    }
    latest = entry
  }

  /// Removes a statement: after a failure, it is compiled again for its next use.
  func remove(_ statement: Statement) {
    guard let index = entries.firstIndex(where: { $0.statement === statement }) else { return }
    entries.remove(at: index)
    rebuildIndexes()
    latest = nil
  }

  func removeAll() {
    latest = nil
    entries = []
    rebuildIndexes()
  }

  private func index(of sql: String) -> Int? {
    indexes.isEmpty ? entries.firstIndex { $0.sql.isSame(as: sql) } : indexes[SQLBytes(sql: sql)]
  }

  private func rebuildIndexes() {
    if indexes.isEmpty, entries.count <= Self.linearSearchCountMax { return }
    indexes = Dictionary()
    if entries.count <= Self.linearSearchCountMax { return }
    for (index, entry) in entries.enumerated() { indexes[entry.sql] = index }
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
    rebuildIndexes()
  }
}
