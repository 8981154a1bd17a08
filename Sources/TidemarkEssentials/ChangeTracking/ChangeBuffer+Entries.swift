// The entries in the buffer of change streams: their effect on regions, and their memory.

extension ChangeBuffer {
  struct Entry: Sendable {
    enum Content: Sendable {
      case commit(CommittedChanges)

      /// Other connections or processes have made commits.
      case externalCommits

      /// They have made commits in attached databases, whose changes are not stored.
      case externalCommitsInAttachedDatabases
    }

    let content: Content

    /// The versions of the database that it stands for; nil if they are unknown.
    let versions: Versions?
    let microsecondsSince1970: Int64
    let byteCount: Int

    /// The number of bytes in a temporary file.
    var fileByteCount = 0

    /// Whether an earlier entry about external commits includes its version.
    var isIncluded = false

    /// Whether it was committed together with the entry before it: both have the same versions.
    var isContinuation = false

    /// The version under which the changes are stored.
    var recordedVersion: UInt64? { if case .commit(let commit) = content { commit.recordedVersion } else { nil } }
  }

  /// The next thing that a consumer receives.
  enum Delivery {
    case entry(Entry)

    /// Entries with these versions were removed before the consumer has received them. Nil if a version is unknown.
    case missed(Versions?)

    /// The regions of the consumer must be resolved before it receives another entry: this has failed before.
    case unresolved

    /// It has received all entries.
    case nothing

    /// There will be no more entries, because of an error. It is delivered once.
    case failure(any Error)
    case end
  }
}

extension ChangeBuffer.Delivery {
  /// Whether the schema may have changed, so that the regions of a consumer may be others.
  var mayChangeRegions: Bool {
    switch self {
    case .entry(let entry): entry.mayChangeSchema
    case .missed, .unresolved: true
    case .nothing, .failure, .end: false
    }
  }

  /// Whether it stands for external commits whose changes may be stored.
  var isExternal: Bool {
    if case .entry(let entry) = self, case .externalCommits = entry.content { true } else { false }
  }
}

extension ChangeBuffer.Entry {
  fileprivate var mayChangeSchema: Bool {
    switch content {
    case .commit(let commit): !commit.schemaChanges.isEmpty || commit.isUnknown
    case .externalCommits, .externalCommitsInAttachedDatabases: true
    }
  }

  /// Whether it stands for external commits in attached databases.
  var isOfAttachedDatabases: Bool {
    if case .externalCommitsInAttachedDatabases = content { true } else { false }
  }

  /// Whether it stands for external commits in the main database, of unknown versions.
  var hasUnknownVersions: Bool {
    if case .externalCommits = content { versions == nil } else { false }
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

extension ChangeBuffer.Entry {
  func beginReading() { if case .commit(let commit) = content { commit.beginReading() } }
  func endReading() { if case .commit(let commit) = content { commit.endReading() } }
}
