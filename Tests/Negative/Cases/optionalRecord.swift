// An optional record is no element: a row always makes a record, and fetchOne says with nil that there was no row.
// refused: Player.*DatabaseValueConvertible|Optional<Player>|Player\?

import Tidemark

func fetch(_ db: Database) throws {
  _ = try Player?.fetchAll(db, sql: "SELECT * FROM player")
}
