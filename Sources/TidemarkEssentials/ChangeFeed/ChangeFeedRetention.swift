/// Removes old entries of the change feed, a few at a time, in transactions that add others.
///
/// Invariants:
/// 1. The last entry stays.
/// 2. A transaction removes a bounded number of entries, and of bytes unless a single entry is larger.
/// 3. An entry that a named consumer has not acknowledged stays, up to a limit.
struct ChangeFeedRetention {
  private let configuration: ChangeFeedConfiguration

  /// The first entry that stayed when entries were last removed: nothing has to be read before it can be removed.
  private var oldest: (row: ChangeFeedRow, time: Int64?)?

  init(_ configuration: ChangeFeedConfiguration) { self.configuration = configuration }

  /// Forgets what is known about the entries: others may have changed them.
  mutating func forget() { oldest = nil }

  /// Entries are removed when the version passes a multiple of this number, and in transactions with many bytes.
  private static let interval: UInt64 = 16
  private static let byteCountOfLargeTransaction: Int64 = 64_000

  /// The number of entries to remove at most, and of bytes unless the transaction has added more.
  private static let entryCountMax = 4 * Int(interval)
  private static let byteCountMax: Int64 = 1_000_000

  /// Removes entries if it is time.
  ///
  /// - Parameter former: The last row before the transaction.
  /// - Parameter last: The last row now.
  mutating func removeEntries(
    after former: ChangeFeedRow, before last: ChangeFeedRow, _ tables: ChangeFeedTables, _ db: Database
  ) throws {
    let addedByteCount = last.byteCount - former.byteCount
    guard
      former.id.version / Self.interval != last.id.version / Self.interval
        || addedByteCount >= Self.byteCountOfLargeTransaction
    else { return }
    let now = db.settings.wallClock.microsecondsSince1970()
    if let oldest, ![true, false].contains(where: { isOld(oldest.row, oldest.time, last, now, isAcknowledged: $0) }) {
      return
    }
    guard let first = try tables.first(db) else { return }
    let byteCountMax = max(Self.byteCountMax, 2 * addedByteCount)
    let acknowledged = try tables.firstPosition(db)
    var removed: FeedID?
    var (count, byteCount): (Int, Int64) = (0, 0)
    oldest = nil
    try tables.forEachRow(after: first.id.predecessor, db) { row, changes in
      guard row.id.version < last.id.version, count < Self.entryCountMax, byteCount < byteCountMax else {
        return false
      }
      // An entry without a readable time is damaged, and reported to its readers.
      let time = TransactionChanges.microsecondsSince1970(ofEncoded: changes)
      guard isOld(row, time, last, now, isAcknowledged: acknowledged.map { row.id <= $0 } ?? true) else {
        oldest = (row, time)
        return false
      }
      removed = row.id
      count += 1
      byteCount += Int64(changes.count)
      return true
    }
    if let removed { try tables.remove(first.id...removed, db) }
  }

  /// Whether an entry is to be removed.
  ///
  /// - Parameter isAcknowledged: Whether all consumers have acknowledged it.
  private func isOld(
    _ row: ChangeFeedRow, _ time: Int64?, _ last: ChangeFeedRow, _ now: Int64, isAcknowledged: Bool
  ) -> Bool {
    let laterByteCount = last.byteCount - row.byteCount
    func exceeds(_ limit: Int?) -> Bool { limit.map { laterByteCount >= Int64($0) } ?? false }
    // Consumers that are behind never let the feed keep less.
    if !isAcknowledged, !exceeds(configuration.unacknowledgedByteCount) { return false }
    if exceeds(configuration.keptByteCount) { return true }
    guard let age = configuration.keptAge, let time else { return false }
    let (seconds, attoseconds) = age.components
    let microseconds = Double(seconds) * 1e6 + Double(attoseconds) / 1e12
    return Double(now) - Double(time) > microseconds
  }
}
