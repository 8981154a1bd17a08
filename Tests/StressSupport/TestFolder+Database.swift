import CSQLite
import TestSupport
import Tidemark

extension TestFolder {
  /// A pool with frequent checkpoints.
  package func pool(readers: Int = 4, _ setUp: (inout Configuration) -> Void = { _ in }) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.maximumReaderCount = readers
    configuration.busyMode = .timeout(WaitLimit.seconds)
    configuration.prepareDatabase { db in
      if db.description.hasSuffix("writer") { try db.execute(sql: "PRAGMA wal_autocheckpoint = 50") }
    }
    setUp(&configuration)
    return try DatabasePool(path: database, configuration: configuration)
  }

  /// A pool that writes the change feed, beside processes that do.
  package func feedPool(_ feed: ChangeFeedConfiguration = ChangeFeedConfiguration()) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.busyMode = .timeout(600)
    configuration.changeFeed = feed
    return try DatabasePool(path: database, configuration: configuration)
  }

  /// The result of SQLite's integrity check, run without the library: `ok` for an intact file.
  package func integrity() -> String {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    guard sqlite3_open_v2(database, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { return "not opened" }
    sqlite3_busy_timeout(connection, CInt(WaitLimit.seconds * 1000))
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(connection, "PRAGMA integrity_check(1)", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
    else { return String(cString: sqlite3_errmsg(connection)) }
    return String(cString: text)
  }
}
