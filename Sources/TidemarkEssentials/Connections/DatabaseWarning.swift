/// Something that is known to go wrong with a database as it is used (promise P11).
///
/// It is told to `Database.logError` when a database is opened, and can be asked for:
///
/// ```swift
/// let warnings = try dbPool.read { db in db.warnings }
/// ```
public struct DatabaseWarning: Sendable, Hashable, CustomStringConvertible {
  /// What it is about.
  public enum Subject: Sendable, Hashable {
    /// A fault of the SQLite at hand.
    case sqlite

    /// The file system that the file is on.
    case fileSystem
  }

  /// What it is about.
  public let subject: Subject

  /// What may happen, and what to do about it.
  public let description: String
}

extension Database {
  /// What is known to go wrong with this database as it is used: with the version of SQLite, and with the place of the
  /// file. Some distributions mend faults without another version number: a warning may be out of date.
  public var warnings: [DatabaseWarning] {
    preconditionAccess()
    // When in doubt, warn.
    let mode = try? String.fetchOne(self, sql: "PRAGMA journal_mode")
    return warnings(usesWriteAheadLog: mode ?? "wal" == "wal")
  }

  /// Tells the log what is to be warned about.
  func logWarnings(usesWriteAheadLog: Bool) {
    if Self.logError == nil { return }
    for warning in warnings(usesWriteAheadLog: usesWriteAheadLog) {
      ErrorLog.write(.SQLITE_WARNING, "\(description): \(warning.description)")
    }
  }

  private func warnings(usesWriteAheadLog: Bool) -> [DatabaseWarning] {
    let warnings = SQLiteFault.warnings(
      version: SQLiteLibrary.versionNumber, usesWriteAheadLog: usesWriteAheadLog, isUntrusted: settings.isUntrusted)
    guard usesWriteAheadLog, let path = handle?.filePath(of: "main"), DatabaseFile.isRemote(atPath: path) else {
      return warnings
    }
    return warnings + [.remoteFile(path: path)]
  }
}

extension DatabaseWarning {
  static func remoteFile(path: String) -> DatabaseWarning {
    DatabaseWarning(
      subject: .fileSystem,
      description: """
        \(path) is on a network file system, and the write-ahead log works on one machine only: if another machine \
        opens it, the file is damaged
        """)
  }
}

/// A fault of some versions of SQLite that matters to a database, depending on how it is used.
struct SQLiteFault {
  var firstVersion: CInt
  /// The version that mends it, and older branches that were mended: from the first version of each to its last.
  var mendedIn: CInt
  var mendedBranches: [ClosedRange<CInt>] = []
  var concerns: Use
  var description: String

  enum Use {
    case writeAheadLog
    case untrustedSQL
  }

  static let all = [
    SQLiteFault(
      firstVersion: 3_007_000, mendedIn: 3_051_003,
      mendedBranches: [3_044_006...3_044_999, 3_050_007...3_050_999],
      concerns: .writeAheadLog,
      description: """
        SQLite \(SQLiteLibrary.version) may lose commits when one process checkpoints the write-ahead log while \
        another one writes. Within a process the library sees to it; let no other process write to the file, or use \
        SQLite 3.51.3
        """),
    SQLiteFault(
      firstVersion: 3_000_000, mendedIn: 3_050_002, concerns: .untrustedSQL,
      description: """
        SQLite \(SQLiteLibrary.version) may corrupt its memory when it runs a hostile statement with very many \
        aggregates (CVE-2025-6965): have your distribution's fix, or use SQLite 3.50.2
        """),
  ]

  func isIn(_ version: CInt) -> Bool {
    version >= firstVersion && version < mendedIn && !mendedBranches.contains { $0.contains(version) }
  }

  /// The warnings for a version, as far as they concern a use.
  static func warnings(version: CInt, usesWriteAheadLog: Bool, isUntrusted: Bool) -> [DatabaseWarning] {
    all.filter { fault in
      switch fault.concerns {
      case .writeAheadLog: usesWriteAheadLog && fault.isIn(version)
      case .untrustedSQL: isUntrusted && fault.isIn(version)
      }
    }
    .map { DatabaseWarning(subject: .sqlite, description: $0.description) }
  }
}
