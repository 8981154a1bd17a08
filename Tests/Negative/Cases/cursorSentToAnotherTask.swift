// A cursor steps a statement of its connection, and cannot leave the access.
// refused: [Ss]end|data race

import Tidemark

func fetch(_ db: Database) throws {
  let cursor = try Int.fetchCursor(db, sql: "SELECT 1")
  Task.detached { _ = try cursor.next() }
  _ = try cursor.next()
}
