extension Configuration {
  /// What is still there when the power has failed. When a process ends, or is killed, nothing that was acknowledged is
  /// lost, whatever this is.
  public enum Durability: Sendable {
    /// A pool, and a queue that uses the write-ahead log, may lose the last commits, and damage nothing: they wait for
    /// the disk at checkpoints only. Any other queue waits for the disk at each commit, as SQLite does by default, and
    /// may lose the very last one: it is undone as long as the end of its journal is not written down.
    case `default`

    /// A commit that was acknowledged is there. It waits for the disk.
    case full

    /// Nobody waits for the disk: the file may be damaged for good. For data that can be made again.
    case unsafeNoSync

    /// The setting of SQLite, nil to leave it as it is.
    func synchronous(usesWriteAheadLog: Bool) -> String? {
      switch self {
      case .default: usesWriteAheadLog ? "NORMAL" : nil
      // With the write-ahead log it is the same as FULL. Without, it waits for the end of the journal, too.
      case .full: "EXTRA"
      case .unsafeNoSync: "OFF"
      }
    }
  }
}

extension Database {
  /// Has commits wait for the disk, or not. C: `PRAGMA synchronous`.
  func use(_ durability: Configuration.Durability, usesWriteAheadLog: Bool) throws {
    guard let setting = durability.synchronous(usesWriteAheadLog: usesWriteAheadLog) else { return }
    try execute(sql: "PRAGMA synchronous = \(setting)")
  }
}
