// The elements of a set are hashable.
// refused: Hashable

import Tidemark

func fetch(_ db: Database) throws {
  _ = try Player.fetchSet(db, sql: "SELECT * FROM player")
}
