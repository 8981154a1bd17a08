/// The snapshot of a transaction, as identified by the WAL-index header.
struct SnapshotState {
  /// The header of the snapshot; nil if it is unknown, because of a commit at the same moment.
  var header: WALIndexHeader?

  /// The header of the snapshot, or of an earlier state; nil without a log, or if it was being written.
  var olderHeader: WALIndexHeader?

  /// Whether there is a log.
  var hasLog = false
}

extension Database {
  /// Takes the snapshot of the transaction that has begun.
  func acquireSnapshotState() throws -> SnapshotState {
    let hasLog = handle?.fileHead?.usesLog == true
    let header = hasLog ? handle?.walIndexHeaderOfLog : nil
    // A transaction takes its snapshot at its first read.
    try execute(sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
    // The header belongs to the snapshot if it has not changed meanwhile.
    guard let header, header == handle?.walIndexHeaderOfLog else {
      return SnapshotState(olderHeader: header, hasLog: hasLog)
    }
    return SnapshotState(header: header, olderHeader: header, hasLog: hasLog)
  }
}
