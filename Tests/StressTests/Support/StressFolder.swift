import CSQLite
import Foundation
import Tidemark

/// A folder with one database, removed with everything in it when it is released.
final class StressFolder: Sendable {
  let path: String

  var database: String { path + "/db.sqlite" }

  /// - parameter isInMemory: Whether it is not on a disk, where there is such a place.
  init(inMemory isInMemory: Bool = false) throws {
    let manager = FileManager.default
    let memory = URL(fileURLWithPath: "/dev/shm")
    let isThere = isInMemory && manager.isWritableFile(atPath: memory.path())
    let parent = isThere ? memory : manager.temporaryDirectory
    path = parent.appending(path: "tidemark-stress-\(UUID().uuidString)").path()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // What cannot be removed is left to the system, which empties the folder of temporary files.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// A pool whose log is moved into the database often.
  func pool(readers: Int = 4, _ setUp: (inout Configuration) -> Void = { _ in }) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.maximumReaderCount = readers
    configuration.busyMode = .timeout(60)
    configuration.prepareDatabase { db in
      if db.description.hasSuffix("writer") { try db.execute(sql: "PRAGMA wal_autocheckpoint = 50") }
    }
    setUp(&configuration)
    return try DatabasePool(path: database, configuration: configuration)
  }

  /// How many descriptors of the process are open on the files of the folder.
  var descriptorCount: Int {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return all.count { number in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
      return target?.hasPrefix(path) == true
    }
  }

  /// What SQLite says of the file, asked without the library: `ok` when all is well.
  func integrity() -> String {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    guard sqlite3_open_v2(database, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { return "not opened" }
    sqlite3_busy_timeout(connection, 60_000)
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(connection, "PRAGMA integrity_check(1)", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
    else { return String(cString: sqlite3_errmsg(connection)) }
    return String(cString: text)
  }
}
