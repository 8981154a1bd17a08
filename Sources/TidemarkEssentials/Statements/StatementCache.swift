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
    var lastUse: UInt64 = 0

    init(_ sql: String, _ statement: Statement) {
      self.sql = SQLBytes(sql: sql)
      self.statement = statement
    }
  }

  private struct Content {
    var entries: [Entry] = []

    // The indexes of the statements, if there are more than a few. A few are searched linearly. Also, the first
    // dictionary with a new key type makes the runtime search all conformances of the process: 240,000 instructions of
    // the million for opening a pool. (`Dictionary()` instead of a literal, which would be a call.)
    var indexes: [SQLBytes: Int] = Dictionary()

    var clock: UInt64 = 0

    // The most recently used statement. It is often used several times in a row: then its text is compared, which is
    // fast for the same literal, and not hashed.
    var latest: Entry?
  }

  @exclusivity(unchecked) private var content = Content()

  private static let linearSearchCountMax = 8
  private let countMax: Int
  private let sqlByteCountMax: Int

  /// - Parameter countMax: The maximum number of statements.
  /// - Parameter sqlByteCountMax: The maximum length of their SQL. A longer text was most likely generated, with
  ///   literal values: it will not be used again.
  init(countMax: Int, sqlByteCountMax: Int = 16_384) {
    self.countMax = countMax
    self.sqlByteCountMax = sqlByteCountMax
  }

  var count: Int { content.entries.count }

  func statement(for sql: String) -> Statement? {
    if let latest = content.latest, latest.sql.isSame(as: sql) {
      return latest.statement.runState.isPassedToProgram ? nil : latest.statement
    }
    guard let index = index(of: sql), !content.entries[index].statement.runState.isPassedToProgram else { return nil }
    let entry = content.entries[index]
    use(entry)
    return entry.statement
  }

  func insert(_ statement: Statement, for sql: String) {
    guard countMax > 0, sql.utf8.count <= sqlByteCountMax else { return }
    if content.entries.count >= countMax { removeLeastRecentlyUsed() }
    let entry = Entry(sql, statement)
    use(entry)
    // There may have been another statement with this text.
    if let index = index(of: sql) {
      content.entries[index] = entry
    } else {
      content.entries.append(entry)
      if content.indexes.isEmpty { rebuildIndexes() } else { content.indexes[entry.sql] = content.entries.count - 1 }
    }
  }

  /// Removes a statement: after a failure, it is compiled again for its next use.
  func remove(_ statement: Statement) {
    guard let index = content.entries.firstIndex(where: { $0.statement === statement }) else { return }
    content.entries.remove(at: index)
    rebuildIndexes()
    content.latest = nil
  }

  func removeAll() {
    content.latest = nil
    content.entries = []
    rebuildIndexes()
  }

  private func index(of sql: String) -> Int? {
    content.indexes.isEmpty
      ? content.entries.firstIndex { $0.sql.isSame(as: sql) } : content.indexes[SQLBytes(sql: sql)]
  }

  private func rebuildIndexes() {
    if content.indexes.isEmpty, content.entries.count <= Self.linearSearchCountMax { return }
    content.indexes = Dictionary()
    if content.entries.count <= Self.linearSearchCountMax { return }
    for (index, entry) in content.entries.enumerated() { content.indexes[entry.sql] = index }
  }

  private func use(_ entry: Entry) {
    content.clock += 1
    entry.lastUse = content.clock
    content.latest = entry
  }

  private func removeLeastRecentlyUsed() {
    content.latest = nil
    let uses = content.entries.map(\.lastUse).sorted()
    let bound = uses[uses.count / 2]
    content.entries = content.entries.filter { $0.lastUse > bound }
    rebuildIndexes()
  }
}
