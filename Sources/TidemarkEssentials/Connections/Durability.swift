extension Configuration {
  /// What is still there when the power has failed. When a process ends, or is killed, nothing that was acknowledged is
  /// lost, whatever this is.
  ///
  /// With `default`, a `PRAGMA synchronous = …` in ``Configuration/prepareDatabase(_:)`` stands. With the others, one
  /// that contradicts them is an error when the database is opened: `full` allows `FULL` and `EXTRA`, `unsafeNoSync`
  /// allows `OFF`.
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

  /// The value that the program has given to `PRAGMA synchronous` while the connection was prepared, if it did.
  func synchronousOfProgram() throws -> Int? {
    guard compilation.hasSetSynchronous else { return nil }
    return try untraced { try Int.fetchOne(self, sql: "PRAGMA synchronous") }
  }

  /// Throws when the program has set `PRAGMA synchronous` to what its configuration excludes.
  func checkSynchronous(for durability: Configuration.Durability) throws {
    guard let setting = try synchronousOfProgram() else { return }
    let isAllowed =
      switch durability {
      case .default: true
      case .full: setting >= 2
      case .unsafeNoSync: setting == 0
      }
    if isAllowed { return }
    let names = ["OFF", "NORMAL", "FULL", "EXTRA"]
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: """
        Configuration.durability is .\(durability), but prepareDatabase sets PRAGMA synchronous = \(names[setting]): \
        remove one of them
        """)
  }
}
