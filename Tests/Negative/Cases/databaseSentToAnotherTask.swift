// A connection is lent for the time of an access: another task asks for an access of its own.
// refused: [Ss]end|data race

import Tidemark

func write(_ db: Database) throws {
  Task.detached { try db.execute(sql: "DELETE FROM player") }
}
