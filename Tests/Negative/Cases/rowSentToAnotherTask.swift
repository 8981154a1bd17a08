// A row may be a window on a running statement: what leaves is read out of it first.
// refused: [Ss]end|data race

import Tidemark

func fetch(_ db: Database) throws {
  guard let row = try Row.fetchOne(db, sql: "SELECT 1") else { return }
  Task.detached { print(row) }
  print(row)
}
