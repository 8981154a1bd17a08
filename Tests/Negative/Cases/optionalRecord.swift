// An optional record cannot be fetched: every row is a record, and fetchOne returns nil if there is no row.
// refused: Player.*DatabaseValueConvertible|Optional<Player>|Player\?

import Tidemark

func fetch(_ db: Database) throws {
  _ = try Player?.fetchAll(db, sql: "SELECT * FROM player")
}
