// An optional record cannot be fetched: every row is a record, and fetchOne returns nil without a row.
// refused: Player.*DatabaseValueConvertible|Optional<Player>|Player\?

import Tidemark

func fetch(_ db: Database) throws {
  _ = try Player?.fetchAll(db, sql: "SELECT * FROM player")
}
