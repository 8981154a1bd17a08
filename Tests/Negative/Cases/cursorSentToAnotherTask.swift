// A cursor steps a statement of the connection it came from, and stays where that connection is.
// refused: [Ss]end|data race

import Tidemark

func fetch(_ db: Database) throws {
  let cursor = try Int.fetchCursor(db, sql: "SELECT 1")
  Task.detached { _ = try cursor.next() }
  _ = try cursor.next()
}
