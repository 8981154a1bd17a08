/// A known hazard of a database in its environment (guarantee P11).
///
/// ``Database/logError`` receives it when a database is opened. Programs can also read it:
///
/// ```swift
/// let warnings = try dbPool.read { db in db.warnings }
/// ```
public struct DatabaseWarning: Sendable, Hashable, CustomStringConvertible {
  /// The cause of a hazard.
  public enum Subject: Sendable, Hashable {
    /// A fault of the linked SQLite.
    case sqlite

    /// The file system of the file.
    case fileSystem
  }

  /// The cause.
  public let subject: Subject

  /// The possible consequences, and a remedy.
  public let description: String
}

extension Database {
  /// The known hazards of this database: of the version of SQLite, and of the location of the
  /// file. Some distributions fix faults without a new version number, so a warning may be obsolete.
  public var warnings: [DatabaseWarning] {
    preconditionAccess()
    // In case of doubt, warn.
    let mode = try? String.fetchOne(self, sql: "PRAGMA journal_mode")
    return warnings(usesWriteAheadLog: mode ?? "wal" == "wal")
  }

  /// Logs the warnings.
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
        \(path) is on a network file system, and WAL mode works on a single machine only: if another machine \
        opens the file, it may be damaged
        """)
  }
}

/// A fault of some versions of SQLite, with the conditions under which it matters.
struct SQLiteFault {
  var firstVersion: CInt
  /// The version with the fix, and the older branches with it: from the first fixed version of each to its last.
  var fixedIn: CInt
  var fixedBranches: [ClosedRange<CInt>] = []
  var concerns: Use
  var description: String

  enum Use {
    case writeAheadLog
    case untrustedSQL
  }

  static let all = [
    SQLiteFault(
      firstVersion: 3_007_000, fixedIn: 3_051_003,
      fixedBranches: [3_044_006...3_044_999, 3_050_007...3_050_999],
      concerns: .writeAheadLog,
      description: """
        SQLite \(SQLiteLibrary.version) may lose commits when one process checkpoints the write-ahead log while \
        another one writes. The library prevents this within a process. Do not write to the file from other \
        processes, or use SQLite 3.51.3
        """),
    SQLiteFault(
      firstVersion: 3_000_000, fixedIn: 3_050_002, concerns: .untrustedSQL,
      description: """
        SQLite \(SQLiteLibrary.version) may corrupt its memory when it runs a hostile statement with very many \
        aggregates (CVE-2025-6965): install your distribution's fix, or use SQLite 3.50.2
        """),
  ]

  func isIn(_ version: CInt) -> Bool {
    version >= firstVersion && version < fixedIn && !fixedBranches.contains { $0.contains(version) }
  }

  /// The warnings for a version and a use.
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
