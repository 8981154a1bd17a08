// A statement belongs to its connection, which one task uses at a time.
// refused: [Ss]end|data race

import Tidemark

func fetch(_ db: Database) throws {
  let statement = try db.makeStatement(sql: "SELECT 1")
  Task.detached { _ = try Int.fetchOne(statement) }
  _ = try Int.fetchOne(statement)
}
