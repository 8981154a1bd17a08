extension Configuration {
  /// Durability after a power failure. When only the process ends or is killed, no acknowledged commit is lost with any
  /// of these values.
  ///
  /// With `default`, a `PRAGMA synchronous = …` in ``Configuration/prepareDatabase(_:)`` takes precedence. With the
  /// other values, opening the database throws an error if the pragma contradicts them: `full` allows `FULL` and
  /// `EXTRA`, and `unsafeNoSync` allows `OFF`.
  ///
  /// ```swift
  /// var configuration = Configuration()
  /// configuration.durability = .full
  /// ```
  public enum Durability: Sendable {
    /// SQLite's recommended level for each journal mode. In WAL mode, only checkpoints wait for the disk: a power
    /// failure may roll back the last commits, without damage to the file. In other modes, each commit waits for the
    /// disk, but a power failure may roll back the last commit if the end of its journal was not synced.
    case `default`

    /// Each commit waits for the disk, and survives a power failure.
    case full

    /// Writes never wait for the disk. A power failure may damage the file permanently: use it only for data that can
    /// be recreated.
    case unsafeNoSync

    /// The value of `PRAGMA synchronous`; nil keeps the current one.
    func synchronous(usesWriteAheadLog: Bool) -> String? {
      switch self {
      case .default: usesWriteAheadLog ? "NORMAL" : nil
      // In WAL mode, EXTRA is equivalent to FULL. In other modes, it also syncs the end of the journal.
      case .full: "EXTRA"
      case .unsafeNoSync: "OFF"
      }
    }
  }
}

extension Database {
  /// Sets `PRAGMA synchronous`.
  func use(_ durability: Configuration.Durability, usesWriteAheadLog: Bool) throws {
    guard let setting = durability.synchronous(usesWriteAheadLog: usesWriteAheadLog) else { return }
    try execute(sql: "PRAGMA synchronous = \(setting)")
  }

  /// Returns the value of `PRAGMA synchronous` if `prepareDatabase` has set it.
  func synchronousOfProgram() throws -> Int? {
    guard compilation.hasSetSynchronous else { return nil }
    return try untraced { try Int.fetchOne(self, sql: "PRAGMA synchronous") }
  }

  /// Throws an error if `prepareDatabase` has set `PRAGMA synchronous` to a value that contradicts the configuration.
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
