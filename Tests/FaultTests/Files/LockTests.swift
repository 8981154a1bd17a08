import Foundation
import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The locks between processes: the system drops all of them when a process closes any
/// descriptor of the file (hazards F2 and F3).
@Suite(.enabled(if: FileLocks.areKnown)) struct LockTests {
  private let folder: TestFolder
  private let pool: DatabasePool
  private let files: [String]

  init() throws {
    folder = try TestFolder()
    pool = try DatabasePool(path: folder.database)
    files = [folder.database, folder.database + "-shm"]
    try pool.write { try $0.execute(sql: "CREATE TABLE t (n); INSERT INTO t VALUES (1)") }
  }

  private func locks() -> [Int] { files.map { FileLocks.count(onFileAtPath: $0) } }

  struct Planned: Error {}

  /// Operations of the library on the file of an open database, which may fail.
  private static let operations: [(String, @Sendable (DatabasePool, TestFolder) throws -> Void)] = [
    (
      "another pool",
      { _, folder in
        let other = try DatabasePool(path: folder.database)
        try other.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        _ = try other.read { $0.warnings }
        try other.close()
      }
    ),
    ("a checkpoint", { pool, _ in try pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) } }),
    ("a backup", { pool, _ in try pool.backup(to: DatabaseQueue()) }),
    ("a copy of the file", { _, folder in _ = try DatabaseQueue.inMemoryCopy(fromPath: folder.database) }),
    ("a copy without holes", { pool, folder in try pool.vacuum(into: folder.path("copy.sqlite")) }),
    ("a snapshot", { pool, _ in _ = try pool.makeSnapshot().read { try Int.fetchOne($0, sql: "SELECT n FROM t") } }),
    ("readers that are opened anew", { pool, _ in pool.invalidateReadOnlyConnections() }),
    (
      "an opening that fails",
      { _, folder in
        var configuration = Configuration()
        configuration.filePermissions = 0o600
        configuration.prepareDatabase { _ in throw Planned() }
        #expect(throws: Planned.self) { try DatabasePool(path: folder.database, configuration: configuration) }
      }
    ),
    (
      "an untrusted one",
      { _, folder in
        let queue = try DatabaseQueue(path: folder.database, configuration: .forUntrustedFiles)
        _ = try queue.read { try Int.fetchOne($0, sql: "SELECT n FROM t") }
      }
    ),
    (
      "a second name",
      { _, folder in
        #expect(link(folder.database, folder.path("second.sqlite")) == 0)
        defer { unlink(folder.path("second.sqlite")) }
        #expect(throws: DatabaseError.self) { try DatabasePool(path: folder.database) }
      }
    ),
  ]

  @Test func libraryOperationsDropNoLock() throws {
    try pool.read { db in
      _ = try Int.fetchOne(db, sql: "SELECT n FROM t")
      let held = locks()
      #expect(!held.contains(0))
      for (what, operation) in Self.operations {
        // On another thread: this one reads.
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [pool, folder] in
          #expect(throws: Never.self, "\(what)") { try operation(pool, folder) }
          end.signal()
        }
        end.wait()
        #expect(zip(locks(), held).allSatisfy { $0 >= $1 }, "\(what): of \(held) locks \(locks()) are left")
      }
    }
  }

  /// A documented limit, and a control of the test above.
  @Test func closingTheProgramsOwnDescriptorDropsLocks() throws {
    try pool.read { db in
      _ = try Int.fetchOne(db, sql: "SELECT n FROM t")
      for file in files { close(open(file, O_RDONLY)) }
      #expect(locks() == [0, 0])
    }
  }

  /// A documented limit: the two copies of SQLite do not know each other.
  @Test(.enabled(if: SecondSQLite.isAvailable)) func aSecondSQLiteInTheProcessDropsLocks() throws {
    let second = try SecondSQLite(in: folder)
    try pool.read { db in
      _ = try Int.fetchOne(db, sql: "SELECT n FROM t")
      #expect(!locks().contains(0))
      second.openAndClose(folder.database)
      #expect(locks()[0] == 0)
    }
  }
}

/// A file that the system generates while it is read.
enum SystemFile {
  /// Reads to the end: the reported size is zero, and a single read may return a part only.
  static func lines(_ path: String) -> [Substring] {
    let data = FileHandle(forReadingAtPath: path)?.readDataToEndOfFile() ?? Data()
    return String(decoding: data, as: UTF8.self).split(separator: "\n")
  }
}

/// The locks of this process, as listed by the system.
enum FileLocks {
  private static let list = "/proc/locks"

  static var areKnown: Bool { FileManager.default.isReadableFile(atPath: list) }

  /// The list is read in pieces. If other processes lock files meanwhile, a line may be missing, or listed twice: it is
  /// read until three lists agree.
  static func count(onFileAtPath path: String) -> Int {
    var counts = [currentCount(onFileAtPath: path)]
    while counts.count < 100, Set(counts.suffix(3)).count > 1 || counts.count < 3 {
      counts.append(currentCount(onFileAtPath: path))
    }
    return counts.last ?? 0
  }

  private static func currentCount(onFileAtPath path: String) -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { return 0 }
    // 1: POSIX  ADVISORY  READ 4711 00:19:1234 1073741826 1073742335
    return SystemFile.lines(list).count { line in
      let words = line.split(separator: " ")
      return words.count > 5 && words[1] == "POSIX" && Int32(words[4]) == getpid()
        && words[5].split(separator: ":").last == "\(status.st_ino)"
    }
  }
}

/// A copy of SQLite's library, with its own variables.
struct SecondSQLite {
  private let library: UnsafeMutableRawPointer

  private static let original: String? = {
    SystemFile.lines("/proc/self/maps").first { $0.contains("/libsqlite3.so") }
      .flatMap { $0.split(separator: " ").last.map(String.init) }
  }()

  /// A sanitizer requires each library to be loaded once.
  static var isAvailable: Bool { original != nil && !Sanitizer.isUsed }

  struct Missing: Error {}

  init(in folder: TestFolder) throws {
    let copy = folder.path("second.so")
    try FileManager.default.copyItem(atPath: Self.original ?? "", toPath: copy)
    // Its functions must call each other, not the other copy. C: `RTLD_DEEPBIND`, which Swift does not import.
    guard let library = dlopen(copy, RTLD_NOW | RTLD_LOCAL | 0x8) else { throw Missing() }
    self.library = library
  }

  func openAndClose(_ path: String) {
    typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> CInt
    typealias Execute = @convention(c) (OpaquePointer?, UnsafePointer<CChar>, Int, Int, Int) -> CInt
    typealias Close = @convention(c) (OpaquePointer?) -> CInt
    guard let open = dlsym(library, "sqlite3_open"), let execute = dlsym(library, "sqlite3_exec"),
      let close = dlsym(library, "sqlite3_close")
    else { return }
    var connection: OpaquePointer?
    #expect(unsafeBitCast(open, to: Open.self)(path, &connection) == 0)
    #expect(unsafeBitCast(execute, to: Execute.self)(connection, "SELECT COUNT(*) FROM t", 0, 0, 0) == 0)
    #expect(unsafeBitCast(close, to: Close.self)(connection) == 0)
  }
}
