// Recordings: the changes of a part of a transaction.
//
//     begin ──► records … ──► end: the changes since the beginning, or the reason why they are unknown
//
// A recording is a range of the log. The flags of the transaction as a whole (`unreported`, `isTruncated`) are saved
// and cleared when it begins, so that they describe only the recorded part. They are restored when it ends.
//
// Invariants:
// 1. A complete recording contains each change since its beginning that was not undone.
// 2. The changes of the transaction are reported as without the recording.

extension ChangeLog {
  /// A recording in progress.
  struct Recording {
    /// The length of the log at the beginning.
    let start: Mark

    /// The unreported changes before the beginning.
    let unreported: Unreported
    let isTruncated: Bool

    /// Whether the transaction of the beginning has ended, or was undone up to a point before the beginning.
    var hasLostItsTransaction = false

    mutating func logWasCut(to mark: Mark) {
      if mark.position.records < start.position.records || mark.coarse < start.coarse
        || mark.schemaChanges < start.schemaChanges || mark.rowlessChanges < start.rowlessChanges
      {
        hasLostItsTransaction = true
      }
    }
  }

  /// Begins a recording.
  mutating func beginRecording() {
    recordings.append(Recording(start: mark, unreported: unreported, isTruncated: isTruncated))
    (unreported, isTruncated) = ([], false)
    // Coarse changes that are in the log already are recorded again.
    generation &+= 1
  }

  /// Ends the innermost recording.
  ///
  /// - Returns: The recording, and the unreported changes since its beginning.
  mutating func endRecording() -> (recording: Recording, unreported: Unreported, isTruncated: Bool) {
    guard let recording = recordings.popLast() else { preconditionFailure("A recording ended that had not begun") }
    let own = (recording, unreported, isTruncated)
    if !recording.hasLostItsTransaction {
      unreported.formUnion(recording.unreported)
      isTruncated = isTruncated || recording.isTruncated
    }
    return own
  }

  /// The changes since the beginning of the innermost recording, in the form of a commit.
  ///
  /// To be called before the recording ends.
  func recordedChanges() -> CommittedChanges? {
    guard let recording = recordings.last, !recording.hasLostItsTransaction else { return nil }
    let start = recording.start
    let ownCoarse = coarse[start.coarse...]
    // Of a large transaction, the first rows of the recording may be in a file.
    guard start.position.records >= base.records else {
      return CommittedChanges(
        needsVersion: needsVersion, isUnknown: true, log: .empty,
        details: CommittedChanges.Details(
          unreported: unreported, isTruncated: true, rowlessChanges: [], StoredNumbers(), nil))
    }
    let (firstRecord, firstValue) = (start.position.records - base.records, start.position.values - base.values)
    let isCoarse = layouts.map { layout in ownCoarse.contains { $0.key == layout.key } }
    func isReported(_ record: ChangeRecord) -> Bool { record.isCaptured && !isCoarse[Int(record.table)] }
    let ownRecords = records[firstRecord...]
    let rows = ownRecords.filter(isReported).map { record in
      var record = record
      record.valueStart -= UInt32(firstValue)
      return record
    }
    let ownValues = values.part(
      firstValue..<values.count, bytes: start.position.bytes - base.bytes..<values.byteCount)
    let log = CapturedLog(records: rows, values: ownValues, layouts: layouts)
    let statements = rowlessChanges[start.rowlessChanges...].compactMap { change -> RowlessChange? in
      // A notification changes no content.
      guard case .schema = change.content else { return nil }
      return RowlessChange(
        rowCount: records[firstRecord..<max(firstRecord, change.rowCount - base.records)].count(where: isReported),
        content: change.content)
    }
    var tables = ShortList<CommittedChanges.TableChanges>()
    var coarseKeys: Set<TableKey> = []
    for entry in ownCoarse where coarseKeys.insert(entry.key).inserted {
      let table = CommittedChanges.TableChanges(key: entry.key, isCoarse: true, log: log)
      var kinds = CommittedChanges.Kinds()
      for other in ownCoarse where other.key == entry.key { kinds.insert(other.kind) }
      table.set(kinds, updatedColumns: nil, .some([]))
      tables.append(table)
    }
    return CommittedChanges(
      needsVersion: needsVersion, isUnknown: isUnknown || isUncertain,
      schemaChanges: Array(schemaChanges[start.schemaChanges...]), tables: tables, log: log,
      details: CommittedChanges.Details(
        unreported: isUncertain ? unreported.union(.content) : unreported, isTruncated: isTruncated,
        rowlessChanges: statements, StoredNumbers(), nil))
  }
}
