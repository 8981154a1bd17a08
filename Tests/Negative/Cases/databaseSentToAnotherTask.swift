// A connection can be used during an access only: another task starts an access of its own.
// refused: [Ss]end|data race

import Tidemark

func write(_ db: Database) throws {
  Task.detached { try db.execute(sql: "DELETE FROM player") }
}
