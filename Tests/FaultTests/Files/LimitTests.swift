import Foundation
import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Hazards that the library cannot prevent, and documents (F9 and D3); and one that does not concern it (D9).
@Suite struct LimitTests {
  /// The system ends a process that reads a removed part of a mapped file.
  @Test func truncatingAnOpenWALIndexEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let folder = try TestFolder()
      let pool = try DatabasePool(path: folder.database)
      try pool.write { try $0.execute(sql: "CREATE TABLE t (n); INSERT INTO t VALUES (1)") }
      truncate(folder.database + "-shm", 0)
      // Success, or an error, would end the process normally.
      _ = try? pool.read { try Int.fetchOne($0, sql: "SELECT n FROM t") }
      exit(EXIT_SUCCESS)
    }
  }

  /// Limits the size of files from now on.
  private static func limitFiles(to size: rlim_t) {
    var limit = rlimit(rlim_cur: size, rlim_max: rlim_t.max)
    guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { fatalError("no limit") }
  }

  /// Writes until there is an error.
  private static func writeUntilFull(_ pool: DatabasePool) throws -> (count: Int, error: DatabaseError) {
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n, filler)") }
    limitFiles(to: 200_000)
    for count in 0..<1000 {
      do {
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (?, zeroblob(3000))", arguments: [count]) }
      } catch let error as DatabaseError {
        return (count, error)
      }
    }
    fatalError("Files have no limit")
  }

  @Test func exceedingTheFileSizeLimitEndsTheProcess() async {
    await #expect(processExitsWith: .signal(SIGXFSZ)) {
      // The parent process may have ignored the signal, and threads other than the first one may have blocked it.
      signal(SIGXFSZ, SIG_DFL)
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGXFSZ)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      let folder = try TestFolder()
      _ = try LimitTests.writeUntilFull(DatabasePool(path: folder.database))
    }
  }

  /// For a program that ignores the signal, this is a failing disk: the database is stopped, and nothing is lost.
  @Test func ignoredFileSizeSignalThrowsAnError() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let folder = try TestFolder()
      let pool = try DatabasePool(path: folder.database)
      let (count, error) = try LimitTests.writeUntilFull(pool)
      guard error.resultCode == .SQLITE_IOERR, error.commitOutcome == .unknown else { fatalError("\(error)") }
      LimitTests.limitFiles(to: rlim_t.max)
      try pool.close()
      guard folder.openFiles.isEmpty else { fatalError("\(folder.openFiles)") }
      let again = try DatabasePool(path: folder.database)
      let rows = try again.read { try Int.fetchAll($0, sql: "SELECT n FROM t ORDER BY n") }
      guard rows == Array(0..<count) || rows == Array(0...count) else { fatalError("\(rows) of \(count)") }
      try again.write { try $0.execute(sql: "INSERT INTO t VALUES (?, zeroblob(300000))", arguments: [count]) }
      let report = try again.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
      guard report == "ok" else { fatalError("\(report ?? "")") }
    }
  }

  /// For any build of SQLite, only the WAL-index is shared memory.
  @Test func noPageOfTheFileIsMemoryMapped() throws {
    let folder = try TestFolder()
    let pool = try DatabasePool(path: folder.database)
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n); INSERT INTO t VALUES (1)") }
    try pool.writeWithoutTransaction { db in
      try db.execute(sql: "ATTACH ? AS other", arguments: [folder.path("other.sqlite")])
      try db.execute(sql: "CREATE TABLE other.u (n); INSERT INTO u VALUES (1)")
      #expect(try Int.fetchOne(db, sql: "PRAGMA mmap_size") == 0)
      #expect(try Int.fetchOne(db, sql: "PRAGMA other.mmap_size") == 0)
    }
    try pool.read { db in
      _ = try Int.fetchOne(db, sql: "SELECT n FROM t")
      #expect(try Int.fetchOne(db, sql: "PRAGMA mmap_size") == 0)
    }
    let mapped = Set(
      SystemFile.lines("/proc/self/maps").filter { $0.contains(folder.path) }.map { $0.split(separator: "/").last! })
    #expect(mapped == ["db.sqlite-shm"])
  }
}
