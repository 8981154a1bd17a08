// A type that is neither a record nor a value has no fetch methods.
// refused: 'Neither' has no member 'fetchAll'

import Tidemark

func fetch(_ db: Database) throws {
  _ = try Neither.fetchAll(db, sql: "SELECT 1")
}
