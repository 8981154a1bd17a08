import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Warnings about the file system and the SQLite version (guarantee P11).
@Suite struct WarningTests {
  /// The first version without the fault in the log, and its neighbours.
  @Test(
    arguments: [
      (3_006_023, false), (3_007_000, true), (3_040_001, true), (3_044_005, true), (3_044_006, false),
      (3_045_000, true),
      (3_050_006, true), (3_050_007, false), (3_051_002, true), (3_051_003, false), (4_000_000, false),
    ] as [(CInt, Bool)])
  func walFaultIsRecognizedByVersion(_ version: CInt, _ isThere: Bool) {
    let warnings = SQLiteFault.warnings(version: version, usesWriteAheadLog: true, isUntrusted: false)
    #expect(warnings.contains { $0.description.contains("checkpoints") } == isThere)
    // It affects databases with a log only.
    #expect(SQLiteFault.warnings(version: version, usesWriteAheadLog: false, isUntrusted: false) == [])
  }

  @Test func statementFaultsConcernUntrustedFiles() {
    #expect(SQLiteFault.warnings(version: 3_040_001, usesWriteAheadLog: false, isUntrusted: true).count == 1)
    #expect(SQLiteFault.warnings(version: 3_050_002, usesWriteAheadLog: false, isUntrusted: true) == [])
  }

  @Test func databasesReportTheirWarnings() throws {
    let folder = try TemporaryFolder()
    let expected = SQLiteFault.warnings(
      version: SQLiteLibrary.versionNumber, usesWriteAheadLog: true, isUntrusted: false)
    let pool = try DatabasePool(path: folder.path("db"))
    #expect(try pool.read { db in db.warnings } == expected)
    #expect(try DatabaseQueue().read { db in db.warnings } == [])
  }

  @Test func localFilesAreNotRemote() throws {
    #expect(!DatabaseFile.isRemote(atPath: try TemporaryFolder().path))
    #expect(!DatabaseFile.isRemote(atPath: "/no/such/file"))
  }

  @Test func openingLogsWarnings() async {
    // The error log belongs to the whole process.
    await #expect(processExitsWith: .success) {
      let lines = Mutex<[String]>([])
      Database.logError = { code, message in
        if code == .SQLITE_WARNING { lines.withLock { $0.append(message) } }
      }
      let folder = try TemporaryFolder()
      let pool = try DatabasePool(path: folder.path("db"))
      let warnings = try pool.read { db in db.warnings }
      guard lines.withLock({ $0.count }) == warnings.count else { fatalError("\(lines.withLock { $0 })") }
    }
  }
}
