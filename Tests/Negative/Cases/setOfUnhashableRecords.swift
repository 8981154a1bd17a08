// A set needs elements that can be told apart.
// refused: Hashable

import Tidemark

func fetch(_ db: Database) throws {
  _ = try Player.fetchSet(db, sql: "SELECT * FROM player")
}
