/// Prepared statements kept for their next use, by the text of their SQL.
///
/// Compiling costs tens of microseconds, finding a statement here some tens of nanoseconds. The number
/// of statements is bounded: when there are too many, the half that was used least recently goes.
///
/// A statement may be here and in use. Whoever starts one that is already running runs a copy
/// (`Statement.idle()`).
final class StatementCache {
  private struct Entry {
    let statement: Statement
    var lastUse: UInt64
  }

  private var entries: [String: Entry] = [:]
  private var clock: UInt64 = 0
  private let countMax: Int

  // The same statement is most often used several times in a row: then its text is compared, which is
  // quick for the same literal, and not hashed.
  private var latestSQL = ""
  private var latest: Statement?

  init(countMax: Int) {
    self.countMax = countMax
  }

  var count: Int { entries.count }

  func statement(for sql: String) -> Statement? {
    if let latest, sql == latestSQL { return latest }
    guard let index = entries.index(forKey: sql) else { return nil }
    clock += 1
    entries.values[index].lastUse = clock
    let statement = entries.values[index].statement
    latestSQL = sql
    latest = statement
    return statement
  }

  func insert(_ statement: Statement, for sql: String) {
    guard countMax > 0, sql.utf8.count <= Self.sqlByteCountMax else { return }
    if entries.count >= countMax { removeLeastRecentlyUsed() }
    clock += 1
    entries[sql] = Entry(statement: statement, lastUse: clock)
  }

  /// Forgets a statement: one that failed is compiled again next time.
  func remove(_ statement: Statement) {
    latest = nil
    guard let key = entries.first(where: { $0.value.statement === statement })?.key else { return }
    entries[key] = nil
  }

  func removeAll() {
    latest = nil
    entries = [:]
  }

  private func removeLeastRecentlyUsed() {
    latest = nil
    let uses = entries.values.map(\.lastUse).sorted()
    let bound = uses[uses.count / 2]
    entries = entries.filter { $0.value.lastUse > bound }
  }

  // A longer text was most likely generated, with its values inside: it will not come again.
  private static let sqlByteCountMax = 16_384
}
