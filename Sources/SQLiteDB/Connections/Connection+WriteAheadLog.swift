import Tidemark

extension Connection {
  /// How a database makes its transactions atomic. C: `PRAGMA journal_mode`.
  public enum JournalMode: String, CaseIterable, Sendable, Hashable {
    /// A rollback journal, which is deleted after each transaction.
    case delete = "DELETE"

    /// A rollback journal, which is truncated after each transaction.
    case truncate = "TRUNCATE"

    /// A rollback journal, whose header is overwritten after each transaction.
    case persist = "PERSIST"

    /// A rollback journal in memory: a crash in a transaction may corrupt the file.
    case memory = "MEMORY"

    /// A write-ahead log: readers and one writer do not wait for each other.
    case wal = "WAL"

    /// No journal: there is no rollback.
    case off = "OFF"
  }

  /// When a connection waits for the disk. C: `PRAGMA synchronous`.
  public enum SynchronousMode: Int, CaseIterable, Sendable, Hashable {
    /// Never: a power failure may corrupt the file.
    case off = 0

    /// At critical moments. With a write-ahead log, a power failure may undo the last transactions.
    case normal = 1

    /// After each transaction.
    case full = 2

    /// As `full`, and the folder of a deleted journal, too.
    case extra = 3
  }

  /// How far a checkpoint goes. C: `sqlite3_wal_checkpoint_v2`.
  public enum CheckpointMode: String, CaseIterable, Sendable, Hashable {
    /// It copies what it can without waiting.
    case passive = "PASSIVE"

    /// It waits for writers, and for readers of old snapshots, and copies all.
    case full = "FULL"

    /// As `full`, and the next writer begins the log anew.
    case restart = "RESTART"

    /// As `restart`, and the log is truncated to zero bytes.
    case truncate = "TRUNCATE"
  }

  /// What a checkpoint has done.
  public struct CheckpointResult: Sendable, Hashable {
    /// Whether another connection has prevented the checkpoint from doing all that its mode says.
    public let isBusy: Bool

    /// The number of frames in the log; nil when the database has none, or when the checkpoint was prevented.
    public let frameCount: Int?

    /// The number of frames of the log that are in the database file; nil when `frameCount` is.
    public let checkpointedFrameCount: Int?
  }

  /// How the database makes its transactions atomic.
  ///
  /// ```swift
  /// db.journalMode = .wal
  /// ```
  ///
  /// It is nil when the database cannot be read, and setting it to nil does nothing. A mode that SQLite does not accept
  /// leaves the one before: a database in memory is always in mode `memory` or `off`. The mode cannot be changed inside
  /// a transaction.
  public var journalMode: JournalMode? {
    get { (value("PRAGMA journal_mode") as? String).flatMap { JournalMode(rawValue: $0.uppercased()) } }
    set { if let newValue { setPragma("PRAGMA journal_mode = \(newValue.rawValue)") } }
  }

  /// When the connection waits for the disk.
  ///
  /// It is nil when the database cannot be read, and setting it to nil does nothing.
  public var synchronous: SynchronousMode? {
    get { (value("PRAGMA synchronous") as? Int64).flatMap { SynchronousMode(rawValue: Int($0)) } }
    set { if let newValue { setPragma("PRAGMA synchronous = \(newValue.rawValue)") } }
  }

  /// The number of frames in the write-ahead log after which a commit makes a checkpoint; 0 for no such checkpoints.
  /// 1000 unless it is set.
  public var walAutoCheckpoint: Int {
    get {
      // SQLite does not know the number where the library makes the checkpoints.
      let count = value("PRAGMA wal_autocheckpoint") as? Int64 ?? 0
      return count > 0 ? Int(count) : access { $0.automaticCheckpointFrameCount }
    }
    set { setPragma("PRAGMA wal_autocheckpoint = \(newValue)") }
  }

  /// Copies the write-ahead log into the database file.
  ///
  /// - parameter mode: How far it goes.
  /// - parameter schemaName: The name of the database; nil for all databases of the connection.
  /// - returns: What was done. Without a write-ahead log, nothing is.
  /// - throws: A `Result` when a transaction is open, or when the file cannot be written.
  @discardableResult
  public func walCheckpoint(_ mode: CheckpointMode = .passive, database schemaName: String? = nil) throws
    -> CheckpointResult
  {
    try perform { db in
      if db.isInsideTransaction {
        throw DatabaseError(resultCode: .SQLITE_LOCKED, message: "a checkpoint is not made inside a transaction")
      }
      do {
        let counts = try db.checkpoint(mode.kind, on: schemaName)
        return CheckpointResult(
          isBusy: false, frameCount: counts.walFrameCount < 0 ? nil : counts.walFrameCount,
          checkpointedFrameCount: counts.checkpointedFrameCount < 0 ? nil : counts.checkpointedFrameCount)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        return CheckpointResult(isBusy: true, frameCount: nil, checkpointedFrameCount: nil)
      }
    }
  }
}

extension Connection.CheckpointMode {
  fileprivate var kind: Database.CheckpointMode {
    switch self {
    case .passive: .passive
    case .full: .full
    case .restart: .restart
    case .truncate: .truncate
    }
  }
}
