// Says which optional interfaces of SQLite are there at run time, and uses those that are.
//
// Compiled on its own against Sources/CSQLite: it must run on every libsqlite3, whatever it was built with.

import CSQLite

func word(_ answer: Int32) -> String { answer == 0 ? "no" : "yes" }

print("preupdate:", word(tidemark_has_preupdate_hook()))
print("snapshot:", word(tidemark_has_snapshot()))
print("session:", word(tidemark_has_session()))

var connection: OpaquePointer?
guard sqlite3_open(":memory:", &connection) == SQLITE_OK else { fatalError("No database in memory") }

var changeCount = 0

if tidemark_has_preupdate_hook() != 0 {
  _ = withUnsafeMutablePointer(to: &changeCount) { counter in
    sqlite3_preupdate_hook(
      connection,
      { context, connection, _, _, _, _, _ in
        guard let context, sqlite3_preupdate_count(connection) == 1, sqlite3_preupdate_depth(connection) == 0 else {
          return
        }
        context.assumingMemoryBound(to: Int.self).pointee += 1
      }, counter)
  }
}

guard sqlite3_exec(connection, "CREATE TABLE t(a); INSERT INTO t VALUES (1)", nil, nil, nil) == SQLITE_OK else {
  fatalError("A table and a row could not be written")
}
print("changes seen:", changeCount)

if tidemark_has_session() != 0 {
  var session: OpaquePointer?
  guard sqlite3session_create(connection, "main", &session) == SQLITE_OK else { fatalError("No session") }
  sqlite3session_delete(session)
}

guard sqlite3_close(connection) == SQLITE_OK else { fatalError("The connection did not close") }
