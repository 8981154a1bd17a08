// Properties of the entries in the buffer of change streams: their effect on regions, and their memory.

extension ChangeBuffer.Delivery {
  /// Whether the schema may have changed, so that the regions of a consumer may be others.
  var mayChangeRegions: Bool {
    switch self {
    case .entry(let entry): entry.mayChangeSchema
    case .missed, .unresolved: true
    case .nothing, .failure, .end: false
    }
  }

  /// Whether it stands for external commits.
  var isExternal: Bool {
    if case .entry(let entry) = self, case .externalCommits = entry.content { true } else { false }
  }
}

extension ChangeBuffer.Entry {
  fileprivate var mayChangeSchema: Bool {
    switch content {
    case .commit(let commit): !commit.schemaChanges.isEmpty || commit.isUnknown
    case .externalCommits: true
    }
  }
}

extension CommittedChanges {
  /// The approximate number of bytes in memory.
  var memory: Int {
    log.memory + tables.reduce(0) { $0 + $1.rowIndexes.memory }
      + (details?.rowlessChanges.reduce(0) { $0 + $1.memory } ?? 0)
      + (details?.storedRows?.tail.memory ?? 0)
  }

  /// The number of bytes in a file.
  var fileByteCount: Int { details?.storedRows?.store?.byteCount ?? 0 }
}

extension ChangeLog.RowlessChange {
  /// The approximate number of bytes in memory.
  fileprivate var memory: Int {
    switch content {
    case .schema(let sql, _): 48 + sql.utf8.count
    case .notification(let channel, let payload): 48 + channel.utf8.count + payload.utf8.count
    }
  }
}

extension CommittedChanges.RowIndexes {
  fileprivate var memory: Int {
    switch self {
    case .all: 0
    case .some(let indexes): indexes.count * MemoryLayout<Int>.stride
    }
  }
}

extension CapturedLog {
  /// The approximate number of bytes in memory.
  fileprivate var memory: Int {
    records.count * MemoryLayout<ChangeRecord>.stride + values.count * MemoryLayout<CapturedValues.Value>.stride
      + layouts.count * MemoryLayout<CaptureLayout>.stride + values.byteCount
  }
}
