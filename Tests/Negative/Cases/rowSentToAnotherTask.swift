// A row may refer to a running statement: copy it before it leaves the access.
// refused: [Ss]end|data race

import Tidemark

func fetch(_ db: Database) throws {
  guard let row = try Row.fetchOne(db, sql: "SELECT 1") else { return }
  Task.detached { print(row) }
  print(row)
}
