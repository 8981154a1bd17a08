import Tidemark

extension Connection {
  /// The way in which a database makes its transactions atomic. C: `PRAGMA journal_mode`.
  public enum JournalMode: String, CaseIterable, Sendable, Hashable {
    /// A rollback journal that is deleted after each transaction.
    case delete = "DELETE"

    /// A rollback journal that is truncated after each transaction.
    case truncate = "TRUNCATE"

    /// A rollback journal whose header is overwritten after each transaction.
    case persist = "PERSIST"

    /// A rollback journal in memory. A crash during a transaction may corrupt the file.
    case memory = "MEMORY"

    /// A write-ahead log. Readers do not wait for the writer, and the writer does not wait for readers.
    case wal = "WAL"

    /// No journal. Transactions cannot be rolled back.
    case off = "OFF"
  }

  /// The moments at which a connection waits until its data is on the disk. C: `PRAGMA synchronous`.
  public enum SynchronousMode: Int, CaseIterable, Sendable, Hashable {
    /// Never. A power failure may corrupt the file.
    case off = 0

    /// At critical moments. With a write-ahead log, a power failure may roll back the last transactions.
    case normal = 1

    /// After each transaction.
    case full = 2

    /// After each transaction, including the directory entry of a deleted journal.
    case extra = 3
  }

  /// The extent of a checkpoint. C: `sqlite3_wal_checkpoint_v2`.
  public enum CheckpointMode: String, CaseIterable, Sendable, Hashable {
    /// Copies as many frames as possible without waiting.
    case passive = "PASSIVE"

    /// Waits for the writer and for readers of old snapshots, and copies all frames.
    case full = "FULL"

    /// Does the same as ``full``, and the next writer restarts the log from its beginning.
    case restart = "RESTART"

    /// Does the same as ``restart``, and truncates the log to zero bytes.
    case truncate = "TRUNCATE"
  }

  /// The result of a checkpoint.
  public struct CheckpointResult: Sendable, Hashable {
    /// Whether another connection prevented the checkpoint from completing.
    public let isBusy: Bool

    /// The number of frames in the log; nil if the database has no log, or if the checkpoint was prevented.
    public let frameCount: Int?

    /// The number of frames of the log that were copied to the database file; nil if ``frameCount`` is nil.
    public let checkpointedFrameCount: Int?
  }

  /// The way in which the database makes its transactions atomic.
  ///
  /// ```swift
  /// db.journalMode = .wal
  /// ```
  ///
  /// It is nil if the database cannot be read, and setting it to nil has no effect. SQLite ignores a mode that the
  /// database does not support: an in-memory database is always in mode `memory` or `off`. The mode cannot be changed
  /// inside a transaction.
  public var journalMode: JournalMode? {
    get { (value("PRAGMA journal_mode") as? String).flatMap { JournalMode(rawValue: $0.uppercased()) } }
    set { if let newValue { setPragma("PRAGMA journal_mode = \(newValue.rawValue)") } }
  }

  /// The moments at which the connection waits until its data is on the disk.
  ///
  /// ```swift
  /// db.synchronous = .normal
  /// ```
  ///
  /// It is nil if the database cannot be read, and setting it to nil has no effect.
  public var synchronous: SynchronousMode? {
    get { (value("PRAGMA synchronous") as? Int64).flatMap { SynchronousMode(rawValue: Int($0)) } }
    set { if let newValue { setPragma("PRAGMA synchronous = \(newValue.rawValue)") } }
  }

  /// The number of frames in the write-ahead log after which a commit runs a checkpoint. Default: 1000. 0 disables
  /// automatic checkpoints.
  public var walAutoCheckpoint: Int {
    get {
      // SQLite does not know the number if the library runs the checkpoints.
      let count = value("PRAGMA wal_autocheckpoint") as? Int64 ?? 0
      return count > 0 ? Int(count) : access { $0.automaticCheckpointFrameCount }
    }
    set { setPragma("PRAGMA wal_autocheckpoint = \(newValue)") }
  }

  /// Copies the write-ahead log to the database file.
  ///
  /// ```swift
  /// let result = try db.walCheckpoint(.truncate)
  /// if result.isBusy { print("another connection uses the log") }
  /// ```
  ///
  /// - Parameters:
  ///   - mode: The extent of the checkpoint.
  ///   - schemaName: The name of the database; nil for all databases of the connection.
  /// - Returns: The result of the checkpoint. Without a write-ahead log, the checkpoint has no effect.
  /// - Throws: A ``Result`` if a transaction is open, or if the file cannot be written.
  @discardableResult
  public func walCheckpoint(_ mode: CheckpointMode = .passive, database schemaName: String? = nil) throws
    -> CheckpointResult
  {
    try perform { db in
      if db.isInsideTransaction {
        throw DatabaseError(
          resultCode: .SQLITE_LOCKED,
          message: "a checkpoint cannot run inside a transaction: call it before or after the transaction")
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
